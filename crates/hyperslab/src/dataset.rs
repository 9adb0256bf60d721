//! A dataset: what it looks like, and reading it.

use crate::array::{Array, Chunked, DataSource, ElementSpec, Filters, Order, Storage};
use crate::attribute::Attributes;
use crate::chunk::hdf5_index::Hdf5ChunkIndex;
use crate::chunk::map::{ChunkGrid, ChunkMap};
use crate::datatype::to_native;
use crate::external::{self, ExternalFile};
use crate::memory::zeroed;
use crate::node::Node;
use crate::plan::Explained;
use crate::read::{array, target::Target};
use crate::selection::{Measured, Parts};
use crate::virtual_dataset::{self, VirtualData};
use crate::{Error, Result, Selection, describe};
use hyperslab_format::Address;
use hyperslab_format::message::fill_value::Fill;
use hyperslab_format::message::{
    ChunkedLayout, Dataspace, Datatype, ExternalFiles, FillValue, FilterPipeline, Layout,
};
use std::sync::Arc;

/// A dataset of an open file. Cheap to clone; clones share the chunk index.
#[derive(Clone)]
pub struct Dataset {
    pub(crate) inner: Arc<DatasetInner>,
}

pub(crate) struct DatasetInner {
    pub(crate) node: Node,
    /// The dataset without what only HDF5 knows of it.
    pub(crate) array: Array,
    layout: LayoutDetail,
    datatype: Datatype,
    dataspace: Dataspace,
    max_dims: Vec<Option<u64>>,
    fill: FillValue,
    filters: FilterPipeline,
}

/// What the layout message says beyond what reading needs.
enum LayoutDetail {
    None,
    Chunked(Arc<ChunkedLayout>),
    External(Vec<ExternalFile>),
    Virtual(VirtualData),
}

impl Dataset {
    pub(crate) fn open(node: Node) -> Result<Self> {
        let inner = DatasetInner::open(node.clone()).map_err(|error| node.located(error))?;
        Ok(Self { inner: Arc::new(inner) })
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

    /// How many elements it has.
    pub fn elements(&self) -> u64 {
        self.inner.elements()
    }

    /// Bytes of all elements, unfiltered.
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
        self.inner.virtual_data().map(VirtualData::sources)
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

    /// Bytes that the values take in the file (as h5py's `id.get_storage_size()`).
    pub fn stored_bytes(&self) -> Result<u64> {
        Ok(match &self.inner.array.storage {
            Storage::Compact { data } => data.len() as u64,
            Storage::Contiguous { base, .. } => base.map_or(0, |_| self.logical_bytes()),
            Storage::External { .. } => self.logical_bytes(),
            Storage::Chunked(_) => self.chunk_map()?.iter().map(|(_, location)| location.stored_bytes).sum(),
            Storage::Virtual => 0,
        })
    }

    /// What a read of `selection` would do, without doing it.
    pub fn explain(&self, selection: &Selection) -> Result<Explained> {
        Explained::new(&self.inner.array, selection).map_err(|error| self.inner.named(error))
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
        self.inner.read_into(selection, order, out).map_err(|error| self.inner.named(error))
    }

    /// Reads a selection as bytes, see [`Self::read_into`].
    pub fn read_bytes(&self, selection: &Selection, order: Order) -> Result<Vec<u8>> {
        let elements = self.measure(selection)?.count.checked_mul(self.inner.array.element.bytes as u64);
        let mut out = zeroed(elements).map_err(|error| self.inner.named(error))?;
        self.read_into(selection, order, &mut out)?;
        Ok(out)
    }

    /// What a read of `selection` gives.
    pub(crate) fn measure<'s>(&self, selection: &'s Selection) -> Result<Measured<'s>> {
        self.inner.array.measure(selection).map_err(|error| self.inner.named(error))
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
        let filters = filters.unwrap_or_default();
        let extent = Extent { dims: &dims, max_dims: &max_dims, elements, element_bytes: datatype.size };
        let (storage, layout) = storage(&node, layout, &extent, &filters, external)?;
        let dataspace = match (&layout, dataspace) {
            // The extent of a virtual dataset is as large as its sources are now.
            (LayoutDetail::Virtual(data), Dataspace::Simple { dims, max_dims }) => {
                Dataspace::Simple { dims: data.extent(&node.file, &dims, &max_dims)?, max_dims }
            }
            (_, dataspace) => dataspace,
        };
        count(&dataspace)?;
        // As in libhdf5: no message, no fill value.
        let fill = fill.unwrap_or(FillValue { value: Fill::Undefined, ..FillValue::default() });
        let array = Array {
            path: node.path.clone(),
            shape: match &dataspace {
                Dataspace::Simple { dims, .. } => dims.clone(),
                Dataspace::Scalar | Dataspace::Null => Vec::new(),
            },
            is_null: matches!(dataspace, Dataspace::Null),
            element: ElementSpec { bytes: datatype.size as usize, to_native: to_native(&datatype) },
            fill: match &fill.value {
                Fill::User(bytes) if bytes.len() == datatype.size as usize => bytes.to_vec(),
                _ => Vec::new(),
            },
            storage,
        };
        Ok(Self { node, array, layout, datatype, dataspace, max_dims, fill, filters })
    }

    pub(crate) fn address(&self) -> Address {
        self.node.header.address
    }

    pub(crate) fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// The mappings, where the dataset is virtual.
    pub(crate) fn virtual_data(&self) -> Option<&VirtualData> {
        match &self.layout {
            LayoutDetail::Virtual(data) => Some(data),
            _ => None,
        }
    }

    fn elements(&self) -> u64 {
        count(&self.dataspace).unwrap_or(u64::MAX)
    }

    fn read_into(&self, selection: &Selection, order: Order, out: &mut [u8]) -> Result<()> {
        self.read_parts_into(selection, order, None, out)
    }

    /// Reads whole elements, or parts of each.
    pub(crate) fn read_parts_into(
        &self,
        selection: &Selection,
        order: Order,
        parts: Option<&Parts>,
        out: &mut [u8],
    ) -> Result<()> {
        let element_bytes = self.array.element.bytes;
        let wanted = self.array.measure(selection)?;
        let needed = wanted.count.saturating_mul(parts.map_or(element_bytes, Parts::bytes) as u64);
        if needed != out.len() as u64 {
            return Err(Error::invalid(format!("the result has {needed} bytes, the buffer {}", out.len())));
        }
        if needed == 0 {
            return Ok(());
        }
        let virtual_data = self.virtual_data();
        if let Some(parts) = parts.filter(|parts| virtual_data.is_some() || parts.run.is_none()) {
            let mut elements = zeroed(wanted.count.checked_mul(element_bytes as u64))?;
            self.read_into(selection, order, &mut elements)?;
            parts.gather(&elements, out);
            return Ok(());
        }
        let conversion = self.array.conversion(order)?;
        let target = Target::new(out);
        match virtual_data {
            None => array::read(&self.array, wanted, parts, target, conversion),
            Some(data) => {
                let shape = wanted.shape.clone();
                array::read(&self.array, wanted, parts, target, conversion)?;
                virtual_dataset::read(data, self, selection, &shape, target, conversion)
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

/// What the storage of a dataset depends on.
struct Extent<'a> {
    dims: &'a [u64],
    max_dims: &'a [Option<u64>],
    elements: u64,
    element_bytes: u32,
}

fn storage(
    node: &Node,
    layout: Layout,
    extent: &Extent<'_>,
    filters: &FilterPipeline,
    external: Option<ExternalFiles>,
) -> Result<(Storage, LayoutDetail)> {
    let (file, element_bytes) = (&node.file, u64::from(extent.element_bytes));
    let logical = extent.elements.checked_mul(element_bytes).ok_or_else(|| {
        Error::damaged(format!("{} elements of {element_bytes} bytes overflow 64 bits", extent.elements))
    })?;
    if let Some(external) = external {
        let files = external::files(file, &external)?;
        let source = external::join(file, &files, logical)?;
        let data = Arc::new(DataSource::new(source, file.data.runtime));
        return Ok((Storage::External { data }, LayoutDetail::External(files)));
    }
    match layout {
        Layout::Compact { data, at } => {
            if (data.len() as u64) < logical {
                let have = data.len();
                return Err(Error::damaged(format!(
                    "compact data at byte {at:#x} has {have} bytes, the extent needs {logical}"
                )));
            }
            Ok((Storage::Compact { data }, LayoutDetail::None))
        }
        Layout::Contiguous { address, size } => {
            if size.is_some_and(|size| size < logical) && address.is_some() {
                let size = size.unwrap_or(0);
                return Err(Error::damaged(format!(
                    "contiguous data has {size} bytes, the extent needs {logical}"
                )));
            }
            let base = address.map(|address| file.absolute(address));
            Ok((Storage::Contiguous { data: file.data.clone(), base }, LayoutDetail::None))
        }
        Layout::Chunked(layout) => {
            let layout = Arc::new(layout);
            let chunked = chunked(node, &layout, extent, filters)?;
            Ok((Storage::Chunked(Arc::new(chunked)), LayoutDetail::Chunked(layout)))
        }
        Layout::Virtual { heap, index } => {
            Ok((Storage::Virtual, LayoutDetail::Virtual(VirtualData::open(file, heap, index)?)))
        }
    }
}

fn chunked(
    node: &Node,
    layout: &Arc<ChunkedLayout>,
    extent: &Extent<'_>,
    filters: &FilterPipeline,
) -> Result<Chunked> {
    let (rank, element_bytes) = (extent.dims.len(), u64::from(extent.element_bytes));
    if layout.chunk_dims.len() != rank {
        let chunk = layout.chunk_dims.len();
        return Err(Error::damaged(format!("chunks have {chunk} axes, the dataset has {rank}")));
    }
    if layout.element_bytes != extent.element_bytes {
        let chunk = layout.element_bytes;
        return Err(Error::damaged(format!(
            "the layout has elements of {chunk} bytes, the datatype of {element_bytes}"
        )));
    }
    let bytes = layout
        .chunk_dims
        .iter()
        .try_fold(element_bytes, |bytes, &dim| bytes.checked_mul(dim).filter(|_| dim > 0))
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|&bytes| bytes <= isize::MAX as usize)
        .ok_or_else(|| Error::damaged(format!("chunks of {:?} elements", layout.chunk_dims)))?;
    let grid = ChunkGrid::new(extent.dims, &layout.chunk_dims)?;
    let index = Hdf5ChunkIndex {
        file: node.file.clone(),
        layout: layout.clone(),
        dims: extent.dims.to_vec(),
        max_dims: extent.max_dims.to_vec(),
        filtered: !filters.filters.is_empty(),
        grid: grid.clone(),
    };
    let settings = filters.filters.iter().map(describe::settings).collect();
    Ok(Chunked {
        data: node.file.data.clone(),
        object: node.header.address.0,
        array_shape: extent.dims.to_vec(),
        shape: layout.chunk_dims.clone(),
        element_bytes: element_bytes as usize,
        bytes,
        grid,
        edge_chunks_unfiltered: layout.edge_chunks_unfiltered,
        filters: Filters::new(settings, element_bytes as usize, bytes),
        index: Arc::new(index),
        state: node.file.chunk_state(node.header.address),
    })
}
