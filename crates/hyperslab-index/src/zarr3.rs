//! Metadata of Zarr 3 with a manifest for each array: a folder that says where the chunks of each array lie.
//!
//! ```text
//! era5.zarr/zarr.json           the root group, with the metadata of all members (consolidated)
//! era5.zarr/t2m/zarr.json       metadata of an array
//! era5.zarr/t2m/manifest.json   {"0.0.0": {"path": url, "offset": 4096, "length": 51200}, …}
//! era5.zarr/t2m/c/0/0/0         a chunk that is inlined, as Zarr stores it
//! ```
//!
//! The manifest is that of Zarr's draft (zarr-specs#287), as VirtualiZarr has it. A chunk that is in neither place has the
//! fill value. xarray does not mask the fill value of Zarr 3: what it masks is the attribute `_FillValue`, whose
//! floating-point values are written in base 64.

use crate::attribute::quoted;
use crate::chunks::Content;
use crate::codec::Codec;
use crate::data_type::DataType;
use crate::model::{Array, Index};
use crate::zarr2::{key, object};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hyperslab_netcdf::Omitted;
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes the hierarchy into an existing folder. Returns what was left out.
///
/// # Errors
/// Those of writing files.
pub fn write_zarr(index: &Index, folder: &Path) -> io::Result<Vec<Omitted>> {
    let (mut members, mut omitted) = (Vec::new(), Vec::new());
    for group in index.groups.iter().filter(|group| !group.path.is_empty()) {
        members.push((group.path.clone(), group_document(&group.attributes, None)));
    }
    let urls: Vec<String> = index.files.iter().map(|url| quoted(url.as_bytes())).collect();
    for array in &index.arrays {
        let Some(document) = array_document(array, &mut omitted) else {
            let reason = "Zarr 3 has no type for its fields".into();
            omitted.push(Omitted { path: format!("/{}", array.path), reason });
            continue;
        };
        members.push((array.path.clone(), document));
        write_chunks(array, &urls, &folder.join(&array.path))?;
    }
    for (path, document) in &members {
        fs::create_dir_all(folder.join(path))?;
        fs::write(folder.join(path).join("zarr.json"), document)?;
    }
    let attributes = index.groups.first().map_or(&[][..], |root| &root.attributes);
    fs::write(folder.join("zarr.json"), group_document(attributes, Some(&object(&members))))?;
    Ok(omitted)
}

fn write_chunks(array: &Array, urls: &[String], folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut out = io::BufWriter::new(fs::File::create(folder.join("manifest.json"))?);
    let mut comma = "";
    out.write_all(b"{")?;
    array.chunks.visit(|coordinates, content| match content {
        Content::Stored { file, offset, bytes } => {
            let (key, url) = (key(coordinates, "."), &urls[file]);
            write!(out, "{comma}\"{key}\":{{\"path\":{url},\"offset\":{offset},\"length\":{bytes}}}")?;
            comma = ",";
            Ok(())
        }
        Content::Inline(bytes) => {
            let chunk = match coordinates {
                [] => folder.join("c"),
                coordinates => folder.join("c").join(key(coordinates, "/")),
            };
            fs::create_dir_all(chunk.parent().unwrap_or(folder))?;
            fs::write(chunk, bytes)
        }
    })?;
    out.write_all(b"}")?;
    out.flush()
}

fn group_document(attributes: &[(String, String)], members: Option<&str>) -> String {
    let consolidated = members.map_or_else(String::new, |members| {
        format!(
            ",\"consolidated_metadata\":{{\"kind\":\"inline\",\"must_understand\":false,\"metadata\":{members}}}"
        )
    });
    format!(
        "{{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{}{consolidated}}}",
        object(attributes)
    )
}

/// The document of an array; `None` if Zarr 3 has no such type. Attributes without a form are noted.
fn array_document(array: &Array, omitted: &mut Vec<Omitted>) -> Option<String> {
    let (data_type, endian) = data_type(&array.data_type)?;
    let first = match endian {
        _ if array.data_type == DataType::Text => json!({ "name": "vlen-utf8" }),
        Some(endian) => json!({ "name": "bytes", "configuration": { "endian": endian } }),
        None => json!({ "name": "bytes" }),
    };
    let filters = array.codecs.iter().filter(|codec| **codec != Codec::VlenUtf8);
    let codecs: Vec<Value> = std::iter::once(first).chain(filters.map(codec)).collect();
    let fill = array.fill_value.clone().unwrap_or_else(|| default_fill(&array.data_type));
    let configured = |name: &str, what: Value| json!({ "name": name, "configuration": what }).to_string();
    let members = [
        ("zarr_format", "3".to_owned()),
        ("node_type", "\"array\"".into()),
        ("shape", json!(array.shape).to_string()),
        ("data_type", data_type.to_string()),
        ("chunk_grid", configured("regular", json!({ "chunk_shape": array.chunk_shape }))),
        ("chunk_key_encoding", configured("default", json!({ "separator": "/" }))),
        ("fill_value", fill),
        ("codecs", json!(codecs).to_string()),
        ("attributes", object(&attributes(array, omitted))),
        ("dimension_names", json!(array.dimensions).to_string()),
        ("storage_transformers", "[]".into()),
    ];
    Some(object(&members.map(|(name, value)| (name.to_owned(), value))))
}

/// The name of the type, and the order of the bytes of a number.
fn data_type(data_type: &DataType) -> Option<(Value, Option<&'static str>)> {
    let name = match data_type {
        DataType::Text => return Some((json!("string"), None)),
        DataType::Fields(_) => return None,
        DataType::Simple(name) => name,
    };
    let (order, kind) = name.split_at(1);
    let (kind, size) = kind.split_at(1);
    let bytes: u32 = size.parse().ok()?;
    let of_bytes = |name: &str| json!({ "name": name, "configuration": { "length_bytes": bytes } });
    let name = match kind {
        "b" => json!("bool"),
        "i" => json!(format!("int{}", 8 * bytes)),
        "u" => json!(format!("uint{}", 8 * bytes)),
        "f" => json!(format!("float{}", 8 * bytes)),
        "c" => json!(format!("complex{}", 8 * bytes)),
        "S" => of_bytes("null_terminated_bytes"),
        "V" => of_bytes("raw_bytes"),
        _ => return None,
    };
    let endian = match order {
        "<" => Some("little"),
        ">" => Some("big"),
        _ => None,
    };
    Some((name, endian))
}

/// The fill value of an array all of whose chunks are listed.
fn default_fill(data_type: &DataType) -> String {
    let kind = match data_type {
        DataType::Simple(name) => name.chars().nth(1),
        _ => None,
    };
    match kind {
        Some('b') => "false",
        Some('c') => "[0.0,0.0]",
        Some('f') => "0.0",
        Some('i' | 'u') => "0",
        // Bytes are written in base 64.
        _ => "\"\"",
    }
    .into()
}

fn codec(codec: &Codec) -> Value {
    let Value::Object(mut settings) = codec.json() else { return json!(null) };
    let id = settings.remove("id");
    let name = id.as_ref().and_then(Value::as_str).unwrap_or_default();
    json!({ "name": format!("numcodecs.{name}"), "configuration": settings })
}

/// The attributes, with `_FillValue` as xarray expects it. xarray opens nothing of a store in which one has another form:
///
/// | type of the array | form |
/// |---|---|
/// | floating-point number | base 64 of the eight bytes of one |
/// | integer | a number |
/// | Boolean | a Boolean, or a number |
/// | text of variable length, or several values | the attribute `missing_value`, which masks the same |
/// | other types | none: the attribute is left out |
fn attributes(array: &Array, omitted: &mut Vec<Omitted>) -> Vec<(String, String)> {
    let mut found = Vec::with_capacity(array.attributes.len());
    let has_missing_value = array.attributes.iter().any(|(name, _)| name == MISSING_VALUE);
    for (name, value) in &array.attributes {
        if name != FILL_VALUE {
            found.push((name.clone(), value.clone()));
            continue;
        }
        match fill_attribute(&array.data_type, value) {
            FillAttribute::Value(value) => found.push((name.clone(), value)),
            FillAttribute::MissingValue if !has_missing_value => {
                found.push((MISSING_VALUE.into(), value.clone()));
            }
            FillAttribute::MissingValue | FillAttribute::None => omitted.push(Omitted {
                path: format!("/{}, attribute {FILL_VALUE:?}", array.path),
                reason: "xarray decodes no fill value of this type in Zarr 3".into(),
            }),
        }
    }
    found
}

const FILL_VALUE: &str = "_FillValue";
const MISSING_VALUE: &str = "missing_value";

/// What becomes of `_FillValue`.
enum FillAttribute {
    /// It has this value.
    Value(String),
    /// Another attribute, which masks the same.
    MissingValue,
    /// Left out.
    None,
}

fn fill_attribute(data_type: &DataType, value: &str) -> FillAttribute {
    let kind = match data_type {
        DataType::Text => return FillAttribute::MissingValue,
        DataType::Simple(name) => name.chars().nth(1),
        DataType::Fields(_) => None,
    };
    let json: Value = serde_json::from_str(value).unwrap_or(Value::Null);
    match kind {
        Some('i' | 'u' | 'f') if json.is_array() => FillAttribute::MissingValue,
        Some('i' | 'u') if json.is_number() => FillAttribute::Value(value.into()),
        Some('b') if json.is_number() || json.is_boolean() => FillAttribute::Value(value.into()),
        Some('f') => {
            let number: Option<f64> = match value {
                "Infinity" => Some(f64::INFINITY),
                "-Infinity" => Some(f64::NEG_INFINITY),
                value => value.parse().ok(),
            };
            let encoded = |number: f64| format!("\"{}\"", BASE64.encode(number.to_le_bytes()));
            number.map_or(FillAttribute::None, |number| FillAttribute::Value(encoded(number)))
        }
        _ => FillAttribute::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_values_have_the_forms_that_xarray_decodes() {
        let form =
            |data_type: &str, value: &str| match fill_attribute(&DataType::Simple(data_type.into()), value) {
                FillAttribute::Value(value) => value,
                FillAttribute::MissingValue => MISSING_VALUE.into(),
                FillAttribute::None => "none".into(),
            };
        assert_eq!(form("<i4", "-9"), "-9");
        assert_eq!(form("<i4", "\"-\""), "none");
        assert_eq!(form("<i4", "[1,2]"), MISSING_VALUE);
        assert_eq!(form("<f4", "NaN"), format!("\"{}\"", BASE64.encode(f64::NAN.to_le_bytes())));
        assert_eq!(form("<f4", "\"x\""), "none");
        assert_eq!(form("|b1", "true"), "true");
        assert_eq!(form("|S1", "\"-\""), "none");
        assert_eq!(form("<c8", "1"), "none");
        assert!(matches!(fill_attribute(&DataType::Text, "\"\""), FillAttribute::MissingValue));
    }
}
