//! Batches of chunks: what a walk has found is handed over while it goes on.

use super::columns::ChunkColumns;
use crate::{FormatError, Parse};

/// A batch has at least this many chunks, unless the walk has to wait or ends; and at most those of one node more.
pub(super) const BATCH_CHUNKS: usize = 4096;

/// Gathers the next chunks of a dataset with `rank` dimensions; `None` after the last.
///
/// `next` answers with the next part of the index (in its order), and has to answer alike when it is called again
/// after it stopped. `add` adds the sought chunks of a part.
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
            // What was found comes first; the next call stops here again.
            Err(_) => break,
        }
    }
    Ok((!found.is_empty()).then_some(found))
}
