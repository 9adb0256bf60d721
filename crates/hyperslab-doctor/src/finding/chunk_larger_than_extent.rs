//! # chunk-larger-than-extent
//!
//! ## What it sees
//!
//! Chunks extend far beyond the dataset: a chunk has room for 1,024 steps, but the dataset has ten.
//!
//! ## Why it costs
//!
//! A chunk is stored, decoded and cached at its full size, padding included. Compression hides the padding in the file
//! (it is all fill value), but not in decoding time or in the cache. Without compression the file contains the padding
//! too.
//!
//! ## What to do
//!
//! Repack with chunks no larger than the dataset, if it has stopped growing.
//!
//! ## When it is fine
//!
//! If the dataset is still being extended and will soon fill its chunks.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::Case;
use crate::fix::repack_to;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Reported if a chunk is at least this many times the part of it that is used: if the padding is only decoded, or the
/// dataset can grow to fill it; and if the padding is in the file.
const RATIO_MIN: f64 = 4.0;
const RATIO_MIN_STORED: f64 = 1.05;
/// and at least this large.
const CHUNK_BYTES_MIN: u64 = 64 << 10;
/// Padding in the file from which on the severity is medium.
const WASTE_BYTES_MEDIUM: u64 = 16 << 20;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let (chunk, chunk_bytes) = (case.geometry.chunk_dims()?, case.geometry.chunk_bytes()?);
    let shape = case.geometry.shape();
    let stored_chunks = case.geometry.chunks()?.stored_chunks();
    let used: Vec<u64> = chunk.iter().zip(shape).map(|(chunk, dim)| (*chunk).min(*dim)).collect();
    let used_bytes = used.iter().fold(case.geometry.element_bytes(), |n, d| n * d);
    let still_growing = (0..shape.len()).any(|axis| chunk[axis] > shape[axis] && case.facts.can_grow(axis));
    let is_for_good = !case.facts.is_compressed() && !still_growing;
    let ratio_min = if is_for_good { RATIO_MIN_STORED } else { RATIO_MIN };
    if used_bytes == 0
        || stored_chunks == 0
        || chunk_bytes < CHUNK_BYTES_MIN
        || (chunk_bytes as f64) < ratio_min * used_bytes as f64
    {
        return None;
    }
    let wasted_in_file =
        if case.facts.is_compressed() { 0 } else { stored_chunks.saturating_mul(chunk_bytes - used_bytes) };
    let padding = (chunk_bytes - used_bytes) as f64 / chunk_bytes as f64;
    let padding_seconds = stored_chunks as f64 * padding * case.reference.decode_once();
    let severity = if wasted_in_file >= WASTE_BYTES_MEDIUM { Severity::Medium } else { Severity::Low };
    let message = format!(
        "A chunk is {} ({}), but the dataset is {}. Only {} of each chunk are used; the rest is padding that is decoded and cached \
         with it{}.{}",
        shape_text(chunk),
        bytes_text(chunk_bytes),
        shape_text(shape),
        bytes_text(used_bytes),
        if wasted_in_file > 0 {
            format!(", and takes {} in the file", bytes_text(wasted_in_file))
        } else {
            String::new()
        },
        if still_growing { " The dataset can still grow to fill it." } else { "" },
    );
    let evidence = json!({
        "chunk_bytes": chunk_bytes,
        "used_bytes_per_chunk": used_bytes,
        "stored_chunks": stored_chunks,
        "padding_bytes_in_file": wasted_in_file,
        "can_grow": still_growing,
    });
    let effect = format!(
        "chunks of {} ({}), {} of them",
        shape_text(&used),
        bytes_text(used_bytes),
        count_text(stored_chunks)
    );
    let fixes = vec![repack_to(case, &used, effect)];
    let cost = Cost { seconds: Some(padding_seconds), bytes: Some(wasted_in_file), requests: None };
    Some(Finding { code: "chunk-larger-than-extent".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::finding::Severity;
    use crate::testing::{chunked, finding, unfiltered};

    const CODE: &str = "chunk-larger-than-extent";

    #[test]
    fn padding_is_found_and_more_so_where_the_file_holds_it() {
        let mut facts = chunked(&[10, 100, 100], &[1024, 100, 100], 4);
        facts.max_shape[0] = None;
        let found = finding(CODE, &facts, &[]).unwrap();
        assert_eq!(found.severity, Severity::Low);
        assert!(found.message.ends_with("The dataset can still grow to fill it."), "{}", found.message);
        assert!(found.fixes[0].line.contains("CHUNK=10x100x100"), "{:?}", found.fixes);
        let raw = finding(CODE, &unfiltered(facts), &[]).unwrap();
        assert_eq!(raw.severity, Severity::Medium);
        assert!(raw.message.contains("takes 38.7 MiB in the file"), "{}", raw.message);
    }

    #[test]
    fn chunks_within_the_extent_and_small_ones_are_fine() {
        assert_eq!(finding(CODE, &chunked(&[1000, 100], &[100, 100], 4), &[]), None);
        assert_eq!(finding(CODE, &chunked(&[1], &[1024], 4), &[]), None, "4 KiB");
        assert_eq!(finding(CODE, &chunked(&[800, 100], &[1024, 100], 4), &[]), None, "nearly full");
    }

    #[test]
    fn padding_in_the_file_counts_below_four_times_unless_the_dataset_grows() {
        let raw = unfiltered(chunked(&[700, 1000], &[1000, 1000], 4));
        assert_eq!(finding(CODE, &raw, &[]).unwrap().cost.bytes, Some(1_200_000));
        let mut growing = raw.clone();
        growing.max_shape[0] = None;
        assert_eq!(finding(CODE, &growing, &[]), None);
        assert_eq!(finding(CODE, &unfiltered(chunked(&[960, 1000], &[1000, 1000], 4)), &[]), None, "4 %");
    }
}
