//! A variable of the netCDF view as an array of an index.

use crate::chunks::{Chunks, coordinates};
use crate::codec::Codec;
use crate::data_type::{DataType, fill_json};
use crate::encode::Encoder;
use crate::model::{Array, BuildOptions, FillMeaning};
use crate::values::{Values, in_file_order};
use bytes::Bytes;
use hyperslab::datatypes::{Class, StringPadding};
use hyperslab::hdf5::chunked_layout;
use hyperslab::number::Converter;
use hyperslab::storage::Fill;
use hyperslab::{ChunkGrid, Dataset, Datatype, Endianness, Selection};
use hyperslab_netcdf::{Netcdf, Variable};
use std::sync::Arc;

/// The bytes of values of one variable that may be inlined.
const INLINE_BYTES_MAX: u64 = 1 << 20;
/// The chunks of one variable that may be inlined because they were never written.
const MISSING_MAX: u128 = 10_000;

/// The array of a variable, without its attributes; or why there is none.
pub(crate) fn array(netcdf: &Netcdf, variable: &Variable, options: &BuildOptions) -> Result<Array, String> {
    let mut array = located(netcdf, variable, options.fill)?;
    if let Some(dimension) = &options.concat {
        let dataset = &variable.dataset;
        // The bytes of text of variable length are addresses, and other text may be padded otherwise; the inlined chunk has
        // the text.
        let is_other = array.codecs.contains(&Codec::VlenUtf8) || null_padded(dataset.datatype()).is_some();
        array.values = match array.dimensions.contains(dimension) {
            _ if is_other => Values::Unknown,
            true if dataset.shape() == array.shape => Values::joinable(dataset)?,
            // What the file lacks at the end of a shorter variable would be missing in between.
            true => Values::Unknown,
            false => Values::digest(dataset)?,
        };
    }
    Ok(array)
}

/// The array with its chunks.
fn located(netcdf: &Netcdf, variable: &Variable, fill: FillMeaning) -> Result<Array, String> {
    let dataset = &variable.dataset;
    if !dataset.file().is_same(netcdf.file()) {
        return Err("it lies in another file, behind an external link".into());
    }
    if matches!(dataset.dataspace(), hyperslab::Dataspace::Null) {
        return Err("it has no elements (a null dataspace)".into());
    }
    let shape = netcdf.shape(variable);
    let array = Array {
        path: dataset.path().trim_start_matches('/').to_owned(),
        chunk_shape: shape.iter().map(|&len| len.max(1)).collect(),
        shape,
        data_type: DataType::Text,
        fill_value: None,
        codecs: Vec::new(),
        dimensions: variable.dimensions.iter().map(|&id| netcdf.dimension(id).name.clone()).collect(),
        attributes: Vec::new(),
        chunks: Chunks::default(),
        values: Values::Unknown,
    };
    let array = Array { chunks: Chunks::new(array.counts()), ..array };
    if matches!(dataset.datatype().class, Class::VlenString { .. }) {
        return inline_text(array, dataset);
    }
    // The bytes of chunks are those of the file.
    let Some(data_type) = DataType::of(dataset.stored_datatype()) else {
        let none = || format!("Zarr has no type like {}", dataset.datatype());
        let padded = null_padded(dataset.datatype()).ok_or_else(none)?;
        let data_type = DataType::of(&padded).ok_or_else(none)?;
        return inline_padded(Array { data_type, ..array }, dataset, &padded);
    };
    let array = Array { data_type, ..array };
    if array.shape.contains(&0) {
        return Ok(array);
    }
    match dataset.layout_name() {
        "chunked" => match codecs(dataset) {
            Ok(codecs) => chunked(Array { codecs, ..array }, dataset, variable, fill),
            Err(filter) => inline(array, dataset, &format!("numcodecs has no equal of the filter {filter}")),
        },
        "contiguous" if dataset.shape() == array.shape => contiguous(array, dataset, variable, fill),
        layout => inline(array, dataset, &format!("its data is {layout}")),
    }
}

fn codecs(dataset: &Dataset) -> Result<Vec<Codec>, String> {
    let element_bytes = dataset.datatype().size;
    let codec = |filter| {
        let name = || hyperslab::filters::describe(filter);
        Codec::of(filter, element_bytes).ok_or_else(name)
    };
    let codecs: Vec<Codec> = dataset.filters().iter().map(codec).collect::<Result<_, _>>()?;
    let shuffle = codecs.iter().rposition(|codec| matches!(codec, Codec::Shuffle { .. })).unwrap_or(0);
    // HDF5's shuffle leaves the bytes after the last whole element where they are; that of numcodecs refuses them.
    let before = codecs[..shuffle].iter().find(|codec| match codec {
        Codec::Shuffle { .. } => false,
        Codec::Fletcher32 => !CHECKSUM_BYTES.is_multiple_of(element_bytes.max(1)),
        _ => element_bytes > 1,
    });
    if before.is_some() {
        let names: Vec<String> =
            dataset.filters()[..shuffle].iter().map(hyperslab::filters::describe).collect();
        return Err(format!("shuffle after {}, of elements of {element_bytes} bytes", names.join(", ")));
    }
    Ok(codecs)
}

/// Bytes that fletcher32 appends to a chunk.
const CHECKSUM_BYTES: u32 = 4;

/// The bytes of one element that was never written.
pub(crate) fn fill_element(dataset: &Dataset) -> Vec<u8> {
    let size = dataset.datatype().size as usize;
    match &dataset.fill_value().value {
        Fill::User(bytes) if bytes.len() == size => bytes.to_vec(),
        _ => vec![0; size],
    }
}

fn chunked(
    mut array: Array,
    dataset: &Dataset,
    variable: &Variable,
    meaning: FillMeaning,
) -> Result<Array, String> {
    let map = dataset.chunk_map().map_err(|error| error.to_string())?;
    let grid = map.grid();
    array.chunk_shape = grid.chunk_shape().to_vec();
    // Its dimensions may be longer than the dataset.
    ChunkGrid::new(&array.shape, &array.chunk_shape).map_err(|error| error.to_string())?;
    array.chunks = Chunks::new(array.counts());
    array.chunks.set_map(map.clone());
    let fill = fill_element(dataset);
    let unfiltered_edges = !array.codecs.is_empty()
        && chunked_layout(dataset).is_some_and(|layout| layout.edge_chunks_unfiltered);
    let mut encoder = Encoder::new(dataset, &array.chunk_shape, fill.clone())?;
    let mut inlined = 0;
    // Nearly always no chunk is an exception, and then the map itself says so, without its coordinates.
    let ends_early = dataset.shape() != array.shape;
    let file_bytes = dataset.file().source().len();
    for (number, location) in map.iter() {
        // Such as one in several blocks, which no reader of references could join.
        let is_outside = location.is_outside(file_bytes);
        if location.filter_mask == 0 && !unfiltered_edges && !ends_early && !is_outside {
            continue;
        }
        let at = grid.coordinates(number);
        let axes = || at.iter().zip(&array.chunk_shape).enumerate();
        let end = |(at, chunk): (&u64, &u64)| (at + 1).saturating_mul(*chunk);
        let is_partial = axes().any(|(axis, chunk)| end(chunk) > dataset.shape()[axis]);
        // Beyond the end of the dataset its chunks have any values; the dimension may be longer.
        let ends_inside = axes().any(|(axis, chunk)| {
            end(chunk) > dataset.shape()[axis] && array.shape[axis] > dataset.shape()[axis]
        });
        if is_outside || location.filter_mask != 0 || (unfiltered_edges && is_partial) || ends_inside {
            let bytes = encoder.chunk(&at)?;
            inlined += bytes.len() as u64;
            if inlined > INLINE_BYTES_MAX {
                let what =
                    "too many of its chunks are stored without some of its filters, or in several blocks";
                return Err(what.into());
            }
            array.chunks.set_inline(&at, bytes.into());
        }
    }
    add_missing(array, dataset, variable, meaning, &fill, &mut encoder)
}

/// Chunks that were never written have the fill value of the array, if readers take that for a value, or mask that value
/// anyway; else they are inlined.
fn add_missing(
    mut array: Array,
    dataset: &Dataset,
    variable: &Variable,
    meaning: FillMeaning,
    fill: &[u8],
    encoder: &mut Encoder<'_>,
) -> Result<Array, String> {
    array.fill_value = fill_value(dataset, variable, meaning, fill);
    let counts = array.counts();
    let all = counts.iter().fold(1u128, |all, &count| all.saturating_mul(count.into()));
    let missing = all.saturating_sub(array.chunks.len() as u128);
    if missing == 0 || array.fill_value.is_some() {
        return Ok(array);
    }
    if missing > MISSING_MAX {
        return Err(format!(
            "{missing} of its chunks were never written, and their value is not its _FillValue"
        ));
    }
    let bytes = Bytes::from(encoder.fill_chunk()?);
    if missing * bytes.len() as u128 > u128::from(INLINE_BYTES_MAX) {
        return Err(format!("{missing} of its chunks were never written, and are too large to be inlined"));
    }
    for number in 0..all {
        let at = coordinates(number, &counts);
        if !array.chunks.has(&at) {
            array.chunks.set_inline(&at, bytes.clone());
        }
    }
    Ok(array)
}

/// The fill value of an array, if readers take that for a value, or mask that value anyway.
fn fill_value(dataset: &Dataset, variable: &Variable, meaning: FillMeaning, fill: &[u8]) -> Option<String> {
    let is_masked = || {
        variable.attribute("_FillValue").is_some_and(|attribute| {
            attribute.stored.datatype.class == dataset.datatype().class && attribute.stored.data[..] == *fill
        })
    };
    let is_known = meaning == FillMeaning::Value || is_masked();
    if is_known { fill_json(dataset.datatype(), fill) } else { None }
}

fn contiguous(
    mut array: Array,
    dataset: &Dataset,
    variable: &Variable,
    meaning: FillMeaning,
) -> Result<Array, String> {
    if let Some(records) = dataset.record_map().map_err(|error| error.to_string())? {
        array.chunk_shape = records.grid().chunk_shape().to_vec();
        array.chunks = Chunks::new(array.counts());
        array.chunks.set_map(Arc::new(records));
        return Ok(array);
    }
    let Some(offset) = dataset.data_offset() else {
        // Without a chunk, all of it has the fill value.
        array.fill_value = fill_value(dataset, variable, meaning, &fill_element(dataset));
        return match array.fill_value {
            Some(_) => Ok(array),
            None => inline(array, dataset, "it was never written"),
        };
    };
    array.chunks.set_block(offset, dataset.logical_bytes());
    Ok(array)
}

/// All values in one chunk without codecs.
fn inline(array: Array, dataset: &Dataset, why: &str) -> Result<Array, String> {
    inline_as(array, dataset, why, |values| values)
}

/// What is made of all values, in one chunk without codecs.
fn inline_as(
    mut array: Array,
    dataset: &Dataset,
    why: &str,
    convert: impl FnOnce(Vec<u8>) -> Vec<u8>,
) -> Result<Array, String> {
    if dataset.shape() != array.shape {
        return Err(format!("{why}, and it is shorter than its dimensions"));
    }
    if dataset.logical_bytes() > INLINE_BYTES_MAX {
        return Err(format!("{why}, and its values are too many to be inlined"));
    }
    let values = dataset.read_bytes(&Selection::All, Endianness::File).map_err(|error| error.to_string())?;
    let values = in_file_order(dataset, convert(values));
    array.chunks.set_inline(&vec![0; array.shape.len()], values.into());
    Ok(array)
}

/// The datatype of text whose elements are padded with NULs, as Zarr's are, for text that ends in another way.
fn null_padded(datatype: &Datatype) -> Option<Datatype> {
    let Class::FixedString { padding, charset } = datatype.class else { return None };
    let is_other = padding != StringPadding::NullPad && DataType::of(datatype).is_none();
    let class = Class::FixedString { padding: StringPadding::NullPad, charset };
    is_other.then(|| Datatype { class, ..datatype.clone() })
}

/// All texts in one chunk, padded with NULs.
fn inline_padded(array: Array, dataset: &Dataset, padded: &Datatype) -> Result<Array, String> {
    if array.shape.contains(&0) {
        return Ok(array);
    }
    let why = "its text is not padded with NULs";
    let converter = Converter::new(dataset.datatype(), padded).ok_or(why)?;
    inline_as(array, dataset, why, |values| {
        let mut text = vec![0; values.len()];
        converter.convert(&values, &mut text);
        text
    })
}

/// All texts in one chunk.
fn inline_text(mut array: Array, dataset: &Dataset) -> Result<Array, String> {
    if dataset.shape() != array.shape {
        return Err("its text is of variable length, and it is shorter than its dimensions".into());
    }
    if dataset.logical_bytes() > INLINE_BYTES_MAX {
        return Err("its text is of variable length, and too much to be inlined".into());
    }
    let elements =
        dataset.read_bytes(&Selection::All, Endianness::File).map_err(|error| error.to_string())?;
    let mut heap = dataset.file().heap();
    let mut bytes =
        u32::try_from(dataset.elements()).map_err(|error| error.to_string())?.to_le_bytes().to_vec();
    for element in elements.chunks_exact(dataset.datatype().size.max(1) as usize) {
        let (_, text) = heap.sequence(element, 1).map_err(|error| error.to_string())?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        if std::str::from_utf8(&text[..end]).is_err() {
            return Err("its text is not UTF-8".into());
        }
        bytes.extend(u32::try_from(end).map_err(|error| error.to_string())?.to_le_bytes());
        bytes.extend(&text[..end]);
        if bytes.len() as u64 > 4 * INLINE_BYTES_MAX {
            return Err("its text is of variable length, and too much to be inlined".into());
        }
    }
    array.codecs.push(Codec::VlenUtf8);
    if !array.shape.contains(&0) {
        array.chunks.set_inline(&vec![0; array.shape.len()], bytes.into());
    }
    Ok(array)
}
