//! Kerchunk's references in Parquet: a folder that fsspec's `LazyReferenceMapper` reads piece by piece.
//!
//! ```text
//! refs.parq/.zmetadata            {"zarr_consolidated_format": 1, "metadata": {".zgroup": …, "tas/.zarray": …, "tas/.zattrs": …}, "record_size": 100000}
//! refs.parq/tas/refs.0.parq       rows 0 to 99,999 of the chunks in row-major order: path, offset, size, raw
//! refs.parq/tas/refs.1.parq       …
//! ```
//!
//! A row whose `path` and `raw` are null is a chunk that was never written; a file of such rows only is not written.

use crate::chunks::{Content, coordinates, number};
use crate::columns::{Column, Table};
use crate::model::{Array, Index};
use crate::zarr2;
use bytes::Bytes;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// The rows of a file: kerchunk's own default.
const RECORD_SIZE: u128 = 100_000;

/// Writes the references into an existing folder.
///
/// # Errors
/// Those of writing files.
pub fn write_kerchunk_parquet(index: &Index, folder: &Path) -> io::Result<()> {
    for array in &index.arrays {
        write_array(array, &index.files, &folder.join(&array.path))?;
    }
    let mut out = io::BufWriter::new(fs::File::create(folder.join(".zmetadata"))?);
    let metadata = zarr2::object(&zarr2::members(index));
    write!(out, "{{\"zarr_consolidated_format\":1,\"metadata\":{metadata},\"record_size\":{RECORD_SIZE}}}")?;
    out.flush()
}

fn write_array(array: &Array, files: &[String], folder: &Path) -> io::Result<()> {
    let counts = array.counts();
    let mut records = BTreeSet::new();
    array.chunks.visit(|coordinates, _| -> io::Result<()> {
        records.insert(number(coordinates, &counts) / RECORD_SIZE);
        Ok(())
    })?;
    fs::create_dir_all(folder)?;
    let all: u128 = counts.iter().fold(1, |all, &count| all.saturating_mul(count.into()));
    for record in records {
        let mut rows = Rows::default();
        for number in record * RECORD_SIZE..((record + 1) * RECORD_SIZE).min(all) {
            rows.push(array.chunks.get(&coordinates(number, &counts)), files);
        }
        let out = fs::File::create(folder.join(format!("refs.{record}.parq")))?;
        rows.table().write(out)?;
    }
    Ok(())
}

#[derive(Default)]
struct Rows {
    path: Vec<Option<Bytes>>,
    offset: Vec<i64>,
    size: Vec<i64>,
    raw: Vec<Option<Bytes>>,
}

impl Rows {
    fn push(&mut self, content: Option<Content<'_>>, files: &[String]) {
        let (path, offset, size, raw) = match content {
            Some(Content::Stored { file, offset, bytes }) => {
                // Offsets in files fit: file systems count with signed numbers, too.
                (Some(Bytes::copy_from_slice(files[file].as_bytes())), offset as i64, bytes as i64, None)
            }
            Some(Content::Inline(bytes)) => (None, 0, 0, Some(bytes.clone())),
            None => (None, 0, 0, None),
        };
        self.path.push(path);
        self.offset.push(offset);
        self.size.push(size);
        self.raw.push(raw);
    }

    fn table(self) -> Table {
        let mut columns = vec![
            ("path", Column::Text(self.path)),
            ("offset", Column::Long(self.offset)),
            ("size", Column::Long(self.size)),
        ];
        // A column of nulls only has no type for pandas.
        if self.raw.iter().any(Option::is_some) {
            columns.push(("raw", Column::Binary(self.raw)));
        }
        Table { columns }
    }
}
