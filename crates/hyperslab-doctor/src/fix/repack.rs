//! The repack that serves one read: a line for h5repack with a chunk shape found by simulation.

use super::Fix;
use super::chunk_shape::{REPACK_CHUNK_BYTES, shape_for_read};
use super::lines::chunk_line;
use crate::case::{Case, ReadCase};
use crate::pattern::{bytes_text, shape_text};

/// Returns the line for h5repack whose chunk shape serves this read in every library, or `None` where no such shape
/// was found.
pub(crate) fn repack_for(case: &Case<'_>, read: &ReadCase) -> Option<Fix> {
    let chunk = shape_for_read(&case.geometry, &read.sweep, case.options.visits_max)?;
    let bytes = chunk.iter().fold(case.geometry.element_bytes(), |n, d| n * d);
    let effect = format!(
        "chunks of {} ({}): each {} once even in a cache of {}",
        shape_text(&chunk),
        bytes_text(bytes),
        case.loaded_word(),
        bytes_text(REPACK_CHUNK_BYTES)
    );
    Some(chunk_line(&case.options.file, case.facts, &chunk, effect))
}
