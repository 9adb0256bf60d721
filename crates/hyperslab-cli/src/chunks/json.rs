//! Chunks as one JSON document.

use crate::failure::Failure;
use hyperslab::{ChunkMap, Dataset, Error, File};
use hyperslab_apps::schema;
use hyperslab_listing::json::{Json, Object, write_object, write_text};
use hyperslab_listing::object_paths::text_of;
use std::io::Write;
use std::sync::Arc;

/// Rows are written to the output in pieces of at least this many bytes.
const WRITTEN_BYTES: usize = 1 << 16;

/// Writes the document and returns the errors of chunk maps that could not be read. All maps are read before the first
/// byte is written. The rows are written a few at a time, because their text is several times as large as their map.
pub(super) fn write(
    file: &File,
    datasets: &[(Vec<u8>, Dataset)],
    out: &mut dyn Write,
) -> Result<Vec<Error>, Failure> {
    let maps: Vec<Result<Arc<ChunkMap>, Error>> =
        datasets.iter().map(|(_, dataset)| dataset.chunk_map()).collect();
    let mut text = String::from("{\"datasets\":[");
    for (i, ((path, dataset), map)) in datasets.iter().zip(&maps).enumerate() {
        if i > 0 {
            text.push(',');
        }
        text.push('{');
        let chunk_shape = dataset.chunk_shape().map(|shape| Json::list(shape.iter().copied()));
        member("chunk_shape", chunk_shape, &mut text);
        match map {
            Ok(map) => {
                text.push_str(",\"chunks\":[");
                rows(map, &mut text, out)?;
                text.push(']');
            }
            Err(error) => {
                text.push(',');
                member("error", error.to_string(), &mut text);
            }
        }
        text.push(',');
        member("path", text_of(path), &mut text);
        text.push(',');
        member("shape", Json::list(dataset.shape().iter().copied()), &mut text);
        text.push('}');
    }
    text.push_str("],");
    member("file", file.name(), &mut text);
    text.push(',');
    member("schema", schema::CHUNKS.json(), &mut text);
    text.push_str("}\n");
    out.write_all(text.as_bytes())?;
    Ok(maps.into_iter().filter_map(Result::err).collect())
}

fn rows(map: &ChunkMap, text: &mut String, out: &mut dyn Write) -> Result<(), Failure> {
    for (row, (number, location)) in map.iter().enumerate() {
        if row > 0 {
            text.push(',');
        }
        let chunk = Object::from([
            ("offset", Json::list(map.grid().offset(number))),
            ("address", location.address.into()),
            ("size", location.stored_bytes.into()),
            ("filter_mask", location.filter_mask.into()),
        ]);
        write_object(&chunk, text);
        if text.len() >= WRITTEN_BYTES {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    Ok(())
}

/// Appends a key and its value.
fn member(key: &str, value: impl Into<Json>, text: &mut String) {
    write_text(key.as_bytes(), text);
    text.push(':');
    value.into().write(text);
}
