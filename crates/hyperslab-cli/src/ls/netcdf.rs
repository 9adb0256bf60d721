//! `hyperslab ls --netcdf`: the file as netCDF-4 sees it, as CDL or as one JSON document.

use crate::absent;
use crate::args::LsArgs;
use crate::failure::{self, Failure, one_line};
use hyperslab::{File, Heap};
use hyperslab_apps::schema;
use hyperslab_listing::json::{Json, Object, write_object};
use hyperslab_netcdf::{
    Attribute, CdlOptions, DimensionKind, Group, Netcdf, Omitted, UserKind, Values, Variable, VariableType,
    write_cdl,
};
use hyperslab_units::hex;
use std::io::Write;

/// Prints the view.
pub(super) fn run(
    args: &LsArgs,
    file: &File,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    let mut netcdf = Netcdf::open(file)?;
    if !netcdf.select(&args.path) {
        // Says what there is near a path that does not exist.
        file.get(&args.path)?;
        let message = format!("{}: {}: netCDF has no such group or variable", file.name(), args.path);
        return Err(Failure::wrong_request(message).hint("`hyperslab ls` shows objects as HDF5 has them"));
    }
    let omitted: Vec<Omitted> = netcdf.left_out().cloned().chain(netcdf.without_type()).collect();
    let mut text = String::new();
    if args.json {
        write_object(&document(&netcdf, &omitted), &mut text);
        text.push('\n');
    } else {
        let name = args.file.file_stem().unwrap_or_default().to_string_lossy();
        let options = CdlOptions { has_special_attributes: !args.cdl };
        // Writing to a string does not fail.
        let _ = write_cdl(&netcdf, &name, options, &mut text);
    }
    out.write_all(text.as_bytes())?;
    out.flush()?;
    let absent = hyperslab::absent(file);
    absent::warn(&file.name(), &absent::sentences(&absent), err);
    for omitted in omitted.iter().filter(|omitted| !absent::names(&absent, &omitted.path)) {
        let _ =
            writeln!(err, "warning: {} is left out: {}", one_line(&omitted.path), one_line(&omitted.reason));
    }
    Ok(failure::DONE)
}

fn document(netcdf: &Netcdf, omitted: &[Omitted]) -> Object {
    let mut heap = netcdf.file().heap();
    let omitted = omitted.iter().map(|omitted| {
        Object::from([("path", omitted.path.as_str().into()), ("reason", omitted.reason.as_str().into())])
    });
    Object::from([
        ("schema", schema::LS_NETCDF.json()),
        ("file", netcdf.file().name().into()),
        ("classic_model", netcdf.is_classic_model.into()),
        ("properties", netcdf.properties.clone().into()),
        ("root", group(netcdf, netcdf.root(), &mut heap).into()),
        ("omitted", Json::list(omitted)),
    ])
}

fn group(netcdf: &Netcdf, of: &Group, heap: &mut Heap) -> Object {
    let groups = of.groups.iter().map(|&id| group(netcdf, netcdf.group(id), heap)).collect::<Vec<_>>();
    let dimensions = of.dimensions.iter().map(|&id| {
        let dimension = netcdf.dimension(id);
        let kind = match dimension.kind {
            DimensionKind::Coordinate(_) => "coordinate",
            DimensionKind::NoVariable(_) | DimensionKind::Bare => "no variable",
            DimensionKind::Phony => "phony",
        };
        Object::from([
            ("name", dimension.name.as_str().into()),
            ("size", dimension.len.into()),
            ("unlimited", dimension.is_unlimited.into()),
            ("id", i128::from(dimension.netcdf_id).into()),
            ("kind", kind.into()),
        ])
    });
    let types = of.types.iter().map(|&id| {
        let user = netcdf.user_type(id);
        let class = match user.kind {
            UserKind::Compound => "compound",
            UserKind::Enum => "enum",
            UserKind::Vlen => "vlen",
            UserKind::Opaque => "opaque",
            UserKind::Atomic => "atomic",
        };
        Object::from([
            ("name", user.name.as_str().into()),
            ("class", class.into()),
            ("datatype", user.datatype.to_string().into()),
        ])
    });
    Object::from([
        ("name", of.name.as_str().into()),
        ("path", of.path.as_str().into()),
        ("dimensions", Json::list(dimensions)),
        ("types", Json::list(types)),
        ("variables", Json::list(of.variables.iter().map(|of| variable(netcdf, of, heap)))),
        ("attributes", attributes(netcdf, &of.attributes, heap)),
        ("groups", Json::list(groups)),
    ])
}

fn variable(netcdf: &Netcdf, of: &Variable, heap: &mut Heap) -> Object {
    let dimensions = of.dimensions.iter().map(|&id| {
        let dimension = netcdf.dimension(id);
        Object::from([
            ("name", dimension.name.as_str().into()),
            ("group", netcdf.group(dimension.group).path.as_str().into()),
        ])
    });
    let storage = of.storage();
    let filters = storage.other_filters.iter().map(|(id, parameters)| {
        Object::from([("id", (*id).into()), ("parameters", Json::list(parameters.iter().copied()))])
    });
    Object::from([
        ("name", of.name.as_str().into()),
        ("hdf5_path", of.dataset.path().into()),
        ("type", type_name(netcdf, of.variable_type).into()),
        ("datatype", of.datatype().to_string().into()),
        ("dimensions", Json::list(dimensions)),
        ("shape", Json::list(netcdf.shape(of))),
        ("coordinate", of.is_coordinate.into()),
        ("attributes", attributes(netcdf, &of.attributes, heap)),
        ("storage", storage.layout.into()),
        ("chunk_sizes", storage.chunk_sizes.map(Json::list).into()),
        ("deflate_level", storage.deflate_level.into()),
        ("shuffle", storage.has_shuffle.into()),
        ("fletcher32", storage.has_fletcher32.into()),
        ("filters", Json::list(filters)),
        ("endianness", storage.endianness.map(|endianness| endianness.name()).into()),
        ("no_fill", storage.has_no_fill.into()),
    ])
}

fn attributes(netcdf: &Netcdf, of: &[Attribute], heap: &mut Heap) -> Json {
    Json::list(of.iter().map(|attribute| {
        let (key, value) = match attribute.values(heap) {
            Ok(values) => ("value", self::values(&values)),
            Err(error) => ("error", error.to_string().into()),
        };
        Object::from([
            ("name", attribute.name.as_str().into()),
            ("type", type_name(netcdf, attribute.attribute_type).into()),
            (key, value),
        ])
    }))
}

/// A list of the values; text (`NC_CHAR`) as one text.
fn values(values: &Values) -> Json {
    match values {
        Values::Char(text) => Json::lossy(text),
        Values::String(texts) => Json::List(texts.iter().map(|text| Json::lossy(text)).collect()),
        Values::Integer(_, numbers) => Json::list(numbers.iter().copied()),
        // By way of the shortest decimal, so that 0.1 stays 0.1.
        Values::Float(numbers) => Json::List(
            numbers.iter().map(|number| float(number.to_string().parse().unwrap_or(f64::NAN))).collect(),
        ),
        Values::Double(numbers) => Json::List(numbers.iter().map(|&number| float(number)).collect()),
        Values::Elements(elements) => {
            Json::list(elements.iter().map(|element| format!("0x{}", hex(element))))
        }
    }
}

/// JSON has no infinity and nothing that is not a number: these are texts.
fn float(number: f64) -> Json {
    if number.is_finite() { Json::Float(number) } else { number.to_string().into() }
}

fn type_name(netcdf: &Netcdf, of: VariableType) -> String {
    match of {
        VariableType::Atomic(atomic) => atomic.name().to_owned(),
        VariableType::User(id) => netcdf.user_type(id).name.clone(),
        VariableType::Other => "none".to_owned(),
    }
}
