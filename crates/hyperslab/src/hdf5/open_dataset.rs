//! Opening a dataset: from the messages of its object header to an [`Array`].

use super::chunk_index::Hdf5ChunkIndex;
use super::external;
use super::object::Hdf5Object;
use super::virtual_dataset::VirtualDataset;
use crate::datatype::element;
use crate::format_error::OrError;
use crate::open_file::Node;
use crate::stored_dataset::{LayoutDetail, StoredDataset};
use crate::{Error, Result, describe};
use hyperslab_array::array::{Array, Chunked, DataSource, Filters, Operation, Storage, check_grid};
use hyperslab_array::chunk::grid::ChunkGrid;
use hyperslab_array::chunk::index::ChunkIndex;
use hyperslab_format::message::fill_value::Fill;
use hyperslab_format::message::{
    ChunkedLayout, Dataspace, Datatype, ExternalFiles, FillValue, FilterPipeline, Layout,
};
use std::sync::Arc;

/// The dataset of an object. `node` is the object in its file, and `operation` the call that led to it, which bounds its cost.
pub(super) fn open(object: &Hdf5Object, node: &Node, operation: &Operation) -> Result<StoredDataset> {
    let Hdf5Object { file: hdf5, header } = object;
    let parts = hdf5.parse_shared(|context| {
        let widths = context.view.widths;
        Ok((
            header.dataspace(context)?,
            header.datatype(context)?,
            header.layout(widths)?,
            header.filter_pipeline(context)?,
            header.fill_value(context)?,
        ))
    })?;
    let missing = |what: &str| Error::damaged(format!("the object header has no {what} message"));
    let (dataspace, datatype, layout, filters, fill) = parts;
    let dataspace = dataspace.ok_or_else(|| missing("dataspace"))?;
    let datatype = datatype.ok_or_else(|| missing("datatype"))?;
    let layout = layout.ok_or_else(|| missing("layout"))?;
    let external = header.external_files(hdf5.widths()).or_error()?;
    let (dims, max_dims) = match &dataspace {
        Dataspace::Simple { dims, max_dims } => (dims.clone(), max_dims.clone()),
        Dataspace::Scalar | Dataspace::Null => (Vec::new(), Vec::new()),
    };
    let elements = dataspace.elements();
    let filters = filters.unwrap_or_default();
    let extent = Extent { dims: &dims, max_dims: &max_dims, elements, datatype: &datatype };
    let Stored { storage, layout, dims: dims_now } =
        stored(object, node, layout, &extent, &filters, external, operation)?;
    let dataspace = match (dims_now, dataspace) {
        (Some(dims), Dataspace::Simple { max_dims, .. }) => Dataspace::Simple { dims, max_dims },
        (_, dataspace) => dataspace,
    };
    if dataspace.elements().is_none() && storage.chunked().is_none() {
        return Err(Error::damaged(format!(
            "the number of elements of an extent of {dims:?} overflows 64 bits"
        )));
    }
    // As in libhdf5: without the message, the fill value is undefined.
    let fill = fill.unwrap_or(FillValue { value: Fill::Undefined, ..FillValue::default() });
    let array = Array {
        origin: node.origin(),
        shape: match &dataspace {
            Dataspace::Simple { dims, .. } => dims.clone(),
            Dataspace::Scalar | Dataspace::Null => Vec::new(),
        },
        is_null: matches!(dataspace, Dataspace::Null),
        element: element(&datatype),
        fill: match &fill.value {
            Fill::User(bytes) if bytes.len() == datatype.size as usize => bytes.to_vec(),
            _ => Vec::new(),
        },
        storage,
    };
    Ok(StoredDataset { array, layout, datatype, in_file: None, dataspace, max_dims, fill, filters })
}

/// The extent and the datatype of a dataset, which its storage depends on.
struct Extent<'a> {
    dims: &'a [u64],
    max_dims: &'a [Option<u64>],
    /// `None` if the number overflows 64 bits.
    elements: Option<u64>,
    datatype: &'a Datatype,
}

/// How a dataset is stored.
struct Stored {
    storage: Storage,
    layout: LayoutDetail,
    /// The sizes along the axes, if they differ from those of the dataspace message.
    dims: Option<Vec<u64>>,
}

impl From<Storage> for Stored {
    fn from(storage: Storage) -> Self {
        Self { storage, layout: LayoutDetail::None, dims: None }
    }
}

fn stored(
    object: &Hdf5Object,
    node: &Node,
    layout: Layout,
    extent: &Extent<'_>,
    filters: &FilterPipeline,
    external: Option<ExternalFiles>,
    operation: &Operation,
) -> Result<Stored> {
    let (file, element_bytes) = (&node.file, u64::from(extent.datatype.size));
    let logical = extent.elements.and_then(|elements| elements.checked_mul(element_bytes));
    let logical = logical.ok_or_else(|| {
        Error::damaged(format!("{:?} elements of {element_bytes} bytes overflow 64 bits", extent.dims))
    });
    if let Some(external) = external {
        let logical = logical?;
        let files = external::files(&object.file, &external)?;
        let source = external::join(file, &files, logical)?;
        let data = Arc::new(DataSource::new(source, file.data.runtime.clone()));
        let layout = LayoutDetail::External(files);
        return Ok(Stored { layout, ..Storage::External { data }.into() });
    }
    match layout {
        Layout::Compact { data, at } => {
            let logical = logical?;
            if (data.len() as u64) < logical {
                let have = data.len();
                return Err(Error::damaged(format!(
                    "compact data at byte {at:#x} has {have} bytes, the extent needs {logical}"
                ))
                .at_byte("data layout message", at));
            }
            Ok(Storage::Compact { data }.into())
        }
        Layout::Contiguous { address, size } => {
            let logical = logical?;
            if size.is_some_and(|size| size < logical) && address.is_some() {
                let size = size.unwrap_or(0);
                return Err(Error::damaged(format!(
                    "contiguous data has {size} bytes, the extent needs {logical}"
                )));
            }
            let base = address.map(|address| file.absolute(address));
            Ok(Storage::Contiguous { data: file.data.clone(), base, record_bytes: None }.into())
        }
        Layout::Chunked(layout) => {
            let layout = Arc::new(layout);
            let chunked = chunked(object, node, &layout, extent, filters)?;
            let layout = LayoutDetail::Chunked(layout);
            Ok(Stored { layout, ..Storage::Chunked(Arc::new(chunked)).into() })
        }
        Layout::Virtual { heap, index } => {
            let sizes = (extent.dims, extent.max_dims);
            let virtual_dataset =
                VirtualDataset::new(file, (heap, index), sizes, extent.datatype, operation)?;
            // The extent of a virtual dataset depends on the present sizes of its sources.
            let dims = Some(virtual_dataset.dims().to_vec());
            let sources = Arc::new(virtual_dataset);
            let layout = LayoutDetail::Virtual(sources.clone());
            Ok(Stored { dims, layout, ..Storage::Virtual(sources).into() })
        }
    }
}

fn chunked(
    object: &Hdf5Object,
    node: &Node,
    layout: &Arc<ChunkedLayout>,
    extent: &Extent<'_>,
    filters: &FilterPipeline,
) -> Result<Chunked> {
    let (rank, element_bytes) = (extent.dims.len(), u64::from(extent.datatype.size));
    if layout.chunk_dims.len() != rank {
        let chunk = layout.chunk_dims.len();
        return Err(Error::damaged(format!("chunks have {chunk} axes, the dataset has {rank}")));
    }
    if layout.element_bytes != extent.datatype.size {
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
    let is_filtered = !filters.filters.is_empty();
    let index: Arc<dyn ChunkIndex> = match node.file.chunk_map(object.header.address) {
        Some(map) => {
            check_grid(&map, &grid)?;
            map
        }
        None => {
            let (file, layout) = (object.file.clone(), layout.clone());
            Arc::new(Hdf5ChunkIndex::new(file, layout, extent.dims, extent.max_dims, is_filtered))
        }
    };
    let settings = filters.filters.iter().map(describe::settings).collect();
    Ok(Chunked {
        data: node.file.data.clone(),
        object: object.header.address.0,
        array_shape: extent.dims.to_vec(),
        shape: layout.chunk_dims.clone(),
        element_bytes: element_bytes as usize,
        bytes,
        grid,
        edge_chunks_unfiltered: layout.edge_chunks_unfiltered,
        filters: Arc::new(Filters::new(settings, element_bytes as usize, bytes)),
        index,
        state: node.file.chunk_state(object.header.address),
    })
}
