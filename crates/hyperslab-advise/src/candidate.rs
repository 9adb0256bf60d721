//! A way of storing a dataset.

use crate::pipeline::Pipeline;
use hyperslab_doctor::{DatasetFacts, FillFacts, Layout};

/// A chunk shape with filters, or contiguous storage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// Extent of a chunk; `None` for contiguous storage, which has no filters.
    pub chunk: Option<Vec<u64>>,
    /// The filters.
    pub pipeline: Pipeline,
}

impl Candidate {
    /// Chunks of this shape.
    pub fn chunked(chunk: &[u64], pipeline: Pipeline) -> Self {
        Self { chunk: Some(chunk.to_vec()), pipeline }
    }

    /// One block.
    pub const CONTIGUOUS: Self = Self { chunk: None, pipeline: Pipeline::NONE };

    /// Bytes of a decoded chunk (saturating).
    pub fn chunk_bytes(&self, element_bytes: u64) -> Option<u64> {
        Some(self.chunk.as_ref()?.iter().fold(element_bytes, |n, d| n.saturating_mul(*d)))
    }

    /// Chunks of a dataset of this shape (saturating); 1 for contiguous storage.
    pub fn chunks(&self, shape: &[u64]) -> u64 {
        let Some(chunk) = &self.chunk else { return 1 };
        shape.iter().zip(chunk).fold(1, |n, (dim, chunk)| n.saturating_mul(dim.div_ceil((*chunk).max(1))))
    }

    /// The facts about a dataset if it were stored so in `stored_bytes`, without measurements.
    pub(crate) fn facts(&self, present: &DatasetFacts, stored_bytes: u64) -> DatasetFacts {
        let layout = match &self.chunk {
            Some(chunk) => {
                Layout::Chunked { chunk_dims: chunk.clone(), index_kind: "version 1 B-tree".to_owned() }
            }
            None => Layout::Contiguous { allocated: true },
        };
        DatasetFacts {
            layout,
            filters: self.pipeline.facts(),
            edge_chunks_unfiltered: false,
            stored_bytes,
            chunks: None,
            fill: FillFacts::default(),
            samples: None,
            variable_length: None,
            ..present.clone()
        }
    }
}
