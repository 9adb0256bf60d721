//! What there is advice on: a file, or data that do not exist yet.

use super::arguments::AdviseArgs;
use crate::failure::Failure;
use crate::location;
use crate::made_up;
use hyperslab::File;
use hyperslab_measure::data::{Synthetic, made_file};
use std::path::{Path, PathBuf};

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
    pub(super) fn of(args: &AdviseArgs) -> Result<Self, Failure> {
        match (&args.file, &args.synthetic) {
            (_, Some(shape)) => {
                let values = Synthetic::with_ratio(&made_up::shape(shape)?, args.element, args.ratio, SEED);
                let file = made_file(values, NEW_FILE, NEW_DATASET).map_err(|problem| {
                    Failure::wrong_request(format!("--synthetic {shape} --type {}: {problem}", args.element))
                })?;
                Ok(Self { path: PathBuf::from(NEW_FILE), file })
            }
            (Some(path), None) => Ok(Self { path: path.clone(), file: location::open(path)? }),
            (None, None) => Err(Failure::wrong_request("no file is named".to_owned())),
        }
    }

    /// The words of a command line that name it.
    pub(super) fn words(args: &AdviseArgs) -> Vec<String> {
        match &args.synthetic {
            Some(shape) => [
                ("--synthetic", shape.clone()),
                ("--type", args.element.to_string()),
                ("--ratio", args.ratio.to_string()),
            ]
            .into_iter()
            .flat_map(|(option, value)| [option.to_owned(), value])
            .collect(),
            None => vec![location::shown(args.file.as_deref().unwrap_or(Path::new("")))],
        }
    }
}
