//! # near-size-limit
//!
//! ## What it sees
//!
//! A file that is close to the largest size that its format has: 2 GiB for HDF4, offsets of 2 GiB in netCDF classic, variables and
//! records of 4 GiB with 64-bit offsets.
//!
//! ## Why it costs
//!
//! A program that appends to the file fails once the limit is reached, often after hours, and not every library says why.
//!
//! ## What to do
//!
//! Convert the file to netCDF-4, or netCDF classic to CDF-5, which have no such limits.
//!
//! ## When it is fine
//!
//! If nothing is added to the file any more.

use crate::finding::cost::Cost;
use crate::finding::model::{Finding, Severity};
use crate::fix::{Fix, FixKind};
use crate::older::{Library, OlderFileFacts};
use crate::options::Options;
use hyperslab_storage::StorageChange;
use hyperslab_storage::lines::shell_word;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// The share of the limit from which on it is reported.
const SHARE_MIN: f64 = 0.9;

pub(in crate::finding) fn check(facts: &OlderFileFacts, options: &Options) -> Option<Finding> {
    let room = facts.room.as_ref()?;
    if (room.bytes as f64) < SHARE_MIN * room.bytes_max as f64 {
        return None;
    }
    let message = format!(
        "{} has {}; {} allows {}.",
        room.what,
        bytes_text(room.bytes),
        facts.format,
        bytes_text(room.bytes_max)
    );
    let convert = StorageChange::default().hyperslab_to(&options.file, "out.nc");
    let effect = || "no such limit".to_owned();
    let mut fixes = vec![Fix::new(FixKind::Repack, "hyperslab", convert, effect())];
    if facts.library == Library::NetcdfC {
        let line = format!("nccopy -k cdf5 {} out.nc", shell_word(&options.file));
        fixes.push(Fix::new(FixKind::Repack, "nccopy", line, effect()));
    }
    let evidence = json!({ "what": room.what, "bytes": room.bytes, "bytes_max": room.bytes_max });
    let (code, cost) = ("near-size-limit".to_owned(), Cost::bytes(room.bytes));
    Some(Finding { code, severity: Severity::Low, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::older::Room;

    #[test]
    fn what_is_near_its_limit_is_found() {
        let found = |bytes| {
            let room = Room { what: "The file".to_owned(), bytes, bytes_max: 1 << 31 };
            let facts = OlderFileFacts {
                format: "netCDF classic".to_owned(),
                library: Library::NetcdfC,
                bytes,
                descriptor_blocks: 0,
                room: Some(room),
            };
            check(&facts, &Options::default())
        };
        assert_eq!(found(1 << 30), None);
        let found = found(2_000_000_000).unwrap();
        assert_eq!(found.message, "The file has 1.86 GiB; netCDF classic allows 2 GiB.");
        assert_eq!(found.fixes[1].line, "nccopy -k cdf5 in.h5 out.nc");
    }
}
