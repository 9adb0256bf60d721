//! Grids, swaths and points of HDF-EOS2 as groups: their fields under short dimension names, and coordinates of grids.

use super::attribute::Attribute;
use super::model::{DataSet, Element, Values};
use hyperslab_format::Name;
use hyperslab_hdf4::eos::{self, Grid, MappingValue, Swath};
use hyperslab_hdf4::{Kind as NumberKind, NumberType, Vgroup};
use std::collections::HashSet;

/// The attribute that describes structures, in parts of at most 32,000 bytes.
const METADATA: &str = "StructMetadata.";
const FLOAT64: NumberType = NumberType { kind: NumberKind::Float, bytes: 8, is_little_endian: false };
const INT32: NumberType = NumberType { kind: NumberKind::Int, bytes: 4, is_little_endian: false };

/// The kinds of structures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Grid,
    Swath,
    Point,
}

/// The objects that are fields of a structure.
pub(super) type Fields = HashSet<usize>;

/// The kind of structure that a Vgroup is.
pub(super) fn kind(vgroup: &Vgroup) -> Option<Kind> {
    match vgroup.class.as_bytes() {
        b"GRID" => Some(Kind::Grid),
        b"SWATH" => Some(Kind::Swath),
        b"POINT" => Some(Kind::Point),
        _ => None,
    }
}

/// The structures that a file describes.
pub(super) struct Structures(Vec<Structure>);

/// A structure.
pub(super) struct Structure(eos::Structure);

impl Structures {
    pub(super) fn read(attributes: &[Attribute]) -> Self {
        let mut parts: Vec<(u32, String)> = attributes.iter().filter_map(part).collect();
        parts.sort();
        let text: String = parts.into_iter().map(|(_, text)| text).collect();
        Self(eos::structures(&text).into_iter().map(Structure).collect())
    }

    /// The structure of this kind and this name.
    pub(super) fn of(&self, kind: Kind, name: &Name) -> Option<&Structure> {
        let is_kind = |structure: &eos::Structure| match structure {
            eos::Structure::Grid(_) => kind == Kind::Grid,
            eos::Structure::Swath(_) => kind == Kind::Swath,
        };
        self.0.iter().find(|Structure(found)| is_kind(found) && found.name().as_bytes() == name.as_bytes())
    }

    /// True for the Vgroup of a structure.
    pub(super) fn has(&self, vgroup: &Vgroup) -> bool {
        kind(vgroup).is_some_and(|kind| self.of(kind, &vgroup.name).is_some())
    }
}

/// A part of the text about structures, and its number.
fn part(attribute: &Attribute) -> Option<(u32, String)> {
    let number = attribute.name.as_str()?.strip_prefix(METADATA)?.parse().ok()?;
    let text = attribute.as_text()?;
    Some((number, text.trim_end_matches('\0').to_string()))
}

/// The name of a dimension within its structure: `YDim` for `YDim:Grid`.
pub(super) fn short_name(name: &Name) -> Name {
    let bytes = name.as_bytes();
    match bytes.iter().position(|byte| *byte == b':') {
        Some(0) | None => name.clone(),
        Some(end) => Name::new(bytes[..end].to_vec()),
    }
}

impl Structure {
    /// The names of the dimensions of a field.
    pub(super) fn dimensions_of(&self, field: &Name) -> Option<Vec<String>> {
        self.0.dimensions_of(field.as_str()?).map(<[String]>::to_vec)
    }

    /// The fields that share a data set of this name, in their order along its first axis.
    pub(super) fn merged(&self, data_set: &Name) -> Option<Vec<String>> {
        self.0.merged(data_set.as_str()?).map(<[String]>::to_vec)
    }

    /// What readers need to know of the structure.
    pub(super) fn attributes(&self) -> Vec<Attribute> {
        match &self.0 {
            eos::Structure::Grid(grid) => grid_attributes(grid),
            eos::Structure::Swath(swath) => swath_attributes(swath),
        }
    }

    /// The coordinates of a grid along its two axes.
    pub(super) fn coordinates(&self) -> Vec<(Name, DataSet)> {
        let eos::Structure::Grid(grid) = &self.0 else { return Vec::new() };
        let Some([x, y]) = grid.coordinates() else { return Vec::new() };
        let words = match grid.is_geographic() {
            true => [("longitude", "degrees_east"), ("latitude", "degrees_north")],
            false => [("projection_x_coordinate", "m"), ("projection_y_coordinate", "m")],
        };
        let [of_x, of_y] = words;
        vec![("YDim".into(), coordinate(&y, of_y)), ("XDim".into(), coordinate(&x, of_x))]
    }

    /// The grid mapping of a projected grid: a scalar, of which only the attributes count.
    pub(super) fn grid_mapping(&self) -> Option<DataSet> {
        let eos::Structure::Grid(grid) = &self.0 else { return None };
        let attribute = |(name, value)| match value {
            MappingValue::Text(text) => Attribute::text(name, text.as_bytes()),
            MappingValue::Number(number) => Attribute::numbers(name, FLOAT64, &f64::to_be_bytes(number)),
        };
        Some(DataSet {
            element: Element::Number(INT32),
            shape: Vec::new(),
            is_unlimited: false,
            values: Values::Known(vec![0; 4]),
            fill: INT32.default_fill(),
            attributes: grid.grid_mapping()?.into_iter().map(attribute).collect(),
            at: 0,
        })
    }
}

fn coordinate(values: &[f64], (standard_name, units): (&str, &str)) -> DataSet {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    DataSet {
        element: Element::Number(FLOAT64),
        shape: vec![values.len() as u64],
        is_unlimited: false,
        values: Values::Known(bytes),
        fill: FLOAT64.default_fill(),
        attributes: vec![
            Attribute::text("standard_name", standard_name.as_bytes()),
            Attribute::text("units", units.as_bytes()),
        ],
        at: 0,
    }
}

fn grid_attributes(grid: &Grid) -> Vec<Attribute> {
    let mut attributes = vec![Attribute::text("Projection", grid.projection.as_bytes())];
    let mut numbers = |name: &str, values: &[f64]| {
        if !values.is_empty() {
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
            attributes.push(Attribute::numbers(name, FLOAT64, &bytes));
        }
    };
    numbers("UpperLeftPointMtrs", grid.upper_left.as_ref().map_or(&[], |pair| &pair[..]));
    numbers("LowerRightMtrs", grid.lower_right.as_ref().map_or(&[], |pair| &pair[..]));
    numbers("ProjParams", &grid.parameters);
    numbers("SphereCode", grid.sphere.as_slice());
    numbers("ZoneCode", grid.zone.as_slice());
    attributes
}

/// `data = offset + increment × geolocation`, a line for each pair of dimensions.
fn swath_attributes(swath: &Swath) -> Vec<Attribute> {
    let line = |map: &eos::DimensionMap| {
        format!("{}: {} + {} * {}", map.data, map.offset, map.increment, map.geolocation)
    };
    let lines: Vec<String> = swath.maps.iter().map(line).collect();
    let text = (!lines.is_empty()).then(|| Attribute::text("dimension_map", lines.join("\n").as_bytes()));
    text.into_iter().collect()
}
