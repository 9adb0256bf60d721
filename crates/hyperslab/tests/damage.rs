//! Damaged files: every truncation of small files, and many seeded mutations. Nothing may panic or hang; a file cut
//! short is never read as if it were whole.

mod common;

use common::{Met, Stopwatch, corpus, fixtures, hdf5_files, read_everything};
use hyperslab::File;
use hyperslab::io::Memory;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A walk through a small damaged file that takes longer than this counts as a hang.
const HANG: Duration = Duration::from_secs(5);

fn small_files(bytes_max: u64, count: usize) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = [fixtures(), corpus()]
        .into_iter()
        .flatten()
        .flat_map(|folder| hdf5_files(&folder, bytes_max))
        .collect();
    // A spread over all folders rather than the first ones.
    let step = files.len().div_ceil(count).max(1);
    let mut kept = files.drain(..).step_by(step);
    kept.by_ref().collect()
}

fn read(bytes: &[u8]) -> Met {
    let start = Stopwatch::start();
    let file = File::from_source(Arc::new(Memory::new("damaged", bytes.to_vec())));
    let met = file.map_or_else(Met::of, |file| read_everything(&file));
    assert!(start.elapsed() < HANG, "took {:?}", start.elapsed());
    met
}

#[test]
fn every_truncation_is_an_error() {
    let mut cut = 0;
    for path in small_files(9 << 10, 25) {
        let bytes = std::fs::read(&path).unwrap();
        let whole = read(&bytes).counts();
        if whole.0 == 0 {
            continue;
        }
        for len in 0..bytes.len() {
            let met = read(&bytes[..len]).counts();
            cut += 1;
            // Opened, because its superblock names an end before the cut: then nothing is missing. Or it is told.
            let told = met == whole || met.0 == 0 || met.2 > whole.2;
            assert!(told, "{}: cut at {len} of {}: {met:?}", path.display(), bytes.len());
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
    for path in small_files(64 << 10, 120) {
        let whole = std::fs::read(&path).unwrap();
        for _ in 0..150 {
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
