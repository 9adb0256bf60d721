//! The simulator against the real library: random datasets, caches and reads, every count equal.
//!
//! `libhdf5/validate.py` drives the libhdf5 of the h5py wheel with a counting filter and a counting `pread`; here its
//! cases are replayed: 2,000 at scale 1, beginning with `HYPERSLAB_SIM_SEED`. Other libraries beside h5py's (netCDF4's,
//! PyTables', any listed in `HYPERSLAB_LIBHDF5`) are asked too, for a quarter of the cases.

use hyperslab_doctor::simulate::{
    ChunkCacheSim, ChunkedStorage, Geometry, LibVersion, ReadCounts, WriteCounts, simulate_sweep,
};
use hyperslab_doctor::{ChunkMap, FillFacts, FillTime, StoredChunk};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::Sweep;
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, scale, skip};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Skip { skip: String },
    Library { library: String, path: String },
    Case(Box<Case>),
}

#[derive(Deserialize)]
struct Case {
    number: u64,
    shape: Vec<u64>,
    chunk: Option<Vec<u64>>,
    element: u64,
    filtered: bool,
    #[serde(default)]
    edge_unfiltered: bool,
    fill_time: Option<String>,
    fill_defined: Option<bool>,
    cache: CacheSettings,
    chunks: Vec<(u64, u64, bool)>,
    sweep: Option<CaseSweep>,
    reads: Vec<CaseRead>,
    /// Strided reads, or writes, and what closing encodes.
    #[serde(default)]
    patterns: Vec<CasePattern>,
    #[serde(default)]
    writes: bool,
    #[serde(default)]
    close_encodes: u64,
}

/// Start, count, step, encodes, decodes.
type CasePattern = (Vec<u64>, Vec<u64>, Vec<u64>, u64, u64);

/// Start, count, decodes, driver reads, driver bytes.
type CaseRead = (Vec<u64>, Vec<u64>, u64, u64, u64);

#[derive(Deserialize)]
struct CaseSweep {
    block: Vec<u64>,
    order: Vec<usize>,
}

impl Case {
    fn geometry(&self) -> Geometry {
        let Some(chunk) = &self.chunk else {
            return Geometry::contiguous(&self.shape, self.element, true).unwrap();
        };
        let grid = self.shape.iter().zip(chunk).map(|(n, m)| n.div_ceil(*m)).product();
        let stored = self
            .chunks
            .iter()
            .map(|&(linear, bytes, is_filtered)| (linear, StoredChunk { bytes, is_filtered }));
        let time = match self.fill_time.as_deref() {
            Some("never") => FillTime::Never,
            Some("alloc") => FillTime::Alloc,
            _ => FillTime::IfSet,
        };
        let fill = FillFacts { time, is_defined: self.fill_defined.unwrap_or(true) };
        let storage = ChunkedStorage {
            chunk_dims: chunk.clone(),
            is_filtered: self.filtered,
            edge_chunks_unfiltered: self.edge_unfiltered,
            skips_missing_chunks: fill.skips_missing_chunks(),
            chunks: Some(Arc::new(ChunkMap::from_chunks(grid, stored))),
        };
        Geometry::chunked(&self.shape, self.element, storage).unwrap()
    }

    /// The first strided read or write whose counts differ, in words.
    fn pattern_mismatch(&self, version: LibVersion) -> Option<String> {
        let geometry = self.geometry();
        let mut sim = ChunkCacheSim::new(&geometry, self.cache, version);
        for (position, (start, count, step, encodes, decodes)) in self.patterns.iter().enumerate() {
            let WriteCounts { encodes: e, decodes: d } = match self.writes {
                true => sim.write(start, count, step),
                false => WriteCounts { encodes: 0, decodes: sim.read_strided(start, count, step).decodes },
            };
            if (e, d) != (*encodes, *decodes) {
                let doing = if self.writes { "write" } else { "read" };
                return Some(format!(
                    "case {}, {doing} {position} of {count:?} every {step:?} at {start:?}: libhdf5 {encodes} encodes, {decodes} \
                     decodes; simulated {e}, {d} (shape {:?}, chunk {:?}, cache {:?})",
                    self.number, self.shape, self.chunk, self.cache
                ));
            }
        }
        let closed = sim.close().encodes;
        (self.writes && closed != self.close_encodes).then(|| {
            format!(
                "case {}, closing: libhdf5 {} encodes, simulated {closed}",
                self.number, self.close_encodes
            )
        })
    }

    /// The first read whose counts differ, in words.
    fn mismatch(&self, version: LibVersion) -> Option<String> {
        if !self.patterns.is_empty() {
            return self.pattern_mismatch(version);
        }
        let geometry = self.geometry();
        let mut sim = ChunkCacheSim::new(&geometry, self.cache, version);
        for (position, (start, count, decodes, driver_reads, driver_bytes)) in self.reads.iter().enumerate() {
            let ReadCounts { decodes: d, driver_reads: r, driver_bytes: b, .. } = sim.read(start, count);
            if (d, r, b) != (*decodes, *driver_reads, *driver_bytes) {
                return Some(format!(
                    "case {}, read {position} of {count:?} at {start:?}: libhdf5 {decodes} decodes, {driver_reads} reads, \
                     {driver_bytes} bytes; simulated {d}, {r}, {b} (shape {:?}, chunk {:?}, cache {:?})",
                    self.number, self.shape, self.chunk, self.cache
                ));
            }
        }
        let sweep = self.sweep.as_ref()?;
        let sweep = Sweep::new(&self.shape, &sweep.block, &sweep.order);
        let counts = simulate_sweep(&geometry, self.cache, version, &sweep, u64::MAX);
        let sum = |pick: fn(&CaseRead) -> u64| self.reads.iter().map(pick).sum::<u64>();
        let real = (sum(|read| read.2), sum(|read| read.3), sum(|read| read.4));
        let simulated = (counts.decodes, counts.driver_reads, counts.driver_bytes);
        (real != simulated)
            .then(|| format!("case {}, as a sweep: libhdf5 {real:?}, simulated {simulated:?}", self.number))
    }
}

/// Cases of a library at scale 1.
const CASES: usize = 2_000;

/// The number of the first case: another one tries other cases.
fn seed() -> u64 {
    std::env::var("HYPERSLAB_SIM_SEED")
        .map_or(1, |seed| seed.parse().expect("HYPERSLAB_SIM_SEED is a number"))
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libhdf5/validate.py")
}

/// Runs the cases of one library, with more arguments of the script. Fails where counts differ.
fn validate(
    python: &Path,
    library: Option<&str>,
    more: &[&str],
    cases: usize,
    seed: u64,
) -> Result<(), Missing> {
    let mut command = Command::new(python);
    command.arg(script()).args(["--cases", &cases.to_string(), "--seed", &seed.to_string()]).args(more);
    if let Some(library) = library {
        command.args(["--library", library]);
    }
    let out = command.output().expect("Python starts");
    assert!(out.status.success(), "validate.py failed: {}", String::from_utf8_lossy(&out.stderr));
    let (mut version, mut name) = (LibVersion::NEWEST, String::new());
    let (mut checked, mut reads) = (0, 0_u64);
    let mut mismatches = Vec::new();
    for line in String::from_utf8(out.stdout).expect("JSON is text").lines() {
        match serde_json::from_str(line).expect("a line of validate.py") {
            Line::Skip { skip } => return Err(Missing::new(skip)),
            Line::Library { library, path } => {
                version = library.parse().expect("a known version");
                name = format!("libhdf5 {library} ({path})");
            }
            Line::Case(case) => {
                checked += 1;
                reads += case.reads.len() as u64;
                mismatches.extend(case.mismatch(version));
            }
        }
    }
    let first: Vec<_> = mismatches.iter().take(10).collect();
    assert!(mismatches.is_empty(), "{name}: {} of {checked} cases differ: {first:#?}", mismatches.len());
    assert_eq!(checked, cases);
    println!("{name}: {checked} cases, {reads} reads, no mismatch");
    Ok(())
}

#[test]
fn every_count_equals_that_of_h5pys_libhdf5() {
    let python = require!(python());
    require!(validate(&python, None, &[], scale().of(CASES), seed()));
}

#[test]
fn every_count_equals_that_of_the_other_libraries_at_hand() {
    let python = require!(python());
    let out = Command::new(&python).arg(script()).arg("--list").output().expect("Python starts");
    let libraries = String::from_utf8_lossy(&out.stdout).into_owned();
    if libraries.trim().is_empty() {
        skip!("no libhdf5 beside that of h5py (pip install netCDF4)");
    }
    for library in libraries.lines() {
        require!(validate(&python, Some(library), &[], scale().of(CASES / 4), 7));
    }
}

#[test]
fn strided_reads_and_writes_cost_what_they_cost_the_libraries_at_hand() {
    let python = require!(python());
    require!(validate(&python, None, &["--patterns"], scale().of(500), seed()));
    let out = Command::new(&python).arg(script()).arg("--list").output().expect("Python starts");
    for library in String::from_utf8_lossy(&out.stdout).lines() {
        require!(validate(&python, Some(library), &["--patterns"], scale().of(200), 11));
    }
}
