//! # stream-decoded-again
//!
//! ## What it sees
//!
//! A data set of HDF4 that is compressed as one stream, and reads that go back in it.
//!
//! ## Why it costs
//!
//! Where a value is in a compressed stream is known only once everything before it is decoded. libhdf4 goes on from the
//! place where the last read ended; for a read that begins before that place, it starts again at the first byte. A program that
//! reads 20 series of 24 values from 200 MiB decodes 4 GB for 480 numbers. No cache helps: libhdf4 has none for streams.
//!
//! ## What to do
//!
//! Read the data set once, in full, and take the parts from memory; or read its rows in the order in which they are stored. For
//! many readers, store it in chunks: as netCDF-4 by hyperslab, or in HDF4 by hrepack. hyperslab itself decodes the stream
//! once, whatever is read.
//!
//! ## When it is fine
//!
//! If programs read the data set once, from its beginning to its end.

use super::SlowReads;
use crate::finding::cost::Cost;
use crate::finding::model::Finding;
use crate::numbers::ratio_text;
use crate::older::{Counts, OlderCase, OlderStorage, read_at_once, repack};
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};

pub(in crate::finding) fn check(case: &OlderCase<'_>) -> Option<Finding> {
    if case.facts.storage != OlderStorage::Stream {
        return None;
    }
    let slow = SlowReads::of(case)?;
    let Counts::Hdf4(counts) = slow.worst.counts else { return None };
    let stream_bytes = case.geometry.chunk_bytes()?;
    let ratio = counts.decoded_bytes as f64 / stream_bytes as f64;
    let message = format!(
        "The values are one compressed stream of {}, which libhdf4 decodes from its beginning whenever a read goes back in it. Reading {}: \
         {}{} in {}, {} decoded ({}), {} instead of {}.{}",
        bytes_text(stream_bytes),
        slow.worst.text(),
        if counts.is_exact() { "" } else { "about " },
        counted_text(counts.decodes, "start"),
        counted_text(counts.reads, "read"),
        bytes_text(counts.decoded_bytes),
        ratio_text(ratio),
        OlderCase::time_text(slow.worst.seconds),
        crate::predict::seconds_text(slow.worst.ideal_seconds),
        slow.same_with(),
    );
    let mut evidence = slow.evidence();
    evidence["stream_bytes"] = stream_bytes.into();
    evidence["starts"] = counts.decodes.into();
    evidence["decoded_bytes"] = counts.decoded_bytes.into();
    let why =
        format!("a read decodes the chunks that it touches, not {} of them", count_text(counts.decodes));
    let why = if counts.decodes > 1 { why } else { "a read decodes the chunks that it touches".to_owned() };
    let fixes = read_at_once(case).into_iter().chain([repack(case, &why)]).collect();
    let (code, cost) = ("stream-decoded-again".to_owned(), Cost::seconds(slow.worst.excess_seconds()));
    Some(Finding { code, severity: slow.severity(), message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::finding::Severity;
    use crate::older::{OlderStorage, diagnose_older};
    use crate::options::Options;
    use crate::testing::older;

    #[test]
    fn a_stream_that_is_read_again_and_again_is_found_with_its_counts() {
        let facts = older(&[24, 1200, 1800], OlderStorage::Stream);
        let options = Options { reads: vec!["24x1x1".parse().unwrap()], ..Options::default() };
        let report = diagnose_older(&facts, &options).unwrap();
        let found = report.findings.iter().find(|finding| finding.code == "stream-decoded-again").unwrap();
        assert_eq!(found.severity, Severity::High);
        assert_eq!(found.evidence["starts"], 1200 * 1800);
        let lines: Vec<&str> = found.fixes.iter().map(|fix| fix.line.as_str()).collect();
        assert_eq!(lines[0], "values = SD(\"in.h5\").select(\"d\")[:]");
        assert!(lines[1].starts_with("hyperslab repack -f /d:SHUF -f /d:GZIP=4 -l /d:CHUNK="), "{lines:?}");
        assert!(lines[1].ends_with(" in.h5 out.nc"), "{lines:?}");
        assert!(
            found.fixes[1].writers[0].line.starts_with("hrepack -i in.h5 -o out.hdf -t 'd:GZIP 4' -c d:")
        );
    }

    #[test]
    fn a_stream_that_is_read_in_its_order_is_fine() {
        let facts = older(&[24, 1200, 1800], OlderStorage::Stream);
        let options = Options { reads: vec!["1x1x1800".parse().unwrap()], ..Options::default() };
        let report = diagnose_older(&facts, &options).unwrap();
        assert!(report.findings.iter().all(|finding| finding.code != "stream-decoded-again"));
        let profile = &report.reads[0].profiles[0];
        assert_eq!((profile.decodes, profile.decoded_bytes), (1, Some(24 * 1200 * 1800 * 4)));
    }
}
