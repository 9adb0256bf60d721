//! Damaged files: every truncation of small files, and many random changes with fixed seeds. Nothing may panic or hang,
//! and a truncated file must not be read as if it were complete.

use hyperslab::File;
use hyperslab::io::Memory;
use hyperslab_testkit::files::{corpus, fixtures, hdf5_files};
use hyperslab_testkit::{Missing, Stopwatch, require, scale, skipped};
use hyperslab_tests::{Outcome, read_everything};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The longest time for reading a small damaged file.
const HANG: Duration = Duration::from_secs(5);

/// About `count` fixtures and files of the corpus, from all folders. Without the corpus, only fixtures.
fn small_files(bytes_max: u64, count: usize) -> Result<Vec<PathBuf>, Missing> {
    let mut files = hdf5_files(&fixtures()?, bytes_max);
    match corpus() {
        Ok(corpus) => files.extend(hdf5_files(&corpus, bytes_max)),
        Err(missing) => skipped(&missing),
    }
    let step = files.len().div_ceil(count).max(1);
    Ok(files.into_iter().step_by(step).collect())
}

fn read(bytes: &[u8]) -> Outcome {
    let start = Stopwatch::start();
    let file = File::from_source(Arc::new(Memory::new("damaged", bytes.to_vec())));
    let outcome = file.map_or_else(Outcome::of, |file| read_everything(&file));
    assert!(start.elapsed() < HANG, "took {:?}", start.elapsed());
    outcome
}

#[test]
fn every_truncation_is_an_error() {
    let mut cut = 0;
    for path in require!(small_files(9 << 10, 25)) {
        let bytes = std::fs::read(&path).unwrap();
        let whole = read(&bytes).counts();
        if whole.0 == 0 {
            continue;
        }
        for len in 0..bytes.len() {
            let outcome = read(&bytes[..len]).counts();
            cut += 1;
            // A file can be opened if its superblock records an end before the truncation; then nothing is missing.
            // Otherwise there is an error.
            let told = outcome == whole || outcome.0 == 0 || outcome.2 > whole.2;
            assert!(told, "{}: cut at {len} of {}: {outcome:?}", path.display(), bytes.len());
        }
    }
    println!("{cut} truncated files read");
}

#[test]
fn mutated_files_do_not_panic_or_hang() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut mutated = 0;
    for path in require!(small_files(64 << 10, 120)) {
        let whole = std::fs::read(&path).unwrap();
        for _ in 0..scale().of(150) {
            let mut bytes = whole.clone();
            for _ in 0..1 + random() % 4 {
                let at = (random() % bytes.len() as u64) as usize;
                match random() % 4 {
                    0 => bytes[at] ^= 1 << (random() % 8),
                    1 => bytes[at] = 0xff,
                    2 => bytes[at] = random() as u8,
                    _ => {
                        let end = (at + 8).min(bytes.len());
                        bytes[at..end].fill(if random() % 2 == 0 { 0 } else { 0xff });
                    }
                }
            }
            let _ = read(&bytes);
            mutated += 1;
        }
    }
    println!("{mutated} mutated files read");
}
