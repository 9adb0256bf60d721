//! What there is advice on: a file, or data that do not exist yet.

use super::arguments::AdviseArgs;
use crate::failure::Failure;
use crate::location;
use hyperslab::File;
use hyperslab_doctor::DoctorError;
use hyperslab_doctor::pattern::{BlockDim, BlockShape};
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
                let file = made_file(values(args, shape)?, NEW_FILE, NEW_DATASET).map_err(|problem| {
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

fn values(args: &AdviseArgs, text: &str) -> Result<Synthetic, Failure> {
    let wrong = |problem: &str| {
        Failure::wrong_request(format!("--synthetic {text}: {problem}"))
            .hint("a shape is the size of each dimension, such as 365x721x1440")
    };
    let shape: BlockShape = text.parse().map_err(|error| match error {
        DoctorError::ReadShape { problem, .. } => wrong(&problem),
        other => wrong(&other.to_string()),
    })?;
    let whole = |dim: &BlockDim| match dim {
        BlockDim::Elements(count) => Some(*count).filter(|count| *count > 0),
        _ => None,
    };
    let dims: Option<Vec<u64>> = shape.dims().iter().map(whole).collect();
    let dims = dims.ok_or_else(|| wrong("each dimension is a number, at least 1"))?;
    Ok(Synthetic::with_ratio(&dims, args.element, args.ratio, SEED))
}
