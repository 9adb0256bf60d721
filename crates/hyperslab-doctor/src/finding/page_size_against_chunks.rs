//! # page-size-against-chunks
//!
//! ## What it sees
//!
//! The file is allocated in pages, and its chunks do not fit them: much of the file is the unused rest of pages.
//!
//! ## Why it costs
//!
//! With paged allocation (`H5F_FSPACE_STRATEGY_PAGE`), whatever is larger than a page begins on a page of its own and
//! takes whole pages: a chunk of 1.1 MiB in pages of 1 MiB takes two. Metadata never shares a page with raw data, so that a
//! small file takes at least a page for each. What is left over is stored, transferred and backed up.
//!
//! ## What to do
//!
//! Repack with a page size that the chunks fit: the doctor adds up what each usual size would leave unused. Or choose
//! chunks a little smaller than a page.
//!
//! ## When it is fine
//!
//! If the file is still being written, and the rest of its pages will be filled.

use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::facts::FileFacts;
use crate::fix::{FixKind, repack_fix};
use crate::numbers::rounded;
use crate::options::Options;
use hyperslab_storage::{Pages, StorageChange};
use hyperslab_units::count_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Share of the file from which on it is reported.
const SHARE_MIN: f64 = 0.1;
/// Share and bytes from which on the severity is medium.
const SHARE_MEDIUM: f64 = 0.4;
const BYTES_MEDIUM: u64 = 64 << 20;
/// Another page size is proposed if it leaves at most this share of what the present one does.
const GAIN_SHARE_MAX: f64 = 0.5;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let page = facts.page_bytes.filter(|_| facts.pieces_above_page > 0)?;
    let wasted = facts.page_waste.iter().find(|waste| waste.page_bytes == page)?.wasted_bytes;
    // No more than is really unused: other pieces may fill the rest of a page.
    let wasted = wasted.min(facts.free_bytes.saturating_add(facts.unaccounted_bytes));
    let share = wasted as f64 / facts.bytes.max(1) as f64;
    if share < SHARE_MIN {
        return None;
    }
    let better = facts.page_waste.iter().filter(|waste| waste.page_bytes != page);
    // Of those that waste about as little, the largest page takes the fewest requests.
    let least = better.clone().map(|waste| waste.wasted_bytes).min()?;
    let better = better
        .filter(|waste| waste.wasted_bytes <= least.saturating_mul(2))
        .max_by_key(|waste| waste.page_bytes)?;
    if better.wasted_bytes as f64 > GAIN_SHARE_MAX * wasted as f64 {
        return None;
    }
    let is_medium = share >= SHARE_MEDIUM && wasted >= BYTES_MEDIUM;
    let severity = if is_medium { Severity::Medium } else { Severity::Low };
    let message = format!(
        "{} of {} ({:.0} %) are the unused rest of pages of {}: {} pieces of raw data are larger than a page and take \
         whole ones.",
        bytes_text(wasted),
        bytes_text(facts.bytes),
        100.0 * share,
        bytes_text(page),
        count_text(facts.pieces_above_page),
    );
    let waste = facts.page_waste.iter();
    let evidence = json!({
        "page_bytes": page,
        "wasted_bytes": wasted,
        "share": rounded(share),
        "pieces_above_page": facts.pieces_above_page,
        "wasted_bytes_by_page": waste
            .map(|waste| json!({ "page_bytes": waste.page_bytes, "wasted_bytes": waste.wasted_bytes }))
            .collect::<Vec<_>>(),
    });
    let effect = format!(
        "pages of {}: about {} unused instead of {}",
        bytes_text(better.page_bytes),
        bytes_text(better.wasted_bytes),
        bytes_text(wasted)
    );
    let fixes = vec![repack_fix(
        FixKind::Repack,
        &options.file,
        StorageChange::paged(Pages::Of(better.page_bytes)),
        effect,
    )];
    let cost = Cost::bytes(wasted - better.wasted_bytes);
    Some(Finding { code: "page-size-against-chunks".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::PageWaste;

    /// 100 chunks of 1.1 MiB in pages of 1 MiB.
    fn facts(page_bytes: Option<u64>) -> FileFacts {
        let chunk = 1_153_434u64;
        let waste = |page: u64| PageWaste {
            page_bytes: page,
            wasted_bytes: 100 * (chunk.next_multiple_of(page) - chunk) + page,
        };
        FileFacts {
            bytes: 201 << 20,
            raw_bytes: 100 * chunk,
            free_bytes: 90 << 20,
            page_bytes,
            page_waste: [4 << 10, 64 << 10, 1 << 20].map(waste).to_vec(),
            pieces_above_page: 100,
            ..FileFacts::default()
        }
    }

    #[test]
    fn chunks_a_little_larger_than_a_page_are_found() {
        let found = check(&facts(Some(1 << 20)), &Options::default()).unwrap();
        assert_eq!(found.severity, Severity::Medium);
        assert!(found.message.contains("pages of 1 MiB: 100 pieces"), "{}", found.message);
        assert_eq!(found.fixes[0].line, "h5repack -S PAGE -G 4096 in.h5 out.h5");
        assert!(found.cost.bytes.unwrap() > 80 << 20);
    }

    #[test]
    fn pages_that_chunks_fit_and_files_without_pages_are_fine() {
        assert_eq!(check(&facts(Some(4 << 10)), &Options::default()), None);
        assert_eq!(check(&facts(None), &Options::default()), None);
    }
}
