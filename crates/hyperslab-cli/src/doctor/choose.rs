//! Which datasets are examined where none is named: the largest of those that can be slow at all.

use crate::failure::Failure;
use crate::walk::{Item, Walk};
use hyperslab::{Dataset, Error, File, Object};
use hyperslab_doctor::Options;

/// More datasets than this are not examined unasked.
const DATASETS_MAX: usize = 6;
/// Smaller datasets are read in no time, however they are stored.
const BYTES_MIN: u64 = 1 << 20;

/// What is examined, and what there is to say of the choice.
pub(super) struct Chosen {
    pub datasets: Vec<Dataset>,
    pub notes: Vec<String>,
    /// What could not be read, so that it was not there to choose.
    pub damaged: Vec<Error>,
}

impl Chosen {
    /// The dataset that was asked for.
    pub fn one(dataset: Dataset) -> Self {
        Self { datasets: vec![dataset], notes: Vec::new(), damaged: Vec::new() }
    }
}

/// The largest datasets of a file, of a rank that the question fits.
pub(super) fn datasets(file: &File, options: &Options) -> Result<Chosen, Failure> {
    let (items, _) = Walk::run(Object::Group(file.root()?), b"/", usize::MAX);
    let mut damaged = Vec::new();
    let mut found: Vec<Dataset> = Vec::new();
    for item in items {
        match item {
            Item::Object { object: Object::Dataset(dataset), .. } => found.push(dataset),
            Item::Unopened { error, .. } | Item::BrokenLink { error, .. } => damaged.push(error),
            _ => {}
        }
    }
    if found.is_empty() && damaged.is_empty() {
        return Err(Failure::wrong_request(format!("{}: there is no dataset in this file", file.name())));
    }
    let all = found.len();
    found.retain(|dataset| fits(dataset, options));
    if found.is_empty() && all > 0 && !(options.reads.is_empty() && options.order.is_none()) {
        let what = format!("{}: no dataset has as many dimensions as was asked for", file.name());
        return Err(Failure::wrong_request(what).hint("`hyperslab ls -r` shows the shapes"));
    }
    found.sort_by_key(|dataset| std::cmp::Reverse(dataset.logical_bytes()));
    let worth = found.iter().take_while(|dataset| dataset.logical_bytes() >= BYTES_MIN).count();
    // In a file of small datasets the largest of them says at least that all is well.
    found.truncate(worth.clamp(1, DATASETS_MAX));
    let mut notes = Vec::new();
    if all > found.len() {
        let rest = all - found.len();
        notes.push(format!(
            "{rest} of {all} datasets were not examined, the others are larger; name one to examine it"
        ));
    }
    Ok(Chosen { datasets: found, notes, damaged })
}

/// True where reads of the dataset touch chunks or raw data, and have the rank that was asked for.
fn fits(dataset: &Dataset, options: &Options) -> bool {
    let rank = dataset.shape().len();
    dataset.elements() > 0
        && rank > 0
        && matches!(dataset.layout_name(), "chunked" | "contiguous")
        && options.reads.iter().all(|read| read.dims().len() == rank)
        && options.order.as_ref().is_none_or(|order| order.len() == rank)
}
