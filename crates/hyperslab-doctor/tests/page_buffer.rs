//! The simulated page buffer against the real one: random paged files and reads, every count equal.
//!
//! `libhdf5/page_buffer.py` records the reads that libhdf5 makes without a page buffer, and what the buffer counts with
//! one: 200 cases at scale 1.

use hyperslab_doctor::simulate::{PageBufferCounts, PageBufferSettings, PageBufferSim, PageKind};
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, scale};
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

/// What the script prints with these arguments.
fn cases(arguments: &[&str]) -> Result<Vec<Case>, Missing> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libhdf5/page_buffer.py");
    let output = Command::new(python()?).arg(script).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| match serde_json::from_str(line).unwrap() {
        Line::Skip { skip } => Err(Missing::new(skip)),
        Line::Case(case) => Ok(*case),
    };
    text.lines().map(line).collect()
}

/// The simulated buffer after the reads of a case, whose counts were compared with the real ones.
fn compared(case: &Case) -> PageBufferSim {
    let settings =
        PageBufferSettings { bytes: case.bytes, metadata_percent: 0, raw_percent: case.raw_percent };
    let mut sim = PageBufferSim::new(settings, case.page, case.file_bytes).unwrap();
    for &(address, len, is_raw) in &case.reads {
        sim.read(if is_raw { PageKind::Raw } else { PageKind::Metadata }, address, len);
    }
    assert_eq!(sim.counts(PageKind::Raw), counts(case.raw), "raw data, case {}", case.number);
    assert_eq!(sim.counts(PageKind::Metadata), counts(case.metadata), "metadata, case {}", case.number);
    assert_eq!(sim.requests(), case.requests, "case {}", case.number);
    sim
}

#[test]
fn every_count_is_that_of_the_library() {
    let number = scale().of(200);
    let cases = require!(cases(&["0", &number.to_string()]));
    cases.iter().for_each(|case| drop(compared(case)));
    assert_eq!(cases.len(), number);
}

/// Jelenak, *Creating Cloud-Optimized HDF5 Files*, ESIP summer meeting 2022: with pages of 4 MiB for 7.7 MB of metadata, a
/// buffer of one page misses 943 of 6,634 times, one of two pages twice; with pages of 8 MiB any buffer misses once. Here,
/// everything is a quarter as large.
#[test]
fn the_published_table_of_pages_and_buffers_comes_out() {
    let cases = require!(cases(&["table"]));
    let counts: Vec<PageBufferCounts> =
        cases.iter().map(|case| compared(case).counts(PageKind::Metadata)).collect();
    let [one_page, large, two_pages, large_twice, four_pages] = counts[..] else { panic!("{counts:?}") };
    assert_eq!([large.misses, two_pages.misses, large_twice.misses, four_pages.misses], [1, 2, 1, 2]);
    assert!(one_page.misses >= 100 && one_page.evictions + 1 == one_page.misses, "{one_page:?}");
    assert!(counts.iter().all(|counts| counts.accesses >= 1_000 && counts.bypasses == 0), "{counts:?}");
}
