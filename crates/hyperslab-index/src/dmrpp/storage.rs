//! How a variable is stored, in the attributes and elements of DMR++.

use super::types::{dap_type, float};
use super::user_types::{Member, Structure, enumeration};
use crate::data_type::fill_json;
use hyperslab::datatypes::{Class, StringPadding};
use hyperslab::internal::chunked_layout;
use hyperslab::internal::number::{NativeFloat, native_float};
use hyperslab::storage::Fill;
use hyperslab::{ChunkMap, Dataset, Endianness, Selection};
use hyperslab_netcdf::{Netcdf, Variable, VariableType};
use std::sync::Arc;

/// The bytes of references to text that one variable may have in the document.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// How a variable is written: all that must be known before its element begins.
pub(super) struct Described {
    /// The type in DAP4.
    pub dap_type: &'static str,
    /// The path of the enumeration that is its type.
    pub enumeration: Option<String>,
    /// The members of a `Structure`.
    pub members: Vec<Member>,
    /// The attributes of `dmrpp:chunks`.
    pub attributes: String,
    pub stored: Stored,
    /// The size of text, and how it is padded.
    pub text: Option<(u32, &'static str)>,
}

/// Where the bytes of a variable lie, or what they are.
pub(super) enum Stored {
    /// It was never written.
    Nothing,
    /// The values themselves.
    Compact(Vec<u8>),
    /// Texts of variable length.
    Texts(Vec<String>),
    /// Offset and size of its only block.
    Block(u64, u64),
    /// In chunks. `unfiltered_edges` is the mask of chunks that extend beyond the variable, if they are not filtered.
    Map { map: Arc<ChunkMap>, shape: Vec<u64>, unfiltered_edges: Option<u32> },
}

/// Describes a variable, or says why Hyrax would not read it.
pub(super) fn describe(netcdf: &Netcdf, variable: &Variable) -> Result<Described, String> {
    let dataset = &variable.dataset;
    if !dataset.file().is_same(netcdf.file()) {
        return Err("it lies in another file, behind an external link".into());
    }
    let class = &dataset.datatype().class;
    let structure = Structure::of(dataset.datatype());
    let (dap_type, order) = structure
        .as_ref()
        .map_or_else(|| dap_type(dataset.datatype()), |structure| Some(("Structure", structure.order)))
        .ok_or_else(|| format!("DMR++ has no type like {}, or Hyrax does not read it", dataset.datatype()))?;
    let enumeration = match variable.variable_type {
        VariableType::User(id) if matches!(class, Class::Enum { .. }) => enumeration(netcdf, id),
        _ => None,
    };
    if netcdf.shape(variable) != dataset.shape() && !ends_with_whole_chunks(netcdf, variable) {
        return Err("it is shorter than its dimensions, and ends inside a chunk".into());
    }
    let text = match class {
        // Of a scalar, the size of the block says as much.
        Class::FixedString { padding, .. } if !dataset.shape().is_empty() => Some((
            dataset.datatype().size,
            match padding {
                StringPadding::NullTerminate => "null_term",
                StringPadding::NullPad => "null_pad",
                StringPadding::SpacePad => "space_pad",
            },
        )),
        _ => None,
    };
    let mut attributes = compression(dataset)?;
    attributes += &match &structure {
        Some(structure) => format!(" structOffset=\"{}\"", structure.offsets),
        None => format!(" fillValue=\"{}\"", fill_value(dataset)),
    };
    attributes += &order.map_or_else(String::new, |order| format!(" byteOrder=\"{order}\""));
    let stored = match (class, dataset.layout_name()) {
        (Class::VlenString { .. }, _) => texts(dataset)?,
        (_, "compact") => Stored::Compact(values(dataset)?),
        (_, "chunked") => chunked(dataset)?,
        (_, "contiguous") => {
            let explained = dataset.explain(&Selection::All).map_err(|error| error.to_string())?;
            let first = explained.requests.first().map(|first| first.range.start);
            first.map_or(Stored::Nothing, |offset| Stored::Block(offset, dataset.logical_bytes()))
        }
        (_, layout) => return Err(format!("its data is {layout}")),
    };
    if structure.is_some() && !is_complete(dataset, &stored) {
        return Err(
            "parts of it were never written, or it is compact: Hyrax has no fill values of compounds".into(),
        );
    }
    let dap_type = if enumeration.is_some() { "Enum" } else { dap_type };
    let members = structure.map_or_else(Vec::new, |structure| structure.members);
    Ok(Described { dap_type, enumeration, members, attributes, stored, text })
}

/// True if a variable that is shorter than its dimensions has no chunk with values beyond its end: what follows was never
/// written, and has the fill value.
fn ends_with_whole_chunks(netcdf: &Netcdf, variable: &Variable) -> bool {
    let Some(chunk) = variable.dataset.chunk_shape() else { return false };
    let (shape, ends) = (netcdf.shape(variable), variable.dataset.shape());
    shape.len() == ends.len()
        && shape.iter().zip(ends).zip(chunk).all(|((len, end), chunk)| len == end || end % chunk == 0)
}

/// True if no element needs a fill value.
fn is_complete(dataset: &Dataset, stored: &Stored) -> bool {
    match stored {
        Stored::Block(..) => true,
        Stored::Map { map, .. } => {
            let chunks = map.grid().counts().iter().try_fold(1u64, |all, count| all.checked_mul(*count));
            chunks == Some(map.len() as u64)
        }
        _ => dataset.elements() == 0,
    }
}

/// The fill value as Hyrax writes it.
fn fill_value(dataset: &Dataset) -> String {
    let datatype = match &dataset.datatype().class {
        Class::Enum { base, .. } => &**base,
        _ => dataset.datatype(),
    };
    if matches!(datatype.class, Class::FixedString { .. } | Class::VlenString { .. }) {
        return "unsupported-string".into();
    }
    let fill = match &dataset.fill_value().value {
        Fill::User(bytes) if bytes.len() == datatype.size as usize => bytes.to_vec(),
        _ => vec![0; datatype.size as usize],
    };
    let text = fill_json(datatype, &fill).unwrap_or_else(|| "0".into());
    let text = text.trim_matches('"');
    match &datatype.class {
        Class::Float(float_type) if datatype.size == 4 => {
            // The digits of a single, not those of the double that equals it.
            let single = native_float(float_type, &fill, NativeFloat::Single).in_memory(4).try_into();
            single.map_or_else(|_| float(text), |bytes| float(&format!("{:?}", f32::from_le_bytes(bytes))))
        }
        Class::Float(_) => float(text),
        _ => text.to_owned(),
    }
}

fn values(dataset: &Dataset) -> Result<Vec<u8>, String> {
    dataset.read_bytes(&Selection::All, Endianness::File).map_err(|error| error.to_string())
}

/// Texts of variable length, whose bytes are somewhere in heaps: Hyrax has them in the document, too.
fn texts(dataset: &Dataset) -> Result<Stored, String> {
    if dataset.logical_bytes() > TEXT_BYTES_MAX {
        return Err("its text is of variable length, and too much to be inlined".into());
    }
    let (elements, mut heap) = (values(dataset)?, dataset.file().heap());
    let mut texts = Vec::new();
    let mut bytes = 0;
    for element in elements.chunks_exact(dataset.datatype().size.max(1) as usize) {
        let (_, text) = heap.sequence(element, 1).map_err(|error| error.to_string())?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        bytes += end as u64;
        if bytes > 4 * TEXT_BYTES_MAX {
            return Err("its text is of variable length, and too much to be inlined".into());
        }
        let text = std::str::from_utf8(&text[..end]).map_err(|_| "its text is not UTF-8")?;
        texts.push(text.to_owned());
    }
    Ok(match (dataset.shape(), texts.as_slice()) {
        ([], [text]) => Stored::Compact(text.clone().into_bytes()),
        _ => Stored::Texts(texts),
    })
}

fn chunked(dataset: &Dataset) -> Result<Stored, String> {
    let map = dataset.chunk_map().map_err(|error| error.to_string())?;
    let are_edges_unfiltered = !dataset.filters().is_empty()
        && chunked_layout(dataset).is_some_and(|layout| layout.edge_chunks_unfiltered);
    let all_skipped = (1u32 << dataset.filters().len().min(31)) - 1;
    let unfiltered_edges = are_edges_unfiltered.then_some(all_skipped);
    Ok(Stored::Map { map, shape: dataset.shape().to_vec(), unfiltered_edges })
}

/// The filters, in the order in which they were applied.
fn compression(dataset: &Dataset) -> Result<String, String> {
    let (mut names, mut levels) = (Vec::new(), Vec::new());
    for filter in dataset.filters() {
        names.push(match filter.id {
            1 => {
                levels.push(filter.parameters.first().copied().unwrap_or(6).to_string());
                "deflate"
            }
            2 => "shuffle",
            3 => "fletcher32",
            _ => {
                let name = hyperslab::internal::describe::filter(filter);
                return Err(format!("Hyrax does not have the filter {name}"));
            }
        });
    }
    let mut text = String::new();
    if !names.is_empty() {
        text += &format!(" compressionType=\"{}\"", names.join(" "));
    }
    if !levels.is_empty() {
        text += &format!(" deflateLevel=\"{}\"", levels.join(" "));
    }
    Ok(text)
}
