//! The reads that a program made of the datasets of a file: `--reads-from`, a trace, one of its files, or JSON lines of any program.
//!
//! ```text
//! {"dataset": "/t2m", "shape": [1, 361, 720]}
//! {"dataset": "/t2m", "shape": [1460, 1, 1], "count": 200}
//! {"dataset": "/t2m", "shape": [1, 64, 64], "count": 5000, "order": "random"}
//! {"dataset": "/t2m", "shape": [1, 361, 720], "step": [1, 2, 2], "order": [0, 1, 2]}
//! {"dataset": "/t2m", "file": "/data/era5.nc", "shape": [1, 361, 720]}
//! ```
//!
//! `shape` is the extent of the block that a call reads, `count` how many such calls there were, 1 if it is missing; `order`
//! lists the dimensions, slowest first, or is `random` or `repeat`; of a block, every `step`-th element is read. Where a line names
//! a file, it is for that file alone, by its inode or its path. Other members are ignored. A read weighs as many times as its calls
//! would have read the whole dataset.

use crate::{Error, Result};
use hyperslab::Dataset;
use hyperslab_storage::pattern::{BlockShape, Placement, RequestedRead};
use hyperslab_trace::{Trace, TraceError, TracedPattern};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// At most so many different blocks of a dataset count,
const BLOCKS_MAX: usize = 8;
/// and only those that read at least this share of all that is read of it.
const SHARE_MIN: f64 = 0.01;

/// The reads of a program.
#[derive(Debug)]
pub struct Observed {
    path: PathBuf,
    /// Calls by dataset and block.
    calls: BTreeMap<String, BTreeMap<(Vec<u64>, Placement), u64>>,
}

impl Observed {
    /// Reads the lines about a file, or about no file.
    ///
    /// # Errors
    /// What cannot be read, lines that are none, and no line about this file.
    pub fn read(path: &Path, file: &Path) -> Result<Self> {
        let trace = Trace::read(path).map_err(|error| match &error {
            TraceError::Unreadable { .. } => Error::unreadable(format!("--reads-from {error}")),
            TraceError::Line { line, problem, .. } => wrong(path, &format!("line {line}: {problem}")),
            TraceError::Empty { .. } => wrong(path, "it has no line"),
        })?;
        let of_file = Identity::of(file);
        let mut observed = Self { path: path.to_owned(), calls: BTreeMap::new() };
        let mut others = 0;
        for (number, pattern) in trace.patterns.into_iter().enumerate() {
            if pattern.write {
                continue;
            }
            if !of_file.is_of(&pattern) {
                others += 1;
                continue;
            }
            let placement = pattern
                .placement()
                .map_err(|problem| wrong(path, &format!("line {}: {problem}", number + 1)))?;
            let dataset = format!("/{}", pattern.dataset.trim_start_matches('/'));
            let calls =
                observed.calls.entry(dataset).or_default().entry((pattern.shape, placement)).or_default();
            *calls = calls.saturating_add(pattern.count);
        }
        if observed.calls.is_empty() {
            let what = format!("it has no read of {}", file.display());
            return Err(wrong(path, if others > 0 { &what } else { "it has no line" }));
        }
        Ok(observed)
    }

    /// The datasets that were read.
    pub fn datasets(&self) -> impl Iterator<Item = &str> {
        self.calls.keys().map(String::as_str)
    }

    /// How many elements of a dataset were read, counted again at each read.
    pub fn elements(&self, dataset: &str) -> f64 {
        let calls = self.calls.get(dataset).into_iter().flatten();
        calls
            .map(|((block, _), count)| block.iter().map(|len| *len as f64).product::<f64>() * *count as f64)
            .sum()
    }

    /// The reads of a dataset, those that read most of it first.
    ///
    /// # Errors
    /// None that fits it.
    pub fn reads(&self, dataset: &Dataset) -> Result<Vec<RequestedRead>> {
        let shape = dataset.shape();
        let Some(calls) = self.calls.get(dataset.path()) else {
            return Err(self.wrong(&format!("it has no read of {}", dataset.path())));
        };
        let elements = shape.iter().map(|dim| *dim as f64).product::<f64>().max(1.0);
        let mut reads: Vec<RequestedRead> = Vec::new();
        for ((block, placement), count) in calls {
            if block.len() != shape.len() {
                let (given, rank) = (block.len(), shape.len());
                let what = format!("a read of {given} dimensions, but {} has {rank}", dataset.path());
                return Err(self.wrong(&what));
            }
            let block: Vec<u64> = block.iter().zip(shape).map(|(len, dim)| (*len).min(*dim)).collect();
            if block.contains(&0) {
                continue;
            }
            let read = block.iter().map(|len| *len as f64).product::<f64>();
            // Reads at random places are simulated as often as they were made, sweeps once over the whole dataset.
            let weight = match placement.random {
                Some(_) => 1.0,
                None => read * *count as f64 / elements,
            };
            let shape = BlockShape::of_elements(&block);
            match reads.iter_mut().find(|read| read.shape == shape && read.placement == *placement) {
                Some(same) => same.weight += weight,
                None => reads.push(RequestedRead { shape, weight, placement: placement.clone() }),
            }
        }
        reads.retain(|read| read.weight > 0.0);
        reads.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let all: f64 = reads.iter().map(|read| read.weight).sum();
        reads.retain(|read| read.weight >= SHARE_MIN * all);
        reads.truncate(BLOCKS_MAX);
        // Shares that are easily read.
        for read in &mut reads {
            read.weight = (read.weight / all * 1000.0).round().max(1.0) / 1000.0;
        }
        if reads.is_empty() {
            return Err(self.wrong(&format!("it has no read of an element of {}", dataset.path())));
        }
        Ok(reads)
    }

    fn wrong(&self, what: &str) -> Error {
        wrong(&self.path, what)
    }
}

fn wrong(path: &Path, what: &str) -> Error {
    Error::wrong_request(format!("--reads-from {}: {what}", path.display()))
        .hint("a line is {\"dataset\": \"/t2m\", \"shape\": [1, 361, 720], \"count\": 365}")
}

/// Which file is meant.
struct Identity {
    inode: Option<[u64; 2]>,
    path: Option<PathBuf>,
}

impl Identity {
    fn of(file: &Path) -> Self {
        #[cfg(unix)]
        let inode = {
            use std::os::unix::fs::MetadataExt;
            file.metadata().ok().map(|status| [status.dev(), status.ino()])
        };
        #[cfg(not(unix))]
        let inode = None;
        Self { inode, path: file.canonicalize().ok() }
    }

    fn is_of(&self, pattern: &TracedPattern) -> bool {
        let Some(file) = &pattern.file else { return true };
        if pattern.inode.is_some() && pattern.inode == self.inode {
            return true;
        }
        // A file that was replaced since, or is on another machine, has another inode there.
        self.path.is_some() && Path::new(file).canonicalize().ok() == self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_gives_the_reads_of_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (folder.path().join("here.h5"), folder.path().join("there.h5"));
        std::fs::write(&here, "").unwrap();
        std::fs::write(&there, "").unwrap();
        let lines = folder.path().join("lines.jsonl");
        let line = |dataset: &str, file: &Path| {
            format!("{{\"dataset\": \"{dataset}\", \"file\": \"{}\", \"shape\": [1, 2]}}\n", file.display())
        };
        let text = line("/a", &here) + &line("/b", &there) + "{\"dataset\": \"c\", \"shape\": [3]}\n";
        std::fs::write(&lines, text).unwrap();
        let of = |file: &Path| -> Vec<String> {
            Observed::read(&lines, file).unwrap().datasets().map(str::to_owned).collect()
        };
        assert_eq!(of(&here), ["/a", "/c"]);
        assert_eq!(of(&there), ["/b", "/c"]);
        std::fs::write(&lines, line("/b", &there)).unwrap();
        let error = Observed::read(&lines, &here).unwrap_err();
        assert!(error.message.contains("it has no read of"), "{}", error.message);
    }
}
