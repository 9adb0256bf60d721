//! Kerchunk's references, version 1: one JSON document that fsspec reads as a Zarr 2 hierarchy.
//!
//! ```text
//! {"version": 1, "refs": {".zgroup": "…", "tas/.zarray": "…", "tas/.zattrs": "…", "tas/0.0.0": [url, offset, bytes], …}}
//! ```
//!
//! Metadata and inlined chunks are text, or `base64:` and their bytes. A chunk without a key has the fill value of the
//! array. Format: <https://fsspec.github.io/kerchunk/spec.html>.

use crate::attribute::quoted;
use crate::model::{Array, Content, Index};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::json;
use std::io::{self, Write};

/// Writes the references. `url` is where readers find the file.
///
/// # Errors
/// Those of `out`.
pub fn write_kerchunk(index: &Index, url: &str, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"version\":1,\"refs\":{")?;
    let mut first = true;
    for group in &index.groups {
        let prefix = prefix(&group.path);
        entry(out, &mut first, &format!("{prefix}.zgroup"), &text(r#"{"zarr_format":2}"#))?;
        entry(out, &mut first, &format!("{prefix}.zattrs"), &text(&object(&group.attributes)))?;
    }
    let url = quoted(url.as_bytes());
    for array in &index.arrays {
        let prefix = prefix(&array.path);
        entry(out, &mut first, &format!("{prefix}.zarray"), &text(&metadata(array)))?;
        entry(out, &mut first, &format!("{prefix}.zattrs"), &text(&object(&attributes(array))))?;
        for chunk in &array.chunks {
            let value = match &chunk.content {
                Content::Stored { offset, bytes } => format!("[{url},{offset},{bytes}]"),
                Content::Inline(bytes) => format!("\"base64:{}\"", BASE64.encode(bytes)),
            };
            entry(out, &mut first, &format!("{prefix}{}", key(&array.coordinates(chunk))), &value)?;
        }
    }
    out.write_all(b"}}")
}

fn entry(out: &mut dyn Write, first: &mut bool, key: &str, value: &str) -> io::Result<()> {
    let comma = if std::mem::take(first) { "" } else { "," };
    write!(out, "{comma}{}:{value}", quoted(key.as_bytes()))
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}/") }
}

/// JSON text as a JSON string.
fn text(json: &str) -> String {
    quoted(json.as_bytes())
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<String> =
        members.iter().map(|(name, value)| format!("{}:{value}", quoted(name.as_bytes()))).collect();
    format!("{{{}}}", members.join(","))
}

/// The key of a chunk: its coordinates; `0` for an array without axes.
fn key(coordinates: &[u64]) -> String {
    match coordinates {
        [] => "0".into(),
        coordinates => coordinates.iter().map(ToString::to_string).collect::<Vec<_>>().join("."),
    }
}

/// The attributes of an array; `_FillValue` is left to the fill value of the array, where it has one.
fn attributes(array: &Array) -> Vec<(String, String)> {
    let is_fill = |name: &str| name == "_FillValue" && array.fill_value.is_some();
    let mut members: Vec<_> = array.attributes.iter().filter(|(name, _)| !is_fill(name)).cloned().collect();
    members.push(("_ARRAY_DIMENSIONS".into(), json!(array.dimensions).to_string()));
    members
}

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
