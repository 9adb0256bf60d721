//! Hyperslab's own: a Parquet file with which the file is opened without reading its metadata.

use super::{Format, Writer};
use crate::Result;
use hyperslab::File;
use hyperslab_index::{FillMeaning, Omitted, write_native};
use std::fs;
use std::io::BufWriter;

/// The format.
pub(in crate::index) const FORMAT: Format = Format {
    name: "hyperslab",
    about: "Hyperslab's own: a Parquet file with which the file is opened without reading its metadata",
    ending: "hyperslab",
    combines: false,
    has_template: false,
    names_local_files_by_url: false,
    fill: FillMeaning::Value,
    writer: Writer::BinaryOfFile(write),
};

fn write(file: &File, url: &str, out: &mut fs::File) -> Result<Vec<Omitted>> {
    write_native(file, url, BufWriter::new(out))?;
    Ok(Vec::new())
}
