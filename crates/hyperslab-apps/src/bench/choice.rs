//! The dataset that is measured where the user names none: the largest. The others are listed.

use super::Request;
use crate::error::one_line;
use crate::facts::choose;
use crate::{Error, Result, files};
use hyperslab::Dataset;
use hyperslab_doctor::Options;
use hyperslab_inputs::observed::Observed;
use hyperslab_listing::dtype;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::{counted_text, size};
use std::borrow::Cow;
use std::path::Path;

/// The most datasets that are listed.
const LISTED_MAX: usize = 12;

/// The dataset of which a program read most.
fn most_read(path: &Path, trace: &Path) -> Result<String> {
    let file = files::open(path)?;
    let observed = Observed::read(trace, path)?;
    let found = observed.datasets().filter_map(|name| {
        let dataset = file.dataset(name).ok()?;
        Some((observed.elements(name) * dataset.datatype().size as f64, dataset.path().to_owned()))
    });
    let most = found.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name);
    most.ok_or_else(|| {
        Error::wrong_request(format!("{}: it has none of the datasets that were read", files::shown(path)))
    })
}

/// The request with a dataset, if it names a file; and the list of its datasets, if it has several.
pub(super) fn with_dataset(request: &Request) -> Result<(Cow<'_, Request>, Option<String>)> {
    let (Some(path), None) = (&request.file, &request.dataset) else {
        return Ok((Cow::Borrowed(request), None));
    };
    if let Some(trace) = &request.reads_from {
        let dataset = Some(most_read(path, trace)?);
        return Ok((Cow::Owned(Request { dataset, ..request.clone() }), None));
    }
    let file = files::open(path)?;
    let (chosen, all) = choose::if_any(&file, &Options { all: true, ..Options::default() })?;
    let Some(largest) = chosen.datasets.first() else {
        let message = format!("{}: there is no dataset with values to read", files::shown(path));
        return Err(Error::wrong_request(message).hint("`hyperslab ls -r` lists what the file contains"));
    };
    let listed = (all > 1).then(|| list(&chosen.datasets, all));
    let dataset = Some(largest.path().to_owned());
    Ok((Cow::Owned(Request { dataset, ..request.clone() }), listed))
}

/// The datasets, the largest first, which is measured.
fn list(datasets: &[Dataset], all: usize) -> String {
    let line = |dataset: &Dataset| {
        let (shape, bytes) = (shape_text(dataset.shape()), size::bytes(dataset.logical_bytes()));
        format!("  {}  {shape} {}, {bytes}\n", one_line(dataset.path()), dtype::short(dataset.datatype()))
    };
    let mut text = format!(
        "measuring the largest of {}; name another after the file to measure that:\n",
        counted_text(all as u64, "dataset")
    );
    text.extend(datasets.iter().take(LISTED_MAX).map(line));
    if all > LISTED_MAX {
        text.push_str("  ... (`hyperslab ls -r` lists all)\n");
    }
    text
}
