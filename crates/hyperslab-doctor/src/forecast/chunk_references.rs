//! Readers that have the addresses of all chunks: kerchunk's references, and VirtualiZarr's manifests, read by zarr.
//!
//! Each block that is read takes a request for each of its chunks, without merging; nothing is kept between blocks. The
//! references themselves are read once.

use super::access::Session;
use super::requests::Requests;

/// Chunks that zarr requests at a time if nothing is set (`async.concurrency`).
const IN_FLIGHT: u64 = 10;

/// The requests of a session: the index, then the chunks of each block.
pub(super) fn replay(session: &Session, index_bytes: u64) -> Requests {
    let mut requests = Requests::default();
    requests.one(index_bytes);
    for chunks in &session.chunks {
        let bytes = chunks.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        requests.together(chunks.len() as u64, bytes, IN_FLIGHT);
    }
    requests
}
