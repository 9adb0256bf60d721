//! How a new dataset is stored: its layout, the shape of its chunks, and its filters with all parameters.

use crate::blocks;
use crate::elements::Elements;
use crate::new_dataset::{NewDataset, Requested};
use hyperslab::storage::{Fill, FillValue};
use hyperslab::{Dataspace, Datatype};
use hyperslab_encode::new_filters::FilteredDataset;
use hyperslab_format::message::FilterPipeline;
use hyperslab_format::message::fill_value::AllocationTime;
use hyperslab_storage::Layout;
use hyperslab_write::ObjectId;

/// Elements of at most so many bytes are stored in the object header, where opening the dataset reads them.
const COMPACT_BYTES: u64 = 1 << 10;
/// The largest message of an object header is 64 KiB, with the layout around the elements.
const COMPACT_BYTES_MAX: u64 = (64 << 10) - 64;
/// Chunks of an automatic shape have at most so many bytes: the default size of libhdf5's chunk cache before 2.0.
const AUTOMATIC_BYTES: u64 = 1 << 20;
/// An unlimited axis without elements is taken for one of so many, as h5py does.
const UNLIMITED_ELEMENTS: u64 = 1024;
/// The sizes of chunks have 32 bits before layout version 5.
const CHUNK_BYTES_MAX: u64 = u32::MAX as u64;
const CHUNKS_MAX: u64 = 1 << 32;
const RANK_MAX: usize = 32;

/// A dataset whose storage is chosen.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    pub datatype: Datatype,
    pub dataspace: Dataspace,
    pub fill: FillValue,
    /// The fill value, if it has addresses.
    pub fill_elements: Option<Elements>,
    pub filters: FilterPipeline,
    pub layout: Layout,
    /// The named datatype that it uses.
    pub committed: Option<ObjectId>,
}

impl Prepared {
    /// The bytes of all elements.
    pub fn bytes(&self) -> u64 {
        self.dataspace.elements().unwrap_or(0).saturating_mul(self.datatype.size.into())
    }

    /// The bytes of an element that was never written; zeros where there would be addresses.
    pub fn fill_element(&self) -> Vec<u8> {
        match &self.fill.value {
            Fill::User(value) => value.to_vec(),
            Fill::Default | Fill::Undefined => vec![0; self.datatype.size as usize],
        }
    }

    /// True if elements contain addresses: of objects, or of the global heap.
    pub fn has_addresses(&self) -> bool {
        self.datatype.is_variable() || self.datatype.contains_reference()
    }
}

/// Settles how a dataset is stored. An error says what is not possible.
pub(crate) fn prepare(dataset: NewDataset) -> Result<Prepared, String> {
    let NewDataset { datatype, dataspace, layout, filters, fill, committed } = dataset;
    check_extent(&dataspace, datatype.size)?;
    let (fill, fill_elements) = fill_value(fill, &datatype)?;
    let layout = chosen(layout, &datatype, &dataspace, !filters.is_empty())?;
    let filters = match &layout {
        Layout::Chunked(chunk) => {
            let filtered = FilteredDataset { datatype: &datatype, chunk, fill: &fill };
            filtered.requested(&filters).map_err(|error| error.to_string())?
        }
        _ if filters.is_empty() => Vec::new(),
        _ => return Err("only chunked datasets have filters".into()),
    };
    let allocation = match &layout {
        Layout::Compact => AllocationTime::Early,
        Layout::Contiguous => AllocationTime::Late,
        Layout::Chunked(_) => AllocationTime::Incremental,
    };
    let fill = FillValue { allocation, ..fill };
    let filters = FilterPipeline { filters };
    Ok(Prepared { datatype, dataspace, fill, fill_elements, filters, layout, committed })
}

fn check_extent(dataspace: &Dataspace, element_bytes: u32) -> Result<(), String> {
    let Dataspace::Simple { dims, max_dims } = dataspace else { return Ok(()) };
    if dims.len() > RANK_MAX {
        return Err(format!("{} dimensions; at most {RANK_MAX} are possible", dims.len()));
    }
    if max_dims.len() != dims.len() {
        let (shape, max) = (shape_text(&known(dims)), shape_text(max_dims));
        return Err(format!("maxshape {max} has another number of dimensions than the shape {shape}"));
    }
    let is_too_small = |(dim, max): (&u64, &Option<u64>)| max.is_some_and(|max| max < *dim);
    if dims.iter().zip(max_dims).any(is_too_small) {
        let (shape, max) = (shape_text(&known(dims)), shape_text(max_dims));
        return Err(format!("the shape {shape} is larger than maxshape {max}"));
    }
    let bytes = dataspace.elements().and_then(|elements| elements.checked_mul(element_bytes.into()));
    bytes.map(|_| ()).ok_or_else(|| format!("the size of {dims:?} elements overflows 64 bits"))
}

fn known(dims: &[u64]) -> Vec<Option<u64>> {
    dims.iter().copied().map(Some).collect()
}

/// A shape as Python writes it: `(3, None)`, `(3,)`.
fn shape_text(dims: &[Option<u64>]) -> String {
    let dims: Vec<_> =
        dims.iter().map(|dim| dim.map_or_else(|| "None".into(), |dim| dim.to_string())).collect();
    match &dims[..] {
        [one] => format!("({one},)"),
        several => format!("({})", several.join(", ")),
    }
}

fn fill_value(fill: Option<Elements>, datatype: &Datatype) -> Result<(FillValue, Option<Elements>), String> {
    let Some(fill) = fill else { return Ok((FillValue::default(), None)) };
    if fill.len() != datatype.size as usize {
        return Err(format!("a fill value of {} bytes; elements have {}", fill.len(), datatype.size));
    }
    if datatype.is_variable() || datatype.contains_reference() {
        return Ok((FillValue::default(), Some(fill)));
    }
    let value = fill.into_plain().ok_or("a fill value with addresses in a datatype without any")?;
    Ok((FillValue { value: Fill::User(value.into()), ..FillValue::default() }, None))
}

fn chosen(
    requested: Requested,
    datatype: &Datatype,
    dataspace: &Dataspace,
    is_filtered: bool,
) -> Result<Layout, String> {
    let Dataspace::Simple { dims, max_dims } = dataspace else {
        // One element, or none.
        return match requested {
            Requested::Layout(Layout::Chunked(_)) | Requested::AutomaticChunks => {
                Err("a scalar has no chunks".into())
            }
            Requested::Layout(Layout::Contiguous) => Ok(Layout::Contiguous),
            Requested::Layout(Layout::Compact) => compact(datatype.size.into()),
            Requested::Automatic => {
                let is_small = *dataspace == Dataspace::Scalar && u64::from(datatype.size) <= COMPACT_BYTES;
                Ok(if is_small { Layout::Compact } else { Layout::Contiguous })
            }
        };
    };
    let bytes = dims.iter().fold(u64::from(datatype.size), |bytes, dim| bytes.saturating_mul(*dim));
    let can_grow = dims.iter().zip(max_dims).any(|(dim, max)| *max != Some(*dim));
    match requested {
        Requested::Layout(Layout::Chunked(chunk)) => check_chunk(chunk, dims, max_dims, datatype.size.into()),
        Requested::AutomaticChunks => {
            Ok(Layout::Chunked(automatic_chunk(dims, max_dims, datatype.size.into())))
        }
        Requested::Automatic if can_grow || is_filtered => {
            Ok(Layout::Chunked(automatic_chunk(dims, max_dims, datatype.size.into())))
        }
        Requested::Automatic if bytes > 0 && bytes <= COMPACT_BYTES => Ok(Layout::Compact),
        _ if can_grow => Err("only chunked datasets can grow".into()),
        Requested::Layout(Layout::Compact) => compact(bytes),
        Requested::Layout(Layout::Contiguous) | Requested::Automatic => Ok(Layout::Contiguous),
    }
}

fn compact(bytes: u64) -> Result<Layout, String> {
    if bytes > COMPACT_BYTES_MAX {
        return Err(format!("{bytes} bytes are too many for a compact dataset"));
    }
    Ok(Layout::Compact)
}

fn check_chunk(
    chunk: Vec<u64>,
    dims: &[u64],
    max_dims: &[Option<u64>],
    element_bytes: u64,
) -> Result<Layout, String> {
    if chunk.len() != dims.len() || chunk.contains(&0) {
        return Err(format!("chunks of {chunk:?} elements in an array of {dims:?}"));
    }
    if let Some((size, max)) =
        chunk.iter().zip(max_dims).find(|(size, max)| max.is_some_and(|max| **size > max))
    {
        let max = max.unwrap_or_default();
        return Err(format!("chunks of {chunk:?} elements: {size} are more than the {max} of their axis"));
    }
    let bytes = chunk.iter().try_fold(element_bytes, |bytes, size| bytes.checked_mul(*size));
    if bytes.is_none_or(|bytes| bytes > CHUNK_BYTES_MAX) {
        return Err(format!("chunks of {chunk:?} elements have more than 4 GiB"));
    }
    if blocks::count(dims, &chunk).is_none_or(|count| count > CHUNKS_MAX) {
        return Err(format!("chunks of {chunk:?} elements would be more than 2^32; choose larger ones"));
    }
    Ok(Layout::Chunked(chunk))
}

/// Chunks with the proportions of the array, of at most [`AUTOMATIC_BYTES`]: one axis after the other is halved, as h5py
/// does, which however stops at 16 KiB to 1 MiB depending on the size of the array.
fn automatic_chunk(dims: &[u64], max_dims: &[Option<u64>], element_bytes: u64) -> Vec<u64> {
    let size = |(dim, max): (&u64, &Option<u64>)| match (dim, max) {
        (0, None) => UNLIMITED_ELEMENTS,
        (0, Some(max)) => (*max).clamp(1, UNLIMITED_ELEMENTS),
        (dim, _) => *dim,
    };
    let mut chunk: Vec<u64> = dims.iter().zip(max_dims).map(size).collect();
    let bytes = |chunk: &[u64]| chunk.iter().fold(element_bytes, |bytes, size| bytes.saturating_mul(*size));
    let mut axis = 0;
    while bytes(&chunk) > AUTOMATIC_BYTES && chunk.iter().any(|&size| size > 1) {
        chunk[axis] = chunk[axis].div_ceil(2);
        axis = (axis + 1) % chunk.len();
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatypes::{boolean, integer};

    fn prepared(dataset: NewDataset) -> Result<Layout, String> {
        prepare(dataset).map(|prepared| prepared.layout)
    }

    #[test]
    fn the_layout_follows_from_the_size() {
        let ints = |dims: &[u64]| NewDataset::new(integer(4, true), dims);
        assert_eq!(prepared(ints(&[])), Ok(Layout::Compact));
        assert_eq!(prepared(ints(&[256])), Ok(Layout::Compact));
        assert_eq!(prepared(ints(&[257])), Ok(Layout::Contiguous));
        assert_eq!(prepared(ints(&[0])), Ok(Layout::Contiguous));
        assert_eq!(prepared(NewDataset::null(boolean())), Ok(Layout::Contiguous));
        let growing = ints(&[0, 10]).maximum(&[None, Some(10)]);
        assert_eq!(prepared(growing.clone()), Ok(Layout::Chunked(vec![1024, 10])));
        assert!(prepared(growing.layout(Layout::Contiguous)).unwrap_err().contains("can grow"));
    }

    #[test]
    fn automatic_chunks_are_of_a_mebibyte() {
        let chunk = automatic_chunk(&[1460, 361, 720], &[Some(1460), Some(361), Some(720)], 4);
        let bytes = 4 * chunk.iter().product::<u64>();
        assert!((AUTOMATIC_BYTES / 3..=AUTOMATIC_BYTES).contains(&bytes), "{chunk:?}");
        assert_eq!(automatic_chunk(&[10], &[Some(10)], 2 << 20), [1]);
        assert_eq!(automatic_chunk(&[0], &[Some(0)], 4), [1]);
    }

    #[test]
    fn what_is_not_possible_is_refused() {
        let ints = |dims: &[u64]| NewDataset::new(integer(4, true), dims);
        for (dataset, says) in [
            (ints(&[10]).chunks(&[11]), "more than the 10"),
            (ints(&[10]).chunks(&[0]), "chunks of [0]"),
            (ints(&[10]).chunks(&[1, 1]), "in an array of [10]"),
            (ints(&[]).chunks(&[]), "a scalar has no chunks"),
            (ints(&[1 << 40]).chunks(&[1 << 31]), "4 GiB"),
            (ints(&[1 << 40]).chunks(&[1]), "2^32"),
            (ints(&[1 << 40, 1 << 40]), "overflows"),
            (ints(&[10]).maximum(&[Some(9)]), "the shape (10,) is larger than maxshape (9,)"),
            (ints(&[2, 10]).maximum(&[None, Some(9)]), "the shape (2, 10) is larger than maxshape (None, 9)"),
            (ints(&[10]).maximum(&[]), "maxshape () has another number of dimensions than the shape (10,)"),
            (ints(&[10]).fill(vec![0; 3]), "fill value of 3 bytes"),
            (ints(&[20_000]).layout(Layout::Compact), "too many for a compact"),
            (ints(&[1; 33]), "33 dimensions"),
        ] {
            let error = prepared(dataset).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }
}
