//! Fixes for programs that write: whole chunks at a time, or a chunk cache that holds what a block touches.

use super::cache::{CacheFix, smallest_where};
use super::lines::python_string;
use super::{Fix, FixKind};
use crate::case::Case;
use crate::pattern::{Sweep, shape_text};
use crate::simulate::{CacheSettings, LibVersion, simulate_writes};

/// The smallest cache in which each chunk is encoded once by this write, in all of these versions. `None` if there is none of
/// reasonable size.
pub(crate) fn cache_for_writes(case: &Case<'_>, sweep: &Sweep, versions: &[LibVersion]) -> Option<CacheFix> {
    let visits_max = case.options.visits_max;
    smallest_where(&case.geometry, |settings| {
        versions.iter().all(|version| {
            simulate_writes(&case.geometry, settings, *version, sweep, visits_max)
                .is_some_and(|written| written.is_ideal())
        })
    })
}

/// The lines that set a chunk cache in a program that writes the dataset.
pub(crate) fn writer_cache_lines(case: &Case<'_>, cache: CacheSettings, effect: &str) -> Vec<Fix> {
    let CacheSettings { nbytes, nslots, w0 } = cache;
    let path = python_string(&case.facts.path);
    let fix = |target: &str, line: String| Fix::new(FixKind::Cache, target, line, effect.to_owned());
    vec![
        fix("h5py", format!("h5py.File(\"out.h5\", \"w\", rdcc_nbytes={nbytes}, rdcc_nslots={nslots})")),
        fix(
            "netCDF4",
            format!("nc[{path}].set_var_chunk_cache(size={nbytes}, nelems={nslots}, preemption={w0})"),
        ),
        fix("C", format!("H5Pset_chunk_cache(dapl, {nslots}, {nbytes}, {w0}); /* dapl for H5Dcreate2 */")),
    ]
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
