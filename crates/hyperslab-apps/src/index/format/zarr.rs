//! Zarr 3: a hierarchy of metadata, and a manifest of the chunks of each array.

use super::{Format, Writer};
use crate::Result;
use crate::index::place::failed;
use hyperslab_index::{FillMeaning, Index, Omitted, write_zarr};
use std::path::Path;

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "zarr",
    about: "Zarr 3: a folder with metadata, and a manifest of the chunks of each array",
    ending: "zarr",
    combines: true,
    has_template: false,
    names_local_files_by_url: true,
    fill: FillMeaning::Value,
    writer: Writer::Folder(write),
};

fn write(index: &Index, target: &Path, made: &Path) -> Result<Vec<Omitted>> {
    write_zarr(index, made).map_err(|error| failed(target, &error))
}
