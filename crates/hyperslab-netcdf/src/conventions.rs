//! The names that netCDF-4 reserves in an HDF5 file.

use bytes::Bytes;
use hyperslab::{File, Heap};
use hyperslab_format::message::{Attribute, Class};

/// Marks a dataset as a dimension scale; its value is [`DIMENSION_SCALE`].
pub(crate) const CLASS: &str = "CLASS";
/// The value of [`CLASS`] (HDF5 Dimension Scale Specification).
pub(crate) const DIMENSION_SCALE: &[u8] = b"DIMENSION_SCALE";
/// The name of a dimension scale.
pub(crate) const NAME: &str = "NAME";
/// What [`NAME`] begins with where a dimension has no variable of its name.
pub(crate) const NO_VARIABLE: &[u8] = b"This is a netCDF dimension but not a netCDF variable.";
/// References to the dimension scales of a variable, a list for each axis.
pub(crate) const DIMENSION_LIST: &str = "DIMENSION_LIST";
/// The number of a dimension.
pub(crate) const DIMENSION_ID: &str = "_Netcdf4Dimid";
/// The numbers of the dimensions of a variable.
pub(crate) const COORDINATES: &str = "_Netcdf4Coordinates";
/// Present in the root group where the file keeps to the classic data model.
pub(crate) const CLASSIC_MODEL: &str = "_nc3_strict";
/// Which libraries wrote the file.
pub(crate) const PROPERTIES: &str = "_NCProperties";
/// Begins the HDF5 name of a variable that has the name of a dimension without being its coordinate variable.
pub(crate) const NOT_COORDINATE: &str = "_nc4_non_coord_";

/// Attributes that netCDF-C keeps for itself.
const RESERVED: [&str; 12] = [
    CLASS,
    DIMENSION_LIST,
    NAME,
    "REFERENCE_LIST",
    "_Format",
    "_IsNetcdf4",
    PROPERTIES,
    COORDINATES,
    DIMENSION_ID,
    "_SuperblockVersion",
    CLASSIC_MODEL,
    "_Codecs",
];

/// True for an attribute that is not part of the netCDF data model.
pub(crate) fn is_reserved(attribute: &[u8]) -> bool {
    RESERVED.iter().any(|name| name.as_bytes() == attribute)
}

/// True for an attribute that netCDF-4 gives to datasets.
pub(crate) fn is_mark(attribute: &[u8]) -> bool {
    let marks = ["REFERENCE_LIST", CLASS, DIMENSION_LIST, NAME, COORDINATES, DIMENSION_ID];
    marks.iter().any(|name| name.as_bytes() == attribute)
}

/// The netCDF name of a variable whose dataset has this name.
pub(crate) fn variable_name(link: &str) -> &str {
    link.strip_prefix(NOT_COORDINATE).filter(|rest| !rest.is_empty()).unwrap_or(link)
}

/// What `ncdump -k` calls a file of netCDF's older formats; `None` for others.
pub(crate) fn older_kind(file: &File) -> Option<&'static str> {
    match file.format_word() {
        "netcdf-classic-1" => Some("classic"),
        "netcdf-classic-2" => Some("64-bit offset"),
        "netcdf-classic-5" => Some("cdf5"),
        _ => None,
    }
}

/// The text of an attribute, up to its first NUL; empty where it is not text.
pub(crate) fn text_of(stored: &Attribute, heap: &mut Heap) -> String {
    let text = match &stored.datatype.class {
        Class::FixedString { .. } => stored.data.clone(),
        Class::VlenString { .. } => heap.sequence(&stored.data, 1).map_or(Bytes::new(), |(_, text)| text),
        _ => Bytes::new(),
    };
    let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    String::from_utf8_lossy(&text[..end]).into_owned()
}
