//! # unused-space
//!
//! ## What it sees
//!
//! Much of the file is free space, or belongs to nothing at all.
//!
//! ## Why it costs
//!
//! When a dataset is deleted, a compressed chunk is rewritten with another size, or attributes are changed, libhdf5 frees
//! the old space. Unless the file was made to keep track of it, that space is lost when the file is closed. It is stored,
//! backed up and transferred all the same.
//!
//! ## What to do
//!
//! Repack the file: `h5repack` copies only what belongs to an object.
//!
//! ## When it is fine
//!
//! If the file is still being written, and records its free space, so that the next writer fills it.

use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::facts::FileFacts;
use crate::fix::{FixKind, repack_fix};
use crate::numbers::rounded;
use crate::options::Options;
use hyperslab_storage::StorageChange;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Share of the file from which on it is reported, and that of a file in pages, which always leave something unused.
const SHARE_MIN: f64 = 0.1;
const SHARE_MIN_IN_PAGES: f64 = 0.25;
/// Share and bytes from which on the severity is medium.
const SHARE_MEDIUM: f64 = 0.5;
const BYTES_MEDIUM: u64 = 64 << 20;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    // The rest of pages has a finding, and a fix, of its own.
    if super::page_size_against_chunks::check(facts, options).is_some() {
        return None;
    }
    // What lies within structures, and what no object refers to any more, only a repack shows.
    let unused = match facts.repacked_bytes {
        Some(repacked) => facts.bytes.saturating_sub(repacked),
        None => facts.free_bytes.saturating_add(facts.unaccounted_bytes),
    };
    let share = unused as f64 / facts.bytes.max(1) as f64;
    let least = if facts.page_bytes.is_some() { SHARE_MIN_IN_PAGES } else { SHARE_MIN };
    if share < least {
        return None;
    }
    let is_medium = share >= SHARE_MEDIUM && unused >= BYTES_MEDIUM;
    let severity = if is_medium { Severity::Medium } else { Severity::Low };
    let message = format!(
        "{} of {} ({:.0} %) are unused: a repack that changes nothing else leaves {}. The file records {} as free.",
        bytes_text(unused),
        bytes_text(facts.bytes),
        100.0 * share,
        bytes_text(facts.bytes - unused),
        bytes_text(facts.free_bytes),
    );
    let evidence = json!({
        "file_bytes": facts.bytes,
        "free_bytes": facts.free_bytes,
        "unaccounted_bytes": facts.unaccounted_bytes,
        "repacked_bytes": facts.bytes - unused,
        "share": rounded(share),
    });
    let effect = format!("about {} instead of {}", bytes_text(facts.bytes - unused), bytes_text(facts.bytes));
    // Without free-space managers, h5repack leaves no gaps for later.
    let fixes = vec![repack_fix(FixKind::Repack, &options.file, StorageChange::default(), effect)];
    let (code, cost) = ("unused-space".to_owned(), Cost::bytes(unused));
    Some(Finding { code, severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_space_is_found_and_little_of_it_is_fine() {
        let facts =
            |unaccounted_bytes| FileFacts { bytes: 200 << 20, unaccounted_bytes, ..FileFacts::default() };
        let found = check(&facts(120 << 20), &Options::default()).unwrap();
        assert_eq!((found.severity, found.cost.bytes), (Severity::Medium, Some(120 << 20)));
        assert!(found.message.starts_with("120 MiB of 200 MiB (60 %) are unused"), "{}", found.message);
        assert_eq!(found.fixes[0].line, "h5repack in.h5 out.h5");
        assert_eq!(check(&facts(10 << 20), &Options::default()), None);
        assert_eq!(check(&FileFacts::default(), &Options::default()), None);
        let paged = |unaccounted| FileFacts { page_bytes: Some(4096), ..facts(unaccounted) };
        assert_eq!(check(&paged(40 << 20), &Options::default()), None);
        assert!(check(&paged(60 << 20), &Options::default()).is_some());
    }
}
