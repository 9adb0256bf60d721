//! kerchunk in Parquet: the same references, in a folder.

use super::{Format, Writer};
use crate::Result;
use crate::index::place::failed;
use hyperslab_index::{FillMeaning, Index, Omitted, write_kerchunk_parquet};
use std::path::Path;

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "kerchunk-parquet",
    about: "The same references in Parquet: a folder that fsspec reads piece by piece",
    ending: "parq",
    combines: true,
    has_template: false,
    names_local_files_by_url: false,
    fill: FillMeaning::Mask,
    writer: Writer::Folder(write),
};

fn write(index: &Index, target: &Path, made: &Path) -> Result<Vec<Omitted>> {
    write_kerchunk_parquet(index, made).map_err(|error| failed(target, &error))?;
    Ok(Vec::new())
}
