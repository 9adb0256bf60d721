//! Metadata of Zarr 2, which both formats of kerchunk's references contain.

use crate::attribute::quoted;
use crate::model::{Array, Index};
use serde_json::json;

/// The metadata of a group (`.zgroup`).
const GROUP: &str = r#"{"zarr_format":2}"#;

/// The metadata of an array (`.zarray`), as JSON text.
fn metadata(array: &Array) -> String {
    let codecs: Vec<_> = array.codecs.iter().map(|codec| codec.json()).collect();
    let filters = if codecs.is_empty() { json!(null) } else { json!(codecs) };
    let members = [
        ("zarr_format", "2".to_owned()),
        ("shape", json!(array.shape).to_string()),
        ("chunks", json!(array.chunk_shape).to_string()),
        ("dtype", array.data_type.json().to_string()),
        ("fill_value", array.fill_value.clone().unwrap_or_else(|| "null".into())),
        ("order", "\"C\"".into()),
        ("filters", filters.to_string()),
        ("compressor", "null".into()),
        ("dimension_separator", "\".\"".into()),
    ];
    object(&members.map(|(name, value)| (name.to_owned(), value)))
}

/// The attributes of an array (`.zattrs`), as JSON text; `_FillValue` is left to the fill value of the array, where it has
/// one.
fn attributes(array: &Array) -> String {
    let is_fill = |name: &str| name == "_FillValue" && array.fill_value.is_some();
    let mut members: Vec<_> = array.attributes.iter().filter(|(name, _)| !is_fill(name)).cloned().collect();
    members.push(("_ARRAY_DIMENSIONS".into(), json!(array.dimensions).to_string()));
    object(&members)
}

/// A JSON object of members whose values are JSON text.
pub(crate) fn object(members: &[(String, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}:{value}", quoted(name.as_bytes()))).collect();
    format!("{{{}}}", members.join(","))
}

/// The names and the metadata of all groups and arrays: `.zgroup`, `.zattrs`, `tas/.zarray`, `tas/.zattrs`, … The members
/// of a group follow one another, because zarr-python loses others when it reads consolidated metadata.
pub(crate) fn members(index: &Index) -> Vec<(String, String)> {
    let groups = index.groups.iter().map(|group| {
        (group.path.as_str(), [(".zgroup", GROUP.to_owned()), (".zattrs", object(&group.attributes))])
    });
    let arrays = index
        .arrays
        .iter()
        .map(|array| (array.path.as_str(), [(".zarray", metadata(array)), (".zattrs", attributes(array))]));
    let mut nodes: Vec<_> = groups.chain(arrays).collect();
    nodes.sort_by_key(|(path, _)| path.rsplit_once('/').map(|(group, _)| group));
    let named = |(path, members): (&str, [(&str, String); 2])| {
        let prefix = prefix(path);
        members.map(|(name, json)| (format!("{prefix}{name}"), json))
    };
    nodes.into_iter().flat_map(named).collect()
}

/// What comes before the names of the members of a group or array.
pub(crate) fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}/") }
}

/// The key of a chunk: its coordinates; `0` for an array without axes.
pub(crate) fn key(coordinates: &[u64], between: &str) -> String {
    match coordinates {
        [] => "0".into(),
        coordinates => coordinates.iter().map(ToString::to_string).collect::<Vec<_>>().join(between),
    }
}
