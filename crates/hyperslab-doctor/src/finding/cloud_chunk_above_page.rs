//! # cloud-chunk-above-page
//!
//! ## What it sees
//!
//! Only with `--cloud`: the file is allocated in pages, and chunks in it are larger than a page.
//!
//! ## Why it costs
//!
//! libhdf5's page buffer holds whole pages, and what is as large as a page goes past it: each read of such a chunk is a
//! request of its own, however large the buffer is. NSIDC's guide therefore asks for chunks that are never larger than a
//! page. What is larger than a page begins on a page of its own, so that the rest of its last page is lost.
//!
//! ## What to do
//!
//! Repack with pages that are larger than the chunks, or without pages: `hyperslab repack` puts all metadata before all
//! data, which serves readers in object stores as well.
//!
//! ## When it is fine
//!
//! If readers fetch chunks by themselves and many at a time, as hyperslab and kerchunk do: they need pages for nothing but
//! the metadata.

use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::facts::FileFacts;
use crate::fix::{FixKind, repack_fix};
use crate::options::Options;
use hyperslab_storage::{Pages, StorageChange};
use hyperslab_units::counted_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let page = facts.page_bytes.filter(|_| options.cloud && facts.pieces_above_page > 0)?;
    let message = format!(
        "{} of raw data {} larger than a page of {}: the page buffer never holds such a piece, and each read of one is a \
         request.",
        counted_text(facts.pieces_above_page, "piece"),
        if facts.pieces_above_page == 1 { "is" } else { "are" },
        bytes_text(page),
    );
    let larger = page.saturating_mul(4);
    let evidence = json!({ "page_bytes": page, "pieces_above_page": facts.pieces_above_page });
    let effect = format!("pages of {}, which hold more of the chunks", bytes_text(larger));
    let fixes =
        vec![repack_fix(FixKind::Repack, &options.file, StorageChange::paged(Pages::Of(larger)), effect)];
    let cost = Cost { requests: Some(facts.pieces_above_page), ..Cost::default() };
    Some(Finding {
        code: "cloud-chunk-above-page".to_owned(),
        severity: Severity::Low,
        message,
        cost,
        evidence,
        fixes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_above_a_page_are_found_for_the_cloud() {
        let facts = FileFacts { page_bytes: Some(4096), pieces_above_page: 200, ..FileFacts::default() };
        let found = check(&facts, &Options { cloud: true, ..Options::default() }).unwrap();
        assert_eq!(found.cost.requests, Some(200));
        assert_eq!(found.fixes[0].line, "h5repack -S PAGE -G 16384 in.h5 out.h5");
    }

    #[test]
    fn small_chunks_files_without_pages_and_local_files_are_fine() {
        let cloud = Options { cloud: true, ..Options::default() };
        let paged = FileFacts { page_bytes: Some(4096), ..FileFacts::default() };
        assert_eq!(check(&paged, &cloud), None);
        let above = FileFacts { pieces_above_page: 200, ..FileFacts::default() };
        assert_eq!(check(&above, &cloud), None, "no pages");
        assert_eq!(check(&FileFacts { page_bytes: Some(4096), ..above }, &Options::default()), None);
    }
}
