//! # one-element-chunks
//!
//! ## What it sees
//!
//! Every element is a separate chunk.
//!
//! ## Why it costs
//!
//! This happens when a library chooses chunks for an unlimited dimension and takes 1: a time axis of 10,000 values
//! becomes 10,000 chunks. Each needs an index entry several times its own size, a request and a call of the filters;
//! compression can only make it larger.
//!
//! ## What to do
//!
//! Repack with larger chunks: for a one-dimensional axis a few thousand elements, or all of them.
//!
//! ## When it is fine
//!
//! If there are only a handful of elements.

use super::chunks_too_small::{CHUNK_SECONDS, index_bytes_about};
use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::Case;
use crate::fix::{repack_larger, shape_for_read};
use hyperslab_storage::pattern::Sweep;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Fewer chunks than this are not reported.
const CHUNKS_MIN: u64 = 16;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let chunk = case.geometry.chunk_dims()?;
    let stored = case.geometry.chunks()?.stored_chunks();
    if chunk.iter().any(|dim| *dim != 1) || stored < CHUNKS_MIN {
        return None;
    }
    let index_bytes = index_bytes_about(stored, chunk.len());
    let severity = match stored {
        100_000.. => Severity::High,
        1_000.. => Severity::Medium,
        _ => Severity::Low,
    };
    let message = format!(
        "Each of the {} stored elements ({} each) is a separate chunk.",
        count_text(stored),
        bytes_text(case.geometry.element_bytes()),
    );
    let evidence = json!({
        "stored_chunks": stored,
        "chunk_bytes": case.geometry.element_bytes(),
        "index_bytes_about": index_bytes,
    });
    let sweep = Sweep::row_major(case.geometry.shape(), &vec![1; chunk.len()]);
    let fixes = shape_for_read(&case.geometry, &sweep, case.options.visits_max)
        .map(|larger| repack_larger(case, &larger))
        .unwrap_or_default();
    let cost = Cost {
        seconds: Some(stored as f64 * CHUNK_SECONDS),
        bytes: Some(index_bytes),
        requests: Some(stored),
    };
    Some(Finding { code: "one-element-chunks".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::finding::Severity;
    use crate::testing::{chunked, finding};

    const CODE: &str = "one-element-chunks";

    #[test]
    fn a_time_axis_of_single_chunks_is_found() {
        let found = finding(CODE, &chunked(&[10_000], &[1], 8), &[]).unwrap();
        assert_eq!(found.severity, Severity::Medium);
        assert!(found.fixes[0].line.contains("/d:CHUNK=10000 "), "{:?}", found.fixes);
    }

    #[test]
    fn a_few_elements_or_longer_chunks_are_fine() {
        assert_eq!(finding(CODE, &chunked(&[15], &[1], 8), &[]), None);
        assert_eq!(finding(CODE, &chunked(&[10_000], &[2], 8), &[]), None);
        assert_eq!(finding(CODE, &chunked(&[10_000, 5], &[1, 5], 8), &[]), None);
    }
}
