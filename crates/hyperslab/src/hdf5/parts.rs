//! The parts of a file and of its objects that only HDF5 has.

use super::file::Hdf5File;
use super::object::{Hdf5Object, node};
use super::virtual_dataset::is_missing;
use super::vlen::Heap;
use super::with_metadata::WithMetadata;
use crate::open_file::Node;
use crate::stored_dataset::LayoutDetail;
use crate::{Dataset, Error, File, Object, Prefetch, Result, Selection};
use hyperslab_array::array::Operation;
use hyperslab_format::message::{ChunkedLayout, FileSpaceInfo, FileSpaceStrategy};
use hyperslab_format::object_header::{Context, ObjectHeader};
use hyperslab_format::superblock::{Superblock, SuperblockExtension};
use hyperslab_format::{Address, Parse, Widths};
use hyperslab_io::Source;
use std::sync::Arc;

fn hdf5<'f>(file: &'f File, what: &str) -> Result<&'f Hdf5File> {
    file.inner.hdf5(what).map(|hdf5| &**hdf5)
}

/// The superblock.
///
/// # Errors
/// Another format.
pub fn superblock(file: &File) -> Result<&Superblock> {
    hdf5(file, "superblock").map(|hdf5| &hdf5.superblock)
}

/// How the space of the file is managed, where the file says so.
///
/// # Errors
/// Another format; damage in the extension of the superblock.
pub fn file_space(file: &File) -> Result<Option<FileSpaceInfo>> {
    let hdf5 = hdf5(file, "file space information")?;
    let extension = hdf5.parse(|view| SuperblockExtension::parse(*view, &hdf5.superblock))?;
    Ok(extension.and_then(|extension| extension.file_space))
}

/// The bytes of a page, if the file has pages.
///
/// # Errors
/// As [`file_space`].
pub fn page_bytes(file: &File) -> Result<Option<u64>> {
    let space = file_space(file)?;
    Ok(space.filter(|space| space.strategy == FileSpaceStrategy::Page).map(|space| space.page_size))
}

/// The header of an object.
///
/// # Errors
/// Another format.
pub fn header(object: &Object) -> Result<&ObjectHeader> {
    let node = node(object);
    let lack = || Error::unsupported(format!("{} has no object headers", node.file.format.name()));
    Hdf5Object::of(node).map(|object| &*object.header).ok_or_else(|| node.named(lack()))
}

/// How many hard links lead to an object, as its header says; 1 in formats that do not count them.
pub fn reference_count(object: &Object) -> u32 {
    header(object).map_or(1, |header| header.reference_count)
}

/// The object whose header is at an address. Messages name it by `path`.
///
/// # Errors
/// Damage in the header.
pub fn object_at(file: &File, address: Address, path: &str) -> Result<Object> {
    Object::open(Node::open(&file.inner, address, path.to_owned())?)
}

/// Runs a parser over the file, fetching what it lacks.
///
/// # Errors
/// Another format; those of the parser and of the source.
pub fn parse<T>(file: &File, parser: impl FnMut(Context<'_>) -> Parse<T>) -> Result<T> {
    hdf5(file, "HDF5 structures")?.parse_shared(parser)
}

/// The data layout message of a dataset, if the dataset is chunked and the file has such messages.
pub fn chunked_layout(dataset: &Dataset) -> Option<&ChunkedLayout> {
    dataset.chunked_layout()
}

/// The datasets that a selection of a virtual dataset is stored in, as far as they exist; none for other datasets.
///
/// # Errors
/// A selection that does not fit, and sources that cannot be opened.
pub fn virtual_sources(dataset: &Dataset, selection: &Selection) -> Result<Vec<Dataset>> {
    let LayoutDetail::Virtual(own) = &dataset.inner.layout else { return Ok(Vec::new()) };
    own.sources(selection, &Operation::cancelled_by(&dataset.cancel))
}

/// A source of a virtual dataset that does not exist: its file and dataset, as the virtual dataset names them. Sources whose
/// names stand for several are not looked for.
pub fn missing_virtual_source(dataset: &Dataset) -> Option<(String, String)> {
    let owner = &dataset.inner.node.file;
    let is_one = |(file, path): &(String, String)| !file.contains('%') && !path.contains('%');
    let mut named = dataset.virtual_sources()?.into_iter().filter(is_one);
    named.find(|(file, path)| is_missing(owner, file, path))
}

/// Keeps at most about this many bytes of the global heap and of the file's metadata in memory.
pub fn limit_heap(heap: &mut Heap, bytes_max: usize) {
    heap.limit(bytes_max);
}

/// The widths of addresses and lengths in the file of a heap.
pub fn widths(heap: &Heap) -> Widths {
    heap.widths()
}

/// From now on, the cached metadata of a file is dropped between look-ups when it has more than `bytes_max` bytes. For
/// programs that read all metadata of a file once. Does not apply to sources with latency, nor to other formats.
pub fn limit_metadata_cache(file: &File, bytes_max: usize) {
    if let Ok(hdf5) = hdf5(file, "metadata cache") {
        hdf5.metadata.limit(bytes_max);
    }
}

/// The bytes of a file. Of a file with latency, all metadata is fetched in advance, and is known to the source
/// ([`Source::known`]).
pub fn source_with_metadata(file: &File) -> Arc<dyn Source> {
    let source = file.source();
    let Ok(hdf5) = file.inner.hdf5("metadata") else { return source };
    if !source.advice().has_latency() {
        return source;
    }
    if let Ok(root) = file.root() {
        root.prefetch(&Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: true });
    }
    Arc::new(WithMetadata { file: hdf5.clone(), source })
}
