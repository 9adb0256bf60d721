//! Copies chunks as they are stored.

use crate::error::RepackError;
use hyperslab::internal::stored;
use hyperslab::{ChunkMap, File, Location};
use hyperslab_io::{Advice, Cancel, coalesce};
use hyperslab_write::{FileWriter, ObjectId};
use std::ops::ControlFlow;

/// Chunks are read together up to so many bytes and chunks. More would leave the processor cache before it is written.
const BATCH_BYTES: u64 = 1 << 20;
const BATCH_CHUNKS: usize = 1 << 14;

/// Copies all chunks, in the order of the map. Neighbours in the source are read with one request.
///
/// # Errors
///
/// Those of the source and of the sink.
pub(crate) fn copy_chunks(
    file: &File,
    map: &ChunkMap,
    id: ObjectId,
    writer: &mut FileWriter<'_>,
) -> Result<(), RepackError> {
    let mut batch: Vec<Location> = Vec::new();
    let mut batch_bytes = 0u64;
    for (_, location) in map.iter() {
        let more = batch_bytes.saturating_add(location.stored_bytes);
        if !batch.is_empty() && (more > BATCH_BYTES || batch.len() == BATCH_CHUNKS) {
            copy_batch(file, &batch, id, writer)?;
            batch.clear();
            batch_bytes = 0;
        }
        batch_bytes = batch_bytes.saturating_add(location.stored_bytes);
        batch.push(location);
    }
    copy_batch(file, &batch, id, writer)
}

fn copy_batch(
    file: &File,
    batch: &[Location],
    id: ObjectId,
    writer: &mut FileWriter<'_>,
) -> Result<(), RepackError> {
    let source = stored::source(file);
    let wanted: Vec<_> =
        batch.iter().map(|chunk| chunk.address..chunk.address.saturating_add(chunk.stored_bytes)).collect();
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
        return Err(hyperslab::Error::from(error).in_file(file.name()).into());
    }
    for ((chunk, wanted), request) in batch.iter().zip(&wanted).zip(serving) {
        // Chunks of no bytes need no request.
        let bytes = request.map_or(&[][..], |number: usize| {
            let start = (wanted.start - ranges[number].start) as usize;
            &responses[number][start..start + chunk.stored_bytes as usize]
        });
        writer.write_chunk(id, bytes, chunk.filter_mask)?;
    }
    Ok(())
}
