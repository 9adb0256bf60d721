//! The record of a dataset apart from its values: datatype, extent, layout, chunks, filters, fill value.

use super::canonical::Encoder;
use super::values::error_text;
use super::{describe_type, extent};
use crate::json::{Json, Object};
use hyperslab::storage::{Fill, FillTime, Filter};
use hyperslab::{ChunkMap, Dataset};
use hyperslab_format::message::Class;
use hyperslab_units::hex;
use sha2::{Digest, Sha256};

/// The largest fill value that is reported, in bytes.
const FILL_BYTES_MAX: usize = 64;

/// Adds everything but the values to `record`. Returns the number of parts that could not be read.
pub fn describe(dataset: &Dataset, record: &mut Object) -> u64 {
    let layout = match dataset.layout_name() {
        // The data of an external dataset is contiguous in its file, and HDF4's is one piece to its readers.
        "external" | "linked" | "records" => "contiguous",
        layout => layout,
    };
    record.extend([
        ("dtype", describe_type::describe(dataset.datatype())),
        ("space", extent::describe(dataset.dataspace())),
        ("layout", layout.into()),
        ("filters", Json::list(dataset.filters().iter().map(filter))),
    ]);
    if let Some(files) = dataset.external_sources() {
        record.insert("external", Json::list(files.into_iter().map(external_file)));
    }
    if let Some(sources) = dataset.virtual_sources() {
        record
            .insert("virtual", Json::list(sources.into_iter().map(|(file, path)| Json::list([file, path]))));
    }
    let mut errors = 0;
    let mut chunks = None;
    if let Some(dims) = dataset.chunk_shape() {
        record.insert("chunks", Json::list(dims.iter().copied()));
        match dataset.chunk_map() {
            Ok(map) => {
                record.insert("nchunks", map.len().into());
                record.insert("chunks_sha256", chunks_digest(&map).into());
                chunks = Some(map);
            }
            Err(error) => {
                record.insert("chunks_error", error_text(&error));
                errors += 1;
            }
        }
    }
    if let Ok(stored) = dataset.stored_bytes() {
        record.insert("storage", stored.into());
    }
    describe_fill(dataset, record);
    if is_undefined(dataset, chunks.as_deref()) {
        record.insert("values_undefined", true.into());
    }
    let missing = missing_filters(dataset);
    if !missing.is_empty() {
        record.insert("filters_missing", Json::list(missing));
    }
    errors
}

fn external_file((name, offset, bytes): (String, u64, Option<u64>)) -> Json {
    Json::List(vec![name.into(), offset.into(), bytes.unwrap_or(u64::MAX).into()])
}

fn filter(filter: &Filter) -> Object {
    Object::from([
        ("id", filter.id.into()),
        ("flags", filter.flags.into()),
        ("cd", Json::list(filter.parameters.iter().copied())),
    ])
}

fn missing_filters(dataset: &Dataset) -> Vec<u16> {
    let known = |id| hyperslab_filters::table().iter().any(|entry| entry.id == id);
    dataset.filters().iter().map(|filter| filter.id).filter(|&id| !known(id)).collect()
}

/// The chunks as text, one line each: offset in elements, filter mask, size in bytes.
fn chunks_digest(map: &ChunkMap) -> String {
    let mut hash = Sha256::new();
    let mut line = String::new();
    for (number, location) in map.iter() {
        line.clear();
        for (axis, offset) in map.grid().offset(number).into_iter().enumerate() {
            let comma = if axis > 0 { "," } else { "" };
            line.push_str(&format!("{comma}{offset}"));
        }
        line.push_str(&format!(":{}:{}\n", location.filter_mask, location.stored_bytes));
        hash.update(line.as_bytes());
    }
    hex(&hash.finalize())
}

fn describe_fill(dataset: &Dataset, record: &mut Object) {
    let fill = dataset.fill_value();
    let kind = match fill.value {
        Fill::Undefined => "undefined",
        Fill::Default => "default",
        Fill::User(_) => "user",
    };
    let time = match fill.time {
        FillTime::OnAllocation => "alloc",
        FillTime::Never => "never",
        FillTime::IfSet => "ifset",
    };
    record.extend([("fill", kind.into()), ("fill_time", time.into())]);
    let datatype = dataset.datatype();
    let is_text = datatype.is_variable() || datatype.contains_reference();
    let is_array = matches!(datatype.class, Class::Array { .. });
    if let Fill::User(bytes) = &fill.value
        && !is_text
        && !is_array
        && let Some(encoder) = Encoder::new(datatype)
    {
        let mut value = Vec::new();
        encoder.encode(bytes, &mut value);
        value.truncate(FILL_BYTES_MAX);
        record.insert("fill_value", hex(&value).into());
    }
}

/// True if elements were never written and the file does not define what a reader sees there.
fn is_undefined(dataset: &Dataset, chunks: Option<&ChunkMap>) -> bool {
    let fill = dataset.fill_value();
    if dataset.elements() == 0 || (fill.time != FillTime::Never && fill.value != Fill::Undefined) {
        return false;
    }
    match dataset.layout_name() {
        "contiguous" => dataset.stored_bytes().is_ok_and(|bytes| bytes == 0),
        "chunked" => match (chunks, dataset.chunk_grid()) {
            (Some(map), Some(grid)) => (map.len() as u128) < grid.len(),
            _ => false,
        },
        _ => false,
    }
}
