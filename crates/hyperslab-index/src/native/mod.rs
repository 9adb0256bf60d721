//! Hyperslab's own index: a file is opened again without reading its metadata.
//!
//! A Parquet file with a row for each chunk and for each extent of metadata. Any reader of Parquet can use it.
//!
//! | column | |
//! |---|---|
//! | `dataset` | path of the dataset; null for metadata |
//! | `chunk` | number of the chunk in row-major order of the grid; -1 for metadata |
//! | `offset`, `size` | where the bytes lie in the file |
//! | `filter_mask` | bit `i` is set if filter `i` was skipped |
//! | `bytes` | the bytes themselves, of metadata; else null |
//!
//! The rows of a dataset are sorted by chunk, the datasets are in the order of the [`Document`], and the extents of metadata
//! come last. The document is JSON in the metadata of the Parquet file, under the key `hyperslab.index`: which state of
//! which file the index describes (length, time of the last change, entity tag), and the SHA-256 of all numbers and bytes.
//!
//! Of files of netCDF classic and HDF4, the extents are the structures that are read when a file is opened.
//!
//! `write.rs` makes an index, `read.rs` reads and checks it, `open.rs` opens a file with it.

mod open;
mod read;
mod write;

pub use write::write_native;

use hyperslab::io::Version;
use hyperslab::{Bytes, ChunkMap};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The key of the document.
const KEY: &str = "hyperslab.index";
/// The version of the format that is written.
const FORMAT_VERSION: u32 = 1;
/// The name of each column, in order.
const COLUMNS: [&str; 6] = ["dataset", "chunk", "offset", "size", "filter_mask", "bytes"];

/// An index that was read.
#[derive(Debug)]
pub struct NativeIndex {
    path: PathBuf,
    document: Document,
    /// By the addresses of the object headers.
    maps: HashMap<u64, Arc<ChunkMap>>,
    /// Extents of metadata: offset and bytes.
    extents: Vec<(u64, Bytes)>,
}

/// What an index says about itself.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    version: u32,
    /// Where the file lies.
    url: String,
    /// The length of the file in bytes.
    len: u64,
    /// The time of its last change: seconds and nanoseconds after 1970.
    modified: Option<(u64, u32)>,
    /// Its entity tag.
    tag: Option<String>,
    /// What the file is, as `ls --json` says it; nothing for HDF5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    datasets: Vec<IndexedDataset>,
    /// The number of extents of metadata.
    extents: u64,
    /// In hexadecimal digits.
    sha256: String,
}

/// A chunked dataset of an index.
#[derive(Debug, Serialize, Deserialize)]
struct IndexedDataset {
    path: String,
    /// The address of its object header.
    object: u64,
    shape: Vec<u64>,
    chunk_shape: Vec<u64>,
    /// The number of chunks that exist.
    chunks: u64,
}

impl Document {
    /// The state of the file, as far as it is known.
    fn file_version(&self) -> Version {
        let since = |&(seconds, nanoseconds): &(u64, u32)| {
            SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds.min(999_999_999)))
        };
        Version { len: self.len, modified: self.modified.as_ref().and_then(since), tag: self.tag.clone() }
    }
}

/// The checksum over all rows.
#[derive(Default)]
struct RowDigest(Sha256);

impl RowDigest {
    fn add(&mut self, chunk: i64, offset: i64, size: i64, filter_mask: i64, bytes: &[u8]) {
        for number in [chunk, offset, size, filter_mask] {
            self.0.update(number.to_le_bytes());
        }
        self.0.update(bytes);
    }

    fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
