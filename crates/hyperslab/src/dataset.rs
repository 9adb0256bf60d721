//! A dataset: what it looks like, and reading it.

use crate::attribute::Attributes;
use crate::chunk::cache::ChunkKey;
use crate::chunk::map::{ChunkGrid, ChunkMap};
use crate::chunk::readahead::Readahead;
use crate::external::ExternalData;
use crate::file::{FileInner, IndexState};
use crate::memory::zeroed;
use crate::object::Node;
use crate::plan::{Explained, ReadPlan, Steps};
use crate::read::{chunked, convert::Conversion, place::repeat, raw, target::Target};
use crate::selection::{Measured, Parts};
use crate::virtual_dataset::{self, VirtualData};
use crate::{Error, Result, Selection};
use bytes::Bytes;
use hyperslab_filters::Pipeline;
use hyperslab_format::Address;
use hyperslab_format::chunk_index::Extent;
use hyperslab_format::message::fill_value::Fill;
use hyperslab_format::message::{
    ChunkedLayout, Dataspace, Datatype, ExternalFiles, FillValue, FilterPipeline, Layout,
};
use std::sync::{Arc, OnceLock};

/// A dataset of an open file. Cheap to clone; clones share the chunk index.
#[derive(Clone)]
pub struct Dataset {
    pub(crate) inner: Arc<DatasetInner>,
}

/// In which byte order numbers are handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As in the file: nothing is converted.
    #[default]
    File,
    /// As the machine wants them.
    Native,
}

pub(crate) struct DatasetInner {
    pub(crate) file: Arc<FileInner>,
    pub(crate) path: String,
    pub(crate) storage: Storage,
    node: Node,
    datatype: Datatype,
    dataspace: Dataspace,
    max_dims: Vec<Option<u64>>,
    fill: FillValue,
    filters: FilterPipeline,
    pipeline: OnceLock<std::result::Result<Pipeline, hyperslab_filters::FilterError>>,
    index: Arc<IndexState>,
}

/// Where the values lie.
pub(crate) enum Storage {
    /// In the object header.
    Compact { data: Bytes },
    /// In one piece from an absolute offset on; `None` until something was written.
    Contiguous { base: Option<u64> },
    /// In other files, listed in the object header.
    External { data: Arc<ExternalData> },
    /// In chunks.
    Chunked { layout: ChunkedLayout, grid: ChunkGrid, chunk_bytes: usize },
    /// In other datasets.
    Virtual { data: VirtualData },
}

impl Dataset {
    pub(crate) fn open(node: Node) -> Result<Self> {
        let inner = DatasetInner::open(node.clone()).map_err(|error| node.located(error))?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Its path, as it was opened.
    pub fn path(&self) -> &str {
        &self.inner.path
    }

    /// The file that it lies in.
    pub fn file(&self) -> crate::File {
        crate::File { inner: self.inner.file.clone() }
    }

    /// Sizes along the axes, slowest first; empty for a scalar (and for a null dataspace).
    pub fn shape(&self) -> &[u64] {
        self.inner.dims()
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

    /// How many elements it has.
    pub fn elements(&self) -> u64 {
        self.inner.elements()
    }

    /// Bytes of all elements, unfiltered.
    pub fn logical_bytes(&self) -> u64 {
        self.elements().saturating_mul(self.inner.element_bytes() as u64)
    }

    /// Sizes of a chunk, if the dataset is chunked.
    pub fn chunk_shape(&self) -> Option<&[u64]> {
        match &self.inner.storage {
            Storage::Chunked { layout, .. } => Some(&layout.chunk_dims),
            _ => None,
        }
    }

    /// Bytes of a decoded chunk, if the dataset is chunked.
    pub fn chunk_bytes(&self) -> Option<u64> {
        match &self.inner.storage {
            Storage::Chunked { chunk_bytes, .. } => Some(*chunk_bytes as u64),
            _ => None,
        }
    }

    /// The chunked layout, if the dataset is chunked.
    pub fn chunked_layout(&self) -> Option<&ChunkedLayout> {
        match &self.inner.storage {
            Storage::Chunked { layout, .. } => Some(layout),
            _ => None,
        }
    }

    /// The grid of chunks, if the dataset is chunked.
    pub fn chunk_grid(&self) -> Option<&ChunkGrid> {
        match &self.inner.storage {
            Storage::Chunked { grid, .. } => Some(grid),
            _ => None,
        }
    }

    /// `contiguous`, `chunked`, `compact`, `virtual` or `external`.
    pub fn layout_name(&self) -> &'static str {
        self.inner.layout_name()
    }

    /// The sources of a virtual dataset: file (`.` is this one) and dataset, as the file names them.
    pub fn virtual_sources(&self) -> Option<Vec<(String, String)>> {
        match &self.inner.storage {
            Storage::Virtual { data } => Some(data.sources()),
            _ => None,
        }
    }

    /// The external files of a dataset, as its file lists them: name, first byte, bytes (`None` is without end).
    pub fn external_sources(&self) -> Option<Vec<(String, u64, Option<u64>)>> {
        match &self.inner.storage {
            Storage::External { data } => Some(data.sources()),
            _ => None,
        }
    }

    /// Where every existing chunk lies. Reads the whole chunk index (once).
    pub fn chunk_map(&self) -> Result<Arc<ChunkMap>> {
        self.inner.whole_map().map_err(|error| self.inner.named(error))
    }

    /// Bytes that the values take in the file (as h5py's `id.get_storage_size()`).
    pub fn stored_bytes(&self) -> Result<u64> {
        Ok(match &self.inner.storage {
            Storage::Compact { data } => data.len() as u64,
            Storage::Contiguous { base } => base.map_or(0, |_| self.logical_bytes()),
            Storage::External { .. } => self.logical_bytes(),
            Storage::Chunked { .. } => {
                self.chunk_map()?.iter().map(|(_, location)| location.stored_bytes).sum()
            }
            Storage::Virtual { .. } => 0,
        })
    }

    /// What a read of `selection` would do, without doing it.
    pub fn explain(&self, selection: &Selection) -> Result<Explained> {
        let inner = &self.inner;
        Explained::new(inner, selection).map_err(|error| inner.named(error))
    }

    /// Shape of what a read of `selection` gives.
    pub fn selected_shape(&self, selection: &Selection) -> Result<Vec<u64>> {
        let wanted = self.inner.wanted(selection).map_err(|error| self.inner.named(error))?;
        Ok(wanted.shape.into_vec())
    }

    /// Reads a selection into `out`, which must have exactly as many bytes as the result: its elements in row-major
    /// order, in the file's datatype, numbers in `order`.
    ///
    /// # Errors
    /// Anything in [`crate::ErrorKind`]; `out` is then partly written. A datatype whose members have byte orders of
    /// their own (a compound) is only read in [`Order::File`].
    pub fn read_into(&self, selection: &Selection, order: Order, out: &mut [u8]) -> Result<()> {
        self.inner.read_into(selection, order, out).map_err(|error| self.inner.named(error))
    }

    /// Reads a selection as bytes, see [`Self::read_into`].
    pub fn read_bytes(&self, selection: &Selection, order: Order) -> Result<Vec<u8>> {
        let wanted = self.inner.wanted(selection).map_err(|error| self.inner.named(error))?;
        let elements = wanted.count.checked_mul(self.inner.element_bytes() as u64);
        let mut out = zeroed(elements).map_err(|error| self.inner.named(error))?;
        self.read_into(selection, order, &mut out)?;
        Ok(out)
    }
}

impl DatasetInner {
    fn open(node: Node) -> Result<Self> {
        let header = &node.header;
        let parts = node.file.parse_shared(|context| {
            let widths = context.view.widths;
            Ok((
                header.dataspace(context)?,
                header.datatype(context)?,
                header.layout(widths)?,
                header.filter_pipeline(context)?,
                header.fill_value(context)?,
            ))
        })?;
        let missing = |what: &str| Error::damaged(format!("there is no {what} message"));
        let (dataspace, datatype, layout, filters, fill) = parts;
        let dataspace = dataspace.ok_or_else(|| missing("dataspace"))?;
        let datatype = datatype.ok_or_else(|| missing("datatype"))?;
        let layout = layout.ok_or_else(|| missing("layout"))?;
        let external = header.external_files(node.file.superblock.widths)?;
        let (dims, max_dims) = match &dataspace {
            Dataspace::Simple { dims, max_dims } => (dims.clone(), max_dims.clone()),
            Dataspace::Scalar | Dataspace::Null => (Vec::new(), Vec::new()),
        };
        let elements = count(&dataspace)?;
        let storage = storage(layout, &dims, &datatype, elements, external, &node.file)?;
        let dataspace = match (&storage, dataspace) {
            // The extent of a virtual dataset is as large as its sources are now.
            (Storage::Virtual { data }, Dataspace::Simple { dims, max_dims }) => {
                Dataspace::Simple { dims: data.extent(&node.file, &dims, &max_dims)?, max_dims }
            }
            (_, dataspace) => dataspace,
        };
        count(&dataspace)?;
        let index = node.file.index_state(header.address);
        Ok(Self {
            file: node.file.clone(),
            path: node.path.clone(),
            node,
            storage,
            datatype,
            dataspace,
            max_dims,
            // As in libhdf5: no message, no fill value.
            fill: fill.unwrap_or(FillValue { value: Fill::Undefined, ..FillValue::default() }),
            filters: filters.unwrap_or_default(),
            pipeline: OnceLock::new(),
            index,
        })
    }

    pub(crate) fn layout_name(&self) -> &'static str {
        match &self.storage {
            Storage::Compact { .. } => "compact",
            Storage::Contiguous { .. } => "contiguous",
            Storage::External { .. } => "external",
            Storage::Chunked { .. } => "chunked",
            Storage::Virtual { .. } => "virtual",
        }
    }

    pub(crate) fn address(&self) -> Address {
        self.node.header.address
    }

    pub(crate) fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    pub(crate) fn dims(&self) -> &[u64] {
        match &self.dataspace {
            Dataspace::Simple { dims, .. } => dims,
            Dataspace::Scalar | Dataspace::Null => &[],
        }
    }

    pub(crate) fn element_bytes(&self) -> usize {
        self.datatype.size as usize
    }

    fn elements(&self) -> u64 {
        count(&self.dataspace).unwrap_or(u64::MAX)
    }

    pub(crate) fn chunk_bytes(&self) -> usize {
        match &self.storage {
            Storage::Chunked { chunk_bytes, .. } => *chunk_bytes,
            _ => 0,
        }
    }

    /// What this chunk is called in the cache.
    pub(crate) fn chunk_key(&self, number: u64) -> ChunkKey {
        ChunkKey { file: self.file.id, object: self.address().0, number }
    }

    pub(crate) fn chunk_coordinates(&self, number: u64) -> Vec<u64> {
        match &self.storage {
            Storage::Chunked { grid, .. } => grid.coordinates(number),
            _ => Vec::new(),
        }
    }

    /// True where the stored bytes of a chunk are its values.
    pub(crate) fn is_raw(&self, number: u64) -> bool {
        let Storage::Chunked { layout, grid, .. } = &self.storage else { return true };
        if self.filters.filters.is_empty() {
            return true;
        }
        layout.edge_chunks_unfiltered && {
            let coordinates = grid.coordinates(number);
            let mut axes = coordinates.iter().zip(&layout.chunk_dims).zip(self.dims());
            axes.any(|((coordinate, chunk), &dim)| (coordinate + 1).saturating_mul(*chunk) > dim)
        }
    }

    pub(crate) fn pipeline(&self) -> Result<&Pipeline> {
        let built = self.pipeline.get_or_init(|| {
            let specs: Vec<_> = self.filters.filters.iter().map(crate::describe::spec).collect();
            Pipeline::lenient(&specs, self.element_bytes(), self.chunk_bytes())
        });
        built.as_ref().map_err(|error| Error::from(error.clone()))
    }

    /// The filters in the order in which they are undone, in words.
    pub(crate) fn filters_undone(&self) -> Vec<String> {
        let mut words: Vec<String> = self.filters.filters.iter().map(crate::describe::filter).collect();
        words.reverse();
        words
    }

    /// The bytes of one unwritten element, converted like those read.
    pub(crate) fn fill_element(&self, conversion: Conversion, parts: Option<&Parts>) -> Vec<u8> {
        match &self.fill.value {
            Fill::User(bytes) if bytes.len() == self.element_bytes() => {
                let mut element = bytes.to_vec();
                conversion.in_place(&mut element);
                let Some(parts) = parts else { return element };
                let mut wanted = vec![0; parts.bytes()];
                parts.gather(&element, &mut wanted);
                wanted
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn locate(&self, region: &[(u64, u64)]) -> Result<Arc<ChunkMap>> {
        self.with_extent(|extent, grid| self.index.locator.region(&self.file, extent, grid, region))
    }

    pub(crate) fn readahead(&self) -> &Readahead {
        &self.index.readahead
    }

    fn whole_map(&self) -> Result<Arc<ChunkMap>> {
        self.with_extent(|extent, grid| self.index.locator.whole(&self.file, extent, grid))
    }

    fn with_extent<T>(&self, work: impl FnOnce(&Extent<'_>, &ChunkGrid) -> Result<T>) -> Result<T> {
        let Storage::Chunked { layout, grid, .. } = &self.storage else {
            return Err(Error::invalid("the dataset is not chunked"));
        };
        let filtered = !self.filters.filters.is_empty();
        work(&Extent { dims: self.dims(), max_dims: &self.max_dims, layout, filtered }, grid)
    }

    /// What a selection gives; nothing where the dataspace is null.
    pub(crate) fn wanted<'s>(&self, selection: &'s Selection) -> Result<Measured<'s>> {
        let mut wanted = Measured::new(selection.resolve(self.dims())?)?;
        if matches!(self.dataspace, Dataspace::Null) {
            wanted.count = 0;
        }
        Ok(wanted)
    }

    fn read_into(self: &Arc<Self>, selection: &Selection, order: Order, out: &mut [u8]) -> Result<()> {
        self.read_parts_into(selection, order, None, out)
    }

    /// Reads whole elements, or parts of each.
    pub(crate) fn read_parts_into(
        self: &Arc<Self>,
        selection: &Selection,
        order: Order,
        parts: Option<&Parts>,
        out: &mut [u8],
    ) -> Result<()> {
        let wanted = self.wanted(selection)?;
        let needed = wanted.count.saturating_mul(parts.map_or(self.element_bytes(), Parts::bytes) as u64);
        if needed != out.len() as u64 {
            return Err(Error::invalid(format!("the result has {needed} bytes, the buffer {}", out.len())));
        }
        if needed == 0 {
            return Ok(());
        }
        let is_virtual = matches!(self.storage, Storage::Virtual { .. });
        if let Some(parts) = parts.filter(|parts| is_virtual || parts.run.is_none()) {
            let mut elements = zeroed(wanted.count.checked_mul(self.element_bytes() as u64))?;
            self.read_into(selection, order, &mut elements)?;
            parts.gather(&elements, out);
            return Ok(());
        }
        let conversion = match order {
            Order::File => Conversion::None,
            Order::Native => Conversion::to_native(&self.datatype).ok_or_else(|| {
                Error::unsupported("this datatype cannot be brought into native byte order as it is read")
                    .hint("read it in the file's own order")
            })?,
        };
        let target = Target::new(out);
        let shape = wanted.shape.clone();
        ReadPlan::for_each(self, wanted, parts, |plan| self.carry_out(&plan, target, conversion))?;
        if let Storage::Virtual { data } = &self.storage {
            virtual_dataset::read(data, self, selection, &shape, target, conversion)?;
        }
        Ok(())
    }

    fn carry_out(
        self: &Arc<Self>,
        plan: &ReadPlan,
        target: Target<'_>,
        conversion: Conversion,
    ) -> Result<()> {
        match &plan.steps {
            Steps::Nothing => Ok(()),
            Steps::Fill => {
                // Which elements are selected does not matter: all of them have the same value.
                let element = self.fill_element(conversion, plan.parts.as_ref());
                target.check(0..plan.result_bytes() as usize)?;
                // SAFETY: checked; nobody else writes.
                repeat(&element, unsafe { target.slice_mut(0, plan.result_bytes() as usize) });
                Ok(())
            }
            Steps::Compact { data, dims, points } => {
                plan.whole_copies(dims, points.as_ref())?.run(data, 0, target, conversion)
            }
            Steps::Contiguous { source, base, dims, points } => {
                let copies = plan.whole_copies(dims, points.as_ref())?;
                raw::read(&**source, *base, &copies, target, conversion)
            }
            Steps::Chunks { dims, chunks } => {
                match (chunks.as_slice(), &self.storage) {
                    ([only], Storage::Chunked { grid, .. }) => {
                        self.readahead().follow(self, only, grid.len());
                    }
                    (several, _) => self.readahead().pass(several),
                }
                chunked::read(self, plan, dims, chunks, target, conversion)
            }
        }
    }

    /// Names this dataset and its file in an error.
    pub(crate) fn named(&self, error: Error) -> Error {
        self.node.located(error)
    }
}

fn count(dataspace: &Dataspace) -> Result<u64> {
    let dims = match dataspace {
        Dataspace::Null => return Ok(0),
        Dataspace::Scalar => return Ok(1),
        Dataspace::Simple { dims, .. } if dims.contains(&0) => return Ok(0),
        Dataspace::Simple { dims, .. } => dims,
    };
    dims.iter()
        .try_fold(1u64, |count, &dim| count.checked_mul(dim))
        .ok_or_else(|| Error::damaged(format!("an extent of {dims:?} elements cannot be counted")))
}

fn storage(
    layout: Layout,
    dims: &[u64],
    datatype: &Datatype,
    elements: u64,
    external: Option<ExternalFiles>,
    file: &Arc<FileInner>,
) -> Result<Storage> {
    let element_bytes = u64::from(datatype.size);
    let logical = elements.checked_mul(element_bytes).ok_or_else(|| {
        Error::damaged(format!("{elements} elements of {element_bytes} bytes cannot be counted"))
    })?;
    if let Some(external) = external {
        let data = ExternalData::new(file, &external, logical)?;
        return Ok(Storage::External { data: Arc::new(data) });
    }
    match layout {
        Layout::Compact { data, at } => {
            if (data.len() as u64) < logical {
                let have = data.len();
                return Err(Error::damaged(format!(
                    "compact data at byte {at:#x} has {have} bytes, the extent needs {logical}"
                )));
            }
            Ok(Storage::Compact { data })
        }
        Layout::Contiguous { address, size } => {
            if size.is_some_and(|size| size < logical) && address.is_some() {
                let size = size.unwrap_or(0);
                return Err(Error::damaged(format!(
                    "contiguous data has {size} bytes, the extent needs {logical}"
                )));
            }
            let base = address.map(|address| file.absolute(address));
            Ok(Storage::Contiguous { base })
        }
        Layout::Chunked(layout) => {
            if layout.chunk_dims.len() != dims.len() {
                let (chunk, rank) = (layout.chunk_dims.len(), dims.len());
                return Err(Error::damaged(format!("chunks have {chunk} axes, the dataset has {rank}")));
            }
            if u64::from(layout.element_bytes) != element_bytes {
                let chunk = layout.element_bytes;
                return Err(Error::damaged(format!(
                    "the layout has elements of {chunk} bytes, the datatype of {element_bytes}"
                )));
            }
            let chunk_bytes = layout
                .chunk_dims
                .iter()
                .try_fold(element_bytes, |bytes, &dim| bytes.checked_mul(dim).filter(|_| dim > 0))
                .and_then(|bytes| usize::try_from(bytes).ok())
                .filter(|&bytes| bytes <= isize::MAX as usize)
                .ok_or_else(|| Error::damaged(format!("chunks of {:?} elements", layout.chunk_dims)))?;
            let grid = ChunkGrid::new(dims, &layout.chunk_dims)?;
            Ok(Storage::Chunked { layout, grid, chunk_bytes })
        }
        Layout::Virtual { heap, index } => {
            Ok(Storage::Virtual { data: VirtualData::open(file, heap, index)? })
        }
    }
}
