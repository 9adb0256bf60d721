//! # wasted-edge
//!
//! ## What it sees
//!
//! The chunks at the edge of the grid extend beyond the dataset, and another shape would save much of that padding: 101
//! columns in chunks of 100. Without compression, what counts is the padding in the file; with it, padding that is decoded
//! counts from a tenth of the whole on.
//!
//! ## Why it costs
//!
//! An edge chunk is stored and decoded at its full size. Along each dimension that chunks do not divide, up to a whole
//! chunk is padding, and the dimensions multiply: 101x101 in chunks of 100x100 stores four times the data. Compression
//! hides the padding in the file, but not in decoding time and in the cache.
//!
//! ## What to do
//!
//! Repack with chunks of equal parts: 101 in two chunks of 51.
//!
//! ## When it is fine
//!
//! If the dataset is still growing along that dimension.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::Case;
use crate::fix::repack_to;
use crate::numbers::rounded;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Share of the grid's bytes that chunks of equal parts must save: of padding in the file, and of padding that is only
/// decoded.
const SAVED_SHARE_STORED: f64 = 0.01;
const SAVED_SHARE_DECODED: f64 = 0.1;
/// Padding in the file from which on the severity is medium.
const WASTE_BYTES_MEDIUM: u64 = 64 << 20;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let (chunk, chunk_bytes) = (case.geometry.chunk_dims()?, case.geometry.chunk_bytes()?);
    let (shape, chunks) = (case.geometry.shape(), case.geometry.chunks()?);
    // Where no dimension has two chunks, the chunk is larger than the dataset, which is a finding of its own.
    let has_grid = shape.iter().zip(chunk).any(|(dim, chunk)| dim > chunk);
    if !has_grid || !chunks.is_complete() || (0..shape.len()).any(|axis| grows_at_edge(case, axis)) {
        return None;
    }
    let grid_bytes = chunks.grid_chunks().saturating_mul(chunk_bytes);
    let data_bytes = case.geometry.logical_bytes();
    let ratio = grid_bytes as f64 / data_bytes.max(1) as f64;
    let padding = grid_bytes.saturating_sub(data_bytes);
    // As many chunks along each dimension, of equal parts.
    let even: Vec<u64> = shape
        .iter()
        .zip(chunk)
        .map(|(dim, chunk)| dim.div_ceil(dim.div_ceil(*chunk).max(1)).max(1))
        .collect();
    let even_bytes = even.iter().fold(case.geometry.element_bytes(), |n, d| n.saturating_mul(*d));
    let saved = grid_bytes.saturating_sub(chunks.grid_chunks().saturating_mul(even_bytes));
    let is_stored = !case.facts.is_compressed();
    let share = if is_stored { SAVED_SHARE_STORED } else { SAVED_SHARE_DECODED };
    if (saved as f64) < share * grid_bytes as f64 {
        return None;
    }
    let cost = if is_stored {
        Cost::bytes(saved)
    } else {
        Cost::seconds(saved as f64 / chunk_bytes as f64 * case.reference.decode_once())
    };
    let is_medium = is_stored && saved >= WASTE_BYTES_MEDIUM;
    let severity = if is_medium { Severity::Medium } else { Severity::Low };
    let message = format!(
        "Chunks of {} do not divide {}: {} for {} of data, {ratio:.2} times as much. The rest is padding that is decoded and \
         cached{}; equal parts save {}.",
        shape_text(chunk),
        shape_text(shape),
        bytes_text(grid_bytes),
        bytes_text(data_bytes),
        if is_stored { ", and stored" } else { "" },
        bytes_text(saved),
    );
    let evidence = json!({
        "grid_bytes": grid_bytes,
        "data_bytes": data_bytes,
        "ratio": rounded(ratio),
        "padding_bytes_in_file": if is_stored { padding } else { 0 },
        "saved_bytes": saved,
    });
    let fixes = vec![repack_to(case, &even, format!("chunks of {}, equal parts", shape_text(&even)))];
    Some(Finding { code: "wasted-edge".to_owned(), severity, message, cost, evidence, fixes })
}

/// True if the dataset will fill the chunks at this edge as it grows.
fn grows_at_edge(case: &Case<'_>, axis: usize) -> bool {
    let chunk = case.geometry.chunk_dims().map_or(1, |chunk| chunk[axis]);
    case.facts.can_grow(axis) && !case.geometry.shape()[axis].is_multiple_of(chunk)
}

#[cfg(test)]
mod tests {
    use crate::testing::{chunked, finding, unfiltered};

    const CODE: &str = "wasted-edge";

    #[test]
    fn chunks_just_too_short_are_found_with_equal_parts() {
        let raw = unfiltered(chunked(&[1001, 1001], &[1000, 1000], 4));
        let found = finding(CODE, &raw, &[]).unwrap();
        assert!(found.message.contains("3.99 times as much"), "{}", found.message);
        assert_eq!(found.cost.bytes, Some(16_000_000 - 4_016_016));
        assert!(found.fixes[0].line.contains("CHUNK=501x501"), "{:?}", found.fixes);
    }

    #[test]
    fn padding_in_the_file_is_found_below_half_of_the_data_too() {
        let raw = unfiltered(chunked(&[1560, 128, 256], &[1024, 128, 256], 4));
        let found = finding(CODE, &raw, &[]).unwrap();
        assert_eq!(found.cost.bytes, Some((2048 - 1560) * 128 * 256 * 4));
        assert!(found.message.contains("1.31 times as much"), "{}", found.message);
        assert!(found.fixes[0].line.contains("CHUNK=780x128x256"), "{:?}", found.fixes);
        // Compressed, a fourth more is decoded; a hundredth is not worth a word.
        assert!(finding(CODE, &chunked(&[1560, 128, 256], &[1024, 128, 256], 4), &[]).is_some());
        assert_eq!(finding(CODE, &chunked(&[2040, 128, 256], &[1024, 128, 256], 4), &[]), None);
        // Equal parts of 1,000 in eight chunks would be the same.
        assert_eq!(finding(CODE, &unfiltered(chunked(&[1000, 500, 500], &[125, 500, 500], 4)), &[]), None);
    }

    #[test]
    fn even_chunks_growing_data_and_little_data_are_fine() {
        assert_eq!(finding(CODE, &unfiltered(chunked(&[1000, 1000], &[500, 500], 4)), &[]), None);
        assert_eq!(finding(CODE, &unfiltered(chunked(&[11, 11], &[10, 10], 4)), &[]), None, "1 kB");
        let mut growing = unfiltered(chunked(&[1001, 1001], &[1000, 1000], 4));
        growing.max_shape[0] = None;
        assert_eq!(finding(CODE, &growing, &[]), None);
    }
}
