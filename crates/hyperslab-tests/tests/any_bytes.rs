//! Arbitrary bytes: each structure of the format is changed in many ways, and each file is truncated at every byte; then
//! everything is read, including the values. Nothing may panic, take long, or use much memory.
//!
//! The files are those of `corpus/recipes/structures.py` and of the other recipes in `RECIPES`. Fields of their
//! structures are changed, and in half of the cases the checksums are corrected, as an attacker would do. There are
//! 400 changes of each structure at scale 1, and `MUTATIONS` in the full run. `HYPERSLAB_STRUCTURE` limits the
//! changes to structures with this text in their names. With `HYPERSLAB_CHANGE` in addition, only the change of this
//! number is made, written to a file and read.

mod any_bytes {
    pub mod checksums;
    pub mod memory;
    pub mod mutate;
    pub mod structure_ranges;
    pub mod structures;
}

use any_bytes::checksums::{Checksum, checksums, repair};
use any_bytes::memory::Above;
use any_bytes::mutate::{Random, mutate};
use any_bytes::structure_ranges::{StructureRange, structure_ranges};
use any_bytes::structures::STRUCTURES;
use hyperslab::io::Memory;
use hyperslab::{ErrorKind, File};
use hyperslab_testkit::files::{fixture, hdf5_files};
use hyperslab_testkit::{Missing, Stopwatch, require, scale};
use hyperslab_tests::{Outcome, read_everything};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The longest time for reading one of these files.
const TIME_MAX: Duration = Duration::from_secs(5);
/// The most memory for reading one of these files, plus four times its length.
const MEMORY_MAX: usize = 64 << 20;
/// Changes of each structure in the full run.
const MUTATIONS: usize = 10_000;
/// A read that takes longer is taken to be endless.
const HANG: Duration = Duration::from_secs(20);
const THREADS: usize = 2;

/// The recipes whose files are changed.
const RECIPES: [&str; 3] = ["structures", "old_structures", "revised_references"];
/// The most lengths to which one file is truncated. Longer files are not truncated at every byte.
const CUTS_MAX: usize = 13_000;

/// A valid file, with its structures and checksums.
struct ValidFile {
    bytes: Vec<u8>,
    ranges: Vec<StructureRange>,
    checksums: Vec<Checksum>,
}

/// Held by each test, because the memory of the whole process is measured.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn valid_files() -> Result<Vec<ValidFile>, Missing> {
    let folders = RECIPES.into_iter().map(fixture).collect::<Result<Vec<_>, _>>()?;
    let paths = folders.iter().flat_map(|folder| hdf5_files(folder, 1 << 20));
    let valid = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a fixture");
        let checksums = checksums(&bytes);
        ValidFile { ranges: structure_ranges(&bytes, &checksums), checksums, bytes }
    };
    Ok(paths.map(valid).collect())
}

fn read(bytes: Vec<u8>) -> Outcome {
    match File::from_source(Arc::new(Memory::new("damaged", bytes))) {
        Ok(file) => read_everything(&file),
        Err(error) => Outcome::of(error),
    }
}

/// The file with change `number` of a structure. The same number gives the same change.
fn changed(structure: &str, number: usize, where_: &[(&ValidFile, &StructureRange)]) -> Vec<u8> {
    let mut random = Random::new(structure, number);
    let (valid, range) = random.one(where_);
    let mut bytes = valid.bytes.clone();
    let changed = mutate(&mut bytes, range, &valid.ranges, &mut random);
    if number.is_multiple_of(2) {
        repair(&mut bytes, &valid.checksums, &changed);
    }
    bytes
}

/// The results of all changes of a structure.
#[derive(Default)]
struct Row {
    refused: usize,
    errors: usize,
    values: usize,
    slowest: Duration,
    peak: usize,
    failed: Vec<String>,
}

impl Row {
    fn note(&mut self, number: usize, bytes: Vec<u8>) {
        let start = Stopwatch::start();
        let outcome = catch_unwind(AssertUnwindSafe(|| read(bytes)));
        let took = start.elapsed();
        self.slowest = self.slowest.max(took);
        if took > TIME_MAX {
            self.failed.push(format!("change {number} took {took:?}"));
        }
        match outcome {
            Ok(outcome) => {
                self.refused += usize::from(outcome.objects == 0);
                self.errors += usize::from(!outcome.errors.is_empty());
                self.values += outcome.values;
            }
            Err(_) => self.failed.push(format!("change {number} panicked")),
        }
    }

    fn add(&mut self, other: Row) {
        self.refused += other.refused;
        self.errors += other.errors;
        self.values += other.values;
        self.slowest = self.slowest.max(other.slowest);
        self.failed.extend(other.failed);
    }
}

fn row(structure: &str, mutations: usize, where_: &[(&ValidFile, &StructureRange)]) -> Row {
    let next = AtomicUsize::new(0);
    let running = [const { Mutex::new(None) }; THREADS];
    let memory = Above::now();
    let work = |running: &Mutex<Option<(usize, Instant)>>| {
        let mut row = Row::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= mutations {
                *running.lock().unwrap() = None;
                return row;
            }
            *running.lock().unwrap() = Some((number, Instant::now()));
            row.note(number, changed(structure, number, where_));
        }
    };
    let mut row = Row::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = running.iter().map(|running| scope.spawn(|| work(running))).collect();
        while !threads.iter().all(|thread| thread.is_finished()) {
            std::thread::sleep(Duration::from_millis(5));
            for (number, start) in running.iter().filter_map(|running| *running.lock().unwrap()) {
                if start.elapsed() > HANG {
                    // The thread cannot be stopped in another way.
                    eprintln!("{structure}: change {number} does not end");
                    std::process::abort();
                }
            }
        }
        threads.into_iter().for_each(|thread| row.add(thread.join().expect("panics are caught")));
    });
    row.peak = memory.peak();
    let allowed = |bytes: usize| MEMORY_MAX + 4 * bytes;
    if row.peak > where_.iter().map(|(valid, _)| allowed(valid.bytes.len())).min().unwrap_or(0) {
        // Which change was it? Or was it only two threads together?
        row.peak = 0;
        for number in 0..mutations {
            let bytes = changed(structure, number, where_);
            let (len, memory) = (bytes.len(), Above::now());
            let _ = catch_unwind(|| read(bytes));
            row.peak = row.peak.max(memory.peak());
            if memory.peak() > allowed(len) {
                row.failed.push(format!("change {number} of {len} bytes took {} bytes", memory.peak()));
            }
        }
    }
    row
}

fn by_structure(files: &[ValidFile]) -> BTreeMap<&str, Vec<(&ValidFile, &StructureRange)>> {
    let mut structures: BTreeMap<&str, Vec<(&ValidFile, &StructureRange)>> = BTreeMap::new();
    for valid in files {
        for range in &valid.ranges {
            structures.entry(&range.name).or_default().push((valid, range));
        }
    }
    structures
}

/// Every structure is in the fixtures. Without this test, a structure that is missing would silently not be tested.
#[test]
fn every_structure_is_found() {
    let files = require!(valid_files());
    let structures = by_structure(&files);
    let missing: Vec<_> =
        STRUCTURES.iter().filter(|&&structure| !structures.contains_key(structure)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A truncated file is refused, or reading it reports an error.
#[test]
fn every_truncation_is_reported() {
    let _alone = alone();
    let (mut cuts, mut slowest) = (0, Duration::ZERO);
    for valid in require!(valid_files()) {
        let whole = read(valid.bytes.clone()).counts();
        let memory = Above::now();
        let mut check = |bytes: Vec<u8>| {
            let (len, start) = (bytes.len(), Stopwatch::start());
            let outcome = read(bytes).counts();
            slowest = slowest.max(start.elapsed());
            cuts += 1;
            // If objects are missing, their errors in the complete file cannot be found.
            let told = outcome == whole || outcome.2 > whole.2 || (outcome.0 < whole.0 && outcome.2 > 0);
            assert!(told, "cut at {len} of {}: {outcome:?}, {whole:?}", valid.bytes.len());
        };
        for len in (0..valid.bytes.len()).step_by(valid.bytes.len().div_ceil(CUTS_MAX)) {
            check(valid.bytes[..len].to_vec());
            // Truncated, with a superblock that records the new end: structures are missing.
            if let Some(bytes) = ending_at(&valid, len) {
                check(bytes);
            }
        }
        assert!(memory.peak() < MEMORY_MAX + 4 * valid.bytes.len(), "{} bytes", memory.peak());
    }
    assert!(slowest < TIME_MAX, "{slowest:?}");
    println!("{cuts} truncated files read, the slowest in {slowest:?}");
}

/// The file truncated at `len`, with a superblock that records this as the end of the file.
fn ending_at(valid: &ValidFile, len: usize) -> Option<Vec<u8>> {
    let version = valid.bytes[8];
    let width = usize::from(valid.bytes[if version < 2 { 13 } else { 9 }]);
    // The end-of-file address follows two other addresses.
    let at = [24, 28, 12, 12][usize::from(version)] + 2 * width;
    let mut bytes = valid.bytes[..len].to_vec();
    bytes.get_mut(at..at + width)?.copy_from_slice(&(len as u64).to_le_bytes()[..width]);
    if bytes.len() < 100 {
        return None;
    }
    repair(&mut bytes, &valid.checksums[..], &(at..at + width));
    Some(bytes)
}

/// The layout of a filtered chunk claims gigabytes, but only a few bytes are stored.
#[test]
fn a_chunk_takes_no_more_memory_than_its_stored_bytes_can_fill() {
    let _alone = alone();
    let mut claims = 0;
    for valid in require!(valid_files()) {
        for range in
            valid.ranges.iter().filter(|range| range.name == "data layout message 3, version 1 B-tree")
        {
            let mut bytes = valid.bytes.clone();
            // version, class, rank, address of 8 bytes; then the sizes of a chunk, 4 bytes each.
            let size = range.bytes.start + 11;
            bytes[size..size + 4].copy_from_slice(&0x2000_0000u32.to_le_bytes());
            let memory = Above::now();
            drop(read(bytes));
            assert!(memory.peak() < MEMORY_MAX, "{} bytes", memory.peak());
            claims += 1;
        }
    }
    println!("{claims} layouts changed");
}

/// The number of changes of each structure, at scale 1, whose errors are checked.
const ERRORS_OF: usize = 60;

/// Errors name the file, the object and, if the file is damaged, an offset in it.
#[test]
fn errors_have_a_location() {
    let _alone = alone();
    let files = require!(valid_files());
    let (mut errors, mut silent) = (0, Vec::new());
    for (structure, where_) in by_structure(&files) {
        for number in 0..scale().of(ERRORS_OF) {
            let outcome = read(changed(structure, number, &where_));
            // A file that cannot be opened has no objects.
            let is_open = outcome.objects > 0;
            for error in outcome.errors {
                errors += 1;
                let has_place = error.offset().is_some() || error.kind() != ErrorKind::Damaged;
                if error.file().is_none() || !has_place || (is_open && error.object().is_none()) {
                    silent.push(format!("{structure}: change {number}: {error}"));
                }
            }
        }
    }
    println!("{errors} errors have a location");
    assert!(
        silent.is_empty(),
        "{} of {errors}, for example\n{}",
        silent.len(),
        silent[..silent.len().min(5)].join("\n")
    );
}

#[test]
fn every_structure_changed_in_many_ways() {
    let _alone = alone();
    let files = require!(valid_files());
    let mut structures = by_structure(&files);
    let mutations = scale().sample(400, MUTATIONS);
    let only = std::env::var("HYPERSLAB_STRUCTURE").unwrap_or_default();
    structures.retain(|structure, _| structure.contains(&only));
    println!(
        "{:48} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10}",
        "structure", "changes", "refused", "errors", "values", "slowest", "peak"
    );
    if let Ok(number) = std::env::var("HYPERSLAB_CHANGE") {
        let (structure, where_) = structures.first_key_value().expect("a structure of this name");
        let bytes = changed(structure, number.parse().expect("a number"), where_);
        let path = std::env::temp_dir().join("changed.h5");
        std::fs::write(&path, &bytes).expect("a folder that can be written");
        println!("{}", path.display());
        println!("{structure}: {:?}", read(bytes));
        return;
    }
    let mut failed = Vec::new();
    for (structure, where_) in &structures {
        let row = row(structure, mutations, where_);
        let (slowest, peak) = (row.slowest.as_secs_f64() * 1e3, row.peak as f64 / (1 << 20) as f64);
        println!(
            "{structure:48} {mutations:8} {:8} {:8} {:8} {slowest:7.1} ms {peak:6.1} MiB",
            row.refused, row.errors, row.values
        );
        failed.extend(row.failed.into_iter().take(5).map(|what| format!("{structure}: {what}")));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
