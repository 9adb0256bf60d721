//! The simulator against the real library: random datasets, caches and reads, every count equal.
//!
//! `libhdf5/validate.py` drives the libhdf5 of the h5py wheel with a counting filter and a counting `pread`; here its
//! cases are replayed. The test skips, and says so, where no Python with h5py is found: `HYPERSLAB_PYTHON`, else
//! `.venv/bin/python` in the workspace. `HYPERSLAB_SIM_CASES` sets the number of cases (2,000),
//! `HYPERSLAB_SIM_SEED` the first of them. Other libraries beside h5py (netCDF4's, PyTables', any listed in
//! `HYPERSLAB_LIBHDF5`) are asked too, for fewer cases.

use hyperslab_doctor::pattern::Sweep;
use hyperslab_doctor::simulate::{
    CacheSettings, ChunkCacheSim, ChunkedStorage, Geometry, LibVersion, ReadCounts, simulate_sweep,
};
use hyperslab_doctor::{ChunkMap, FillFacts, FillTime, StoredChunk};
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
}

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

    /// The first read whose counts differ, in words.
    fn mismatch(&self, version: LibVersion) -> Option<String> {
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

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn python() -> Option<PathBuf> {
    let named = std::env::var_os("HYPERSLAB_PYTHON").map(PathBuf::from);
    let python = named.unwrap_or_else(|| workspace_root().join(".venv/bin/python"));
    let has_h5py =
        Command::new(&python).args(["-c", "import h5py"]).output().is_ok_and(|out| out.status.success());
    has_h5py.then_some(python)
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libhdf5/validate.py")
}

/// Runs the cases of one library; the number of cases and of reads, or `None` where it cannot be asked.
fn validate(python: &Path, library: Option<&str>, cases: u64, seed: u64) -> Option<(String, u64, u64)> {
    let mut command = Command::new(python);
    command.arg(script()).args(["--cases", &cases.to_string(), "--seed", &seed.to_string()]);
    if let Some(library) = library {
        command.args(["--library", library]);
    }
    let out = command.output().expect("Python starts");
    assert!(out.status.success(), "validate.py failed: {}", String::from_utf8_lossy(&out.stderr));
    let (mut version, mut name) = (LibVersion::NEWEST, String::new());
    let (mut checked, mut reads) = (0, 0);
    let mut mismatches = Vec::new();
    for line in String::from_utf8(out.stdout).expect("JSON is text").lines() {
        match serde_json::from_str(line).expect("a line of validate.py") {
            Line::Skip { skip } => {
                println!("skipped: {skip}");
                return None;
            }
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
    Some((name, checked, reads))
}

#[test]
fn every_count_equals_that_of_h5pys_libhdf5() {
    let Some(python) = python() else {
        println!("skipped: no Python with h5py (set HYPERSLAB_PYTHON, or make .venv in the workspace)");
        return;
    };
    let (cases, seed) = (number("HYPERSLAB_SIM_CASES", 2_000), number("HYPERSLAB_SIM_SEED", 1));
    if let Some((name, cases, reads)) = validate(&python, None, cases, seed) {
        println!("{name}: {cases} cases, {reads} reads, no mismatch");
    }
}

#[test]
fn every_count_equals_that_of_the_other_libraries_at_hand() {
    let Some(python) = python() else {
        println!("skipped: no Python with h5py");
        return;
    };
    let out = Command::new(&python).arg(script()).arg("--list").output().expect("Python starts");
    let cases = number("HYPERSLAB_SIM_CASES", 2_000).div_ceil(4);
    for library in String::from_utf8_lossy(&out.stdout).lines() {
        if let Some((name, cases, reads)) = validate(&python, Some(library), cases, 7) {
            println!("{name}: {cases} cases, {reads} reads, no mismatch");
        }
    }
}
