//! For the other crates of this project. Anything here may change in any release.

use crate::metadata::WithMetadata;
use crate::{Dataset, File, Heap, Object, Prefetch};
use hyperslab_array::array::Storage;
use hyperslab_format::Widths;
use hyperslab_format::message::{ChunkedLayout, FileSpaceInfo, FileSpaceStrategy};
use hyperslab_format::superblock::{Superblock, SuperblockExtension};
use hyperslab_io::Source;
use std::sync::Arc;

pub use crate::absent::{Absent, AbsentSearch, absent, absent_of};
pub use crate::census::{Census, Extent, KindOfMetadata, Owner, Tree, census};
pub use crate::encoded_selection::RegionSummary;
pub use crate::filter_element::filter_element;
pub use crate::format_error::{OrError, format_error};
pub use crate::known_metadata::{metadata_extents, use_known_metadata};
pub use crate::other_formats::{HEAD_BYTES, OtherFormat, recognize};
pub use hyperslab_array::chunk::memory::mapped_bytes_peak;
pub use hyperslab_array::chunk::readahead::Readahead;
pub use hyperslab_array::memory::advise_huge_pages;

/// What `work` makes of each item, in the order of the items: on the calling thread and on those that decode the file, of
/// which a forked process has its own.
pub fn in_parallel<T: Sync, R: Send>(file: &File, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    file.inner.data.runtime.map(items, work)
}

/// Descriptions of filters.
pub mod describe {
    pub use crate::describe::{filter, filter_in_use};
}

/// Objects as the file stores them: for rewriting files.
pub mod stored {
    pub use crate::stored::{header, object_at, parse, source};
}

/// Numbers of any layout.
pub mod number {
    pub use crate::number::{
        Converter, NativeBytes, NativeFloat, half_to_double, integer_value, is_native_integer, is_whole,
        native_float, significant_bits,
    };
}

/// A source of a virtual dataset that does not exist: its file and dataset, as the virtual dataset names them. Sources whose
/// names stand for several are not looked for.
pub fn missing_virtual_source(dataset: &Dataset) -> Option<(String, String)> {
    let owner = &dataset.inner.node.file;
    let is_one = |(file, path): &(String, String)| !file.contains('%') && !path.contains('%');
    let mut named = dataset.virtual_sources()?.into_iter().filter(is_one);
    named.find(|(file, path)| crate::virtual_dataset::is_missing(owner, file, path))
}

/// How the space of a file is managed, where the file says so.
pub fn file_space(file: &File) -> crate::Result<Option<FileSpaceInfo>> {
    let inner = &file.inner;
    let extension = inner.parse(|view| SuperblockExtension::parse(*view, &inner.superblock))?;
    Ok(extension.and_then(|extension| extension.file_space))
}

/// Keeps at most about this many bytes of the global heap and of the file's metadata in memory.
pub fn limit_heap(heap: &mut Heap, bytes_max: usize) {
    heap.limit(bytes_max);
}

/// How many hard links lead to an object, as its header says.
pub fn reference_count(object: &Object) -> u32 {
    match object {
        Object::Group(group) => group.node.header.reference_count,
        Object::Dataset(dataset) => dataset.inner.node.header.reference_count,
        Object::Datatype(named) => named.node.header.reference_count,
    }
}

/// Where the data of a dataset with contiguous storage begins in the file, if it has any there.
pub fn contiguous_address(dataset: &Dataset) -> Option<u64> {
    match &dataset.inner.array.storage {
        Storage::Contiguous { base, .. } => base.filter(|_| dataset.external_sources().is_none()),
        _ => None,
    }
}

/// The bytes of a page, if the file has pages.
pub fn page_bytes(file: &File) -> crate::Result<Option<u64>> {
    let space = file_space(file)?;
    Ok(space.filter(|space| space.strategy == FileSpaceStrategy::Page).map(|space| space.page_size))
}

/// The superblock of a file.
pub fn superblock(file: &File) -> &Superblock {
    &file.inner.superblock
}

/// From now on, the cached metadata of a file is dropped between look-ups when it has more than `bytes_max` bytes. For
/// programs that read all metadata of a file once. Does not apply to sources with latency.
pub fn limit_metadata_cache(file: &File, bytes_max: usize) {
    file.inner.limit_metadata_cache(bytes_max);
}

/// The bytes of a file: those of all its members, if it consists of several.
pub fn source(file: &File) -> Arc<dyn Source> {
    file.inner.source.clone()
}

/// The bytes of a file. Of a file with latency, all metadata is fetched in advance, and is known to the source
/// ([`Source::known`]).
pub fn source_with_metadata(file: &File) -> Arc<dyn Source> {
    let source = source(file);
    if !source.advice().has_latency() {
        return source;
    }
    if let Ok(root) = file.root() {
        root.prefetch(&Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: true });
    }
    Arc::new(WithMetadata { file: file.inner.clone(), source })
}

/// The data layout message of a dataset, if the dataset is chunked.
pub fn chunked_layout(dataset: &Dataset) -> Option<&ChunkedLayout> {
    dataset.chunked_layout()
}

/// The widths of the addresses and lengths in the file of a heap.
pub fn widths(heap: &Heap) -> Widths {
    heap.widths()
}
