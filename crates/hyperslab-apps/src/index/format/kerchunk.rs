//! kerchunk: references of Zarr arrays into files, as JSON.

use super::{Format, Writer};
use crate::index::urls::common_folder;
use crate::{Error, Result};
use hyperslab_index::{FillMeaning, Index, Omitted, write_kerchunk};
use std::io::Write;

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "kerchunk",
    about: "References of kerchunk, version 1: a JSON document for fsspec",
    ending: "json",
    combines: true,
    has_template: true,
    names_local_files_by_url: false,
    fill: FillMeaning::Mask,
    writer: Writer::Text(write),
};

fn write(index: &Index, is_template: bool, out: &mut dyn Write) -> Result<Vec<Omitted>> {
    let template = if is_template { common_folder(&index.files) } else { "" };
    write_kerchunk(index, template, out).map_err(|error| Error::output(&error))?;
    Ok(Vec::new())
}
