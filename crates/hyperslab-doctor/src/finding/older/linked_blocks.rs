//! # linked-blocks
//!
//! ## What it sees
//!
//! A data set of HDF4 whose values lie in many pieces, because it grew record by record.
//!
//! ## Why it costs
//!
//! Tables lead from one piece to the next. A reader follows them, and makes a read for each piece; over a network, a request.
//!
//! ## What to do
//!
//! Write it anew once it does not grow any more: as netCDF-4 by hyperslab, or in HDF4 by hrepack.
//!
//! ## When it is fine
//!
//! As long as the file grows.

use crate::finding::cost::Cost;
use crate::finding::model::{Finding, Severity};
use crate::older::{OlderCase, OlderStorage, repack};
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Fewer pieces are not reported.
const PIECES_MIN: u64 = 100;
/// Nor pieces that are larger.
const PIECE_BYTES_MAX: u64 = 256 << 10;

pub(in crate::finding) fn check(case: &OlderCase<'_>) -> Option<Finding> {
    let OlderStorage::Blocks(pieces) = case.facts.storage else { return None };
    let bytes = case.facts.dataset.logical_bytes;
    let piece_bytes = bytes / pieces.max(1);
    if pieces < PIECES_MIN || piece_bytes > PIECE_BYTES_MAX {
        return None;
    }
    let message = format!(
        "{} lie in {} pieces of {} on average, which are linked one to the other: a read for each of them, and a request over a network.",
        bytes_text(bytes),
        count_text(pieces),
        bytes_text(piece_bytes),
    );
    let evidence = json!({ "pieces": pieces, "bytes": bytes });
    let fixes = vec![repack(case, "in one place, and smaller")];
    let (code, cost) = ("linked-blocks".to_owned(), Cost { requests: Some(pieces), ..Cost::default() });
    Some(Finding { code, severity: Severity::Low, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::older::{OlderStorage, diagnose_older};
    use crate::options::Options;
    use crate::testing::older;

    #[test]
    fn many_small_pieces_are_found_and_few_are_not() {
        for (pieces, is_found) in [(1000, true), (20, false)] {
            let facts = older(&[1000, 300], OlderStorage::Blocks(pieces));
            let findings = diagnose_older(&facts, &Options::default()).unwrap().findings;
            assert_eq!(findings.iter().any(|finding| finding.code == "linked-blocks"), is_found);
        }
    }
}
