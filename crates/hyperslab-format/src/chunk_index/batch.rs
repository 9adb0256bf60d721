//! Batches of chunks: a traversal of a chunk index returns the chunks while it goes on.

use super::columns::ChunkColumns;
use crate::{FormatError, Parse};

/// A batch has at least this many chunks, unless the traversal must wait for bytes or ends, and at most the chunks of
/// one node more.
pub(super) const BATCH_CHUNKS: usize = 4096;

/// Collects the next batch of chunks of a dataset with `rank` dimensions; `None` after the last.
///
/// `next` returns the next part of the index, in the order of the index. After it has stopped because bytes were
/// missing, the next call must return the same part. `add` adds the wanted chunks of a part.
pub(super) fn gather<T>(
    rank: usize,
    mut next: impl FnMut() -> Parse<Option<T>>,
    mut add: impl FnMut(T, &mut ChunkColumns) -> Result<(), FormatError>,
) -> Parse<Option<ChunkColumns>> {
    let mut found = ChunkColumns::new(rank);
    while found.len() < BATCH_CHUNKS {
        match next() {
            Ok(Some(part)) => add(part, &mut found)?,
            Ok(None) => break,
            Err(stop) if found.is_empty() => return Err(stop),
            // The chunks found so far are returned first; the next call stops here again.
            Err(_) => break,
        }
    }
    Ok((!found.is_empty()).then_some(found))
}
