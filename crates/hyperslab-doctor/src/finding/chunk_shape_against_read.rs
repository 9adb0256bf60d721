//! # chunk-shape-against-read
//!
//! ## What it sees
//!
//! A single read touches many chunks and wants little of each: chunks that hold one map each, read as a series over
//! time, or the other way round.
//!
//! ## Why it costs
//!
//! Even the first read, with the largest cache, must fetch and decode every chunk that it touches. A series of 1,460
//! values through 1,460 maps of 1 MB decodes 1.5 GB for 6 KB. The same data in chunks along the series differ by a factor
//! of hundreds; so do maps from chunks made for series.
//!
//! ## What to do
//!
//! If this is the read that matters, repack to chunks along it. If both kinds of read matter, choose chunks between the
//! two (some of time, some of space), or keep two copies. To gather many series from a file that stays as it is, read
//! whole chunks once and keep all the series in memory as you go.
//!
//! ## When it is fine
//!
//! Where this read is rare. No chunk shape serves every read, and one that serves the common read is right.

use super::cliff::Cliff;
use super::model::{Finding, Severity};
use crate::case::{Case, ReadCase};
use crate::fix::{read_lines, repack_for};
use crate::numbers::{count_text, rounded};
use crate::pattern::{bytes_text, shape_text};
use crate::predict::seconds_text;
use serde_json::json;

/// Chunks that one read touches.
const CHUNKS_MIN: u64 = 16;
/// Share of the touched bytes that the read wants, at most.
const SHARE_MAX: f64 = 1.0 / 32.0;
/// Seconds of the first read from which on it is worth a word: for a read that was asked for, and for one that was not.
const SECONDS_MIN_ASKED: f64 = 0.05;
const SECONDS_MIN_TRIED: f64 = 0.5;
/// Or seconds of the whole sweep under the best of the libraries, for a read that was not asked for.
const SWEEP_SECONDS_MIN_TRIED: f64 = 60.0;

struct Against {
    chunks: u64,
    wanted_bytes: u64,
    touched_bytes: u64,
    seconds: f64,
}

fn measure(case: &Case<'_>, read: &ReadCase) -> Option<Against> {
    let (chunk, chunk_bytes) = (case.geometry.chunk_dims()?, case.geometry.chunk_bytes()?);
    if case.geometry.shape().contains(&0) {
        return None;
    }
    let block = read.sweep.block();
    // The first block of the sweep, which begins at the origin.
    let chunks =
        block.iter().zip(chunk).fold(1u64, |n, (block, chunk)| n.saturating_mul(block.div_ceil(*chunk)));
    let wanted_bytes = block.iter().fold(case.geometry.element_bytes(), |n, b| n.saturating_mul(*b));
    let decode = if case.geometry.is_filtered() { case.costs.decode_once() } else { 0.0 };
    Some(Against {
        chunks,
        wanted_bytes,
        touched_bytes: chunks.saturating_mul(chunk_bytes),
        seconds: chunks as f64 * decode,
    })
}

/// True for a read that goes across the chunks.
pub(super) fn is_against(case: &Case<'_>, read: &ReadCase) -> bool {
    measure(case, read).is_some_and(|against| against.holds())
}

impl Against {
    fn holds(&self) -> bool {
        self.chunks >= CHUNKS_MIN && self.wanted_bytes as f64 <= SHARE_MAX * self.touched_bytes as f64
    }
}

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let (read, against) = case
        .reads
        .iter()
        .filter_map(|read| Some((read, measure(case, read)?)))
        .filter(|(read, against)| {
            let least = if read.is_asked { SECONDS_MIN_ASKED } else { SECONDS_MIN_TRIED };
            let best = read.rows.iter().map(|row| row.seconds).fold(f64::INFINITY, f64::min);
            let is_slow = against.seconds >= least || !read.is_asked && best >= SWEEP_SECONDS_MIN_TRIED;
            against.holds() && is_slow
        })
        .max_by(|(_, a), (_, b)| a.seconds.total_cmp(&b.seconds))?;
    let severity = match against.seconds {
        _ if !read.is_asked => Severity::Low,
        seconds if seconds >= 5.0 => Severity::High,
        seconds if seconds >= 0.5 => Severity::Medium,
        _ => Severity::Low,
    };
    let chunk = shape_text(case.geometry.chunk_dims()?);
    let best = read.rows.iter().map(|row| row.seconds).fold(f64::INFINITY, f64::min);
    let message = format!(
        "One read of {} touches {} chunks of {chunk}, {} to decode for the {} that are wanted: {} for the first read, \
         with any cache; {} for all {} reads with the best of those tried.",
        read.text(),
        count_text(against.chunks),
        bytes_text(against.touched_bytes),
        bytes_text(against.wanted_bytes),
        seconds_text(against.seconds),
        seconds_text(best),
        count_text(read.sweep.reads()),
    );
    let evidence = json!({
        "read": shape_text(read.sweep.block()),
        "read_name": read.name,
        "chunks_per_read": against.chunks,
        "wanted_bytes": against.wanted_bytes,
        "touched_bytes": against.touched_bytes,
        "first_read_seconds": rounded(against.seconds),
        "best_sweep_seconds": rounded(best),
    });
    let mut fixes: Vec<_> = repack_for(case, read).into_iter().collect();
    fixes.extend(read_lines(case));
    Some(Finding { code: "chunk-shape-against-read".to_owned(), severity, message, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::finding::Severity;
    use crate::testing::{chunked, finding};

    const CODE: &str = "chunk-shape-against-read";

    #[test]
    fn a_series_through_maps_is_found() {
        let maps = chunked(&[1460, 361, 720], &[1, 361, 720], 4);
        let found = finding(CODE, &maps, &[":x1x1"]).unwrap();
        assert!(found.severity <= Severity::Medium);
        assert_eq!(found.evidence["chunks_per_read"], 1460);
        assert!(found.fixes[0].line.contains("CHUNK=1460x1x144"), "{:?}", found.fixes[0]);
        let tried = finding(CODE, &maps, &[]).unwrap();
        assert_eq!(tried.severity, Severity::Low, "nobody asked for it");
        // 365 small maps: a series is quick, all of them are not.
        let year = finding(CODE, &chunked(&[365, 180, 360], &[1, 180, 360], 4), &[]).unwrap();
        assert!(year.message.contains("for all 64,800 reads"), "{}", year.message);
    }

    #[test]
    fn maps_from_maps_and_small_data_are_fine() {
        assert_eq!(finding(CODE, &chunked(&[1460, 361, 720], &[1, 361, 720], 4), &["1x:x:"]), None);
        assert_eq!(finding(CODE, &chunked(&[100, 10, 10], &[1, 10, 10], 4), &[":x1x1"]), None);
    }
}
