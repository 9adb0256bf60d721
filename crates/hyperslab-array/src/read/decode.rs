//! Decoding one chunk: fetches its stored bytes, unless they have been fetched, and decodes its filters.

use super::partial_chunk;
use super::worker::{Worker, sized, with_worker};
use crate::array::Chunked;
use crate::chunk::cache::Decoded;
use crate::chunk::grid::ChunkNumber;
use crate::chunk::index::Location;
use crate::chunk::memory::ChunkMemory;
use crate::{Error, Result};
use hyperslab_filters::Scratch;

/// Fetches (unless `stored` contains it) and decodes one chunk, into a buffer of at most the size that its stored bytes
/// can decode to: a file may claim gigabytes for a chunk of a few stored bytes.
pub(super) fn decode_to_keep(
    chunked: &Chunked,
    number: ChunkNumber,
    location: Location,
    stored: Option<&[u8]>,
) -> Result<Decoded> {
    with_worker(|Worker { stored: buffer, scratch, .. }| {
        let stored = fetched(chunked, location, stored, buffer)?;
        let most = chunked.filters.pipeline()?.max_decoded_len(stored, location.filter_mask);
        let most = most.map_err(|error| in_chunk(chunked, number, location, error.into()))?;
        let mut out = ChunkMemory::take(chunked.bytes.min(most))?;
        undo(chunked, number, location, stored, scratch, &mut out)?;
        Ok(Decoded::from(out))
    })
}

/// Fetches (unless `stored` contains it) and decodes one chunk.
pub(super) fn decode(
    chunked: &Chunked,
    number: ChunkNumber,
    location: Location,
    stored: Option<&[u8]>,
    worker: &mut Worker,
    out: &mut [u8],
) -> Result<()> {
    let stored = fetched(chunked, location, stored, &mut worker.stored)?;
    undo(chunked, number, location, stored, &mut worker.scratch, out)
}

/// The stored bytes of a chunk, fetched if necessary.
fn fetched<'b>(
    chunked: &Chunked,
    location: Location,
    stored: Option<&'b [u8]>,
    buffer: &'b mut Vec<u8>,
) -> Result<&'b [u8]> {
    if let Some(stored) = stored {
        return Ok(stored);
    }
    chunked.data.check_range(location.address, location.stored_bytes)?;
    let buffer = sized(buffer, location.stored_bytes as usize)?;
    chunked.data.read_into(location.address, buffer)?;
    Ok(buffer)
}

fn undo(
    chunked: &Chunked,
    number: ChunkNumber,
    location: Location,
    stored: &[u8],
    scratch: &mut Scratch,
    out: &mut [u8],
) -> Result<()> {
    let (pipeline, mask) = (chunked.filters.pipeline()?, location.filter_mask);
    let outcome = partial_chunk::decode_into(chunked, pipeline, number, stored, mask, scratch, out);
    chunked.data.count_decode();
    outcome.map_err(|error| in_chunk(chunked, number, location, error))
}

fn in_chunk(chunked: &Chunked, number: ChunkNumber, location: Location, error: Error) -> Error {
    let Location { address, stored_bytes, .. } = location;
    let coordinates = chunked.grid.coordinates(number);
    error
        .with_context(format_args!("chunk {coordinates:?} at byte {address:#x} ({stored_bytes} bytes)"))
        .at_byte("chunk", address)
}

/// An error of this chunk.
pub(super) fn damaged(chunked: &Chunked, number: ChunkNumber, location: Location, what: String) -> Error {
    in_chunk(chunked, number, location, Error::damaged(what))
}
