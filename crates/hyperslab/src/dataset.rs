//! A dataset: what it looks like, and reading it.

use crate::attribute::Attributes;
use crate::external::ExternalFile;
use crate::node::Node;
use crate::{Error, Result, Selection};
use hyperslab_array::array::{Array, Chunked, Operation, Order, Storage};
use hyperslab_array::chunk::grid::ChunkGrid;
use hyperslab_array::chunk::index::ChunkIndex;
use hyperslab_array::chunk::map::ChunkMap;
use hyperslab_array::memory::zeroed;
use hyperslab_array::plan::Explained;
use hyperslab_array::read::array;
use hyperslab_array::selection::{Measured, Parts};
use hyperslab_format::Address;
use hyperslab_format::message::{ChunkedLayout, Dataspace, Datatype, FillValue, FilterPipeline};
use hyperslab_io::Cancel;
use std::sync::Arc;

/// A dataset of an open file. Cheap to clone; clones share the chunk index.
#[derive(Clone)]
pub struct Dataset {
    pub(crate) inner: Arc<DatasetInner>,
    /// Stops reads through this handle.
    pub(crate) cancel: Cancel,
}

#[derive(Clone)]
pub(crate) struct DatasetInner {
    pub(crate) node: Node,
    /// The dataset without what only HDF5 knows of it.
    pub(crate) array: Array,
    pub(crate) layout: LayoutDetail,
    pub(crate) datatype: Datatype,
    pub(crate) dataspace: Dataspace,
    pub(crate) max_dims: Vec<Option<u64>>,
    pub(crate) fill: FillValue,
    pub(crate) filters: FilterPipeline,
}

/// What the layout message says beyond what reading needs.
#[derive(Clone)]
pub(crate) enum LayoutDetail {
    None,
    Chunked(Arc<ChunkedLayout>),
    External(Vec<ExternalFile>),
}

impl Dataset {
    /// The same dataset, whose reads end with [`crate::ErrorKind::Cancelled`] soon after `cancel` was requested: between
    /// two requests, or two chunks.
    pub fn cancelled_by(&self, cancel: &Cancel) -> Self {
        Self { inner: self.inner.clone(), cancel: cancel.clone() }
    }

    /// Its path, as it was opened.
    pub fn path(&self) -> &str {
        &self.inner.node.path
    }

    /// The file that it lies in.
    pub fn file(&self) -> crate::File {
        crate::File { inner: self.inner.node.file.clone() }
    }

    /// Sizes along the axes, slowest first; empty for a scalar (and for a null dataspace).
    pub fn shape(&self) -> &[u64] {
        &self.inner.array.shape
    }

    /// Largest sizes; `None` is unlimited.
    pub fn max_shape(&self) -> &[Option<u64>] {
        &self.inner.max_dims
    }

    /// The extent, as the file has it.
    pub fn dataspace(&self) -> &Dataspace {
        &self.inner.dataspace
    }

    /// The type of its elements.
    pub fn datatype(&self) -> &Datatype {
        &self.inner.datatype
    }

    /// The filters, in the order in which they were applied.
    pub fn filters(&self) -> &FilterPipeline {
        &self.inner.filters
    }

    /// The fill value.
    pub fn fill_value(&self) -> &FillValue {
        &self.inner.fill
    }

    /// Its attributes.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.inner.node)
    }

    /// How many elements it has; the largest number of 64 bits where they are more.
    pub fn elements(&self) -> u64 {
        self.inner.elements()
    }

    /// Bytes of all elements, unfiltered; the largest number of 64 bits where they are more.
    pub fn logical_bytes(&self) -> u64 {
        self.elements().saturating_mul(self.inner.array.element.bytes as u64)
    }

    /// Sizes of a chunk, if the dataset is chunked.
    pub fn chunk_shape(&self) -> Option<&[u64]> {
        self.inner.array.storage.chunked().map(|chunked| chunked.shape.as_slice())
    }

    /// Bytes of a decoded chunk, if the dataset is chunked.
    pub fn chunk_bytes(&self) -> Option<u64> {
        self.inner.array.storage.chunked().map(|chunked| chunked.bytes as u64)
    }

    /// The chunked layout, if the dataset is chunked.
    pub fn chunked_layout(&self) -> Option<&ChunkedLayout> {
        match &self.inner.layout {
            LayoutDetail::Chunked(layout) => Some(layout),
            _ => None,
        }
    }

    /// The grid of chunks, if the dataset is chunked.
    pub fn chunk_grid(&self) -> Option<&ChunkGrid> {
        self.inner.array.storage.chunked().map(|chunked| &chunked.grid)
    }

    /// `contiguous`, `chunked`, `compact`, `virtual` or `external`.
    pub fn layout_name(&self) -> &'static str {
        self.inner.array.storage.name()
    }

    /// The sources of a virtual dataset: file (`.` is this one) and dataset, as the file names them.
    pub fn virtual_sources(&self) -> Option<Vec<(String, String)>> {
        match &self.inner.array.storage {
            Storage::Virtual(sources) => Some(sources.names()),
            _ => None,
        }
    }

    /// The external files of a dataset, as its file lists them: name, first byte, bytes (`None` is without end).
    pub fn external_sources(&self) -> Option<Vec<(String, u64, Option<u64>)>> {
        match &self.inner.layout {
            LayoutDetail::External(files) => {
                Some(files.iter().map(|file| (file.name.clone(), file.offset, file.size)).collect())
            }
            _ => None,
        }
    }

    /// Where every existing chunk lies. Reads the whole chunk index (once).
    pub fn chunk_map(&self) -> Result<Arc<ChunkMap>> {
        let chunked = self.inner.array.storage.chunked();
        let chunked = chunked.ok_or_else(|| Error::invalid("the dataset is not chunked"));
        chunked.and_then(|chunked| chunked.map()).map_err(|error| self.inner.named(error))
    }

    /// What says where its chunks lie, if the dataset is chunked: for walking over the chunks without keeping them.
    pub fn chunk_index(&self) -> Option<Arc<dyn ChunkIndex>> {
        self.inner.array.storage.chunked().map(|chunked| chunked.index.clone())
    }

    /// The same dataset, read through a chunk map that was made earlier: its chunk index is not looked at.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] where the dataset is not chunked, or the map is that of another grid. Whether the
    /// chunks are where the map says cannot be checked; a map of a file that has changed since gives wrong values or
    /// errors.
    pub fn with_chunk_map(&self, map: Arc<ChunkMap>) -> Result<Self> {
        let given = |chunked: &Arc<Chunked>| chunked.with_map(map);
        let not_chunked = || Error::invalid("the dataset is not chunked");
        let chunked = self.inner.array.storage.chunked().ok_or_else(not_chunked).and_then(given);
        let mut inner = DatasetInner::clone(&self.inner);
        inner.array.storage = Storage::Chunked(Arc::new(chunked.map_err(|error| self.inner.named(error))?));
        Ok(Self { inner: Arc::new(inner), cancel: self.cancel.clone() })
    }

    /// Bytes that the values take in the file (as h5py's `id.get_storage_size()`).
    pub fn stored_bytes(&self) -> Result<u64> {
        Ok(match &self.inner.array.storage {
            Storage::Compact { data } => data.len() as u64,
            Storage::Contiguous { base, .. } => base.map_or(0, |_| self.logical_bytes()),
            Storage::External { .. } => self.logical_bytes(),
            Storage::Chunked(_) => self.chunk_map()?.stored_bytes(),
            Storage::Virtual(_) => 0,
        })
    }

    /// What a read of `selection` would do, without doing it.
    pub fn explain(&self, selection: &Selection) -> Result<Explained> {
        Explained::new(&self.inner.array, selection, &Operation::cancelled_by(&self.cancel))
            .map_err(|error| self.inner.named(error))
    }

    /// Shape of what a read of `selection` gives.
    pub fn selected_shape(&self, selection: &Selection) -> Result<Vec<u64>> {
        Ok(self.measure(selection)?.shape.into_vec())
    }

    /// Reads a selection into `out`, which must have exactly as many bytes as the result: its elements in row-major
    /// order, in the file's datatype, numbers in `order`.
    ///
    /// # Errors
    /// Anything in [`crate::ErrorKind`]; `out` is then partly written. A datatype whose members have byte orders of
    /// their own (a compound) is only read in [`Order::File`].
    pub fn read_into(&self, selection: &Selection, order: Order, out: &mut [u8]) -> Result<()> {
        self.read_parts_into(selection, order, None, out)
    }

    /// Reads a selection as bytes, see [`Self::read_into`].
    pub fn read_bytes(&self, selection: &Selection, order: Order) -> Result<Vec<u8>> {
        let elements = self.measure(selection)?.count.checked_mul(self.inner.array.element.bytes as u64);
        let mut out = zeroed(elements).map_err(|error| self.inner.named(error))?;
        self.read_into(selection, order, &mut out)?;
        Ok(out)
    }

    /// Reads whole elements, or parts of each.
    pub(crate) fn read_parts_into(
        &self,
        selection: &Selection,
        order: Order,
        parts: Option<&Parts>,
        out: &mut [u8],
    ) -> Result<()> {
        let operation = Operation::cancelled_by(&self.cancel);
        let read = array::read(&self.inner.array, selection, order, parts, out, &operation);
        read.map_err(|error| self.inner.named(error))
    }

    /// What a read of `selection` gives.
    pub(crate) fn measure<'s>(&self, selection: &'s Selection) -> Result<Measured<'s>> {
        self.inner.array.measure(selection).map_err(|error| self.inner.named(error))
    }
}

impl DatasetInner {
    pub(crate) fn address(&self) -> Address {
        self.node.header.address
    }

    pub(crate) fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    fn elements(&self) -> u64 {
        count(&self.dataspace).unwrap_or(u64::MAX)
    }

    /// Names this dataset and its file in an error.
    pub(crate) fn named(&self, error: Error) -> Error {
        self.array.origin.located(error)
    }
}

/// How many elements an extent has; `None` beyond 2⁶⁴, which only a sparse dataset in chunks can have.
pub(crate) fn count(dataspace: &Dataspace) -> Option<u64> {
    match dataspace {
        Dataspace::Null => Some(0),
        Dataspace::Scalar => Some(1),
        Dataspace::Simple { dims, .. } if dims.contains(&0) => Some(0),
        Dataspace::Simple { dims, .. } => dims.iter().try_fold(1u64, |count, &dim| count.checked_mul(dim)),
    }
}
