//! # descriptor-chain
//!
//! ## What it sees
//!
//! A file of HDF4 whose data descriptors lie in many blocks.
//!
//! ## Why it costs
//!
//! A block has room for 16 descriptors unless the writer asked for more, and says where the next one is. Nothing of a file can be
//! found before all of them were read, one after the other: in an object store, with 40 ms for each request, 900 blocks take half a
//! minute, if each takes a request of its own.
//!
//! ## What to do
//!
//! Convert the file, or give its writer larger blocks (the third argument of `Hopen`). References for readers of
//! kerchunk, which are made once, need no descriptors.
//!
//! ## When it is fine
//!
//! If the file is read from a local disk.

use crate::finding::cost::Cost;
use crate::finding::model::{Finding, Severity};
use crate::finding::object_store::REQUEST_SECONDS;
use crate::fix::{Fix, FixKind};
use crate::older::OlderFileFacts;
use crate::options::Options;
use crate::predict::seconds_text;
use hyperslab_storage::StorageChange;
use hyperslab_storage::lines::shell_word;
use hyperslab_units::count_text;
use serde_json::json;

/// Fewer blocks are not reported.
const BLOCKS_MIN: u64 = 100;

pub(in crate::finding) fn check(facts: &OlderFileFacts, options: &Options) -> Option<Finding> {
    let blocks = facts.descriptor_blocks;
    if blocks < BLOCKS_MIN {
        return None;
    }
    let seconds = blocks as f64 * REQUEST_SECONDS;
    let message = format!(
        "The data descriptors lie in {} blocks, each of which says where the next one is: opening the file from an object store takes up to {} \
         at 40 ms a request.",
        count_text(blocks),
        seconds_text(seconds),
    );
    let file = shell_word(&options.file);
    let convert = StorageChange::default().hyperslab_to(&options.file, "out.nc");
    let fixes = vec![
        Fix::new(FixKind::Repack, "hyperslab", convert, "a netCDF-4 file, metadata first".to_owned()),
        Fix::new(
            FixKind::Read,
            "kerchunk",
            format!("hyperslab index {file} -o references.json"),
            "references for readers of kerchunk; the file stays as it is".to_owned(),
        ),
    ];
    let (code, cost) = ("descriptor-chain".to_owned(), Cost { requests: Some(blocks), ..Cost::default() });
    let evidence = json!({ "descriptor_blocks": blocks });
    let severity = if options.cloud { Severity::Medium } else { Severity::Low };
    Some(Finding { code, severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::older::Library;

    #[test]
    fn many_blocks_are_found_and_few_are_not() {
        let found = |descriptor_blocks| {
            let facts = OlderFileFacts {
                format: "HDF4".to_owned(),
                library: Library::Libhdf4,
                bytes: 1 << 20,
                descriptor_blocks,
                room: None,
            };
            check(&facts, &Options::default())
        };
        assert_eq!(found(10), None);
        let found = found(974).unwrap();
        assert!(found.message.contains("974 blocks"), "{}", found.message);
        assert_eq!(found.fixes[0].line, "hyperslab repack in.h5 out.nc");
    }
}
