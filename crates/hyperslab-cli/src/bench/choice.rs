//! The dataset that is measured where the user names none: the largest. The others are listed.

use super::arguments::BenchArgs;
use crate::failure::{Failure, one_line};
use crate::size;
use hyperslab::Dataset;
use hyperslab_apps::facts::choose;
use hyperslab_apps::files;
use hyperslab_doctor::Options;
use hyperslab_listing::dtype;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::counted_text;
use std::borrow::Cow;
use std::io::Write;

/// The most datasets that are listed.
const LISTED_MAX: usize = 12;

/// The arguments with a dataset, if they name a file; and the list of its datasets on `err`, if it has several.
pub(super) fn with_dataset<'a>(
    args: &'a BenchArgs,
    err: &mut dyn Write,
) -> Result<Cow<'a, BenchArgs>, Failure> {
    let (Some(path), None) = (&args.file, &args.dataset) else { return Ok(Cow::Borrowed(args)) };
    let file = files::open(path)?;
    let (chosen, all) = choose::if_any(&file, &Options { all: true, ..Options::default() })?;
    let Some(largest) = chosen.datasets.first() else {
        let message = format!("{}: there is no dataset with values to read", files::shown(path));
        return Err(Failure::wrong_request(message).hint("`hyperslab ls -r` lists what the file contains"));
    };
    if all > 1 {
        let _ = err.write_all(list(&chosen.datasets, all).as_bytes());
    }
    Ok(Cow::Owned(BenchArgs { dataset: Some(largest.path().to_owned()), ..args.clone() }))
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
