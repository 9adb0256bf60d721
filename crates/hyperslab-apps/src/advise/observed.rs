//! The reads that a program made of the datasets of a file: `--reads-from`, a file of JSON lines.
//!
//! ```text
//! {"dataset": "/t2m", "shape": [1, 361, 720]}
//! {"dataset": "/t2m", "shape": [1460, 1, 1], "count": 200}
//! {"dataset": "/t2m", "shape": [1, 64, 64], "count": 5000, "order": "random"}
//! {"dataset": "/t2m", "shape": [1, 361, 720], "step": [1, 2, 2], "order": [0, 1, 2]}
//! ```
//!
//! `shape` is the extent of the block that a call reads, `count` how many such calls there were, 1 if it is missing; `order`
//! lists the dimensions, slowest first, or is `random`; of a block, every `step`-th element is read. Other members are
//! ignored. A read weighs as many times as its calls would have read the whole dataset.

use crate::Error;
use hyperslab::Dataset;
use hyperslab_advise::UsualRead;
use hyperslab_storage::pattern::{Placement, RandomPlaces};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// At most so many different blocks of a dataset count,
const BLOCKS_MAX: usize = 8;
/// and only those that read at least this share of all that is read of it.
const SHARE_MIN: f64 = 0.01;

#[derive(Deserialize)]
struct Line {
    dataset: String,
    shape: Vec<u64>,
    #[serde(default = "once")]
    count: u64,
    #[serde(default)]
    order: Option<Order>,
    #[serde(default)]
    step: Option<Vec<u64>>,
}

/// In which order the blocks were read.
#[derive(Deserialize)]
#[serde(untagged)]
enum Order {
    Sweep(Vec<usize>),
    Named(String),
}

/// The seed of places that only are said to be random.
const SEED: u64 = 1;

fn once() -> u64 {
    1
}

/// Where the blocks of a line lie.
fn placement(
    shape: &[u64],
    count: u64,
    order: Option<Order>,
    step: Option<Vec<u64>>,
) -> Result<Placement, String> {
    if step.as_ref().is_some_and(|step| step.len() != shape.len() || step.contains(&0)) {
        return Err("\"step\" has a number of at least 1 for each dimension".to_owned());
    }
    let (order, random) = match order {
        None => (None, None),
        Some(Order::Sweep(order)) => {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted != (0..shape.len()).collect::<Vec<_>>() {
                return Err("\"order\" names each dimension once, slowest first, or is \"random\"".to_owned());
            }
            (Some(order), None)
        }
        Some(Order::Named(name)) if name == "random" => (None, Some(RandomPlaces { count, seed: SEED })),
        Some(Order::Named(name)) => {
            return Err(format!("the order {name:?} is not known; there is \"random\""));
        }
    };
    Ok(Placement { order, step, random })
}

/// The reads of a program.
#[derive(Debug)]
pub(super) struct Observed {
    path: PathBuf,
    /// Calls by dataset and block.
    calls: BTreeMap<String, BTreeMap<(Vec<u64>, Placement), u64>>,
}

impl Observed {
    /// Reads the file.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::unreadable(format!("--reads-from {}: {error}", path.display())))?;
        let mut observed = Self { path: path.to_owned(), calls: BTreeMap::new() };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |what: String| observed.wrong(&format!("line {}: {what}", number + 1));
            let Line { dataset, shape, count, order, step } =
                serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            let placement = placement(&shape, count, order, step).map_err(wrong)?;
            let path = format!("/{}", dataset.trim_start_matches('/'));
            let calls = observed.calls.entry(path).or_default().entry((shape, placement)).or_default();
            *calls = calls.saturating_add(count);
        }
        if observed.calls.is_empty() {
            return Err(observed.wrong("it has no line"));
        }
        Ok(observed)
    }

    /// The datasets that were read.
    pub(super) fn datasets(&self) -> impl Iterator<Item = &str> {
        self.calls.keys().map(String::as_str)
    }

    /// The reads of a dataset, those that read most of it first.
    pub(super) fn reads(&self, dataset: &Dataset) -> Result<Vec<UsualRead>, Error> {
        let shape = dataset.shape();
        let Some(calls) = self.calls.get(dataset.path()) else {
            return Err(self.wrong(&format!("it has no read of {}", dataset.path())));
        };
        let elements = shape.iter().map(|dim| *dim as f64).product::<f64>().max(1.0);
        let mut reads: Vec<UsualRead> = Vec::new();
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
            match reads.iter_mut().find(|read| read.block == block && read.placement == *placement) {
                Some(same) => same.weight += weight,
                None => {
                    let read = UsualRead::requested(&block, weight);
                    reads.push(read.placed(shape, placement.clone()));
                }
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
        Error::wrong_request(format!("--reads-from {}: {what}", self.path.display()))
            .hint("a line is {\"dataset\": \"/t2m\", \"shape\": [1, 361, 720], \"count\": 365}")
    }
}
