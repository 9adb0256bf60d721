//! Any bytes at all: each structure of the format, changed ten thousand times, and every truncation, read through the
//! whole engine to the values. Nothing may panic, take long, or take much memory.
//!
//! The files are those of `corpus/recipes/structures.py` and of the other recipes in `RECIPES`. In each, structures are found, fields of them changed, and
//! in half of the cases checksums made right again, as an attacker would. `HYPERSLAB_MUTATIONS` is how many changes
//! of each structure; with `HYPERSLAB_STRUCTURE` only structures with this in their names are changed, and with
//! `HYPERSLAB_CHANGE` too, this one change is written to a file and read.

mod any_bytes {
    pub mod memory;
    pub mod mutate;
    pub mod places;
    pub mod seals;
    pub mod structures;
}
mod common;

use any_bytes::memory::Above;
use any_bytes::mutate::{Random, mutate};
use any_bytes::places::{Place, places};
use any_bytes::seals::{Seal, repair, seals};
use any_bytes::structures::STRUCTURES;
use common::{Met, Stopwatch, fixtures, hdf5_files, read_everything};
use hyperslab::io::Memory;
use hyperslab::{ErrorKind, File};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// No file of these sizes may take longer.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Nor more memory than this and four times its length.
const MEMORY_MAX: usize = 64 << 20;
const MUTATIONS: usize = 10_000;
/// What takes longer than this never ends.
const HANG: Duration = Duration::from_secs(20);
const THREADS: usize = 2;

/// The recipes whose files are changed.
const RECIPES: [&str; 3] = ["structures", "old_structures", "revised_references"];
/// Longer files are not cut at every byte.
const CUTS_MAX: usize = 13_000;

/// A sound file.
struct Sound {
    bytes: Vec<u8>,
    places: Vec<Place>,
    seals: Vec<Seal>,
}

/// The memory of the process is measured: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sound_files() -> Vec<Sound> {
    let folders = fixtures().into_iter().flat_map(|folder| RECIPES.map(|recipe| folder.join(recipe)));
    let paths = folders.filter(|folder| folder.is_dir()).flat_map(|folder| hdf5_files(&folder, 1 << 20));
    let sound = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a fixture");
        let seals = seals(&bytes);
        Sound { places: places(&bytes, &seals), seals, bytes }
    };
    paths.map(sound).collect()
}

fn read(bytes: Vec<u8>) -> Met {
    match File::from_source(Arc::new(Memory::new("damaged", bytes))) {
        Ok(file) => read_everything(&file),
        Err(error) => Met::of(error),
    }
}

/// A change of a structure: the same for the same number.
fn changed(structure: &str, number: usize, where_: &[(&Sound, &Place)]) -> Vec<u8> {
    let mut random = Random::new(structure, number);
    let (sound, place) = random.one(where_);
    let mut bytes = sound.bytes.clone();
    let changed = mutate(&mut bytes, place, &sound.places, &mut random);
    if number.is_multiple_of(2) {
        repair(&mut bytes, &sound.seals, &changed);
    }
    bytes
}

/// What came of all changes of a structure.
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
        let met = catch_unwind(AssertUnwindSafe(|| read(bytes)));
        let took = start.elapsed();
        self.slowest = self.slowest.max(took);
        if took > TIME_MAX {
            self.failed.push(format!("change {number} took {took:?}"));
        }
        match met {
            Ok(met) => {
                self.refused += usize::from(met.objects == 0);
                self.errors += usize::from(!met.errors.is_empty());
                self.values += met.values;
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

fn row(structure: &str, mutations: usize, where_: &[(&Sound, &Place)]) -> Row {
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
                    // Nothing else ends it.
                    eprintln!("{structure}: change {number} does not end");
                    std::process::abort();
                }
            }
        }
        threads.into_iter().for_each(|thread| row.add(thread.join().expect("panics are caught")));
    });
    row.peak = memory.peak();
    let allowed = |bytes: usize| MEMORY_MAX + 4 * bytes;
    if row.peak > where_.iter().map(|(sound, _)| allowed(sound.bytes.len())).min().unwrap_or(0) {
        // Which was it? Or were it only two together?
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

fn by_structure(files: &[Sound]) -> BTreeMap<&str, Vec<(&Sound, &Place)>> {
    let mut structures: BTreeMap<&str, Vec<(&Sound, &Place)>> = BTreeMap::new();
    for sound in files {
        for place in &sound.places {
            structures.entry(&place.structure).or_default().push((sound, place));
        }
    }
    structures
}

/// The structures that the fixtures hold. One that goes missing would go unchanged, and nobody would know.
#[test]
fn every_structure_is_found() {
    let files = sound_files();
    let structures = by_structure(&files);
    let missing: Vec<_> =
        STRUCTURES.iter().filter(|&&structure| !structures.contains_key(structure)).collect();
    assert!(files.is_empty() || missing.is_empty(), "{missing:?}");
}

/// Checks what holds of a file cut short: it is refused, or what is missing is told.
#[test]
fn every_truncation_is_told() {
    let _alone = alone();
    let (mut cuts, mut slowest) = (0, Duration::ZERO);
    for sound in sound_files() {
        let whole = read(sound.bytes.clone()).counts();
        let memory = Above::now();
        let mut check = |bytes: Vec<u8>| {
            let (len, start) = (bytes.len(), Stopwatch::start());
            let met = read(bytes).counts();
            slowest = slowest.max(start.elapsed());
            cuts += 1;
            // Where objects are gone, nobody gets to what was wrong with them before.
            let told = met == whole || met.2 > whole.2 || (met.0 < whole.0 && met.2 > 0);
            assert!(told, "cut at {len} of {}: {met:?}, {whole:?}", sound.bytes.len());
        };
        for len in (0..sound.bytes.len()).step_by(sound.bytes.len().div_ceil(CUTS_MAX)) {
            check(sound.bytes[..len].to_vec());
            // Its end lost, and a superblock that does not know of more: parts are missing.
            if let Some(bytes) = ending_at(&sound, len) {
                check(bytes);
            }
        }
        assert!(memory.peak() < MEMORY_MAX + 4 * sound.bytes.len(), "{} bytes", memory.peak());
    }
    assert!(slowest < TIME_MAX, "{slowest:?}");
    println!("{cuts} truncated files read, the slowest in {slowest:?}");
}

/// The file cut at `len`, with a superblock that says so.
fn ending_at(sound: &Sound, len: usize) -> Option<Vec<u8>> {
    let version = sound.bytes[8];
    let width = usize::from(sound.bytes[if version < 2 { 13 } else { 9 }]);
    // Where the end of the file is said, behind two other addresses.
    let at = [24, 28, 12, 12][usize::from(version)] + 2 * width;
    let mut bytes = sound.bytes[..len].to_vec();
    bytes.get_mut(at..at + width)?.copy_from_slice(&(len as u64).to_le_bytes()[..width]);
    if bytes.len() < 100 {
        return None;
    }
    repair(&mut bytes, &sound.seals[..], &(at..at + width));
    Some(bytes)
}

/// The layout of a filtered chunk claims gigabytes; what is stored of it are a few bytes.
#[test]
fn a_chunk_takes_no_more_memory_than_its_stored_bytes_can_fill() {
    let _alone = alone();
    let mut claims = 0;
    for sound in sound_files() {
        for place in
            sound.places.iter().filter(|place| place.structure == "data layout message 3, version 1 B-tree")
        {
            let mut bytes = sound.bytes.clone();
            // version, class, rank, address of 8 bytes; then the sizes of a chunk, 4 bytes each.
            let size = place.range.start + 11;
            bytes[size..size + 4].copy_from_slice(&0x2000_0000u32.to_le_bytes());
            let memory = Above::now();
            drop(read(bytes));
            assert!(memory.peak() < MEMORY_MAX, "{} bytes", memory.peak());
            claims += 1;
        }
    }
    println!("{claims} layouts changed");
}

/// Changes of each structure whose errors are looked at.
const ERRORS_OF: usize = 300;

/// Errors name the file, the object and, where the file is to blame, a place in it.
#[test]
fn errors_say_where() {
    let _alone = alone();
    let files = sound_files();
    let (mut errors, mut silent) = (0, Vec::new());
    for (structure, where_) in by_structure(&files) {
        for number in 0..ERRORS_OF {
            let met = read(changed(structure, number, &where_));
            // A file that cannot be opened has no objects.
            let is_open = met.objects > 0;
            for error in met.errors {
                errors += 1;
                let has_place = error.offset().is_some() || error.kind() != ErrorKind::Damaged;
                if error.file().is_none() || !has_place || (is_open && error.object().is_none()) {
                    silent.push(format!("{structure}: change {number}: {error}"));
                }
            }
        }
    }
    println!("{errors} errors say where");
    assert!(
        silent.is_empty(),
        "{} of {errors}, for example\n{}",
        silent.len(),
        silent[..silent.len().min(5)].join("\n")
    );
}

#[test]
fn every_structure_changed_ten_thousand_times() {
    let _alone = alone();
    let files = sound_files();
    let mut structures = by_structure(&files);
    let mutations =
        std::env::var("HYPERSLAB_MUTATIONS").map_or(MUTATIONS, |number| number.parse().expect("a number"));
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
