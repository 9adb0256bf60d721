//! The filters of a dataset whose chunks are rewritten because their elements contain addresses.

use crate::new_filters::spec;
use hyperslab_filters::{FilterError, Pipeline, Scratch};
use hyperslab_format::message::Filter;

/// Filters chunks one after the other.
pub struct ChunkFilters {
    /// `None` if there are too many filters.
    pipeline: Option<Pipeline>,
    scratch: Scratch,
    /// The filter mask of a chunk without any filter.
    skip_all: u32,
}

/// A chunk as it is stored, and its filter mask.
pub struct StoredChunk<'c> {
    /// Its bytes.
    pub bytes: &'c [u8],
    /// A bit for each filter that was left out.
    pub mask: u32,
}

impl ChunkFilters {
    /// These filters, for chunks of `chunk_bytes` bytes with elements of `element_bytes`.
    pub fn new(filters: &[Filter], element_bytes: usize, chunk_bytes: usize) -> Self {
        let specs: Vec<_> = filters.iter().map(spec).collect();
        // One filter that cannot be applied, such as shuffle without a size for elements of variable length, does not stop
        // the others.
        let pipeline = Pipeline::lenient(&specs, element_bytes, chunk_bytes).ok();
        let skip_all =
            u32::BITS.checked_sub(filters.len() as u32).and_then(|rest| u32::MAX.checked_shr(rest));
        Self { pipeline, scratch: Scratch::new(), skip_all: skip_all.unwrap_or(0) }
    }

    /// Filters a chunk. One that a filter cannot encode is stored without any, as its mask says.
    ///
    /// # Errors
    ///
    /// If there is not enough memory: what is stored does not depend on it.
    pub fn encode<'c>(&'c mut self, chunk: &'c [u8]) -> Result<StoredChunk<'c>, FilterError> {
        let unfiltered = StoredChunk { bytes: chunk, mask: self.skip_all };
        let Some(pipeline) = &self.pipeline else { return Ok(unfiltered) };
        match pipeline.encode(chunk, &mut self.scratch) {
            Ok(encoded) => Ok(StoredChunk { bytes: encoded.bytes, mask: encoded.mask }),
            Err(error @ FilterError::Memory { .. }) => Err(error),
            Err(_) => Ok(unfiltered),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_optional_filter_that_cannot_be_applied_does_not_stop_the_others() {
        let filter =
            |id, parameters: &[u32]| Filter { id, name: None, flags: 1, parameters: parameters.into() };
        let chunk = [7; 512];
        // Shuffle without the size of an element, and a filter that does not exist.
        let mut filters = ChunkFilters::new(&[filter(2, &[]), filter(1, &[4]), filter(60_000, &[])], 16, 512);
        let stored = filters.encode(&chunk).unwrap();
        assert_eq!(stored.mask, 0b101);
        assert!(stored.bytes.len() < 100);
        // One that must be applied, and cannot be: the chunk is stored without any.
        let mandatory = Filter { flags: 0, ..filter(60_000, &[]) };
        let mut filters = ChunkFilters::new(&[filter(1, &[4]), mandatory], 16, 512);
        assert_eq!(filters.encode(&chunk).unwrap().mask, 0b11);
    }
}
