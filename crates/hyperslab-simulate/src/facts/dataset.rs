//! The facts about one dataset.

use super::{ChunkMap, SampleMeasurement};
use hyperslab_storage::FilterRequest;
use hyperslab_storage::filter::number::{DEFLATE, SHUFFLE};
use hyperslab_storage::filter::word_of;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything the doctor needs to know about a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetFacts {
    /// Absolute path in the file.
    pub path: String,
    /// Current extent; empty for a scalar.
    pub shape: Vec<u64>,
    /// Maximum extent; `None` means unlimited.
    pub max_shape: Vec<Option<u64>>,
    /// The element type as h5py writes it, such as `>f4`.
    pub dtype: String,
    /// Bytes of one element in the file.
    pub element_bytes: u64,
    /// How the raw data is stored in the file.
    pub layout: Layout,
    /// The filter pipeline, in the order in which it is applied when writing.
    pub filters: Vec<FilterFact>,
    /// True where partial edge chunks are stored without filters (layout message version 4, flag bit 0).
    pub edge_chunks_unfiltered: bool,
    /// Elements of the current extent times their size.
    pub logical_bytes: u64,
    /// Raw data bytes in the file.
    pub stored_bytes: u64,
    /// Which chunks are stored. If `None` (not determined), all are assumed to be stored, with equal sizes.
    pub chunks: Option<Arc<ChunkMap>>,
    /// When missing chunks are filled, and with what.
    pub fill: FillFacts,
    /// Speeds and ratios measured on some of its chunks, if any were measured.
    pub samples: Option<SampleMeasurement>,
    /// What its elements refer to in the global heap, if the datatype is of variable length.
    pub variable_length: Option<VariableLength>,
}

/// Variable-length data: elements hold references, the global heap holds the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableLength {
    /// Elements of the dataset.
    pub elements: u64,
    /// Elements whose references were followed; the sizes are extrapolated from these.
    pub looked_at: u64,
    /// Bytes of the global heap that belong to the elements, including the header and padding of each object.
    pub heap_bytes: u64,
    /// Bytes of the values alone.
    pub text_bytes: u64,
    /// Bytes of the longest value that was looked at.
    pub longest: u64,
    /// True for strings.
    pub is_text: bool,
}

/// The layouts of the data layout message, and two more that readers see as layouts: virtual and external.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// Chunked storage.
    Chunked {
        /// Extent of a chunk; has the rank of the dataset.
        chunk_dims: Vec<u64>,
        /// The kind of chunk index, as text.
        index_kind: String,
    },
    /// One contiguous block.
    Contiguous {
        /// False if no space has been allocated yet, so that reading makes no requests.
        allocated: bool,
    },
    /// Stored in the object header.
    Compact,
    /// Mapped to other datasets.
    Virtual,
    /// Stored in other files.
    External,
    /// Of HDF4: in parts of the file, or in records of which each field is converted by itself.
    Linked,
}

/// One filter of the pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterFact {
    /// Short name: `gzip`, `shuffle`, `szip`, `lzf`, `zstd` …
    pub name: String,
    /// Registered filter number.
    pub id: u16,
    /// Client data values.
    pub parameters: Vec<u32>,
    /// A short description: `gzip level 6`.
    pub description: String,
}

/// A filter that is asked for, as a dataset would have it.
impl From<FilterRequest> for FilterFact {
    fn from(request: FilterRequest) -> Self {
        let (name, description) = (word_of(request.id), request.to_string());
        Self { name, id: request.id, parameters: request.parameters, description }
    }
}

impl FilterFact {
    /// Deflate at this level.
    pub fn gzip(level: u32) -> Self {
        Self {
            name: "gzip".to_owned(),
            id: DEFLATE,
            parameters: vec![level],
            description: format!("gzip level {level}"),
        }
    }

    /// True for filters that make data smaller. Shuffles and checksums do not; an unknown filter is assumed to.
    pub fn compresses(&self) -> bool {
        hyperslab_storage::filter::compresses(self.id, &self.parameters)
    }
}

/// When the fill value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FillTime {
    /// On allocation.
    Alloc,
    /// Never.
    Never,
    /// On allocation if one is set (the default).
    #[default]
    IfSet,
}

/// The properties of the fill value that matter to readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FillFacts {
    /// When it is written.
    pub time: FillTime,
    /// False if the file marks the fill value as undefined (not merely as the default).
    pub is_defined: bool,
}

impl Default for FillFacts {
    fn default() -> Self {
        Self { time: FillTime::IfSet, is_defined: true }
    }
}

impl FillFacts {
    /// True if libhdf5 leaves the reader's memory unchanged for a chunk that is not stored.
    pub fn skips_missing_chunks(&self) -> bool {
        match self.time {
            FillTime::Alloc => false,
            FillTime::Never => true,
            FillTime::IfSet => !self.is_defined,
        }
    }
}

impl DatasetFacts {
    /// A contiguous dataset of fixed extent whose elements are all stored; `element_bytes` is the size of a `dtype`.
    pub fn contiguous(path: &str, shape: &[u64], dtype: &str, element_bytes: u64) -> Self {
        let logical_bytes = shape.iter().fold(element_bytes, |bytes, dim| bytes.saturating_mul(*dim));
        Self {
            path: path.to_owned(),
            shape: shape.to_vec(),
            max_shape: shape.iter().copied().map(Some).collect(),
            dtype: dtype.to_owned(),
            element_bytes,
            layout: Layout::Contiguous { allocated: true },
            filters: Vec::new(),
            edge_chunks_unfiltered: false,
            logical_bytes,
            stored_bytes: logical_bytes,
            chunks: None,
            fill: FillFacts::default(),
            samples: None,
            variable_length: None,
        }
    }

    /// The same dataset in chunks of this shape, which `filters` reduce to `stored_bytes` in all.
    pub fn in_chunks(self, chunk_dims: &[u64], filters: Vec<FilterFact>, stored_bytes: u64) -> Self {
        let index_kind = "version 1 B-tree".to_owned();
        let layout = Layout::Chunked { chunk_dims: chunk_dims.to_vec(), index_kind };
        Self { layout, filters, stored_bytes, ..self }
    }

    /// The same dataset with dimensions that are all unlimited.
    pub fn unlimited(self) -> Self {
        Self { max_shape: vec![None; self.shape.len()], ..self }
    }

    /// The extent of a chunk, if the layout is chunked.
    pub fn chunk_dims(&self) -> Option<&[u64]> {
        match &self.layout {
            Layout::Chunked { chunk_dims, .. } => Some(chunk_dims),
            _ => None,
        }
    }

    /// Bytes of one decoded chunk (saturating), if the layout is chunked.
    pub fn chunk_bytes(&self) -> Option<u64> {
        Some(self.chunk_dims()?.iter().fold(self.element_bytes, |n, d| n.saturating_mul(*d)))
    }

    /// Bytes in the file for each byte of the values, at most 1.
    pub fn stored_share(&self) -> f64 {
        (self.stored_bytes as f64 / self.logical_bytes.max(1) as f64).min(1.0)
    }

    /// The deflate level, if the pipeline has deflate.
    pub fn deflate_level(&self) -> Option<u32> {
        self.filters.iter().find(|f| f.id == DEFLATE).and_then(|f| f.parameters.first().copied())
    }

    /// True if the pipeline contains shuffle.
    pub fn has_shuffle(&self) -> bool {
        self.filters.iter().any(|f| f.id == SHUFFLE)
    }

    /// True if the pipeline contains a filter that makes data smaller.
    pub fn is_compressed(&self) -> bool {
        self.filters.iter().any(FilterFact::compresses)
    }

    /// True if dimension `axis` may grow beyond its current extent.
    pub fn can_grow(&self, axis: usize) -> bool {
        match self.max_shape.get(axis) {
            Some(None) => true,
            Some(Some(max)) => self.shape.get(axis).is_some_and(|now| max > now),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_chunks_are_skipped_only_where_no_fill_value_is_due() {
        let fill = |time, is_defined| FillFacts { time, is_defined }.skips_missing_chunks();
        assert!(!fill(FillTime::IfSet, true));
        assert!(fill(FillTime::IfSet, false));
        assert!(fill(FillTime::Never, true));
        assert!(!fill(FillTime::Alloc, false));
    }
}
