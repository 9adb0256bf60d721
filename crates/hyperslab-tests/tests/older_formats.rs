//! Damaged files of netCDF classic and HDF4: every truncation of small files, and many random changes with fixed seeds. Nothing
//! may panic, hang, or take more memory than the file explains.

use hyperslab::File;
use hyperslab::io::Memory;
use hyperslab_testkit::files::fixtures;
use hyperslab_testkit::{Stopwatch, require, scale};
use hyperslab_tests::{Outcome, read_everything};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The longest time for reading a small damaged file.
const HANG: Duration = Duration::from_secs(5);
/// Changed files of each family, in continuous integration and in the full run.
const CHANGED: usize = 10_000;
const CHANGED_IN_FULL: usize = 1_000_000;
/// The most bytes that are changed at once.
const CHANGES_MAX: u64 = 8;

/// The small files of a family.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("older_formats")).expect("the recipe was made");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    assert!(files.len() >= 3, "{ending}: {files:?}");
    files
}

/// Reads a file; `what` was done to it.
fn read(bytes: Vec<u8>, what: &str) -> Outcome {
    let start = Stopwatch::start();
    let file = File::from_source(Arc::new(Memory::new("damaged", bytes)));
    let outcome = file.map_or_else(Outcome::of, |file| read_everything(&file));
    assert!(start.elapsed() < HANG, "{what}: took {:?}", start.elapsed());
    outcome
}

/// Numbers that are the same in every run (xorshift).
fn random() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

fn truncated(ending: &str) {
    for path in files(&require!(fixtures()), ending) {
        let whole = std::fs::read(&path).unwrap();
        assert!(read(whole.clone(), "whole").counts().0 > 0, "{}", path.display());
        for len in 0..whole.len() {
            read(whole[..len].to_vec(), &format!("{}, cut at {len}", path.display()));
        }
    }
}

fn changed(ending: &str) {
    let files = files(&require!(fixtures()), ending);
    let whole: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    let mut random = random();
    for number in 0..scale().sample(CHANGED, CHANGED_IN_FULL) {
        let mut bytes = whole[number % whole.len()].clone();
        for _ in 0..=random() % CHANGES_MAX {
            let at = (random() % bytes.len() as u64) as usize;
            bytes[at] = match random() % 4 {
                0 => 0,
                1 => 0xFF,
                2 => bytes[at].wrapping_add(1),
                _ => random() as u8,
            };
        }
        read(bytes, &format!("change {number}"));
    }
}

#[test]
fn truncated_files_of_netcdf_classic_are_read_or_errors() {
    truncated("nc");
}

#[test]
fn truncated_files_of_hdf4_are_read_or_errors() {
    truncated("hdf");
}

#[test]
fn changed_files_of_netcdf_classic_do_not_panic_or_hang() {
    changed("nc");
}

#[test]
fn changed_files_of_hdf4_do_not_panic_or_hang() {
    changed("hdf");
}
