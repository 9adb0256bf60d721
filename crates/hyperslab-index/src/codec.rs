//! HDF5's filters as codecs of numcodecs, the library whose codecs Zarr uses.
//!
//! | filter | codec |
//! |---|---|
//! | 1 deflate | `zlib` |
//! | 2 shuffle | `shuffle` |
//! | 3 fletcher32 | `fletcher32` |
//! | 307 bzip2 | `bz2` |
//! | 32001 blosc | `blosc` |
//! | 32015 zstd | `zstd` |
//!
//! The order is that of the file: netCDF-C computes the checksum before it shuffles, h5py after it compresses. numcodecs
//! has no equal of the other filters: its LZ4 has another frame than HDF5's.

use hyperslab::storage::Filter;

/// A codec of numcodecs with its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codec {
    /// Deflate in zlib's frame.
    Zlib {
        /// Compression level.
        level: u32,
    },
    /// Bytes of equal weight together.
    Shuffle {
        /// Size of an element in bytes.
        element_bytes: u32,
    },
    /// A checksum of 4 bytes after the data.
    Fletcher32,
    /// Bzip2.
    Bz2 {
        /// Compression level.
        level: u32,
    },
    /// Blosc; its frame says how it is decoded.
    Blosc,
    /// Zstandard.
    Zstd {
        /// Compression level.
        level: u32,
    },
    /// Text of variable length: the number of texts, then the length and the bytes of each (numbers of 4 bytes, least
    /// significant byte first).
    VlenUtf8,
}

impl Codec {
    /// The codec that decodes what a filter encoded, if there is one. `element_bytes` is the size of the datatype.
    pub(crate) fn of(filter: &Filter, element_bytes: u32) -> Option<Self> {
        let parameter = |default| filter.parameters.first().copied().unwrap_or(default);
        Some(match filter.id {
            1 => Codec::Zlib { level: parameter(6) },
            2 => Codec::Shuffle { element_bytes: parameter(element_bytes) },
            3 => Codec::Fletcher32,
            307 => Codec::Bz2 { level: parameter(9) },
            32001 => Codec::Blosc,
            32015 => Codec::Zstd { level: parameter(3) },
            _ => return None,
        })
    }

    /// The codec as Zarr 2 writes it: a JSON object.
    pub fn json(&self) -> serde_json::Value {
        use serde_json::json;
        match self {
            Codec::Zlib { level } => json!({ "id": "zlib", "level": level }),
            Codec::Shuffle { element_bytes } => json!({ "id": "shuffle", "elementsize": element_bytes }),
            Codec::Fletcher32 => json!({ "id": "fletcher32" }),
            Codec::Bz2 { level } => json!({ "id": "bz2", "level": level }),
            Codec::Blosc => {
                json!({ "id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0 })
            }
            Codec::Zstd { level } => json!({ "id": "zstd", "level": level }),
            Codec::VlenUtf8 => json!({ "id": "vlen-utf8" }),
        }
    }
}
