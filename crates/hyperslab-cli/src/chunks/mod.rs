//! `hyperslab chunks`: lists the chunks of datasets: offset, address, stored size, filter mask.
//!
//! ```text
//! datasets ──► chunk index, in batches ──► rows, written batch by batch ──► table or CSV
//!          └─► chunk maps ──► one JSON document
//! ```

mod csv;
mod json;
mod rows;
mod table;

use crate::args::ChunksArgs;
use crate::failure::{self, Failure, one_line};
use hyperslab::{Dataset, Error, File, Object, Prefetch};
use hyperslab_apps::files;
use hyperslab_listing::object_paths::text_of;
use hyperslab_listing::traversal::{Item, Traversal};
use rows::{RowWriter, RowsError};
use std::io::Write;

/// Runs the command.
pub(crate) fn run(args: &ChunksArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let file = files::look(&args.file)?;
    let listed = Listed::find(&file, &args.path)?;
    let mut errors = listed.errors;
    if args.json {
        errors.extend(json::write(&file, &listed.datasets, out)?);
    } else {
        let mut writer: Box<dyn RowWriter> =
            if args.csv { Box::new(csv::Csv::default()) } else { Box::new(table::Table::new(&file)) };
        out.write_all(writer.head().as_bytes())?;
        for (path, dataset) in &listed.datasets {
            match rows::write(path, dataset, &mut *writer, out) {
                Ok(()) => {}
                Err(RowsError::Output(error)) => return Err(error.into()),
                Err(RowsError::Index(error)) => errors.push(error),
            }
        }
    }
    if errors.is_empty() {
        return Ok(failure::DONE);
    }
    out.flush()?;
    for error in &errors {
        // If even this cannot be written, there is nowhere left to report it.
        let _ = writeln!(err, "error: {}", one_line(&error.to_string()));
    }
    Ok(failure::UNREADABLE)
}

/// The datasets to list.
struct Listed {
    /// Chunked datasets with their paths, as the bytes in the file.
    datasets: Vec<(Vec<u8>, Dataset)>,
    /// The errors of objects that could not be opened.
    errors: Vec<Error>,
}

impl Listed {
    /// The dataset at `path`, or all chunked datasets in the group at `path` and below it.
    fn find(file: &File, path: &str) -> Result<Self, Failure> {
        let start = hyperslab_netcdf::find_object(file, path)?;
        let path = match start.path() {
            path if path.starts_with('/') => path.to_owned(),
            path => format!("/{path}"),
        };
        if let Object::Dataset(dataset) = start {
            return match dataset.chunk_shape() {
                Some(_) => Ok(Self { datasets: vec![(path.into_bytes(), dataset)], errors: Vec::new() }),
                None => Err(not_chunked(file, &path, &dataset)),
            };
        }
        let prefetch = Prefetch { depth: 0, chunk_indexes: true, attributes: false };
        let (items, _) = Traversal::run(start, path.as_bytes(), usize::MAX, prefetch);
        let mut listed = Self { datasets: Vec::new(), errors: Vec::new() };
        for item in items {
            match item {
                Item::Object { path, object: Object::Dataset(dataset), .. } => {
                    if dataset.chunk_shape().is_some() {
                        listed.datasets.push((path, dataset));
                    }
                }
                Item::Object { .. } | Item::Alias { .. } | Item::Link { .. } => {}
                Item::Unopened { path, error } | Item::BrokenLink { path, error } => {
                    let path = text_of(&path);
                    listed.errors.push(error.in_file(file.name()).at_object(path));
                }
            }
        }
        Ok(listed)
    }
}

fn not_chunked(file: &File, path: &str, dataset: &Dataset) -> Failure {
    let (file, layout) = (file.name(), dataset.layout_name());
    Failure::wrong_request(format!("{file}: {path}: the layout is {layout}, so the dataset has no chunks"))
        .hint("`hyperslab ls -r FILE` shows which datasets are chunked")
}
