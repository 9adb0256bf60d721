//! # contiguous-across-fast-axis
//!
//! ## What it sees
//!
//! A contiguous dataset is read across its fastest dimension: column by column, or as a series at each point.
//!
//! ## Why it costs
//!
//! The elements of such a read are far apart in the file. libhdf5 fetches each together with up to 64 KiB that follow
//! it (the sieve buffer), and the read of the neighbouring column fetches all of it again: up to 16,384 times the bytes
//! that are needed. On a disk or an object store each element costs a request.
//!
//! ## What to do
//!
//! Read blocks that span the fastest dimension and select the columns in memory; or, if this read is the important one,
//! repack with chunks along it.
//!
//! ## When it is fine
//!
//! For a few columns, and for data that fits in memory and is read whole first.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::{Case, ReadCase};
use crate::fix::{Fix, FixKind, repack_for};
use crate::numbers::{ratio_text, rounded};
use crate::predict::seconds_text;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Bytes fetched per byte needed.
const RATIO_MIN: f64 = 8.0;
/// Seconds that must be wasted by a read that the user requested, and by a default one.
const EXCESS_SECONDS_REQUESTED: f64 = 0.5;
const EXCESS_SECONDS_DEFAULT: f64 = 10.0;
/// Wasted seconds from which on the severity is high.
const EXCESS_SECONDS_HIGH: f64 = 10.0;
/// Runs as long as the sieve buffer gain nothing from being longer.
const RUN_BYTES: u64 = 64 << 10;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    if case.geometry.chunk_dims().is_some() {
        return None;
    }
    let wanted = case.geometry.logical_bytes();
    let (target, read, excess) = case
        .reads
        .iter()
        .enumerate()
        .map(|(number, read)| {
            let row = &read.rows[0];
            (number, read, row.reference_seconds - case.reference.ideal(&row.counts).seconds)
        })
        .filter(|(_, read, excess)| {
            let least = if read.is_requested { EXCESS_SECONDS_REQUESTED } else { EXCESS_SECONDS_DEFAULT };
            *excess >= least && read.rows[0].counts.driver_bytes as f64 >= RATIO_MIN * wanted as f64
        })
        .max_by(|(_, a, x), (_, b, y)| a.matters.cmp(&b.matters).then(x.total_cmp(y)))?;
    let row = &read.rows[0];
    let severity = match excess {
        _ if !read.is_requested => Severity::Low,
        excess if excess >= EXCESS_SECONDS_HIGH => Severity::High,
        _ => Severity::Medium,
    };
    let ratio = row.counts.driver_bytes as f64 / wanted.max(1) as f64;
    let message = format!(
        "The data is one contiguous block, and reading {} crosses it: {}{} driver reads fetch {}, {} the bytes needed, in {} \
         instead of {}.",
        read.text(),
        if row.counts.is_exact { "" } else { "about " },
        count_text(row.counts.driver_reads),
        bytes_text(row.counts.driver_bytes),
        ratio_text(ratio),
        case.time_text(row.seconds),
        seconds_text(row.seconds - excess),
    );
    let evidence = json!({
        "read": shape_text(read.sweep.block()),
        "read_name": read.name,
        "driver_reads": row.counts.driver_reads,
        "driver_bytes": row.counts.driver_bytes,
        "wanted_bytes": wanted,
        "predicted_seconds": rounded(row.seconds),
        "exact": row.counts.is_exact,
    });
    let wide = widened(case, read);
    let slices: Vec<String> = wide
        .iter()
        .zip(case.geometry.shape())
        .map(|(w, d)| if w == d { ":".to_owned() } else { format!("i:i+{w}") })
        .collect();
    let line = format!(
        "block = dset[{}]  # {}, then select from it in memory",
        slices.join(", "),
        shape_text(&wide)
    );
    let effect = format!("blocks of {}: long runs, each byte fetched once", shape_text(&wide));
    let mut fixes = vec![Fix::new(FixKind::Read, "h5py", line, effect)];
    let profiles: Vec<usize> = (0..case.profiles.len()).collect();
    fixes.extend(repack_for(case, target, &profiles));
    let cost = Cost { seconds: Some(excess), requests: Some(row.counts.driver_reads), bytes: None };
    Some(Finding { code: "contiguous-across-fast-axis".to_owned(), severity, message, cost, evidence, fixes })
}

/// The block, widened along the fastest dimensions until its runs are long.
fn widened(case: &Case<'_>, read: &ReadCase) -> Vec<u64> {
    let mut block = read.sweep.block().to_vec();
    let mut run_bytes = case.geometry.element_bytes();
    for (block, dim) in block.iter_mut().zip(case.geometry.shape()).rev() {
        if run_bytes >= RUN_BYTES {
            break;
        }
        *block = (*dim).min((RUN_BYTES / run_bytes).max(*block));
        run_bytes = run_bytes.saturating_mul(*block);
    }
    block
}

#[cfg(test)]
mod tests {
    use crate::finding::Severity;
    use crate::testing::{contiguous, finding};

    const CODE: &str = "contiguous-across-fast-axis";

    #[test]
    fn columns_that_were_asked_for_are_found() {
        let found = finding(CODE, &contiguous(&[5_000, 20_000], 4), &[":x1"]).unwrap();
        assert_eq!(found.severity, Severity::High);
        assert!(found.message.contains("5000x1 crosses it"), "{}", found.message);
        assert!(found.fixes[0].line.starts_with("block = dset[:, i:i+16384]"), "{:?}", found.fixes);
        assert!(found.fixes[1].line.contains("CHUNK=5000x"), "{:?}", found.fixes);
    }

    #[test]
    fn columns_that_nobody_asked_for_are_of_low_severity_and_only_if_severe() {
        let found = finding(CODE, &contiguous(&[5_000, 20_000], 4), &[]).unwrap();
        assert_eq!(found.severity, Severity::Low);
        assert_eq!(finding(CODE, &contiguous(&[200, 300], 4), &[]), None, "a small array");
    }

    #[test]
    fn rows_are_fine() {
        assert_eq!(finding(CODE, &contiguous(&[5_000, 20_000], 4), &["1x:", "7x:"]), None);
    }
}
