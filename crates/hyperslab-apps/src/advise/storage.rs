//! How a dataset is stored, in words and as an entry of a recipe.

use hyperslab_advise::{Advice, StorageAnswer};
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;

/// `73x91x90`, or `contiguous`.
pub fn chunk_text(chunk: Option<&[u64]>) -> String {
    chunk.map_or_else(|| "contiguous".to_owned(), shape_text)
}

/// `73x91x90, shuffle+gzip=4`
pub fn brief_text(chunk: Option<&[u64]>, filters: &str) -> String {
    let chunk = chunk_text(chunk);
    if filters == "none" { chunk } else { format!("{chunk}, {filters}") }
}

/// `chunks of 73x91x90 (2.28 MiB), shuffle+gzip=4, 310 MiB in the file`
pub fn storage_text(storage: &StorageAnswer) -> String {
    let chunk = chunk_text(storage.chunk.as_deref());
    let chunks = match storage.chunk_bytes {
        Some(bytes) => format!("chunks of {chunk} ({})", bytes_text(bytes)),
        None => chunk,
    };
    let filters = if storage.filters == "none" { "no filters" } else { storage.filters.as_str() };
    format!("{chunks}, {filters}, {} in the file", bytes_text(storage.stored_bytes))
}

/// Why a dataset stays as it is.
pub fn kept_text(advice: &Advice) -> &'static str {
    match advice.smallest_beyond_size_max {
        Some(_) => "kept as it is, because no storage keeps to the bound of the size",
        None => "already good",
    }
}

/// The entry that stores a dataset in these chunks with these filters, below a comment of one line.
pub(crate) fn recipe_entry(comment: &str, path: &str, chunk: Option<&[u64]>, filters: &str) -> String {
    let path = toml::Value::from(path);
    let layout = match chunk {
        Some(chunk) => format!("chunks = \"{}\"\nfilter = \"{filters}\"", shape_text(chunk)),
        None => "layout = \"contiguous\"".to_owned(),
    };
    format!("\n# {comment}\n[[dataset]]\nobjects = {path}\n{layout}\n")
}
