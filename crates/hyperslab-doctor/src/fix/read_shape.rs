//! The read that needs no cache: whole chunks, each read once.

use super::{Fix, FixKind};
use crate::case::Case;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::counted_text;

/// Reads whole chunks, in h5py and in C. Each chunk is then decoded once, whatever the cache.
pub(crate) fn read_lines(case: &Case<'_>) -> Vec<Fix> {
    let Some(chunk) = case.geometry.chunk_dims() else { return Vec::new() };
    let block: Vec<u64> =
        chunk.iter().zip(case.geometry.shape()).map(|(chunk, dim)| (*chunk).min(*dim)).collect();
    let chunks = case.geometry.chunks().map_or(0, |chunks| chunks.stored_chunks());
    let effect = format!(
        "whole-chunk reads of {}: {}, each chunk is {} once with any cache",
        shape_text(&block),
        counted_text(chunks, "read"),
        case.loaded_word()
    );
    let fix = |target: &str, line: String| Fix::new(FixKind::Read, target, line, effect.clone());
    let list = block.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    vec![
        fix("h5py", format!("for s in dset.iter_chunks(): block = dset[s]  # {}", shape_text(&block))),
        fix("C", format!("hsize_t count[] = {{{list}}}; /* H5Sselect_hyperslab on chunk boundaries */")),
    ]
}
