//! # interleaved-records
//!
//! ## What it sees
//!
//! A variable of netCDF classic whose records lie between those of other variables, and reads that touch far more of the file than
//! they want.
//!
//! ## Why it costs
//!
//! With an unlimited dimension, netCDF classic stores the first record of every variable, then the second record of every variable,
//! and so on. What one variable needs is spread over all of them: libraries and disks read whole pages of 4 KiB, of which a short
//! record or a single value uses little. A time series at one point touches a page for each time step.
//!
//! ## What to do
//!
//! Store the data in chunks, as netCDF-4; or, to stay with netCDF classic, with a fixed dimension in place of the unlimited one
//! (`ncks --fix_rec_dmn time`), after which each variable lies in one piece.
//!
//! ## When it is fine
//!
//! If programs read all variables of one time step after the other, as the model wrote them.

use super::SlowReads;
use crate::finding::cost::Cost;
use crate::finding::model::Finding;
use crate::numbers::ratio_text;
use crate::older::{Counts, OlderCase, OlderStorage, repack};
use crate::simulate::older::PAGE_BYTES;
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;

/// Bytes touched for each byte that is wanted, from which on a read is reported.
const FACTOR_MIN: f64 = 4.0;

pub(in crate::finding) fn check(case: &OlderCase<'_>) -> Option<Finding> {
    let OlderStorage::Records(records) = case.facts.storage else { return None };
    let slow = SlowReads::of(case)?;
    let Counts::Records(counts) = slow.worst.counts else { return None };
    if counts.factor() < FACTOR_MIN {
        return None;
    }
    let touched = counts.pages.saturating_mul(PAGE_BYTES);
    let message = format!(
        "A record of this variable lies every {} in the file, between those of other variables. Reading {} wants {} in {}{} pieces and touches {} \
         pages of 4 KiB, {} ({} of what is wanted): {} instead of {}.{}",
        bytes_text(records.every),
        slow.worst.text(),
        bytes_text(counts.wanted_bytes),
        if counts.is_exact() { "" } else { "about " },
        count_text(counts.pieces),
        count_text(counts.pages),
        bytes_text(touched),
        ratio_text(counts.factor()),
        OlderCase::time_text(slow.worst.seconds),
        crate::predict::seconds_text(slow.worst.ideal_seconds),
        slow.same_with(),
    );
    let mut evidence = slow.evidence();
    evidence["record_every_bytes"] = records.every.into();
    evidence["pieces"] = counts.pieces.into();
    evidence["pages"] = counts.pages.into();
    evidence["wanted_bytes"] = counts.wanted_bytes.into();
    evidence["touched_bytes"] = touched.into();
    let fixes = vec![repack(case, "a read touches the chunks that it needs, and nothing of other variables")];
    let (code, cost) = ("interleaved-records".to_owned(), Cost::seconds(slow.worst.excess_seconds()));
    Some(Finding { code, severity: slow.severity(), message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::older::{OlderStorage, diagnose_older};
    use crate::options::Options;
    use crate::simulate::older::Records;
    use crate::testing::older;

    fn found(every: u64, read: &str) -> Option<crate::Finding> {
        let records = Records { begin: 1024, every, element_bytes: 4 };
        let facts = older(&[65_536, 16], OlderStorage::Records(records));
        let options = Options { reads: vec![read.parse().unwrap()], ..Options::default() };
        let findings = diagnose_older(&facts, &options).unwrap().findings;
        findings.into_iter().find(|finding| finding.code == "interleaved-records")
    }

    #[test]
    fn series_of_short_records_are_found_with_the_pages_that_they_touch() {
        let found = found(50 * 64, "65536x1").unwrap();
        assert_eq!(found.evidence["wanted_bytes"], 65_536 * 64);
        assert_eq!(found.evidence["pieces"], 16 * 65_536);
        let lines: Vec<&str> = found.fixes[0].writers.iter().map(|writer| writer.line.as_str()).collect();
        assert!(
            lines[0].starts_with("nccopy -k nc4 -c d:") && lines[0].ends_with(" -d 4 -s in.h5 out.nc"),
            "{lines:?}"
        );
        assert!(
            lines[1].starts_with("ncks -4 -L 4 --cnk_dmn y,") && lines[1].contains(" --cnk_dmn x,"),
            "{lines:?}"
        );
    }

    #[test]
    fn records_that_follow_each_other_are_fine() {
        assert_eq!(found(64, "1x16"), None);
    }
}
