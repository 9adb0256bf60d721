//! The repack that serves one read: lines for h5repack with chunk shapes found by simulation.

use super::Fix;
use super::change::{Change, Rewritten};
use super::chunk_shape::{REPACK_CHUNK_BYTES, shape_for_read};
use super::compromise::{GAIN_SHARE_MAX, balanced, compromise};
use super::lines::chunk_line;
use super::new_filters::present;
use super::others::{Judgement, judge};
use super::writers::{nccopy_line, writer_lines};
use crate::case::Case;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::counted_text;
use hyperslab_units::size::bytes_text;

/// Returns the line whose chunk shape serves read `target` in every library. If that shape slows another read, a
/// line with a shape that does not comes before it, where there is one; in its place, if it makes the other read many times
/// slower. `profiles` are those in which the read is slow now.
pub(crate) fn repack_for(case: &Case<'_>, target: usize, profiles: &[usize]) -> Vec<Fix> {
    let read = &case.reads[target];
    let mut own = shape_for_read(&case.geometry, &read.sweep, case.options.visits_max)
        .and_then(|chunk| Some((judge_chunks(case, &chunk)?, chunk)));
    let mut fixes = Vec::new();
    if own.as_ref().is_none_or(|(judged, _)| judged.is_loss())
        && let Some((chunk, judged)) = compromise(case, target, profiles)
        && is_better(&judged, own.as_ref().map(|(judged, _)| judged))
    {
        if !judged.is_loss() {
            own = own.filter(|(judged, _)| !judged.ruins_a_read());
        }
        let others = if judged.is_loss() { "all reads together best" } else { "none takes twice as long" };
        let effect = format!("{}: serves this read, and {others}", chunks_text(case, &chunk));
        fixes.push(judged.tell(case, Some(target), line_for(case, &chunk, effect)));
    }
    if let Some((judged, chunk)) = own {
        let effect = format!(
            "{}: each {} once even in a cache of {}",
            chunks_text(case, &chunk),
            case.loaded_word(),
            bytes_text(REPACK_CHUNK_BYTES)
        );
        fixes.push(judged.tell(case, Some(target), line_for(case, &chunk, effect)));
    }
    fixes
}

/// Returns the line with these chunks, judged on every read: for faults of the storage that no single read shows.
pub(crate) fn repack_to(case: &Case<'_>, chunk: &[u64], effect: String) -> Fix {
    let fix = line_for(case, chunk, effect);
    match judge_chunks(case, chunk) {
        Some(judged) => judged.tell(case, None, fix),
        None => fix,
    }
}

/// True for what slows no read, and for what slows some, but is better for all reads together than `other`.
fn is_better(judged: &Judgement, other: Option<&Judgement>) -> bool {
    !judged.is_loss() || other.is_none_or(|other| judged.change < other.change)
}

/// Returns the lines with chunks that are larger than the present ones: those that were found for one read and, if they slow
/// another, before them those that suit all reads best; in their place, if these slow none and those make one many times
/// slower.
pub(crate) fn repack_larger(case: &Case<'_>, chunk: &[u64]) -> Vec<Fix> {
    let own = judge_chunks(case, chunk);
    let mut fixes = Vec::new();
    let storage = |chunk: &[u64]| Rewritten::rechunked(case.facts, chunk);
    if own.as_ref().is_some_and(Judgement::is_loss)
        && let Some((chunk, judged)) = balanced(case, &storage)
        && is_better(&judged, own.as_ref())
    {
        fixes.push(judged.tell(case, None, line_for(case, &chunk, number_text(case, &chunk))));
        if !judged.is_loss() && own.is_some_and(|own| own.ruins_a_read()) {
            return fixes;
        }
    }
    fixes.push(repack_to(case, chunk, number_text(case, chunk)));
    fixes
}

/// Returns the line for a read that is not slow, only its chunks are large: that of [`repack_for`], unless
/// it slows another read and smaller chunks that slow none exist.
pub(crate) fn repack_smaller(case: &Case<'_>, target: usize, profiles: &[usize]) -> Vec<Fix> {
    let fixes = repack_for(case, target, profiles);
    if fixes.iter().any(|fix| !fix.slows_others) {
        return fixes;
    }
    let storage = |chunk: &[u64]| Rewritten::rechunked(case.facts, chunk);
    match balanced(case, &storage) {
        Some((chunk, judged)) if !judged.is_loss() => {
            let effect = format!("{}: no read takes twice as long", chunks_text(case, &chunk));
            vec![judged.tell(case, Some(target), line_for(case, &chunk, effect))]
        }
        _ => fixes,
    }
}

/// Returns the line with these chunks in place of another fix, if they serve its read as well and slow none.
pub(crate) fn repack_instead(case: &Case<'_>, fix: &Fix, chunk: &[u64]) -> Option<Fix> {
    let judged = judge_chunks(case, chunk).filter(|judged| !judged.is_loss())?;
    let target = match &fix.serves {
        Some(served) => Some(case.reads.iter().position(|read| read.name == served.read)?),
        None => None,
    };
    if target.is_some_and(|target| judged.gain(target) > GAIN_SHARE_MAX) {
        return None;
    }
    let served = if target.is_some() { "serves this read, and after it no read" } else { "after it no read" };
    let effect = format!("{}: {served} asks for other chunks", chunks_text(case, chunk));
    Some(judged.tell(case, target, line_for(case, chunk, effect)))
}

fn line_for(case: &Case<'_>, chunk: &[u64], effect: String) -> Fix {
    let file = &case.options.file;
    let mut fix = chunk_line(file, case.facts, chunk, effect);
    fix.chunks = Some(chunk.to_vec());
    if case.options.is_netcdf {
        fix.writers.extend(nccopy_line(file, case.facts, chunk));
    }
    if let Some(filters) = present(case.facts) {
        fix.writers.extend(writer_lines(case.facts, chunk, filters));
    }
    fix
}

fn judge_chunks(case: &Case<'_>, chunk: &[u64]) -> Option<Judgement> {
    let profiles: Vec<usize> = (0..case.profiles.len()).collect();
    judge(case, &Change::Rewritten(Rewritten::rechunked(case.facts, chunk)), &profiles)
}

/// `40 chunks of 10x120x200`
fn number_text(case: &Case<'_>, chunk: &[u64]) -> String {
    let dims = chunk.iter().zip(case.geometry.shape());
    let count = dims.fold(1u64, |n, (chunk, dim)| n.saturating_mul(dim.div_ceil(*chunk)));
    format!("{} of {}", counted_text(count, "chunk"), shape_text(chunk))
}

/// `chunks of 1x30x9x717 (756 KiB)`
fn chunks_text(case: &Case<'_>, chunk: &[u64]) -> String {
    let bytes = chunk.iter().fold(case.geometry.element_bytes(), |n, d| n.saturating_mul(*d));
    format!("chunks of {} ({})", shape_text(chunk), bytes_text(bytes))
}

#[cfg(test)]
mod tests {
    use crate::fix::FixKind;
    use crate::testing::{chunked, finding};

    /// The chunks of each repack for a finding, and the seconds of the slowest read with them.
    fn repacks(code: &str, shape: &[u64], chunk: &[u64]) -> Vec<(Vec<u64>, f64)> {
        let found = finding(code, &chunked(shape, chunk, 4), &[]).unwrap();
        let repacks = found.fixes.into_iter().filter(|fix| fix.kind == FixKind::Repack);
        let slowest = repacks.map(|fix| {
            let reads = fix.others.iter().chain(&fix.serves);
            let seconds = reads.map(|read| read.after_seconds).fold(0.0, f64::max);
            (fix.chunks.unwrap(), seconds)
        });
        slowest.collect()
    }

    #[test]
    fn where_every_repack_slows_a_read_the_one_that_is_best_for_all_comes_first() {
        let shape = [400, 120, 200];
        // One chunk of 37 MiB, which only netCDF-C holds; chunks of 160 bytes.
        for (code, chunk) in [("cache-smaller-than-chunk", shape), ("chunks-too-small", [1, 4, 10])] {
            let repacks = repacks(code, &shape, &chunk);
            let [(first, seconds), (rows, seconds_of_rows)] = &repacks[..] else { panic!("{repacks:?}") };
            assert_eq!(*rows, [10, 120, 200], "for rows alone");
            assert!(5.0 * seconds < *seconds_of_rows, "{code}: {first:?} {seconds}, {seconds_of_rows}");
        }
    }
}
