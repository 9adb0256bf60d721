//! The dtype that h5py uses for a datatype, and the layout of its elements in memory.
//!
//! Properties that NumPy's dtypes cannot express are in the dtype's metadata, under h5py's keys: `vlen` (`str`, `bytes`
//! or the dtype of the elements), `enum` (names and values), `ref` (the class of the references), `h5py_encoding` (of
//! fixed-length text).

use super::layout::{Field, Kind, Layout};
use super::number::{self, Number};
use crate::errors::unsupported_type;
use crate::name::text;
use crate::reference;
use hyperslab::Datatype;
use hyperslab::number::integer_value;
use hyperslab_format::Name;
use hyperslab_format::message::datatype::{
    ByteOrder, Charset, Class, Float, Integer, Member, Reference, StringPadding,
};
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// A dtype and the layout of its elements.
pub type Described<'py> = (Bound<'py, PyArrayDescr>, Layout);

/// Describes a datatype to NumPy.
pub fn describe<'py>(py: Python<'py>, datatype: &Datatype) -> PyResult<Described<'py>> {
    let size = datatype.size as usize;
    match &datatype.class {
        Class::Integer(integer) => {
            describe_integer(py, integer, size, if integer.signed { 'i' } else { 'u' })
        }
        Class::Float(float) => describe_float(py, float, size),
        Class::Bitfield { order, bit_offset, precision } => {
            let (order, bit_offset, precision) = (*order, *bit_offset, *precision);
            describe_integer(py, &Integer { order, signed: false, bit_offset, precision }, size, 'u')
        }
        Class::FixedString { padding, charset } => {
            let dtype = with_metadata(py, format!("S{size}"), "h5py_encoding", encoding(*charset))?;
            let kind = if *padding == StringPadding::NullPad { Kind::Same } else { Kind::Text(*padding) };
            Ok((dtype, Layout::new(size, size, kind)))
        }
        Class::Opaque { tag } => describe_opaque(py, tag, size),
        Class::Compound { members } => describe_compound(py, members, datatype),
        Class::Reference(Reference::Object) => {
            let dtype = with_metadata(py, "O", "ref", py.get_type::<reference::Reference>())?;
            Ok((dtype, Layout::object(size, Kind::ObjectReference)))
        }
        Class::Reference(Reference::Region) => {
            let dtype = with_metadata(py, "O", "ref", py.get_type::<reference::RegionReference>())?;
            Ok((dtype, Layout::object(size, Kind::RegionReference)))
        }
        // The elements may be references of all three kinds; each is converted according to its own.
        Class::Reference(Reference::Standard { .. }) => {
            let dtype = with_metadata(py, "O", "ref", py.get_type::<reference::Reference>())?;
            Ok((dtype, Layout::object(size, Kind::RevisedReference)))
        }
        Class::Enum { base, members } => describe_enum(py, base, members),
        Class::VlenString { charset, .. } => {
            let class = match charset {
                Charset::Ascii => py.get_type::<pyo3::types::PyBytes>(),
                Charset::Utf8 => py.get_type::<pyo3::types::PyString>(),
            };
            Ok((with_metadata(py, "O", "vlen", class)?, Layout::object(size, Kind::VlenText)))
        }
        Class::VlenSequence { base } => {
            let (base_dtype, base) = describe(py, base)?;
            let dtype = with_metadata(py, "O", "vlen", &base_dtype)?;
            Ok((dtype, Layout::object(size, Kind::VlenSequence(Box::new(base), base_dtype.unbind()))))
        }
        Class::Array { dims, base } => {
            let (base_dtype, base) = describe(py, base)?;
            let dtype = new_dtype(py, (base_dtype, PyTuple::new(py, dims)?))?;
            let count = dims.iter().map(|&dim| dim as usize).product();
            Ok((dtype, repeat(count, base)))
        }
        Class::Complex { base } => {
            let (part_dtype, part) = describe(py, base)?;
            let dtype = complex_dtype(py, &part_dtype)?;
            let Some(dtype) = dtype else { return Err(unsupported_type(no_equivalent(datatype))) };
            Ok((dtype, repeat(2, part)))
        }
        Class::Time { .. } => Err(unsupported_type(no_equivalent(datatype))),
    }
}

fn no_equivalent(datatype: &Datatype) -> String {
    format!("NumPy has no equivalent of the datatype {datatype}")
}

fn describe_integer<'py>(
    py: Python<'py>,
    integer: &Integer,
    size: usize,
    letter: char,
) -> PyResult<Described<'py>> {
    if size > 8 || integer.order == ByteOrder::Vax {
        return Err(unsupported_type(format!("NumPy has no integer of {size} bytes in this byte order")));
    }
    let memory_bytes = size.next_power_of_two();
    let whole = (integer.bit_offset, usize::from(integer.precision)) == (0, 8 * size) && memory_bytes == size;
    let kind = if whole { Kind::Same } else { Kind::Number(Number::Integer(integer.clone())) };
    let dtype = new_dtype(py, format!("{}{letter}{memory_bytes}", byte_order_mark(integer.order)))?;
    Ok((dtype, Layout::new(size, memory_bytes, kind)))
}

fn describe_float<'py>(py: Python<'py>, float: &Float, size: usize) -> PyResult<Described<'py>> {
    let Some(native) = number::holding(float, size) else {
        let (exponent, mantissa) = (float.exponent_size, float.mantissa_size);
        let vax = if float.order == ByteOrder::Vax { "VAX " } else { "" };
        let what = format!(
            "a {vax}float of {size} bytes with {exponent} bits of exponent and {mantissa} of mantissa"
        );
        return Err(unsupported_type(format!("NumPy has no float that holds every value of {what}")));
    };
    let memory_bytes = native.memory_bytes() as usize;
    let kind = match number::is_same(native, float, size) {
        true => Kind::Same,
        false => Kind::Number(Number::Float(float.clone(), native)),
    };
    let dtype = new_dtype(py, format!("{}f{memory_bytes}", byte_order_mark(float.order)))?;
    Ok((dtype, Layout::new(size, memory_bytes, kind)))
}

fn describe_opaque<'py>(py: Python<'py>, tag: &Name, size: usize) -> PyResult<Described<'py>> {
    // h5py's own tag names a dtype. The file is not trusted: raw bytes must never become pointers.
    let named = tag.as_str().and_then(|tag| tag.strip_prefix("NUMPY:"));
    let named = named.and_then(|name| with_metadata(py, name, "h5py_opaque", true).ok());
    let named = named.filter(|dtype| dtype.itemsize() == size && !dtype.has_object());
    let dtype = named.map_or_else(|| new_dtype(py, format!("V{size}")), Ok)?;
    Ok((dtype, Layout::same(size)))
}

fn describe_enum<'py>(
    py: Python<'py>,
    base: &Datatype,
    members: &[(Name, bytes::Bytes)],
) -> PyResult<Described<'py>> {
    let (base_dtype, base_layout) = describe(py, base)?;
    let Class::Integer(integer) = &base.class else { return Ok((base_dtype, base_layout)) };
    let values: Vec<(&Name, i128)> =
        members.iter().map(|(name, value)| (name, integer_value(integer, value))).collect();
    let is = |name: &[u8], value| values.iter().any(|(n, v)| n.as_bytes() == name && *v == value);
    if values.len() == 2 && is(b"FALSE", 0) && is(b"TRUE", 1) {
        let layout = Layout::new(base.size as usize, 1, Kind::Bool);
        return Ok((new_dtype(py, "?")?, layout));
    }
    let names = PyDict::new(py);
    for (name, value) in values {
        names.set_item(text(py, name), value)?;
    }
    Ok((with_metadata(py, base_dtype, "enum", names)?, base_layout))
}

/// Describes a compound of consecutive members, as h5py returns them when it reads only some members: each with its own
/// dtype, without gaps. With `only`, describes that member itself.
pub fn describe_members<'py>(py: Python<'py>, datatype: &Datatype, only: bool) -> PyResult<Described<'py>> {
    let Class::Compound { members } = &datatype.class else { return describe(py, datatype) };
    if let (true, [member]) = (only, members.as_slice()) {
        return describe(py, &member.datatype);
    }
    let recipe = PyList::empty(py);
    let (mut fields, mut memory) = (Vec::new(), 0);
    for member in members {
        let (dtype, layout) = describe(py, &member.datatype)?;
        recipe.append((text(py, &member.name), dtype))?;
        let bytes = layout.memory_bytes;
        fields.push(Field { file: member.offset as usize, memory, layout });
        memory += bytes;
    }
    Ok((new_dtype(py, recipe)?, compound(fields, datatype.size as usize, memory)))
}

fn describe_compound<'py>(
    py: Python<'py>,
    members: &[Member],
    datatype: &Datatype,
) -> PyResult<Described<'py>> {
    let mut ordered: Vec<&Member> = members.iter().collect();
    if holds_objects(datatype) {
        // libhdf5 does the same when it makes room for members that are larger in memory.
        ordered.sort_by_key(|member| member.offset);
    }
    let described =
        ordered.iter().map(|member| describe(py, &member.datatype)).collect::<PyResult<Vec<_>>>()?;
    if let Some(complex) = describe_pair(&ordered, &described)? {
        return Ok((complex, pair(described, &ordered, datatype)));
    }
    let (offsets, memory_bytes) = memory_offsets(&ordered, &described, datatype);
    let names: Vec<_> = ordered.iter().map(|member| text(py, &member.name)).collect();
    let recipe = PyDict::new(py);
    recipe.set_item("names", PyList::new(py, names)?)?;
    recipe.set_item("formats", PyList::new(py, described.iter().map(|(dtype, _)| dtype))?)?;
    recipe.set_item("offsets", PyList::new(py, &offsets)?)?;
    recipe.set_item("itemsize", memory_bytes)?;
    let dtype = new_dtype(py, recipe)?;
    let fields = ordered.iter().zip(&offsets).zip(described);
    let fields = fields
        .map(|((member, &memory), (_, layout))| Field { file: member.offset as usize, memory, layout })
        .collect();
    Ok((dtype, compound(fields, datatype.size as usize, memory_bytes)))
}

/// The complex dtype of a compound of `r` and `i`, if it is such a compound.
fn describe_pair<'py>(
    members: &[&Member],
    described: &[Described<'py>],
) -> PyResult<Option<Bound<'py, PyArrayDescr>>> {
    let ([r, i], [(real, _), (imaginary, _)]) = (members, described) else { return Ok(None) };
    let named = r.name.as_bytes() == b"r" && i.name.as_bytes() == b"i";
    if named && real.itemsize() > 2 && real.is_equiv_to(imaginary) {
        complex_dtype(real.py(), real)
    } else {
        Ok(None)
    }
}

fn pair(described: Vec<Described<'_>>, members: &[&Member], datatype: &Datatype) -> Layout {
    let mut memory = 0;
    let mut fields = Vec::new();
    for ((_, layout), member) in described.into_iter().zip(members) {
        let bytes = layout.memory_bytes;
        fields.push(Field { file: member.offset as usize, memory, layout });
        memory += bytes;
    }
    compound(fields, datatype.size as usize, memory)
}

fn compound(fields: Vec<Field>, file_bytes: usize, memory_bytes: usize) -> Layout {
    let same = file_bytes == memory_bytes
        && fields.iter().all(|field| field.file == field.memory && matches!(field.layout.kind, Kind::Same));
    Layout::new(file_bytes, memory_bytes, if same { Kind::Same } else { Kind::Compound(fields) })
}

fn repeat(count: usize, base: Layout) -> Layout {
    let (file_bytes, memory_bytes) = (count * base.file_bytes, count * base.memory_bytes);
    let kind = match base.kind {
        Kind::Same => Kind::Same,
        _ => Kind::Array(Box::new(base)),
    };
    Layout::new(file_bytes, memory_bytes, kind)
}

/// The offsets at which libhdf5 puts the members in memory, which are those that h5py tells NumPy, and the resulting
/// size of the compound. If the members would overlap (h5py then returns wrong values or fails), they are placed one
/// after the other.
fn memory_offsets(
    members: &[&Member],
    described: &[Described<'_>],
    datatype: &Datatype,
) -> (Vec<usize>, usize) {
    let mut offsets = Vec::new();
    let mut grown = 0i64;
    for member in members {
        offsets.push((i64::from(member.offset) + grown).max(0) as usize);
        grown += memory_size(&member.datatype) - i64::from(member.datatype.size);
    }
    let memory_bytes = (i64::from(datatype.size) + grown).max(0) as usize;
    let mut spans: Vec<_> =
        offsets.iter().zip(described).map(|(&start, (dtype, _))| (start, start + dtype.itemsize())).collect();
    spans.sort_unstable();
    let apart = spans.windows(2).all(|pair| pair[0].1 <= pair[1].0);
    if apart && spans.last().is_none_or(|last| last.1 <= memory_bytes) {
        return (offsets, memory_bytes);
    }
    let mut end = 0;
    let packed = described.iter().map(|(dtype, _)| {
        let start = end;
        end += dtype.itemsize();
        start
    });
    (packed.collect(), end)
}

/// The size of an element in memory in libhdf5, before h5py converts it to a Python object, in bytes.
fn memory_size(datatype: &Datatype) -> i64 {
    match &datatype.class {
        Class::VlenString { .. } => 8,
        Class::VlenSequence { .. } => 16,
        Class::Reference(Reference::Object) => 8,
        Class::Reference(Reference::Region) => 12,
        Class::Reference(Reference::Standard { .. }) => 64,
        Class::Array { dims, base } => {
            dims.iter().map(|&dim| i64::from(dim)).product::<i64>() * memory_size(base)
        }
        Class::Compound { members } => {
            let grown: i64 = members
                .iter()
                .map(|member| memory_size(&member.datatype) - i64::from(member.datatype.size))
                .sum();
            i64::from(datatype.size) + grown
        }
        _ => i64::from(datatype.size),
    }
}

fn holds_objects(datatype: &Datatype) -> bool {
    datatype.is_variable() || datatype.contains_reference()
}

fn complex_dtype<'py>(
    py: Python<'py>,
    part: &Bound<'py, PyArrayDescr>,
) -> PyResult<Option<Bound<'py, PyArrayDescr>>> {
    if part.kind() != b'f' || !matches!(part.itemsize(), 4 | 8 | 16) {
        return Ok(None);
    }
    let order = if part.byteorder() == b'>' { '>' } else { '<' };
    new_dtype(py, format!("{order}c{}", 2 * part.itemsize())).map(Some)
}

fn byte_order_mark(order: ByteOrder) -> char {
    if order == ByteOrder::Big { '>' } else { '<' }
}

fn encoding(charset: Charset) -> &'static str {
    match charset {
        Charset::Ascii => "ascii",
        Charset::Utf8 => "utf-8",
    }
}

fn new_dtype<'py>(py: Python<'py>, recipe: impl IntoPyObject<'py>) -> PyResult<Bound<'py, PyArrayDescr>> {
    let dtype = PyArrayDescr::new(py, recipe);
    dtype.map_err(|error| {
        unsupported_type(format!("NumPy has no equivalent of this datatype: {}", error.value(py)))
    })
}

fn with_metadata<'py>(
    py: Python<'py>,
    recipe: impl IntoPyObject<'py>,
    key: &str,
    value: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyArrayDescr>> {
    let metadata = PyDict::new(py);
    metadata.set_item(key, value)?;
    let keywords = PyDict::new(py);
    keywords.set_item("metadata", metadata)?;
    let dtype = crate::helper(py, "numpy", "dtype")?.call((recipe,), Some(&keywords))?;
    Ok(dtype.cast_into::<PyArrayDescr>()?)
}
