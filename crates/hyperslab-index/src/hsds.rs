//! Links of HSDS: a JSON document with the requests that make a domain whose datasets are read from an HDF5 file where it
//! is. `hyperslab.hsds.load` sends them.
//!
//! ```text
//! {"version": 1, "groups": [{"path": "", "attributes": {…}}],
//!  "datasets": [{"path": "t2m", "body": {"type": …, "shape": …, "creationProperties": {"layout": …, "filters": …}},
//!                "chunk_table": null, "value": null, "attributes": {"units": {"type": …, "value": "K"}}}]}
//! ```
//!
//! `body` is that of `POST /datasets`. Its layout is `H5D_CONTIGUOUS_REF`, `H5D_CHUNKED_REF` or, for more than 1,000 chunks,
//! `H5D_CHUNKED_REF_INDIRECT`, whose table of offsets and sizes is a dataset of its own (`chunk_table`). Values that no
//! reader of HSDS could decode are in `value`, in base 64. Layouts:
//! <https://github.com/HDFGroup/hsds/blob/master/docs/design/single_object/SingleObject.md>.

use crate::attribute::quoted;
use crate::chunks::{Content, coordinates};
use crate::codec::Codec;
use crate::data_type::DataType;
use crate::model::{Array, Index};
use crate::zarr2::key;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hyperslab_netcdf::Omitted;
use serde_json::{Value, json};
use std::io::{self, Write};

/// With more chunks than this, they are a dataset of their own.
const LISTED_MAX: usize = 1000;
/// A table of chunks has at most so many rows, written or not.
const TABLE_ROWS_MAX: u128 = 1 << 24;

/// Writes the document. Returns what was left out.
///
/// # Errors
/// Those of `out`.
pub fn write_hsds(index: &Index, out: &mut dyn Write) -> io::Result<Vec<Omitted>> {
    let mut omitted = Vec::new();
    write!(out, "{{\"version\":1,\"groups\":[")?;
    for (at, group) in index.groups.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let (path, attributes) = (quoted(group.path.as_bytes()), attributes(&group.attributes));
        write!(out, "{comma}{{\"path\":{path},\"attributes\":{attributes}}}")?;
    }
    write!(out, "],\"datasets\":[")?;
    let mut comma = "";
    for array in &index.arrays {
        match dataset(array, &index.files) {
            Ok(dataset) => {
                write!(out, "{comma}{dataset}")?;
                comma = ",";
            }
            Err(reason) => omitted.push(Omitted { path: format!("/{}", array.path), reason }),
        }
    }
    write!(out, "]}}")?;
    Ok(omitted)
}

fn dataset(array: &Array, files: &[String]) -> Result<Value, String> {
    let data_type = data_type(&array.data_type).ok_or("HSDS has no type like it")?;
    let only = array.chunks.get(&vec![0; array.shape.len()]);
    let (mut layout, mut table, mut value) = (json!(null), json!(null), json!(null));
    match only {
        Some(Content::Inline(bytes)) if array.chunks.len() == 1 && array.codecs.is_empty() => {
            value = json!(BASE64.encode(bytes));
        }
        Some(Content::Stored { file, offset, bytes })
            if array.codecs.is_empty() && array.chunk_shape == array.shape =>
        {
            layout = json!({ "class": "H5D_CONTIGUOUS_REF", "file_uri": files[file], "offset": offset, "size": bytes });
        }
        _ if array.chunks.is_empty() => {}
        _ => (layout, table) = chunked(array, files)?,
    }
    let mut properties = json!({});
    let filters = filters(&array.codecs)?;
    // The server refuses an empty list for what is not chunked.
    if !filters.is_empty() {
        properties["filters"] = json!(filters);
    }
    if !layout.is_null() {
        properties["layout"] = layout;
    }
    let fill = array.fill_value.as_deref().and_then(|fill| serde_json::from_str::<Value>(fill).ok());
    if let Some(fill) = fill.filter(Value::is_number) {
        properties["fillValue"] = fill;
    }
    let shape = if array.shape.is_empty() { json!("H5S_SCALAR") } else { json!(array.shape) };
    Ok(json!({
        "path": array.path,
        "body": { "type": data_type, "shape": shape, "creationProperties": properties },
        "chunk_table": table,
        "value": value,
        "attributes": attributes(&array.attributes),
    }))
}

/// The layout, and the table of chunks if it is a dataset of its own.
fn chunked(array: &Array, files: &[String]) -> Result<(Value, Value), String> {
    let [file] = files else { return Err("HSDS links the chunks of one file only".into()) };
    let is_inline = |content: &Content<'_>| matches!(content, Content::Inline(_));
    let mut listed = serde_json::Map::new();
    let few = array.chunks.len() <= LISTED_MAX;
    array.chunks.visit(|at, content| match content {
        content if is_inline(&content) => Err("HSDS cannot store some of its chunks here".to_owned()),
        Content::Stored { offset, bytes, .. } if few => {
            listed.insert(key(at, "_"), json!([offset, bytes]));
            Ok(())
        }
        _ => Ok(()),
    })?;
    if few {
        let layout = json!({ "class": "H5D_CHUNKED_REF", "file_uri": file, "dims": array.chunk_shape, "chunks": listed });
        return Ok((layout, json!(null)));
    }
    let counts = array.counts();
    let all = counts.iter().fold(1u128, |all, &count| all.saturating_mul(count.into()));
    if all > TABLE_ROWS_MAX {
        return Err(format!("its grid has {all} chunks, too many for a table of HSDS"));
    }
    let row = |number| match array.chunks.get(&coordinates(number, &counts)) {
        Some(Content::Stored { offset, bytes, .. }) => json!([offset, bytes]),
        _ => json!([0, 0]),
    };
    let rows: Vec<Value> = (0..all).map(row).collect();
    // The number of the table's dataset is known when it has been made.
    let layout = json!({ "class": "H5D_CHUNKED_REF_INDIRECT", "file_uri": file, "dims": array.chunk_shape, "chunk_table": null });
    Ok((layout, json!({ "shape": counts, "rows": rows })))
}

fn filters(codecs: &[Codec]) -> Result<Vec<Value>, String> {
    let filter = |codec: &Codec| match codec {
        Codec::Shuffle { .. } => Ok(json!({ "class": "H5Z_FILTER_SHUFFLE", "id": 2, "name": "shuffle" })),
        Codec::Zlib { level } => {
            Ok(json!({ "class": "H5Z_FILTER_DEFLATE", "id": 1, "level": level, "name": "deflate" }))
        }
        other => Err(format!("HSDS does not undo {other:?}")),
    };
    codecs.iter().map(filter).collect()
}

fn data_type(data_type: &DataType) -> Option<Value> {
    let DataType::Simple(name) = data_type else { return None };
    let (order, kind) = name.split_at(1);
    let (kind, size) = kind.split_at(1);
    let bytes: u32 = size.parse().ok()?;
    let order = if order == ">" { "BE" } else { "LE" };
    Some(match kind {
        "i" => json!(format!("H5T_STD_I{}{order}", 8 * bytes)),
        "u" => json!(format!("H5T_STD_U{}{order}", 8 * bytes)),
        "f" => json!(format!("H5T_IEEE_F{}{order}", 8 * bytes)),
        "S" => json!({
            "class": "H5T_STRING", "charSet": "H5T_CSET_ASCII", "strPad": "H5T_STR_NULLPAD", "length": bytes
        }),
        _ => return None,
    })
}

/// Attributes with their types. Numbers are 64 bits wide, as JSON does not say more.
fn attributes(attributes: &[(String, String)]) -> Value {
    let mut found = serde_json::Map::new();
    for (name, text) in attributes {
        // NaN and infinities are not JSON.
        let Ok(value) = serde_json::from_str::<Value>(text) else { continue };
        let first = value.as_array().map_or(Some(&value), |values| values.first());
        let Some(first) = first else { continue };
        let data_type = match first {
            Value::String(_) => json!({
                "class": "H5T_STRING", "charSet": "H5T_CSET_UTF8", "strPad": "H5T_STR_NULLTERM",
                "length": "H5T_VARIABLE"
            }),
            number if number.is_f64() => json!("H5T_IEEE_F64LE"),
            number if number.is_i64() => json!("H5T_STD_I64LE"),
            number if number.is_u64() => json!("H5T_STD_U64LE"),
            _ => continue,
        };
        let mut attribute = json!({ "type": data_type, "value": value });
        if let Some(values) = value.as_array() {
            attribute["shape"] = json!([values.len()]);
        }
        found.insert(name.clone(), attribute);
    }
    Value::Object(found)
}
