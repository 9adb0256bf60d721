//! Other filters over the same chunks: each chunk is decoded and encoded by itself, whatever the memory.
//!
//! Threads read chunks of local files one by one. From a source with latency, a thread of its own reads batches ahead, with
//! many requests at once.

use super::chunk_decoder::{ChunkDecoder, read_stored};
use super::{ChunkedTarget, Recoder, Subject, WrittenChunks, encode_error};
use bytes::Bytes;

use hyperslab::{Endianness, Error, Selection};
use hyperslab_encode::RepackError;
use hyperslab_encode::chunk_encoder::{CodecState, EncodedChunk};
use std::sync::mpsc::sync_channel;

impl Recoder<'_, '_> {
    pub(super) fn chunk_by_chunk(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
    ) -> Result<WrittenChunks, RepackError> {
        self.choose_by_reading(subject, target)?;
        let dataset = &subject.dataset;
        let map = dataset.chunk_map()?;
        let decoder = ChunkDecoder::new(dataset, target.chunk_bytes)
            .map_err(|error| encode_error(subject, &[], error))?;
        let source = self.file.source();
        let extent = dataset.shape();
        let keep_going = self.keep_going;
        let work = |state: &mut CodecState,
                    row: usize,
                    ahead: Option<&Bytes>|
         -> Result<Recoded, RepackError> {
            let block = target.block(row);
            let within = block.clone().within(extent);
            let is_partial = within != block;
            let location = map.nth(row).map(|(_, location)| location);
            let location = location.ok_or_else(|| Error::internal("a chunk that is not in the map"))?;
            let mut failed = None;
            let CodecState { scratch, chunk, stored, .. } = &mut *state;
            let decoded = match ahead {
                Some(bytes) => decoder.decode(bytes, location, is_partial, scratch, chunk),
                None => read_stored(&*source, location, stored)
                    .and_then(|()| decoder.decode(stored, location, is_partial, scratch, chunk)),
            };
            if decoded.is_err() {
                // The engine reads edge chunks in forms that are rare, and has the better message.
                let fill = || subject.fill.repeat(target.chunk_bytes / subject.fill.len().max(1));
                match dataset.read_bytes(&Selection::block(&within.start, &within.count), Endianness::File) {
                    Ok(elements) => {
                        state.chunk = fill();
                        let size = subject.fill.len();
                        hyperslab_encode::block::copy_common(
                            (&elements, &within),
                            (&mut state.chunk, &block),
                            size,
                        );
                    }
                    Err(error) if keep_going && error.kind() != hyperslab::ErrorKind::Cancelled => {
                        state.chunk = fill();
                        failed = Some(error);
                    }
                    Err(error) => return Err(error.into()),
                }
            }
            let encoded = target.encoder.encode_own(is_partial, state);
            let encoded = encoded.map_err(|error| encode_error(subject, &block.start, error))?;
            Ok(Recoded { encoded, failed })
        };
        let mut written = WrittenChunks::default();
        let workers = &target.workers;
        let count = target.count();
        let reader = self.reader;
        let mut write = |row: usize, recoded: Recoded| {
            if let Some(error) = recoded.failed {
                self.note(subject, &target.block(row).within(extent), &error);
            }
            self.write(subject, target, row, &recoded.encoded, &mut written)
        };
        if !source.advice().has_latency() {
            let work = |state: &mut CodecState, row: usize| work(state, row, None);
            workers.run(count, target.is_for_one(count), work, write)?;
            return Ok(written);
        }
        std::thread::scope(|scope| {
            let (sender, batches) = sync_channel(0);
            let map = &*map;
            scope.spawn(move || {
                for rows in reader.batch.batches(map) {
                    let locations = rows.clone().filter_map(|row| Some(map.nth(row)?.1));
                    // What cannot be read in a batch is read chunk by chunk.
                    let fetched = reader.chunks(&locations.collect::<Vec<_>>()).ok();
                    if sender.send((rows, fetched)).is_err() {
                        break;
                    }
                }
            });
            for (rows, fetched) in batches {
                let work = |state: &mut CodecState, number: usize| {
                    work(state, rows.start + number, fetched.as_ref().map(|chunks| &chunks[number]))
                };
                let each = |number: usize, recoded| write(rows.start + number, recoded);
                workers.run(rows.len(), target.is_for_one(rows.len()), work, each)?;
            }
            Ok(())
        })
        .map(|()| written)
    }
}

struct Recoded {
    encoded: EncodedChunk,
    /// Why the chunk could not be read.
    failed: Option<Error>,
}
