//! # cloud-metadata
//!
//! ## What it sees
//!
//! Only with `--cloud`: the metadata of the file lies between and behind its raw data, and no page holds all of it.
//!
//! ## Why it costs
//!
//! To open a file in an object store, a reader fetches its metadata: group trees, object headers, chunk indexes. If it lies
//! together at the front, one request brings it; if not, each piece is a round trip, one after the other. Two layouts are
//! *cloud-optimized*: all metadata before all data, which `check_cmip7_packing` requires for CMIP7 (pyfive calls it
//! consolidated metadata), and paged allocation with a page that holds all metadata, which the Cloud-Optimized Geospatial
//! Formats Guide tells from `h5stat -S`. A file that has either passes.
//!
//! ## What to do
//!
//! `hyperslab repack` without options puts all metadata before all data, and the file does not grow. `h5repack -S PAGE -G`
//! with a page as large as the metadata reaches the other layout; readers then need a page buffer to profit, and those
//! without one may become slower (NSIDC measured 26 s before and 62 s after).
//!
//! ## When it is fine
//!
//! If the file is read from local disks, or through an index such as kerchunk's, which holds the metadata itself.

use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::{REQUEST_SECONDS, page_for};
use crate::facts::FileFacts;
use crate::fix::{FixKind, repack_fix};
use crate::options::Options;
use crate::predict::seconds_text;
use hyperslab_storage::{Pages, StorageChange};
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use serde_json::json;

/// Fewer structures behind the data are few requests.
const STRUCTURES_MEDIUM: u64 = 100;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    if !options.cloud {
        return None;
    }
    let is_in_one_page = facts.page_bytes.is_some_and(|page| page >= facts.metadata_bytes);
    let behind = facts.metadata_structures_behind_data;
    if behind == 0 || is_in_one_page {
        return None;
    }
    let severity = if behind >= STRUCTURES_MEDIUM { Severity::Medium } else { Severity::Low };
    let message = format!(
        "{} of {} of metadata ({} in all) {} behind the first raw data: a reader of an object store fetches them in \
         up to {}, {} at 40 ms each.",
        count_text(behind),
        counted_text(facts.metadata_structures, "structure"),
        bytes_text(facts.metadata_bytes),
        if behind == 1 { "lies" } else { "lie" },
        counted_text(behind, "request"),
        seconds_text(behind as f64 * REQUEST_SECONDS),
    );
    let page = page_for(facts.metadata_bytes);
    let evidence = json!({
        "metadata_bytes": facts.metadata_bytes,
        "metadata_structures": facts.metadata_structures,
        "metadata_structures_behind_data": behind,
        "page_bytes": facts.page_bytes,
        // The verdicts of the public tools on this point: the checker looks at chunk B-trees alone.
        "passes_check_cmip7_packing": facts.index_nodes_behind_data == 0,
        "passes_h5stat": false,
    });
    let effect = "all metadata before all data: one or two requests to open the file".to_owned();
    let fixes = vec![repack_fix(
        FixKind::Repack,
        &options.file,
        StorageChange::paged(Pages::MetadataFirst(page)),
        effect,
    )];
    let cost = Cost { requests: Some(behind), ..Cost::default() };
    Some(Finding { code: "cloud-metadata".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(behind: u64, page_bytes: Option<u64>) -> FileFacts {
        FileFacts {
            metadata_bytes: 60_000,
            metadata_structures: 400,
            metadata_structures_behind_data: behind,
            page_bytes,
            ..FileFacts::default()
        }
    }

    #[test]
    fn metadata_behind_the_data_is_found_for_the_cloud() {
        let cloud = Options { cloud: true, ..Options::default() };
        let found = check(&facts(300, None), &cloud).unwrap();
        assert_eq!((found.severity, found.cost.requests), (Severity::Medium, Some(300)));
        assert_eq!(found.fixes[0].line, "h5repack -S PAGE -G 65536 in.h5 out.h5");
        assert_eq!(found.fixes[0].writers[0].line, "hyperslab repack in.h5 out.h5");
        assert!(check(&facts(300, Some(4096)), &cloud).is_some(), "a page that holds a part of it");
    }

    #[test]
    fn metadata_in_front_or_in_one_page_and_local_files_are_fine() {
        let cloud = Options { cloud: true, ..Options::default() };
        assert_eq!(check(&facts(0, None), &cloud), None);
        assert_eq!(check(&facts(300, Some(1 << 16)), &cloud), None);
        assert_eq!(check(&facts(300, None), &Options::default()), None);
    }
}
