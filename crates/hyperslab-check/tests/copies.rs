//! Files that this project writes follow the specification, and leave no bytes that are unaccounted for.
//!
//! At scale 1 the test copies all fixtures and a part of the corpus, in the full run (scale 10) the whole of it.

use hyperslab::File;
use hyperslab_check::{Options, Report, check};
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{CopyOptions, LowBound, copy};
use hyperslab_testkit::files::{corpus, fixtures, hdf5_files};
use hyperslab_testkit::{Missing, require, scale};
use std::path::PathBuf;

const FILE_BYTES_MAX: u64 = 4 << 20;
/// Files of the corpus in the full run.
const CORPUS_FILES: usize = 1_000;

/// Rules that a copy violates if its source does: chunks are copied as they are stored, values and targets of links as they
/// are, and revised references stay those of files that were written before HDF5 1.12 was released.
const INHERITED: [&str; 8] = [
    "datatype-version",
    "mandatory-filter-skipped",
    "chunk-outside",
    "chunk-larger-than-extent",
    "chunk-data",
    "filter-missing",
    "global-heap-reference",
    "invalid-value",
];

/// Copies that violate a rule that their sources do not, and why.
const KNOWN: [(&str, &str, &str); 2] = [
    (
        "trefer_obj_del.h5",
        "global-heap-reference",
        "a dangling revised reference is copied as an undefined address",
    ),
    (
        "vul12/H5F__close_invalid-read-memory-access",
        "invalid-value",
        "the soft link of the damaged source has no path, which only a link message forbids",
    ),
];

fn report(bytes: Vec<u8>) -> Report {
    check(&Memory::new("file", bytes), Options { data: true }).expect("a superblock")
}

fn files() -> Result<Vec<PathBuf>, Missing> {
    let mut files = hdf5_files(&fixtures()?, FILE_BYTES_MAX);
    let corpus = hdf5_files(&corpus()?, FILE_BYTES_MAX);
    let step = corpus.len().div_ceil(scale().sample(40, CORPUS_FILES)).max(1);
    files.extend(corpus.into_iter().step_by(step));
    Ok(files)
}

/// What is found in the copies of all files, and how many files could be copied.
fn findings(options: CopyOptions) -> Result<(Vec<String>, usize), Missing> {
    let (mut found, mut copied) = (Vec::new(), 0);
    for path in files()? {
        let Ok(file) = File::open(&path) else { continue };
        let sink = MemorySink::default();
        // What cannot be copied is tested where copies are made.
        if copy(&file, &sink, options).is_err() {
            continue;
        }
        copied += 1;
        let of_source = report(std::fs::read(&path).expect("a readable file"));
        for finding in &report(sink.into_bytes()).findings {
            let code = finding.rule.code;
            let is_inherited = INHERITED.contains(&code) && of_source.counts.contains_key(code);
            let is_known = KNOWN.iter().any(|(name, known, _)| path.ends_with(name) && *known == code);
            if !(is_inherited || is_known) {
                found.push(format!(
                    "{} {}: {}: {} at {:#x}: {}",
                    path.display(),
                    finding.rule.code,
                    finding.object,
                    finding.structure,
                    finding.at,
                    finding.message
                ));
            }
        }
    }
    Ok((found, copied))
}

#[track_caller]
fn nothing_in_copies(options: CopyOptions) {
    let (found, copied) = require!(findings(options));
    assert!(found.is_empty(), "{} findings in {copied} copies:\n{}", found.len(), found.join("\n"));
    assert!(copied > 200, "{copied} copies");
}

#[test]
fn copies_have_no_findings() {
    nothing_in_copies(CopyOptions::default());
}

#[test]
fn copies_for_old_readers_have_no_findings() {
    nothing_in_copies(CopyOptions { low: LowBound::Earliest, ..CopyOptions::default() });
}

#[test]
fn copies_for_the_latest_version_have_no_findings() {
    nothing_in_copies(CopyOptions { low: LowBound::Latest, ..CopyOptions::default() });
}

#[test]
fn copies_in_pages_have_no_findings() {
    for page_bytes in [512, 4096, 1 << 20] {
        nothing_in_copies(CopyOptions { page_bytes: Some(page_bytes), ..CopyOptions::default() });
    }
}
