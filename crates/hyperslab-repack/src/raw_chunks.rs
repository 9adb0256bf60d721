//! Copies chunks as they are stored.

use crate::block::Block;
use crate::damage::{Damage, fill_chunk, tolerated};
use crate::error::RepackError;
use hyperslab::internal::stored;
use hyperslab::{ChunkMap, ChunkNumber, Dataset, File, Location};
use hyperslab_io::{Advice, Cancel, coalesce};
use hyperslab_write::{FileWriter, ObjectId};
use std::ops::ControlFlow;

/// Chunks are read together up to so many bytes and chunks. More would leave the processor cache before it is written.
const BATCH_BYTES: u64 = 1 << 20;
const BATCH_CHUNKS: usize = 1 << 14;

/// The chunks of a dataset.
pub(crate) struct ChunkCopy<'a> {
    pub file: &'a File,
    pub dataset: &'a Dataset,
    pub path: &'a str,
    pub id: ObjectId,
    /// Where chunks that cannot be read are noted; without it, the first one ends the copy.
    pub damage: Option<&'a mut Vec<Damage>>,
}

impl ChunkCopy<'_> {
    /// Copies all chunks, in the order of the map. Neighbours in the source are read with one request.
    ///
    /// # Errors
    ///
    /// Those of the source and of the sink.
    pub fn copy(&mut self, map: &ChunkMap, writer: &mut FileWriter<'_>) -> Result<(), RepackError> {
        let mut batch: Vec<(ChunkNumber, Location)> = Vec::new();
        let mut batch_bytes = 0u64;
        for (number, location) in map.iter() {
            let more = batch_bytes.saturating_add(location.stored_bytes);
            if !batch.is_empty() && (more > BATCH_BYTES || batch.len() == BATCH_CHUNKS) {
                self.batch(map, &batch, writer)?;
                batch.clear();
                batch_bytes = 0;
            }
            batch_bytes = batch_bytes.saturating_add(location.stored_bytes);
            batch.push((number, location));
        }
        self.batch(map, &batch, writer)
    }

    fn batch(
        &mut self,
        map: &ChunkMap,
        batch: &[(ChunkNumber, Location)],
        writer: &mut FileWriter<'_>,
    ) -> Result<(), RepackError> {
        let error = match fetch(self.file, batch) {
            Ok(chunks) => return self.write(&chunks, writer),
            Err(error) => error,
        };
        if self.damage.is_none() {
            return Err(error.into());
        }
        tolerated(error.into())?;
        // Chunk by chunk, to find those that cannot be read.
        for one in batch {
            match fetch(self.file, std::slice::from_ref(one)) {
                Ok(chunks) => self.write(&chunks, writer)?,
                Err(error) => {
                    let error = tolerated(error.into())?;
                    let (chunk, mask) = fill_chunk(self.dataset)?;
                    writer.write_chunk(self.id, &chunk, mask)?;
                    let grid = map.grid();
                    let block = Block::of_chunk(&grid.coordinates(one.0), grid.chunk_shape());
                    let damage = Damage::new(self.path, &block.within(self.dataset.shape()), error);
                    self.damage.iter_mut().for_each(|list| list.push(damage.clone()));
                }
            }
        }
        Ok(())
    }

    fn write(&self, chunks: &[(bytes::Bytes, u32)], writer: &mut FileWriter<'_>) -> Result<(), RepackError> {
        chunks.iter().try_for_each(|(bytes, mask)| Ok(writer.write_chunk(self.id, bytes, *mask)?))
    }
}

/// The stored bytes of some chunks, with their filter masks.
fn fetch(
    file: &File,
    batch: &[(ChunkNumber, Location)],
) -> Result<Vec<(bytes::Bytes, u32)>, hyperslab::Error> {
    let source = stored::source(file);
    let range = |chunk: &Location| chunk.address..chunk.address.saturating_add(chunk.stored_bytes);
    let wanted: Vec<_> = batch.iter().map(|(_, chunk)| range(chunk)).collect();
    if let Some(beyond) = wanted.iter().find(|range| range.end > source.len()) {
        let what = format!("a chunk is at bytes {beyond:?} of a file of {} bytes", source.len());
        return Err(hyperslab::Error::damaged(what).in_file(file.name()));
    }
    let advice = source.advice();
    let request_bytes_max = advice.request_bytes_max.max(BATCH_BYTES);
    let requests = coalesce(&wanted, Advice { request_bytes_max, ..advice });
    let ranges: Vec<_> = requests.iter().map(|request| request.range.clone()).collect();
    // The request that serves each chunk, and its bytes.
    let mut serving = vec![None; batch.len()];
    for (number, request) in requests.iter().enumerate() {
        request.serves.iter().for_each(|&chunk| serving[chunk] = Some(number));
    }
    let mut responses = vec![bytes::Bytes::new(); ranges.len()];
    let mut failed = None;
    source.fetch(&ranges, &Cancel::new(), &mut |number, response| match response {
        Ok(bytes) => {
            responses[number] = bytes;
            ControlFlow::Continue(())
        }
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    });
    if let Some(error) = failed {
        return Err(hyperslab::Error::from(error).in_file(file.name()));
    }
    let chunks = batch.iter().zip(&wanted).zip(serving).map(|(((_, chunk), wanted), request)| {
        // Chunks of no bytes need no request.
        let bytes = request.map_or_else(bytes::Bytes::new, |number: usize| {
            let start = (wanted.start - ranges[number].start) as usize;
            responses[number].slice(start..start + chunk.stored_bytes as usize)
        });
        (bytes, chunk.filter_mask)
    });
    Ok(chunks.collect())
}
