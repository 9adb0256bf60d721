//! # scattered-metadata
//!
//! ## What it sees
//!
//! The file has thousands of metadata structures (object headers, B-tree nodes, heaps), and they are not gathered in pages.
//!
//! ## Why it costs
//!
//! libhdf5 reads each structure by itself, a few hundred bytes at a time, without reading ahead. From a warm local file
//! that is microseconds each; from a cold disk it is a seek each, and over a network a round trip each: 10,000 of them
//! at 40 ms are seven minutes before the first value. Groups in the old format take a B-tree node, a symbol table node and
//! a heap each, even for a single member.
//!
//! ## What to do
//!
//! Repack the file into pages, which keep metadata together and are read whole: `h5repack -S PAGE -G 1048576` for large
//! files, smaller pages for small ones. For files with many groups or attributes, `-L` (the latest format) makes the metadata itself several times smaller. Readers must
//! use HDF5 1.10.1 or newer; those of remote files get their page buffer automatically from HDF5 2.0 on.
//!
//! ## When it is fine
//!
//! If the file is only read from local disks that keep it in memory.

use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::{PAGE_BYTES_MIN, REQUEST_SECONDS};
use crate::facts::FileFacts;
use crate::fix::{FixKind, repack_fix};
use crate::options::Options;
use crate::predict::seconds_text;
use hyperslab_storage::{Pages, StorageChange};
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Fewer requests are not reported.
const REQUESTS_MIN: u64 = 2_000;
/// From this many on the severity is medium.
const REQUESTS_MEDIUM: u64 = 20_000;
/// The largest page that is proposed.
const PAGE_BYTES_MAX: u64 = 1 << 20;
/// Pages of the repacked file, about: fewer would leave too much of it unused.
const PAGES_MIN: u64 = 32;
/// In the latest format, metadata takes about this part of what it takes in the format before 1.8.
const LATEST_FORMAT_PART: u64 = 4;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let requests = match facts.page_bytes {
        // With a page buffer, a page is read once.
        Some(page) => facts.metadata_bytes.div_ceil(page.max(1)).min(facts.metadata_structures),
        None => facts.metadata_structures,
    };
    let page_bytes = proposed_page_bytes(facts);
    let after = facts.metadata_bytes.div_ceil(page_bytes);
    if requests < REQUESTS_MIN || after * 4 > requests {
        return None;
    }
    let severity = if requests >= REQUESTS_MEDIUM { Severity::Medium } else { Severity::Low };
    let place = match facts.page_bytes {
        Some(page) => format!("pages of only {}", bytes_text(page)),
        None => "no pages".to_owned(),
    };
    let message = format!(
        "{} objects have {} of metadata in {} structures and {place}, beside {} of raw data. Reading all of it takes {} requests, \
         over a network {} at 40 ms a request, one after the other.",
        count_text(facts.objects),
        bytes_text(facts.metadata_bytes),
        count_text(facts.metadata_structures),
        bytes_text(facts.raw_bytes),
        count_text(requests),
        seconds_text(requests as f64 * REQUEST_SECONDS),
    );
    let evidence = json!({
        "objects": facts.objects,
        "metadata_structures": facts.metadata_structures,
        "metadata_bytes": facts.metadata_bytes,
        "raw_bytes": facts.raw_bytes,
        "page_bytes": facts.page_bytes,
        "requests": requests,
        "requests_with_pages": after,
    });
    let effect = format!(
        "metadata in pages of {}, in the latest format: at most about {} of them to read",
        bytes_text(page_bytes),
        count_text(after)
    );
    let change = StorageChange { is_latest: true, ..StorageChange::paged(Pages::Of(page_bytes)) };
    let fixes = vec![repack_fix(FixKind::Repack, &options.file, change, effect)];
    let (code, cost) =
        ("scattered-metadata".to_owned(), Cost { requests: Some(requests), ..Cost::default() });
    Some(Finding { code, severity, message, cost, evidence, fixes })
}

/// The largest power of two of which the repacked file has enough.
fn proposed_page_bytes(facts: &FileFacts) -> u64 {
    let after = facts.raw_bytes.saturating_add(facts.metadata_bytes / LATEST_FORMAT_PART);
    let page_bytes = 1u64 << (after / PAGES_MIN).max(1).ilog2();
    page_bytes.clamp(PAGE_BYTES_MIN, PAGE_BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(structures: u64, page_bytes: Option<u64>) -> FileFacts {
        let metadata_bytes = structures * 500;
        FileFacts {
            objects: structures / 4,
            metadata_structures: structures,
            metadata_bytes,
            page_bytes,
            ..FileFacts::default()
        }
    }

    #[test]
    fn thousands_of_structures_without_pages_are_found() {
        let found = check(&facts(18_000, None), &Options::default()).unwrap();
        assert_eq!((found.severity, found.cost.requests), (Severity::Low, Some(18_000)));
        assert!(
            found.fixes[0].line.contains("h5repack -L -S PAGE -G 65536 in.h5 out.h5"),
            "{:?}",
            found.fixes
        );
        let large = FileFacts { raw_bytes: 1 << 30, ..facts(18_000, None) };
        let found = check(&large, &Options::default()).unwrap();
        assert!(found.fixes[0].line.contains("h5repack -L -S PAGE -G 1048576 in.h5 out.h5"));
        let small_pages = check(&facts(18_000, Some(512)), &Options::default()).unwrap();
        assert!(small_pages.message.contains("pages of only 512 B"), "{}", small_pages.message);
    }

    #[test]
    fn few_structures_and_pages_are_fine() {
        assert_eq!(check(&facts(1_000, None), &Options::default()), None);
        assert_eq!(check(&facts(18_000, Some(1 << 20)), &Options::default()), None);
    }
}
