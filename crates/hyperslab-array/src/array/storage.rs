//! The storage of the elements of an array.

use super::{Chunked, DataSource, VirtualSources};
use bytes::Bytes;
use std::sync::Arc;

/// The ways in which arrays are stored.
#[derive(Clone)]
pub enum Storage {
    /// With the description of the array, in memory already.
    Compact {
        /// The elements.
        data: Bytes,
    },
    /// One element after the other in the file, or one record after the other.
    Contiguous {
        /// The file.
        data: Arc<DataSource>,
        /// Where the first element begins; `None` until something was written.
        base: Option<u64>,
        /// Bytes from one index of the outermost axis to the next, where other data lies between them: several arrays
        /// may take turns, a record each. `None` where one follows the other at once.
        record_bytes: Option<u64>,
    },
    /// One element after the other in bytes of other files, joined.
    External {
        /// The bytes.
        data: Arc<DataSource>,
    },
    /// In chunks.
    Chunked(Arc<Chunked>),
    /// In other arrays.
    Virtual(Arc<dyn VirtualSources>),
}

impl Storage {
    /// `contiguous`, `chunked`, `compact`, `virtual` or `external`.
    pub fn name(&self) -> &'static str {
        match self {
            Storage::Compact { .. } => "compact",
            Storage::Contiguous { .. } => "contiguous",
            Storage::External { .. } => "external",
            Storage::Chunked(_) => "chunked",
            Storage::Virtual(_) => "virtual",
        }
    }

    /// The chunks, where the array is stored in chunks.
    pub fn chunked(&self) -> Option<&Arc<Chunked>> {
        match self {
            Storage::Chunked(chunked) => Some(chunked),
            _ => None,
        }
    }

    /// True where the elements lie in other arrays.
    pub fn is_virtual(&self) -> bool {
        matches!(self, Storage::Virtual(_))
    }
}
