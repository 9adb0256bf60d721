//! The pixels of raster images that are in chunks, or that JPEG has compressed.

use super::chunk_index::Hdf4ChunkIndex;
use super::decoder;
use super::elements::Elements;
use super::model::{DataSet, same};
use super::values::{Stored, check_len};
use crate::open_file::Node;
use crate::{Error, Result};
use hyperslab_array::Selection;
use hyperslab_array::array::{Array, ElementSpec, Endianness, Operation, Storage};
use hyperslab_array::memory::zeroed;
use hyperslab_array::read::array;
use hyperslab_array::read::convert::Conversion;
use hyperslab_format::Bytes;
use hyperslab_hdf4::{Chunked, Coder};
use std::sync::Arc;

/// The array of pixels that chunks divide.
fn divided(chunked: &Chunked) -> Vec<u64> {
    chunked.dimensions.iter().map(|dimension| dimension.length.into()).collect()
}

/// True if chunks divide the rows and columns of an image themselves.
pub(super) fn are_rows(chunked: &Chunked, image: &DataSet) -> bool {
    image.shape.starts_with(&divided(chunked))
}

/// Pixels in chunks. The chunks divide an array whose first axis is as long as the image is wide, and whose second is as long as it
/// is high; its elements are the pixels of the image, row by row. They are read at once, unless both arrays are the same.
pub(super) fn in_chunks(
    elements: &Arc<Elements>,
    data_set: &DataSet,
    node: &Node,
    chunked: Chunked,
    needed: u64,
) -> Result<Stored> {
    let mut shape = divided(&chunked);
    let pixels = data_set.shape.iter().take(2).product::<u64>();
    if shape.len() != 2 || shape.iter().product::<u64>() != pixels {
        return Err(Error::damaged(format!(
            "chunks of an array of {shape:?} in an image of {pixels} pixels"
        )));
    }
    let fill = match chunked.fill.len() == data_set.fill.len() {
        true => chunked.fill.clone(),
        false => data_set.fill.clone(),
    };
    let element_bytes = data_set.element.bytes();
    if let (true, Some(one)) = (data_set.shape.starts_with(&shape), same(&fill, element_bytes)) {
        shape.extend(data_set.shape.get(2));
        let (storage, filters) = Hdf4ChunkIndex::storage(elements, &shape, element_bytes, node, chunked)?;
        return Ok(Stored { filters, fill: Some(one.to_vec()), ..storage.into() });
    }
    check_len(needed)?;
    // A pixel is an element: what was never written may have another value for each component.
    let (storage, filters) = Hdf4ChunkIndex::storage(elements, &shape, fill.len() as u64, node, chunked)?;
    let element = ElementSpec { bytes: fill.len(), to_native: None, to_datatype: Conversion::None };
    let array = Array { origin: node.origin(), shape, is_null: false, element, fill, storage };
    let mut data = zeroed(Some(needed))?;
    array::read(&array, &Selection::All, Endianness::File, None, &mut data, &Operation::default())?;
    Ok(Stored { filters, ..Storage::Compact { data: Bytes::from(data) }.into() })
}

/// The pixels of a stream of JPEG, which are decoded at once. The first part of the stream, its tables, may be an element of its own.
pub(super) fn of_jpeg(
    elements: &Elements,
    tables: Option<(u16, u16)>,
    pixels: (u16, u16),
    needed: u64,
) -> Result<Stored> {
    check_len(needed)?;
    let tables = tables.map(|key| elements.need(key)).transpose()?;
    let pixels = elements.need(pixels)?;
    let stream = [tables.as_ref().map_or(&[][..], |tables| &tables.bytes), &pixels.bytes].concat();
    let decoded = decoder::decode(&Coder::Jpeg, &stream, needed as usize);
    let decoded = decoded.map_err(|error| error.at_byte("image", pixels.at))?;
    Ok(Storage::Compact { data: decoded }.into())
}
