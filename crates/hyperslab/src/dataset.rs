//! A dataset: its description, and reading its values.

use crate::attribute::Attributes;
use crate::open_file::Node;
use crate::stored_dataset::{LayoutDetail, StoredDataset};
use crate::{Error, Result, Selection};
use hyperslab_array::array::{Chunked, Endianness, Operation, Storage};
use hyperslab_array::chunk::grid::ChunkGrid;
use hyperslab_array::chunk::index::{ChunkIndex, Location};
use hyperslab_array::chunk::map::ChunkMap;
use hyperslab_array::plan::Explained;
use hyperslab_array::read::{array, new_memory};
use hyperslab_array::selection::{FieldSubset, Measured};
use hyperslab_format::Address;
use hyperslab_format::message::{ChunkedLayout, Class, Dataspace, Datatype, FillValue, Filter};
use hyperslab_io::Cancel;
use std::ops::Deref;
use std::sync::Arc;

/// A dataset of an open file. Cheap to clone: clones share the chunk index.
#[derive(Clone)]
pub struct Dataset {
    pub(crate) inner: Arc<DatasetInner>,
    /// Cancels reads through this handle.
    pub(crate) cancel: Cancel,
}

#[derive(Clone)]
pub(crate) struct DatasetInner {
    pub(crate) node: Node,
    pub(crate) stored: StoredDataset,
}

/// The parts of a dataset are at hand where it is.
impl Deref for DatasetInner {
    type Target = StoredDataset;

    fn deref(&self) -> &StoredDataset {
        &self.stored
    }
}

impl Dataset {
    /// Opens the dataset of a node. `operation` is the call that led to it, which bounds its cost.
    pub(crate) fn open(node: Node, operation: &Operation) -> Result<Self> {
        let stored = node.object.dataset(&node, operation).map_err(|error| node.located(error))?;
        Ok(Self { inner: Arc::new(DatasetInner { node, stored }), cancel: Cancel::never() })
    }

    /// The same dataset, with reads that can be cancelled: they check `cancel` between requests and between chunks,
    /// and fail with [`crate::ErrorKind::Cancelled`] once it is cancelled.
    pub fn cancelled_by(&self, cancel: &Cancel) -> Self {
        Self { inner: self.inner.clone(), cancel: cancel.clone() }
    }

    /// The path by which it was opened.
    pub fn path(&self) -> &str {
        &self.inner.node.path
    }

    /// The file that contains it.
    pub fn file(&self) -> crate::File {
        crate::File { inner: self.inner.node.file.clone() }
    }

    /// The sizes along the axes in elements, slowest-varying axis first. Empty for a scalar and for a null dataspace.
    pub fn shape(&self) -> &[u64] {
        &self.inner.array.shape
    }

    /// The maximum sizes along the axes in elements; `None` for an unlimited axis.
    pub fn max_shape(&self) -> &[Option<u64>] {
        &self.inner.max_dims
    }

    /// The dataspace: scalar, null, or the sizes along the axes.
    pub fn dataspace(&self) -> &Dataspace {
        &self.inner.dataspace
    }

    /// The datatype of its elements.
    pub fn datatype(&self) -> &Datatype {
        &self.inner.datatype
    }

    /// The datatype of the bytes in the file. In HDF5 files it is [`Self::datatype`]; formats that have one byte order for all
    /// numbers, such as netCDF classic, are read in the order of the machine.
    pub fn stored_datatype(&self) -> &Datatype {
        self.inner.in_file.as_ref().unwrap_or(&self.inner.datatype)
    }

    /// The filters, in the order in which they were applied when the values were written.
    pub fn filters(&self) -> &[Filter] {
        &self.inner.filters.filters
    }

    /// The fill value.
    pub fn fill_value(&self) -> &FillValue {
        &self.inner.fill
    }

    /// Its attributes.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.inner.node)
    }

    /// The number of elements, or `u64::MAX` if it overflows 64 bits.
    pub fn elements(&self) -> u64 {
        self.inner.elements()
    }

    /// The bytes of all elements without filters, or `u64::MAX` if their number overflows 64 bits.
    pub fn logical_bytes(&self) -> u64 {
        self.elements().saturating_mul(self.inner.array.element.bytes as u64)
    }

    /// The sizes of a chunk in elements, if the dataset is chunked.
    pub fn chunk_shape(&self) -> Option<&[u64]> {
        self.inner.array.storage.chunked().map(|chunked| chunked.shape.as_slice())
    }

    /// The bytes of a decoded chunk, if the dataset is chunked.
    pub fn chunk_bytes(&self) -> Option<u64> {
        self.inner.array.storage.chunked().map(|chunked| chunked.bytes as u64)
    }

    /// The data layout message, if the dataset is chunked.
    pub(crate) fn chunked_layout(&self) -> Option<&ChunkedLayout> {
        match &self.inner.layout {
            LayoutDetail::Chunked(layout) => Some(layout),
            _ => None,
        }
    }

    /// The grid of chunks, if the dataset is chunked.
    pub fn chunk_grid(&self) -> Option<&ChunkGrid> {
        self.inner.array.storage.chunked().map(|chunked| &chunked.grid)
    }

    /// `contiguous`, `chunked`, `compact`, `virtual` or `external`; of HDF4 also `linked` (in several parts of the file) and
    /// `records` (of which each field is converted by itself).
    pub fn layout_name(&self) -> &'static str {
        match (&self.inner.array.storage, &self.inner.layout) {
            (Storage::External { .. }, LayoutDetail::External(_)) => "external",
            (Storage::External { .. }, _) if matches!(self.inner.datatype.class, Class::Compound { .. }) => {
                "records"
            }
            (Storage::External { .. }, _) => "linked",
            (storage, _) => storage.name(),
        }
    }

    /// The sources of a virtual dataset as the file names them: file (`.` for this file) and dataset. `None` for other
    /// datasets.
    pub fn virtual_sources(&self) -> Option<Vec<(String, String)>> {
        match &self.inner.array.storage {
            Storage::Virtual(sources) => Some(sources.names()),
            _ => None,
        }
    }

    /// The external files of a dataset as its file lists them: name, offset of the first byte, number of bytes (`None`
    /// if unlimited). `None` for a dataset without external storage.
    pub fn external_sources(&self) -> Option<Vec<(String, u64, Option<u64>)>> {
        match &self.inner.layout {
            LayoutDetail::External(files) => {
                Some(files.iter().map(|file| (file.name.clone(), file.offset, file.size)).collect())
            }
            _ => None,
        }
    }

    /// The chunk map: address, stored size and filter mask of every existing chunk. The first call reads the whole
    /// chunk index.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] if the dataset is not chunked.
    pub fn chunk_map(&self) -> Result<Arc<ChunkMap>> {
        let chunked = self.inner.array.storage.chunked();
        let chunked = chunked.ok_or_else(|| Error::invalid("the dataset is not chunked"));
        chunked.and_then(|chunked| chunked.map()).map_err(|error| self.inner.named(error))
    }

    /// Where the first record begins, and the bytes from one to the next, of a dataset whose values take turns with those of
    /// others. `None` for datasets that are stored otherwise.
    pub fn records(&self) -> Option<(u64, u64)> {
        match &self.inner.array.storage {
            Storage::Contiguous { base: Some(base), record_bytes: Some(step), .. } => Some((*base, *step)),
            _ => None,
        }
    }

    /// The records of a dataset whose values take turns with those of others, a record each, as netCDF classic stores them: a
    /// chunk for each, of one index along the outermost axis. `None` for datasets that are stored otherwise.
    ///
    /// # Errors
    /// A record that lies behind the end of the file.
    pub fn record_map(&self) -> Result<Option<ChunkMap>> {
        let Some((base, step)) = self.records() else { return Ok(None) };
        let records = self.shape().first().copied().unwrap_or(0);
        let mut record = self.shape().to_vec();
        record.first_mut().into_iter().for_each(|first| *first = 1);
        let stored_bytes = self.logical_bytes() / records.max(1);
        if stored_bytes == 0 {
            return Ok(None);
        }
        // Before there is a place for each: a few bytes can say that there are billions.
        let last = (records - 1).checked_mul(step).and_then(|bytes| bytes.checked_add(base));
        let file_bytes = self.inner.node.file.source.len();
        if last.is_none_or(|last| last >= file_bytes) {
            let what =
                format!("the last of {records} records lies behind the end of the file ({file_bytes} bytes)");
            return Err(self.inner.named(Error::damaged(what)));
        }
        let grid = ChunkGrid::new(self.shape(), &record)?;
        let mut coordinates = vec![0; record.len()];
        let chunks = (0..records).map(|number| {
            coordinates[0] = number;
            (coordinates.clone(), Location { address: base + number * step, stored_bytes, filter_mask: 0 })
        });
        ChunkMap::new(grid, chunks).map(Some).map_err(|error| self.inner.named(error))
    }

    /// The chunk index, if the dataset is chunked. It visits the chunks in batches, without keeping them in memory.
    pub fn chunk_index(&self) -> Option<Arc<dyn ChunkIndex>> {
        self.inner.array.storage.chunked().map(|chunked| chunked.index.clone())
    }

    /// The same dataset, read with a chunk map that was made earlier instead of the chunk index in the file.
    ///
    /// It cannot be checked whether the chunks are at the addresses in the map: if the file has changed since the map
    /// was made, reads return errors or wrong values.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] if the dataset is not chunked, or if the map belongs to a different chunk grid.
    pub fn with_chunk_map(&self, map: Arc<ChunkMap>) -> Result<Self> {
        let given = |chunked: &Arc<Chunked>| chunked.with_map(map);
        let not_chunked = || Error::invalid("the dataset is not chunked");
        let chunked = self.inner.array.storage.chunked().ok_or_else(not_chunked).and_then(given);
        let mut inner = DatasetInner::clone(&self.inner);
        inner.stored.array.storage =
            Storage::Chunked(Arc::new(chunked.map_err(|error| self.inner.named(error))?));
        Ok(Self { inner: Arc::new(inner), cancel: self.cancel.clone() })
    }

    /// The bytes that the values occupy in the file (h5py's `id.get_storage_size()`). For a chunked dataset, the first
    /// call reads the whole chunk index.
    pub fn stored_bytes(&self) -> Result<u64> {
        Ok(match &self.inner.array.storage {
            Storage::Compact { data } => data.len() as u64,
            Storage::Contiguous { base, .. } => base.map_or(0, |_| self.logical_bytes()),
            Storage::External { .. } => self.logical_bytes(),
            Storage::Chunked(_) => self.chunk_map()?.stored_bytes(),
            Storage::Virtual(_) => 0,
        })
    }

    /// Where the values begin in the file, if they are one block of it that was written (h5py's `id.get_offset()`).
    pub fn data_offset(&self) -> Option<u64> {
        match &self.inner.array.storage {
            Storage::Contiguous { base, record_bytes: None, .. } => *base,
            _ => None,
        }
    }

    /// Plans a read of `selection` and describes it. No values are read.
    pub fn explain(&self, selection: &Selection) -> Result<Explained> {
        let explained = Explained::new(&self.inner.array, selection, &Operation::cancelled_by(&self.cancel));
        let explained = explained.map_err(|error| self.inner.named(error))?;
        let layout = if explained.layout == "external" { self.layout_name() } else { explained.layout };
        Ok(Explained { layout, ..explained })
    }

    /// The shape of the result of a read of `selection`.
    pub fn selected_shape(&self, selection: &Selection) -> Result<Vec<u64>> {
        Ok(self.measure(selection)?.shape.to_vec())
    }

    /// Reads a selection into `out`: its elements in row-major order, in the file's datatype, with the byte order
    /// `order`. `out` must have exactly as many bytes as the result.
    ///
    /// # Errors
    /// Any of [`crate::ErrorKind`]; `out` may then be partly overwritten. A compound datatype can only be read in
    /// [`Endianness::File`], because its members may have different byte orders.
    pub fn read_into(&self, selection: &Selection, order: Endianness, out: &mut [u8]) -> Result<()> {
        self.read_parts_into(selection, order, None, out)
    }

    /// Reads a selection as bytes; see [`Self::read_into`].
    pub fn read_bytes(&self, selection: &Selection, order: Endianness) -> Result<Vec<u8>> {
        // SAFETY: any byte is a byte.
        unsafe { self.read_new(selection, order) }
    }

    /// Reads whole elements of a selection into new memory, as values of `T`.
    ///
    /// # Safety
    /// Any bytes are a value of `T`, and `T` has no padding.
    pub(crate) unsafe fn read_new<T: Copy>(
        &self,
        selection: &Selection,
        order: Endianness,
    ) -> Result<Vec<T>> {
        let operation = Operation::cancelled_by(&self.cancel);
        // SAFETY: as promised to this function.
        let read = unsafe { new_memory::read_new(&self.inner.array, selection, order, &operation) };
        read.map_err(|error| self.inner.named(error))
    }

    /// Reads whole elements or, with `parts`, some of the bytes of each element.
    pub(crate) fn read_parts_into(
        &self,
        selection: &Selection,
        order: Endianness,
        parts: Option<&FieldSubset>,
        out: &mut [u8],
    ) -> Result<()> {
        let operation = Operation::cancelled_by(&self.cancel);
        let read = array::read(&self.inner.array, selection, order, parts, out, &operation);
        read.map_err(|error| self.inner.named(error))
    }

    /// The shape and the number of elements of the result of a read of `selection`.
    pub(crate) fn measure<'s>(&self, selection: &'s Selection) -> Result<Measured<'s>> {
        self.inner.array.measure(selection).map_err(|error| self.inner.named(error))
    }
}

impl DatasetInner {
    pub(crate) fn address(&self) -> Address {
        self.node.object.number()
    }

    pub(crate) fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    fn elements(&self) -> u64 {
        self.dataspace.elements().unwrap_or(u64::MAX)
    }

    /// Adds this dataset and its file to an error.
    pub(crate) fn named(&self, error: Error) -> Error {
        self.array.origin.located(error)
    }
}
