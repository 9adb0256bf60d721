//! # chunks-too-small
//!
//! ## What it sees
//!
//! A very large number of chunks of a few kilobytes each, or chunks so small that their index is large beside their data.
//!
//! ## Why it costs
//!
//! Each chunk has an entry in the chunk index, which is metadata: it is read in small requests before any data, and
//! kept in memory. Each chunk also costs one request to the disk or object store and one call of the filters, and these
//! fixed costs outweigh the bytes. Small chunks compress worse too. Over a network with 40 ms per request, 100,000 of
//! them take more than an hour.
//!
//! ## What to do
//!
//! Repack with chunks of about 1 MiB for files on disk, which still fit in the default cache of every libhdf5, or of 2
//! to 16 MiB for object stores.
//!
//! ## When it is fine
//!
//! If programs read single small chunks at random positions and never much at once.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::REQUEST_SECONDS;
use crate::case::Case;
use crate::fix::{repack_larger, shape_for_read};
use crate::numbers::rounded;
use crate::predict::seconds_text;
use hyperslab_storage::pattern::{Sweep, shape_text};
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Chunks below this size are small.
const CHUNK_BYTES_MAX: u64 = 16 << 10;
/// At least this many of them are reported.
const CHUNKS_MIN: u64 = 10_000;
/// Fewer are reported if their index takes at least this share of the bytes of their data,
const INDEX_SHARE_MIN: f64 = 0.25;
/// from this many on.
const CHUNKS_MIN_BESIDE_INDEX: u64 = 64;
/// The time libhdf5 spends per chunk apart from its bytes: index, lock, pipeline, request.
pub(super) const CHUNK_SECONDS: f64 = 10.0e-6;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let chunk = case.geometry.chunk_dims()?;
    let chunk_bytes = case.geometry.chunk_bytes()?;
    let stored = case.geometry.chunks()?.stored_chunks();
    let has_one_element = chunk.iter().all(|dim| *dim == 1);
    let index_bytes = index_bytes_about(stored, chunk.len());
    let index_share = index_bytes as f64 / case.facts.stored_bytes.max(1) as f64;
    let is_index_large = stored >= CHUNKS_MIN_BESIDE_INDEX && index_share >= INDEX_SHARE_MIN;
    if has_one_element || chunk_bytes >= CHUNK_BYTES_MAX || (stored < CHUNKS_MIN && !is_index_large) {
        return None;
    }
    let severity = match stored {
        1_000_000.. => Severity::High,
        100_000.. => Severity::Medium,
        _ => Severity::Low,
    };
    let overhead_seconds = stored as f64 * CHUNK_SECONDS;
    let message = format!(
        "{} chunks of {} ({}): a chunk index of about {} for {} of stored data, an overhead of about {} to read everything from disk, and of {} over a \
         network at 40 ms a request, one after the other.",
        count_text(stored),
        shape_text(chunk),
        bytes_text(chunk_bytes),
        bytes_text(index_bytes),
        bytes_text(case.facts.stored_bytes),
        seconds_text(overhead_seconds),
        seconds_text(stored as f64 * REQUEST_SECONDS),
    );
    let evidence = json!({
        "chunk_bytes": chunk_bytes,
        "stored_chunks": stored,
        "index_bytes_about": index_bytes,
        "index_bytes_per_stored_byte": rounded(index_share),
        "overhead_seconds": rounded(overhead_seconds),
    });
    let seed = case.reads.iter().find(|read| read.is_requested).map_or_else(
        || Sweep::row_major(case.geometry.shape(), &clipped(chunk, case.geometry.shape())),
        |read| read.sweep.clone(),
    );
    let fixes = shape_for_read(&case.geometry, &seed, case.options.visits_max)
        .map(|larger| repack_larger(case, &larger))
        .unwrap_or_default();
    let cost = Cost { seconds: Some(overhead_seconds), bytes: Some(index_bytes), requests: Some(stored) };
    Some(Finding { code: "chunks-too-small".to_owned(), severity, message, cost, evidence, fixes })
}

/// Bytes of a chunk index. A version 1 B-tree stores for each chunk a key (size, filter mask, one more offset than there
/// are dimensions) and an address, in nodes that are about two thirds full; other indexes are smaller.
pub(super) fn index_bytes_about(chunks: u64, rank: usize) -> u64 {
    chunks.saturating_mul(8 + 8 * (rank as u64 + 1) + 8).saturating_mul(3) / 2
}

fn clipped(chunk: &[u64], shape: &[u64]) -> Vec<u64> {
    chunk.iter().zip(shape).map(|(chunk, dim)| (*chunk).min(*dim).max(1)).collect()
}

#[cfg(test)]
mod tests {
    use crate::diagnose::diagnose;
    use crate::finding::Severity;
    use crate::options::Options;
    use crate::testing::{chunked, finding};

    const CODE: &str = "chunks-too-small";

    #[test]
    fn many_small_chunks_are_found_with_their_count() {
        let found = finding(CODE, &chunked(&[1560, 128, 256], &[1, 16, 32], 4), &[]).unwrap();
        assert_eq!(found.severity, Severity::Low);
        assert_eq!(found.evidence["stored_chunks"], 1560 * 8 * 8);
        assert!(found.message.starts_with("99,840 chunks of 1x16x32 (2 KiB)"), "{}", found.message);
        assert!(found.fixes[0].line.contains("CHUNK="), "{:?}", found.fixes);
        let more = finding(CODE, &chunked(&[16_000, 128, 256], &[1, 16, 32], 4), &["1x:x:"]).unwrap();
        assert_eq!(more.severity, Severity::High);
        assert!(more.fixes[0].line.contains("CHUNK=8x128x256"), "{:?}", more.fixes);
    }

    #[test]
    fn chunks_smaller_than_their_index_entries_are_found() {
        // 3,713 chunks of 8 bytes that gzip made twice as large.
        let mut tiny = chunked(&[3713 * 8], &[8], 1);
        tiny.stored_bytes = 3713 * 16;
        let options = Options { file_bytes: 400_000, ..Options::default() };
        let findings = diagnose(&tiny, &options).unwrap().findings;
        let found = findings.into_iter().find(|finding| finding.code == CODE).unwrap();
        assert!(
            found.message.starts_with("3,713 chunks of 8 (8 B): a chunk index of about"),
            "{}",
            found.message
        );
        assert!(found.fixes[0].line.contains("CHUNK=29704"), "{:?}", found.fixes);
    }

    #[test]
    fn few_or_larger_chunks_are_fine() {
        assert_eq!(finding(CODE, &chunked(&[100, 128, 256], &[1, 16, 32], 4), &[]), None, "6,400 chunks");
        assert_eq!(
            finding(CODE, &chunked(&[20_000, 128, 256], &[1, 128, 256], 4), &[]),
            None,
            "128 KiB each"
        );
    }
}
