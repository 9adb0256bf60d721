//! Values in the document itself: of variables that Hyrax could not read in the file, if they are small.
//!
//! * `dmrpp:compact`: numbers and texts of one length. Hyrax copies them as they are: the least significant byte of a number
//!   comes first, whatever the byte order of the file is (`process_compact` in its `DMZ.cc`).
//! * `dmrpp:specialstructuredata`: the elements of compounds, member after member without gaps; each text in base 64, followed
//!   by a semicolon (`process_special_structure_data`).
//! * `dmrpp:vlsa`: texts of variable length.

use super::stored::Stored;
use super::user_types::array_of;
use crate::array::fill_element;
use crate::encode::place;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use hyperslab::datatypes::{ByteOrder, Class};
use hyperslab::{Dataset, Datatype, Endianness, Heap, Selection};
use hyperslab_netcdf::{Netcdf, Variable};

/// The bytes of elements that one variable may have in the document.
const INLINE_BYTES_MAX: u64 = 1 << 20;
/// The bytes of text that one variable may have in the document.
const TEXT_BYTES_MAX: u64 = 4 << 20;

/// All values of a variable, along the whole of its dimensions; or why they are not written.
pub(super) fn inline(netcdf: &Netcdf, variable: &Variable) -> Result<Stored, String> {
    let (dataset, shape) = (&variable.dataset, netcdf.shape(variable));
    let size = dataset.datatype().size as usize;
    let elements = shape.iter().try_fold(1u64, |all, &len| all.checked_mul(len));
    let elements = elements
        .filter(|elements| elements.checked_mul(size as u64).is_some_and(|bytes| bytes <= INLINE_BYTES_MAX));
    let elements = elements.ok_or("its values are too many to be inlined")?;
    let mut values = values(dataset)?;
    if shape != dataset.shape() {
        let fits = shape.len() == dataset.shape().len()
            && shape.iter().zip(dataset.shape()).all(|(len, end)| end <= len);
        if !fits {
            return Err("it is longer than its dimensions".into());
        }
        // What lies beyond the end of the dataset has its fill value.
        let mut all = fill_element(dataset).repeat(elements as usize);
        place(&values, dataset.shape(), &mut all, &shape, size);
        values = all;
    }
    match &dataset.datatype().class {
        Class::Compound { .. } => members(dataset, &values).map(Stored::Elements),
        Class::Enum { base, .. } => Ok(Stored::Compact(little_endian(base, values))),
        _ => Ok(Stored::Compact(little_endian(dataset.datatype(), values))),
    }
}

/// Texts of variable length, whose bytes are somewhere in heaps: Hyrax has them in the document, too.
pub(super) fn texts(netcdf: &Netcdf, variable: &Variable) -> Result<Stored, String> {
    let dataset = &variable.dataset;
    if netcdf.shape(variable) != dataset.shape() {
        return Err("its text is of variable length, and it is shorter than its dimensions".into());
    }
    let too_much = || "its text is of variable length, and too much to be inlined".to_owned();
    if dataset.logical_bytes() > INLINE_BYTES_MAX {
        return Err(too_much());
    }
    let (elements, mut heap) = (values(dataset)?, dataset.file().heap());
    let mut texts = Vec::new();
    let mut bytes = 0;
    for element in elements.chunks_exact(dataset.datatype().size.max(1) as usize) {
        let text = heap_text(&mut heap, element)?;
        bytes += text.len() as u64;
        if bytes > TEXT_BYTES_MAX {
            return Err(too_much());
        }
        let text = String::from_utf8(text).map_err(|_| "its text is not UTF-8")?;
        if text.chars().any(|character| character.is_control() && !"\t\n\r".contains(character)) {
            return Err("its text has control characters, which XML has not".into());
        }
        texts.push(text);
    }
    Ok(match (dataset.shape(), texts.as_slice()) {
        ([], [text]) => Stored::Compact(text.clone().into_bytes()),
        _ => Stored::Texts(texts),
    })
}

/// The elements of a compound, each member after the one before it.
fn members(dataset: &Dataset, values: &[u8]) -> Result<Vec<u8>, String> {
    let Class::Compound { members } = &dataset.datatype().class else { return Ok(Vec::new()) };
    let (mut heap, mut out) = (dataset.file().heap(), Vec::with_capacity(values.len()));
    for element in values.chunks_exact(dataset.datatype().size.max(1) as usize) {
        for member in members {
            let stored = element.get(member.offset as usize..);
            let stored = stored.and_then(|stored| stored.get(..member.datatype.size as usize));
            let stored = stored.ok_or("a member of it lies outside of its elements")?;
            let (part, _) = array_of(&member.datatype);
            for value in stored.chunks_exact(part.size.max(1) as usize) {
                let text = match &part.class {
                    Class::FixedString { .. } => until_nul(value).to_vec(),
                    Class::VlenString { .. } => heap_text(&mut heap, value)?,
                    _ => {
                        out.extend(little_endian(part, value.to_vec()));
                        continue;
                    }
                };
                out.extend_from_slice(BASE64.encode(text).as_bytes());
                out.push(b';');
            }
        }
        if out.len() as u64 > TEXT_BYTES_MAX {
            return Err("its texts are too much to be inlined".into());
        }
    }
    Ok(out)
}

fn values(dataset: &Dataset) -> Result<Vec<u8>, String> {
    dataset.read_bytes(&Selection::All, Endianness::File).map_err(|error| error.to_string())
}

fn heap_text(heap: &mut Heap, reference: &[u8]) -> Result<Vec<u8>, String> {
    let (_, text) = heap.sequence(reference, 1).map_err(|error| error.to_string())?;
    Ok(until_nul(&text).to_vec())
}

fn until_nul(text: &[u8]) -> &[u8] {
    &text[..text.iter().position(|&byte| byte == 0).unwrap_or(text.len())]
}

/// Numbers with their least significant byte first.
fn little_endian(datatype: &Datatype, mut values: Vec<u8>) -> Vec<u8> {
    let order = match &datatype.class {
        Class::Integer(integer) => integer.order,
        Class::Float(float) => float.order,
        _ => ByteOrder::Little,
    };
    if order == ByteOrder::Big {
        values.chunks_exact_mut(datatype.size.max(1) as usize).for_each(<[u8]>::reverse);
    }
    values
}
