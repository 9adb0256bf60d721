//! Writing an index: the chunks of all datasets, then the bytes of all metadata.

use super::{COLUMNS, Document, FORMAT_VERSION, IndexedDataset, KEY, RowDigest};
use crate::columns::{Column, Table, TableWriter};
use hyperslab::hdf5::{extents, metadata_extents};
use hyperslab::{Bytes, Dataset, Error, File, LinkTarget, Object, Prefetch, Result};
use hyperslab_io::wrap::Recorder;
use hyperslab_netcdf::Netcdf;
use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;
use std::time::SystemTime;

/// So many bytes of the beginning of a file are in its index.
const BEGINNING_BYTES: u64 = 512;
/// The rows of a row group.
const GROUP_ROWS: usize = 1 << 16;

/// Writes the index of a file. `url` is where the file lies.
///
/// # Errors
/// Those of reading the file and of writing; [`ErrorKind::Unsupported`](hyperslab::ErrorKind::Unsupported) for files of
/// several members and for grids of 2⁶³ chunks.
pub fn write_native(file: &File, url: &str, out: impl Write + Send) -> Result<()> {
    if let Some(driver) = file.driver() {
        let what = format!("a file of the driver {} consists of several files", driver.name());
        return Err(Error::unsupported(what).in_file(file.name()));
    }
    file.root()?.prefetch(&Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: true });
    let (is_hdf5, source_bytes) = (file.named_dimensions().is_none(), file.source().len());
    let mut rows = Rows::new(out)?;
    let mut datasets = Vec::new();
    for (object, dataset) in chunked_datasets(file)? {
        let map = dataset.chunk_map()?;
        // A chunk in several blocks has no place of its own: its reader looks for it again.
        if !is_hdf5 && map.iter().any(|(_, location)| location.is_outside(source_bytes)) {
            continue;
        }
        let path: Bytes = dataset.path().to_owned().into();
        for (number, location) in map.iter() {
            let number = i64::try_from(number).map_err(|_| {
                Error::unsupported("its grid has more than 2^63 chunks")
                    .at_object(dataset.path())
                    .in_file(file.name())
            })?;
            let (offset, size) = (location.address as i64, location.stored_bytes as i64);
            rows.push(Some(&path), [number, offset, size, location.filter_mask.into()], None)?;
        }
        datasets.push(IndexedDataset {
            path: dataset.path().to_owned(),
            object,
            shape: dataset.shape().to_vec(),
            chunk_shape: map.grid().chunk_shape().to_vec(),
            chunks: map.len() as u64,
        });
    }
    let structures = match is_hdf5 {
        true => {
            let mut structures = metadata_extents(file, read_metadata)?;
            structures.insert(0, beginning(file)?);
            structures
        }
        false => structures(file)?,
    };
    for (offset, bytes) in &structures {
        rows.push(None, [-1, *offset as i64, bytes.len() as i64, 0], Some(bytes.clone()))?;
    }
    let version = file.source().version();
    let modified = version.as_ref().and_then(|version| version.modified);
    let since = modified.and_then(|modified| modified.duration_since(SystemTime::UNIX_EPOCH).ok());
    let document = Document {
        version: FORMAT_VERSION,
        url: url.to_owned(),
        len: file.len(),
        modified: since.map(|since| (since.as_secs(), since.subsec_nanos())),
        tag: version.and_then(|version| version.tag),
        format: (!is_hdf5).then(|| file.format_word().to_owned()),
        datasets,
        extents: structures.len() as u64,
        sha256: String::new(),
    };
    rows.finish(document)
}

/// The first bytes after the user block: with them, a copy of the file is recognised.
fn beginning(file: &File) -> Result<(u64, Bytes)> {
    let start = file.userblock_bytes();
    let mut bytes = vec![0; BEGINNING_BYTES.min(file.len().saturating_sub(start)) as usize];
    let read = file.source().read_into(start, &mut bytes);
    read.map_err(|error| Error::from(error).in_file(file.name()))?;
    Ok((start, bytes.into()))
}

/// The structures of a file of an older format: what is read of it when it is opened, when its datasets and attributes are, and when
/// their chunks are looked for.
fn structures(file: &File) -> Result<Vec<(u64, Bytes)>> {
    let source = file.source();
    let (recorder, recording) = Recorder::new(source.clone());
    let own = File::options().cache_bytes(0).open_source(Arc::new(recorder))?;
    read_metadata(&own)?;
    for (_, dataset) in chunked_datasets(&own)? {
        dataset.chunk_map()?;
    }
    let mut ranges = recording.take();
    ranges.push(0..BEGINNING_BYTES.min(source.len()));
    extents(file, ranges)
}

/// Parses what a reader of the file needs: links, object headers, attributes, and their values of variable length.
fn read_metadata(file: &File) -> Result<()> {
    let netcdf = Netcdf::open(file)?;
    let mut heap = file.heap();
    for group in &netcdf.groups {
        let of_variables = group.variables.iter().flat_map(|variable| &variable.attributes);
        for attribute in group.attributes.iter().chain(of_variables) {
            // What cannot be read now is an error for its reader.
            let _ = attribute.values(&mut heap);
        }
    }
    Ok(())
}

/// All chunked datasets that hard links lead to, with the addresses of their object headers. What cannot be opened is left
/// to its reader.
fn chunked_datasets(file: &File) -> Result<Vec<(u64, Dataset)>> {
    let (mut found, mut groups) = (Vec::new(), vec![file.root()?]);
    let mut seen = HashSet::new();
    while let Some(group) = groups.pop() {
        for link in group.links()?.into_iter().flatten() {
            let LinkTarget::Hard(address) = link.target else { continue };
            if !seen.insert(address) {
                continue;
            }
            match group.open(&link) {
                Ok(Object::Group(group)) => groups.push(group),
                Ok(Object::Dataset(dataset)) if dataset.chunk_grid().is_some() => {
                    found.push((address.0, dataset))
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
    Ok(found)
}

/// Rows that are written in groups.
struct Rows<W: Write + Send> {
    writer: TableWriter<W>,
    dataset: Vec<Option<Bytes>>,
    numbers: [Vec<i64>; 4],
    bytes: Vec<Option<Bytes>>,
    digest: RowDigest,
}

impl<W: Write + Send> Rows<W> {
    fn new(out: W) -> Result<Self> {
        let writer = TableWriter::new(&table(Vec::new(), Default::default(), Vec::new()), out)?;
        let digest = RowDigest::default();
        Ok(Self { writer, dataset: Vec::new(), numbers: Default::default(), bytes: Vec::new(), digest })
    }

    fn push(&mut self, dataset: Option<&Bytes>, numbers: [i64; 4], bytes: Option<Bytes>) -> Result<()> {
        let [chunk, offset, size, filter_mask] = numbers;
        self.digest.add(chunk, offset, size, filter_mask, bytes.as_deref().unwrap_or_default());
        self.dataset.push(dataset.cloned());
        self.numbers.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
        self.bytes.push(bytes);
        if self.dataset.len() == GROUP_ROWS { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<()> {
        let (dataset, numbers) = (std::mem::take(&mut self.dataset), std::mem::take(&mut self.numbers));
        let group = table(dataset, numbers, std::mem::take(&mut self.bytes));
        Ok(self.writer.write(&group)?)
    }

    fn finish(mut self, mut document: Document) -> Result<()> {
        if !self.dataset.is_empty() {
            self.write_group()?;
        }
        document.sha256 = self.digest.finish();
        let text = serde_json::to_string(&document).map_err(|error| Error::internal(error.to_string()))?;
        Ok(self.writer.close(&[(KEY, text)])?)
    }
}

fn table(dataset: Vec<Option<Bytes>>, numbers: [Vec<i64>; 4], bytes: Vec<Option<Bytes>>) -> Table {
    let mut columns = vec![Column::Text(dataset)];
    columns.extend(numbers.into_iter().map(Column::Long));
    columns.push(Column::Binary(bytes));
    Table { columns: COLUMNS.into_iter().zip(columns).collect() }
}
