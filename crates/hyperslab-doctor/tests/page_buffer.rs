//! The simulated page buffer against the real one: random paged files and reads, every count equal.
//!
//! `libhdf5/page_buffer.py` records the reads that libhdf5 makes without a page buffer, and what the buffer counts with
//! one: 2,000 cases at scale 1.

use hyperslab_doctor::simulate::{PageBufferCounts, PageBufferSettings, PageBufferSim, PageKind};
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, scale, skipped};
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Skip { skip: String },
    Case(Box<Case>),
}

#[derive(Deserialize)]
struct Case {
    number: u64,
    page: u64,
    bytes: u64,
    raw_percent: u64,
    file_bytes: u64,
    /// Place, length, and whether it is raw data.
    reads: Vec<(u64, u64, bool)>,
    /// Reads that reached the file, and their bytes.
    requests: (u64, u64),
    metadata: [u64; 5],
    raw: [u64; 5],
}

fn counts([accesses, hits, misses, evictions, bypasses]: [u64; 5]) -> PageBufferCounts {
    PageBufferCounts { accesses, hits, misses, evictions, bypasses }
}

#[test]
fn every_count_is_that_of_the_library() {
    let python = require!(python());
    let cases = scale().of(2000);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libhdf5/page_buffer.py");
    let output = Command::new(python).arg(script).args(["0", &cases.to_string()]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut compared = 0;
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let case = match serde_json::from_str(line).unwrap() {
            Line::Skip { skip } => return skipped(&Missing::new(skip)),
            Line::Case(case) => case,
        };
        let settings =
            PageBufferSettings { bytes: case.bytes, metadata_percent: 0, raw_percent: case.raw_percent };
        let mut sim = PageBufferSim::new(settings, case.page, case.file_bytes).unwrap();
        for &(address, len, is_raw) in &case.reads {
            sim.read(if is_raw { PageKind::Raw } else { PageKind::Metadata }, address, len);
        }
        assert_eq!(sim.counts(PageKind::Raw), counts(case.raw), "raw data, case {}", case.number);
        assert_eq!(sim.counts(PageKind::Metadata), counts(case.metadata), "metadata, case {}", case.number);
        assert_eq!(sim.requests(), case.requests, "case {}", case.number);
        compared += 1;
    }
    assert_eq!(compared, cases);
}
