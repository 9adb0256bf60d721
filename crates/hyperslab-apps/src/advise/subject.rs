//! What there is advice on: a file, or data that do not exist yet.

use super::request::{MadeUp, Request};
use crate::made_up::shape as made_up_shape;
use crate::{Error, Result, files};
use hyperslab::File;
use hyperslab_engines::Element;
use hyperslab_measure::data::{Synthetic, made_file};
use std::path::PathBuf;

/// The name of the file and of the dataset of data that do not exist yet, in the lines that make them.
const NEW_FILE: &str = "new.h5";
const NEW_DATASET: &str = "data";
/// The seed of made-up values: there is no reason for others.
const SEED: u64 = 1;

/// A file that is open; for data that do not exist yet, one of made-up values.
pub(super) struct Subject {
    pub(super) path: PathBuf,
    pub(super) file: File,
}

impl Subject {
    /// Opens the file, or makes the values up.
    pub(super) fn of(request: &Request) -> Result<Self> {
        match (&request.file, &request.made_up) {
            (_, Some(values)) => Ok(Self { path: PathBuf::from(NEW_FILE), file: made_up(values)? }),
            (Some(path), None) => Ok(Self { path: path.clone(), file: files::look(path)? }),
            (None, None) => Err(Error::wrong_request("no file is named")),
        }
    }
}

fn made_up(MadeUp { shape, element, ratio }: &MadeUp) -> Result<File> {
    let wrong =
        |problem: String| Error::wrong_request(format!("--synthetic {shape} --type {element}: {problem}"));
    let of: Element = element.parse().map_err(wrong)?;
    let values = Synthetic::with_ratio(&made_up_shape(shape)?, of, *ratio, SEED);
    made_file(values, NEW_FILE, NEW_DATASET).map_err(|problem| wrong(problem.to_string()))
}
