//! Reads the stored bytes of chunks of the source, and decodes them.

use hyperslab::hdf5::chunked_layout;
use hyperslab::{Dataset, Error, Location};
use hyperslab_encode::new_filters::spec;
use hyperslab_filters::{FilterError, Pipeline, Scratch};
use hyperslab_io::Source;

/// Decodes the chunks of one dataset.
pub(crate) struct ChunkDecoder {
    pipeline: Pipeline,
    chunk_bytes: usize,
    edge_chunks_unfiltered: bool,
}

impl ChunkDecoder {
    /// For chunks of `chunk_bytes` bytes.
    ///
    /// # Errors
    ///
    /// Parameters that a filter cannot have.
    pub fn new(dataset: &Dataset, chunk_bytes: usize) -> Result<Self, FilterError> {
        let specs: Vec<_> = dataset.filters().iter().map(spec).collect();
        let pipeline = Pipeline::lenient(&specs, dataset.datatype().size as usize, chunk_bytes)?;
        let layout = chunked_layout(dataset);
        let edge_chunks_unfiltered = layout.is_some_and(|layout| layout.edge_chunks_unfiltered);
        Ok(Self { pipeline, chunk_bytes, edge_chunks_unfiltered })
    }

    /// Decodes the chunk at a location. `is_partial`: it reaches beyond the extent of the dataset.
    ///
    /// # Errors
    ///
    /// Damage, and edge chunks in forms that only the engine reads.
    pub fn decode(
        &self,
        stored: &[u8],
        location: Location,
        is_partial: bool,
        scratch: &mut Scratch,
        chunk: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let is_raw = self.edge_chunks_unfiltered && is_partial;
        let mask = if is_raw { u32::MAX } else { location.filter_mask };
        // A few bytes can claim to be gigabytes.
        if self.pipeline.max_decoded_len(stored, mask)? < self.chunk_bytes {
            let what = format!("{} bytes cannot be a chunk of {}", stored.len(), self.chunk_bytes);
            return Err(Error::damaged(what).at_byte("chunk", location.address));
        }
        chunk.resize(self.chunk_bytes, 0);
        Ok(self.pipeline.decode_into(stored, mask, scratch, chunk)?)
    }
}

/// Reads the stored bytes of a chunk.
///
/// # Errors
///
/// A failed read, and a location beyond the end of the file.
pub(crate) fn read_stored(
    source: &dyn Source,
    location: Location,
    stored: &mut Vec<u8>,
) -> Result<(), Error> {
    let end = location.address.checked_add(location.stored_bytes);
    if end.is_none_or(|end| end > source.len()) {
        let what = format!("{} bytes reach beyond the end of the file", location.stored_bytes);
        return Err(Error::damaged(what).at_byte("chunk", location.address));
    }
    stored.resize(location.stored_bytes as usize, 0);
    Ok(source.read_into(location.address, stored)?)
}
