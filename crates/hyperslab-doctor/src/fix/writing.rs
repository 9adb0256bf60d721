//! Fixes for programs that write: whole chunks at a time, or a chunk cache that holds what a block touches.

use super::cache::{CacheFix, smallest_where};
use super::{Fix, FixKind};
use crate::case::Case;
use crate::simulate::LibVersion;
use hyperslab_storage::pattern::{Sweep, shape_text};

/// The smallest cache in which each chunk is encoded once by this write, in all of these versions. `None` if there is none of
/// reasonable size.
pub(crate) fn cache_for_writes(case: &Case<'_>, sweep: &Sweep, versions: &[LibVersion]) -> Option<CacheFix> {
    smallest_where(&case.geometry, |settings| {
        versions
            .iter()
            .all(|version| case.written(sweep, settings, *version).is_some_and(|written| written.is_ideal()))
    })
}

/// The line that writes whole chunks.
pub(crate) fn write_lines(case: &Case<'_>, sweep: &Sweep) -> Vec<Fix> {
    let (Some(chunk), shape) = (case.geometry.chunk_dims(), case.geometry.shape()) else { return Vec::new() };
    if sweep.block() == chunk {
        return Vec::new();
    }
    let ranges: Vec<String> = chunk
        .iter()
        .zip(shape)
        .map(|(chunk, dim)| if chunk >= dim { ":".to_owned() } else { format!("0:{chunk}") })
        .collect();
    let line = format!("out[{}] = values  # one whole chunk at a time", ranges.join(", "));
    let effect = format!("whole chunks of {}: each is encoded once, with any cache", shape_text(chunk));
    vec![Fix::new(FixKind::Rewrite, "Python", line, effect)]
}
