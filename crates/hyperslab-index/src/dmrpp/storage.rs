//! How a variable is stored, in the attributes and elements of DMR++.

use super::fill::fill_value;
use super::inline::{inline, texts};
use super::stored::Stored;
use super::types::{dap_type, escaped};
use super::user_types::{Member, Structure, enumeration};
use hyperslab::datatypes::{Class, StringPadding};
use hyperslab::hdf5::chunked_layout;
use hyperslab::storage::Fill;
use hyperslab::{Dataset, Dataspace};
use hyperslab_netcdf::{Netcdf, Variable, VariableType};
use std::sync::Arc;

/// How a variable is written: all that must be known before its element begins.
pub(super) struct Described {
    /// The type in DAP4.
    pub dap_type: &'static str,
    /// The path of the enumeration that is its type.
    pub enumeration: Option<String>,
    /// The members of a `Structure`.
    pub members: Vec<Member>,
    /// The attributes of `dmrpp:chunks`.
    pub attributes: String,
    pub stored: Stored,
    /// The size of text, and how it is padded.
    pub text: Option<(u32, &'static str)>,
}

/// Describes a variable, or says why Hyrax would not read it.
pub(super) fn describe(netcdf: &Netcdf, variable: &Variable) -> Result<Described, String> {
    let dataset = &variable.dataset;
    if !dataset.file().is_same(netcdf.file()) {
        return Err("it lies in another file, behind an external link".into());
    }
    if matches!(dataset.dataspace(), Dataspace::Null) {
        return Err("it has no elements (a null dataspace)".into());
    }
    let class = &dataset.datatype().class;
    let structure = Structure::of(dataset.datatype());
    let simple = dap_type(dataset.stored_datatype());
    if structure.is_none() && simple.is_none() {
        return Err(format!("DMR++ has no type like {}, or Hyrax does not read it", dataset.datatype()));
    }
    let text = match class {
        // Of a scalar, the size of the block says as much.
        Class::FixedString { padding, .. } if !dataset.shape().is_empty() => Some((
            dataset.datatype().size,
            match padding {
                StringPadding::NullTerminate => "null_term",
                StringPadding::NullPad => "null_pad",
                StringPadding::SpacePad => "space_pad",
            },
        )),
        _ => None,
    };
    let (stored, filters) = match class {
        Class::VlenString { .. } => (texts(netcdf, variable)?, String::new()),
        _ => match referenced(netcdf, variable, structure.as_ref()) {
            Ok(referenced) => referenced,
            Err(reason) => {
                let inlined = inline(netcdf, variable);
                (inlined.map_err(|problem| format!("{reason}, and {problem}"))?, String::new())
            }
        },
    };
    let is_complete = is_complete(netcdf, variable, &stored);
    // Hyrax does not fill enumerations: one with chunks that were never written is written as integers.
    let enumeration = match variable.variable_type {
        VariableType::User(id) if matches!(class, Class::Enum { .. }) && is_complete => {
            enumeration(netcdf, id)
        }
        _ => None,
    };
    // Without a fill value, Hyrax could not read what was never written; the engine reads zeros then.
    let fill = match &dataset.fill_value().value {
        Fill::Default if enumeration.is_some() => None,
        _ => fill_value(dataset).or_else(|| (!is_complete).then(|| "0".into())),
    };
    let in_file = structure.as_ref().and_then(|structure| structure.in_file.as_ref().ok());
    let order = in_file.map_or_else(|| simple.and_then(|(_, order)| order), |in_file| in_file.order);
    let attribute = |name: &str, value: Option<&str>| {
        value.map_or_else(String::new, |value| format!(" {name}=\"{}\"", escaped(value)))
    };
    let attributes = filters
        + &attribute("fillValue", fill.as_deref())
        + &attribute("byteOrder", order)
        + &attribute("structOffset", in_file.map(|in_file| in_file.offsets.as_str()));
    let dap_type = match (&structure, &enumeration, simple) {
        (Some(_), _, _) => "Structure",
        (_, Some(_), _) => "Enum",
        (_, _, Some((name, _))) => name,
        (None, None, None) => return Err("it has no type in DMR++".into()),
    };
    let members = structure.map_or_else(Vec::new, |structure| structure.members);
    Ok(Described { dap_type, enumeration, members, attributes, stored, text })
}

/// Where a variable lies in the file, and the attributes of its filters; or why Hyrax cannot read it there.
fn referenced(
    netcdf: &Netcdf,
    variable: &Variable,
    structure: Option<&Structure>,
) -> Result<(Stored, String), String> {
    let dataset = &variable.dataset;
    if let Some(Err(reason)) = structure.map(|structure| structure.in_file.as_ref()) {
        return Err((*reason).to_owned());
    }
    if netcdf.shape(variable) != dataset.shape() && !ends_with_whole_chunks(netcdf, variable) {
        return Err("it is shorter than its dimensions, and ends inside a chunk".into());
    }
    let stored = match dataset.layout_name() {
        "chunked" => chunked(dataset)?,
        _ if dataset.elements() == 0 => Stored::Nothing,
        "contiguous" => {
            let records = dataset.record_map().map_err(|error| error.to_string())?;
            let shape = dataset.shape().to_vec();
            let records = records.map(Arc::new);
            let records = records.map(|map| Stored::Map { map, shape, unfiltered_edges: None });
            let block = |offset| Stored::Block(offset, dataset.logical_bytes());
            records.or_else(|| dataset.data_offset().map(block)).unwrap_or(Stored::Nothing)
        }
        layout => return Err(format!("its data is {layout}")),
    };
    let is_number = structure.is_none() && !matches!(dataset.datatype().class, Class::FixedString { .. });
    if !is_number && !is_complete(netcdf, variable, &stored) {
        return Err("parts of it were never written, which Hyrax fills in numbers only".into());
    }
    Ok((stored, compression(dataset)?))
}

/// True if a variable that is shorter than its dimensions has no chunk with values beyond its end: what follows was never
/// written, and has the fill value.
fn ends_with_whole_chunks(netcdf: &Netcdf, variable: &Variable) -> bool {
    let Some(chunk) = variable.dataset.chunk_shape() else { return false };
    let (shape, ends) = (netcdf.shape(variable), variable.dataset.shape());
    shape.len() == ends.len()
        && shape.iter().zip(ends).zip(chunk).all(|((len, end), chunk)| len == end || end % chunk == 0)
}

/// True if no element needs a fill value.
fn is_complete(netcdf: &Netcdf, variable: &Variable, stored: &Stored) -> bool {
    let dataset = &variable.dataset;
    match stored {
        Stored::Compact(_) | Stored::Elements(_) | Stored::Texts(_) => true,
        _ if netcdf.shape(variable) != dataset.shape() => false,
        Stored::Block(..) => true,
        Stored::Map { map, .. } => {
            let chunks = map.grid().counts().iter().try_fold(1u64, |all, count| all.checked_mul(*count));
            chunks == Some(map.len() as u64)
        }
        Stored::Nothing => dataset.elements() == 0,
    }
}

fn chunked(dataset: &Dataset) -> Result<Stored, String> {
    let map = dataset.chunk_map().map_err(|error| error.to_string())?;
    let file_bytes = dataset.file().source().len();
    if map.iter().any(|(_, location)| location.is_outside(file_bytes)) {
        return Err("a chunk of it lies in several blocks".into());
    }
    let are_edges_unfiltered = !dataset.filters().is_empty()
        && chunked_layout(dataset).is_some_and(|layout| layout.edge_chunks_unfiltered);
    let all_skipped = (1u32 << dataset.filters().len().min(31)) - 1;
    let unfiltered_edges = are_edges_unfiltered.then_some(all_skipped);
    Ok(Stored::Map { map, shape: dataset.shape().to_vec(), unfiltered_edges })
}

/// The filters, in the order in which they were applied.
fn compression(dataset: &Dataset) -> Result<String, String> {
    let (mut names, mut levels) = (Vec::new(), Vec::new());
    for filter in dataset.filters() {
        names.push(match filter.id {
            1 => {
                levels.push(filter.parameters.first().copied().unwrap_or(6).to_string());
                "deflate"
            }
            2 => "shuffle",
            3 => "fletcher32",
            _ => {
                let name = hyperslab::filters::describe(filter);
                return Err(format!("Hyrax does not have the filter {name}"));
            }
        });
    }
    let mut text = String::new();
    if !names.is_empty() {
        text += &format!(" compressionType=\"{}\"", names.join(" "));
    }
    if !levels.is_empty() {
        text += &format!(" deflateLevel=\"{}\"", levels.join(" "));
    }
    Ok(text)
}
