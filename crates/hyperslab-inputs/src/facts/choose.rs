//! Chooses the datasets whose reads are simulated if the user names none: the largest of those that can be slow to read.
//! The storage of the others is checked, too.

use crate::Error;
use hyperslab::older::{Form, form};
use hyperslab::{Dataset, File, Object, Prefetch};
use hyperslab_doctor::Options;
use hyperslab_listing::traversal::{Item, Traversal};

/// The reads of at most this many datasets are simulated.
const DATASETS_MAX: usize = 6;
/// Smaller datasets are fast to read, unless they have very many chunks.
const BYTES_MIN: u64 = 1 << 20;

/// The datasets to examine, and remarks on the choice.
pub struct Chosen {
    /// Those that are examined.
    pub datasets: Vec<Dataset>,
    /// Those of which only the storage is checked.
    pub others: Vec<Dataset>,
    /// Those that have no data of their own in the file, or another rank than the requested reads.
    pub unfit: Vec<Dataset>,
    /// Remarks on the choice.
    pub notes: Vec<String>,
    /// Errors of datasets that could not be read and were therefore not considered.
    pub damaged: Vec<hyperslab::Error>,
}

impl Chosen {
    /// The dataset that the user named.
    pub fn one(dataset: Dataset) -> Self {
        Self::named(vec![dataset])
    }

    /// The datasets that the user named.
    pub fn named(datasets: Vec<Dataset>) -> Self {
        Self { datasets, others: Vec::new(), unfit: Vec::new(), notes: Vec::new(), damaged: Vec::new() }
    }

    /// Nothing, and a remark why.
    pub fn nothing(why: String) -> Self {
        Self { notes: vec![why], ..Self::named(Vec::new()) }
    }
}

/// The largest datasets of a file whose rank matches the requested reads; `None` if the file has no dataset at all.
///
/// # Errors
/// A file whose datasets do not match, and one that cannot be read.
pub fn datasets(file: &File, options: &Options) -> Result<Option<Chosen>, Error> {
    let (chosen, all) = if_any(file, options)?;
    if all == 0 && chosen.damaged.is_empty() {
        return Ok(None);
    }
    if chosen.datasets.is_empty()
        && all > 0
        && !(options.reads.is_empty() && options.writes.is_empty() && options.order.is_none())
    {
        let requested = if options.reads.is_empty() && !options.writes.is_empty() { "write" } else { "read" };
        let what = format!("{}: no dataset has as many dimensions as the requested {requested}", file.name());
        return Err(Error::wrong_request(what).hint("`hyperslab ls -r` shows the shapes"));
    }
    Ok(Some(chosen))
}

/// The same of a file that may have no such dataset; and the number of all its datasets.
pub fn if_any(file: &File, options: &Options) -> Result<(Chosen, usize), Error> {
    let prefetch = Prefetch { depth: 0, chunk_indexes: true, attributes: true };
    let (items, _) = Traversal::run(Object::Group(file.root()?), b"/", usize::MAX, prefetch);
    let mut damaged = Vec::new();
    let mut found: Vec<Dataset> = Vec::new();
    for item in items {
        match item {
            Item::Object { object: Object::Dataset(dataset), .. } => found.push(dataset),
            Item::Unopened { error, .. } | Item::BrokenLink { error, .. } => damaged.push(error),
            _ => {}
        }
    }
    let all = found.len();
    let (mut found, unfit): (Vec<Dataset>, _) = found.into_iter().partition(|dataset| fits(dataset, options));
    found.sort_by_key(|dataset| std::cmp::Reverse(dataset.logical_bytes()));
    let worth = found.iter().take_while(|dataset| dataset.logical_bytes() >= BYTES_MIN).count();
    // If all datasets are small, examine at least the largest.
    let detailed = if options.all { found.len() } else { worth.clamp(1, DATASETS_MAX).min(found.len()) };
    let others = found.split_off(detailed);
    let mut notes = Vec::new();
    if found.is_empty() && all > 0 {
        notes.push(
            "no dataset has chunks or contiguous data with values, so there are no reads to simulate"
                .to_owned(),
        );
    } else if all > found.len() {
        notes.push(format!(
            "examined the largest {} of {all} datasets read by read, of the others only how they are stored; name \
             another after the file, or use --all",
            found.len()
        ));
    }
    Ok((Chosen { datasets: found, others, unfit, notes, damaged }, all))
}

/// True if reading the dataset touches chunks or raw data, and its rank matches the requested reads and writes.
fn fits(dataset: &Dataset, options: &Options) -> bool {
    let rank = dataset.shape().len();
    dataset.elements() > 0
        && rank > 0
        && (matches!(dataset.layout_name(), "chunked" | "contiguous") || is_in_pieces(dataset))
        && options.reads.iter().chain(&options.writes).all(|block| block.shape.dims().len() == rank)
        && options.order.as_ref().is_none_or(|order| order.len() == rank)
}

/// True for values of an older format that its readers fetch or decode in pieces, whatever HDF5's word for them is.
fn is_in_pieces(dataset: &Dataset) -> bool {
    matches!(form(dataset), Ok(Some(Form::Stream(_) | Form::Blocks(_))))
}
