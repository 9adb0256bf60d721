//! # cloud-page-slack
//!
//! ## What it sees
//!
//! Only with `--cloud`: the file is allocated in pages, and more than 5 % of it is the unused rest of pages.
//!
//! ## Why it costs
//!
//! Metadata and raw data never share a page, and whatever does not fit the rest of a page begins on the next one. What is
//! left over is stored, and is fetched by every reader that fetches blocks or pages. NSIDC accepts a growth of 5 % for
//! paged files, and found 1 % to be usual; small files with large pages grow most.
//!
//! ## What to do
//!
//! Repack with smaller pages; or without pages: `hyperslab repack` puts all metadata before all data, which serves readers in
//! object stores as well, and the file does not grow.
//!
//! ## When it is fine
//!
//! If the file is still being written.

use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::PAGE_BYTES_MIN;
use crate::facts::FileFacts;
use crate::fix::{FixKind, repack_fix};
use crate::numbers::rounded;
use crate::options::Options;
use hyperslab_storage::{Pages, StorageChange};
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// The growth that NSIDC accepts.
const SHARE_MAX: f64 = 0.05;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let page = facts.page_bytes.filter(|_| options.cloud)?;
    let unused = facts.free_bytes.saturating_add(facts.unaccounted_bytes);
    let used = facts.bytes.saturating_sub(unused);
    let growth = unused as f64 / used.max(1) as f64;
    if growth <= SHARE_MAX {
        return None;
    }
    let message = format!(
        "{} of {} are the unused rest of pages of {}: the file is {:.0} % larger than what it contains.",
        bytes_text(unused),
        bytes_text(facts.bytes),
        bytes_text(page),
        100.0 * growth,
    );
    let smaller = (page / 4).max(PAGE_BYTES_MIN).min(page);
    let evidence = json!({ "page_bytes": page, "unused_bytes": unused, "growth": rounded(growth) });
    let effect = "no pages, all metadata before all data; or smaller pages, by h5repack".to_owned();
    let fixes = vec![repack_fix(
        FixKind::Repack,
        &options.file,
        StorageChange::paged(Pages::MetadataFirst(smaller)),
        effect,
    )];
    let (code, cost) = ("cloud-page-slack".to_owned(), Cost::bytes(unused));
    Some(Finding { code, severity: Severity::Low, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(unused: u64) -> FileFacts {
        FileFacts { bytes: 100 << 20, free_bytes: unused, page_bytes: Some(8 << 20), ..FileFacts::default() }
    }

    #[test]
    fn a_file_that_pages_make_larger_is_found_for_the_cloud() {
        let found = check(&facts(10 << 20), &Options { cloud: true, ..Options::default() }).unwrap();
        assert!(
            found.message.ends_with("the file is 11 % larger than what it contains."),
            "{}",
            found.message
        );
        assert_eq!(found.cost.bytes, Some(10 << 20));
        assert_eq!(found.fixes[0].line, "h5repack -S PAGE -G 2097152 in.h5 out.h5");
    }

    #[test]
    fn a_little_slack_files_without_pages_and_local_files_are_fine() {
        let cloud = Options { cloud: true, ..Options::default() };
        assert_eq!(check(&facts(4 << 20), &cloud), None);
        assert_eq!(check(&FileFacts { page_bytes: None, ..facts(10 << 20) }, &cloud), None);
        assert_eq!(check(&facts(10 << 20), &Options::default()), None);
    }
}
