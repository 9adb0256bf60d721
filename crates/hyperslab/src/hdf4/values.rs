//! A dataset of the tree as an array: where its values are, and how they are read.

use super::chunk_index::Hdf4ChunkIndex;
use super::datatype::{datatype, in_file, swaps, to_native};
use super::elements::Elements;
use super::model::{DataSet, Element, Values};
use super::place::Place;
use super::{decoder, pixels};
use crate::format_error::OrError;
use crate::hdf5::join_external;
use crate::open_file::Node;
use crate::stored_dataset::{ExternalFile, LayoutDetail, StoredDataset};
use crate::{Error, ErrorKind, Result};
use hyperslab_array::array::{Array, ChunkState, Chunked, DataSource, ElementSpec, Records, Storage, Swaps};
use hyperslab_array::chunk::grid::ChunkGrid;
use hyperslab_array::chunk::index::Location;
use hyperslab_array::chunk::map::ChunkMap;
use hyperslab_array::read::convert::Conversion;
use hyperslab_format::Bytes;
use hyperslab_format::limits::RANK_MAX;
use hyperslab_format::message::fill_value::Fill;
use hyperslab_format::message::{Dataspace, FillValue, FilterPipeline};
use hyperslab_hdf4::{Compressed, External, Order};
use hyperslab_io::{Joined, Memory, Source, Stretch};
use std::sync::Arc;

/// The most bytes of values that must be brought into another order, which are read at once.
const REORDERED_BYTES_MAX: u64 = 1 << 30;

/// Where the values are, in the engine's words.
pub(super) struct Stored {
    pub storage: Storage,
    pub layout: LayoutDetail,
    pub filters: FilterPipeline,
    /// The value of chunks that are missing, where it is stored.
    pub fill: Option<Vec<u8>>,
}

impl From<Storage> for Stored {
    fn from(storage: Storage) -> Self {
        Self { storage, layout: LayoutDetail::None, filters: FilterPipeline::default(), fill: None }
    }
}

/// Opens a dataset. `node` is the dataset in its file.
pub(super) fn open(elements: &Arc<Elements>, data_set: &DataSet, node: &Node) -> Result<StoredDataset> {
    let rank = data_set.shape.len() as u64;
    if rank > RANK_MAX {
        let what = format!("{rank} dimensions, more than the {RANK_MAX} that are read");
        return Err(Error::new(ErrorKind::Limit, what));
    }
    let datatype = datatype(&data_set.element);
    let axes = data_set.shape.iter().enumerate();
    let max_dims: Vec<Option<u64>> =
        axes.map(|(axis, len)| (axis != 0 || !data_set.is_unlimited).then_some(*len)).collect();
    let dataspace = match data_set.shape.is_empty() {
        true => Dataspace::Scalar,
        false => Dataspace::Simple { dims: data_set.shape.clone(), max_dims: max_dims.clone() },
    };
    let (to_datatype, to_native) = match data_set.element {
        Element::Number(number_type) => (to_native(number_type), Some(to_native(number_type))),
        Element::Record { .. } => (Conversion::None, None),
    };
    let Stored { storage, layout, filters, fill: of_chunks } = stored(elements, data_set, node)?;
    // Chunks that are missing have the value that was set when chunking was, as in libhdf4.
    let of_chunks = of_chunks.filter(|fill| fill.len() as u64 == data_set.element.bytes());
    // Where it is not the same for all elements, those that lack are in the storage.
    let own = || data_set.same_fill().map_or_else(|| vec![0; datatype.size as usize], <[u8]>::to_vec);
    let in_array = of_chunks.unwrap_or_else(own);
    let mut fill = in_array.clone();
    to_datatype.in_place(&mut fill);
    let array = Array {
        origin: node.origin(),
        shape: data_set.shape.clone(),
        is_null: false,
        element: ElementSpec { bytes: datatype.size as usize, to_native, to_datatype },
        fill: in_array,
        storage,
    };
    let value = if fill.is_empty() { Fill::Undefined } else { Fill::User(Bytes::from(fill)) };
    Ok(StoredDataset {
        array,
        layout,
        in_file: in_file(&data_set.element),
        datatype,
        dataspace,
        max_dims,
        fill: FillValue { value, ..FillValue::default() },
        filters,
    })
}

fn stored(elements: &Arc<Elements>, data_set: &DataSet, node: &Node) -> Result<Stored> {
    let needed =
        data_set.shape.iter().try_fold(data_set.element.bytes(), |bytes, len| bytes.checked_mul(*len));
    let needed =
        needed.ok_or_else(|| Error::damaged(format!("the bytes of {:?} values overflow", data_set.shape)))?;
    if needed == 0 {
        return Ok(nowhere(data_set, node, needed).into());
    }
    match &data_set.values {
        Values::Nowhere => Ok(nowhere(data_set, node, needed).into()),
        Values::Known(bytes) => Ok(Storage::Compact { data: Bytes::from(bytes.clone()) }.into()),
        Values::Within(key, start) => {
            if let Place::Extents(extents) = Place::of(elements, *key)?
                && let [Stretch { at: Some(at), len }] = extents[..]
                && start.checked_add(needed).is_some_and(|end| end <= len)
            {
                let part = Stretch { at: Some(at + start), len: needed };
                return Ok(extents_storage(data_set, node, vec![part], needed).into());
            }
            let element = elements.need(*key)?;
            let range = *start as usize..start.saturating_add(needed) as usize;
            let values =
                element.bytes.get(range).ok_or_else(|| too_short(element.bytes.len() as u64, needed))?;
            Ok(Storage::Compact { data: Bytes::copy_from_slice(values) }.into())
        }
        Values::Jpeg { tables, pixels } => pixels::of_jpeg(elements, *tables, *pixels, needed),
        Values::Reordered(key, order) => {
            let mut data = reordered(elements, *key, order, needed)?;
            if let Element::Record { fields, bytes } = &data_set.element {
                swaps(fields, *bytes).apply(&mut data);
            }
            Ok(Storage::Compact { data: Bytes::from(data) }.into())
        }
        Values::Pixels(key) => match Place::of(elements, *key)? {
            Place::Chunked(chunked) => pixels::in_chunks(elements, data_set, node, *chunked, needed),
            place => at_place(elements, data_set, node, place, needed),
        },
        Values::Of(key) => {
            let place = Place::of(elements, *key)?;
            if let Element::Record { fields, bytes } = &data_set.element {
                let swaps = swaps(fields, *bytes);
                if !swaps.are_none() {
                    return records(elements, data_set, node, place, swaps);
                }
            }
            at_place(elements, data_set, node, place, needed)
        }
    }
}

/// Values that are stored as they are read.
fn at_place(
    elements: &Arc<Elements>,
    data_set: &DataSet,
    node: &Node,
    place: Place,
    needed: u64,
) -> Result<Stored> {
    match place {
        Place::Nowhere => Ok(nowhere(data_set, node, needed).into()),
        Place::Extents(extents) => Ok(extents_storage(data_set, node, extents, needed).into()),
        Place::External(external) => {
            let files = external_files(&external);
            let source = join_external(&node.file, &files, needed)?;
            let data = Arc::new(DataSource::new(source, node.file.data.runtime.clone()));
            let layout = LayoutDetail::External(files);
            Ok(Stored { layout, ..Storage::External { data }.into() })
        }
        Place::Coded { compressed, at, stored } => {
            coded(elements, data_set, node, &compressed, at, &stored, needed)
        }
        Place::Chunked(chunked) => {
            let fill = Some(chunked.fill.clone());
            Hdf4ChunkIndex::storage(elements, &data_set.shape, data_set.element.bytes(), node, *chunked)
                .map(|(storage, filters)| Stored { filters, fill, ..storage.into() })
        }
    }
}

/// Records whose fields change their byte order as they are read.
fn records(
    elements: &Arc<Elements>,
    data_set: &DataSet,
    node: &Node,
    place: Place,
    swaps: Swaps,
) -> Result<Stored> {
    let needed = data_set.shape.iter().product::<u64>() * data_set.element.bytes();
    let (source, layout): (Arc<dyn Source>, _) = match place {
        Place::Nowhere => return Ok(nowhere(data_set, node, needed).into()),
        Place::Extents(extents) => {
            let there: u64 = extents.iter().map(|extent| extent.len).sum();
            if there < needed {
                return Err(too_short(there, needed));
            }
            (Arc::new(Joined::new(node.file.source.clone(), &extents, Vec::new())), LayoutDetail::None)
        }
        Place::Coded { compressed, at, .. } => {
            let bytes = elements.decode(&compressed, at)?;
            if (bytes.len() as u64) < needed {
                return Err(too_short(bytes.len() as u64, needed));
            }
            (Arc::new(Memory::new(node.file.source.name(), bytes)), LayoutDetail::None)
        }
        Place::External(external) => {
            let files = external_files(&external);
            (join_external(&node.file, &files, needed)?, LayoutDetail::External(files))
        }
        Place::Chunked(_) => return Err(Error::unsupported("records in chunks are not read")),
    };
    let data = DataSource::new(Arc::new(Records::new(source, swaps)), node.file.data.runtime.clone());
    Ok(Stored { layout, ..Storage::External { data: Arc::new(data) }.into() })
}

/// The file that an external element lies in.
fn external_files(external: &External) -> Vec<ExternalFile> {
    let name = external.name.to_string();
    vec![ExternalFile { name, offset: external.offset.into(), size: Some(external.length.into()) }]
}

/// Values that nobody wrote.
fn nowhere(data_set: &DataSet, node: &Node, needed: u64) -> Storage {
    extents_storage(data_set, node, Vec::new(), needed)
}

/// Values in parts of the file. What is missing at the end was never written.
fn extents_storage(data_set: &DataSet, node: &Node, mut extents: Vec<Stretch>, needed: u64) -> Storage {
    let there: u64 = extents.iter().map(|extent| extent.len).sum();
    Stretch::push(&mut extents, Stretch { at: None, len: needed.saturating_sub(there) });
    match &extents[..] {
        [] => Storage::Contiguous { data: node.file.data.clone(), base: None, record_bytes: None },
        [Stretch { at, .. }] if at.is_some() || data_set.same_fill().is_some() => {
            Storage::Contiguous { data: node.file.data.clone(), base: *at, record_bytes: None }
        }
        _ => joined(data_set, node, node.file.source.clone(), &extents),
    }
}

/// Parts of a source, one after the other; those without a place were never written.
fn joined(data_set: &DataSet, node: &Node, source: Arc<dyn Source>, extents: &[Stretch]) -> Storage {
    let joined = Joined::new(source, extents, data_set.fill.clone());
    let data = DataSource::new(Arc::new(joined), node.file.data.runtime.clone());
    Storage::External { data: Arc::new(data) }
}

/// Values in one coded stream: a single chunk, which is decoded once and kept.
fn coded(
    elements: &Arc<Elements>,
    data_set: &DataSet,
    node: &Node,
    compressed: &Compressed,
    at: u64,
    stored: &[Stretch],
    needed: u64,
) -> Result<Stored> {
    let length = u64::from(compressed.length);
    let (shape, element_bytes) = (&data_set.shape, data_set.element.bytes() as usize);
    let (address, stored_bytes) = match stored {
        [] | [Stretch { at: None, .. }] => return Ok(nowhere(data_set, node, needed).into()),
        _ if length == 0 => return Ok(nowhere(data_set, node, needed).into()),
        [Stretch { at: Some(address), len }] if length == needed && !shape.is_empty() => (*address, *len),
        _ => {
            // The stream is not in one piece, or it has not as many bytes as the values.
            let bytes = elements.decode(compressed, at)?;
            let len = bytes.len() as u64;
            if len >= needed {
                return Ok(Storage::Compact { data: bytes.slice(..needed as usize) }.into());
            }
            let extents = [Stretch { at: Some(0), len }, Stretch { at: None, len: needed - len }];
            let decoded = Arc::new(Memory::new(node.file.source.name(), bytes));
            return Ok(joined(data_set, node, decoded, &extents).into());
        }
    };
    let bytes = usize::try_from(needed)
        .map_err(|_| Error::new(ErrorKind::Limit, "a stream of more than 2^63 bytes"))?;
    let (filters, described) = decoder::filters(&compressed.coder, element_bytes, bytes)?;
    let grid = ChunkGrid::new(shape, shape)?;
    let location = Location { address, stored_bytes, filter_mask: 0 };
    let map = Arc::new(ChunkMap::new(grid.clone(), [(vec![0; shape.len()], location)])?);
    let chunked = Chunked {
        data: node.file.data.clone(),
        object: node.object.number().0,
        array_shape: shape.clone(),
        shape: shape.clone(),
        element_bytes,
        bytes,
        grid,
        edge_chunks_unfiltered: false,
        filters: Arc::new(filters),
        index: map.clone(),
        state: Arc::new(ChunkState::known(map)),
    };
    Ok(Stored { filters: described, ..Storage::Chunked(Arc::new(chunked)).into() })
}

/// The values of an element in the order of the axes.
fn reordered(elements: &Elements, key: (u16, u16), order: &Order, needed: u64) -> Result<Vec<u8>> {
    check_len(needed)?;
    let needed = needed as usize;
    let stored = elements.need(key)?;
    order.arranged(&stored.bytes, needed, stored.at).or_error()
}

pub(super) fn check_len(needed: u64) -> Result<()> {
    match needed <= REORDERED_BYTES_MAX {
        true => Ok(()),
        false => {
            let what = format!("{needed} bytes that must be read at once; at most {REORDERED_BYTES_MAX} are");
            Err(Error::new(ErrorKind::Limit, what))
        }
    }
}

fn too_short(found: u64, needed: u64) -> Error {
    Error::damaged(format!("the values have {found} bytes, the shape needs {needed}"))
}
