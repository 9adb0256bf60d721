//! The repack that serves one read: lines for h5repack with chunk shapes found by simulation.

use super::Fix;
use super::change::{Change, NewStorage};
use super::chunk_shape::{REPACK_CHUNK_BYTES, shape_for_read};
use super::compromise::{GAIN_SHARE_MAX, compromise};
use super::filters::present;
use super::lines::chunk_line;
use super::others::{Judgement, judge};
use super::writers::{nccopy_line, writer_lines};
use crate::case::Case;
use crate::pattern::{bytes_text, shape_text};

/// Returns the line whose chunk shape serves read `target` in every library. If that shape slows another read, a
/// line with a shape that does not comes before it, where there is one. `profiles` are those in which the read is slow
/// now.
pub(crate) fn repack_for(case: &Case<'_>, target: usize, profiles: &[usize]) -> Vec<Fix> {
    let read = &case.reads[target];
    let own = shape_for_read(&case.geometry, &read.sweep, case.options.visits_max)
        .and_then(|chunk| Some((judge_chunks(case, &chunk)?, chunk)));
    let mut fixes = Vec::new();
    if own.as_ref().is_none_or(|(judged, _)| judged.is_loss())
        && let Some((chunk, judged)) = compromise(case, target, profiles)
    {
        let effect = format!("{}: serves this read, and none takes twice as long", chunks_text(case, &chunk));
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
        fix.writers.push(nccopy_line(file, case.facts, chunk));
    }
    if let Some(filters) = present(case.facts) {
        fix.writers.extend(writer_lines(case.facts, chunk, filters));
    }
    fix
}

fn judge_chunks(case: &Case<'_>, chunk: &[u64]) -> Option<Judgement> {
    let profiles: Vec<usize> = (0..case.profiles.len()).collect();
    judge(case, &Change::Storage(NewStorage::rechunked(case.facts, chunk)), &profiles)
}

/// `chunks of 1x30x9x717 (756 KiB)`
fn chunks_text(case: &Case<'_>, chunk: &[u64]) -> String {
    let bytes = chunk.iter().fold(case.geometry.element_bytes(), |n, d| n.saturating_mul(*d));
    format!("chunks of {} ({})", shape_text(chunk), bytes_text(bytes))
}
