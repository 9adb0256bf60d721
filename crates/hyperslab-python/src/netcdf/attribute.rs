//! The value of an attribute as h5netcdf and xarray give it.
//!
//! | in the file | value |
//! |---|---|
//! | text | `str` |
//! | several texts | list of `str` |
//! | one number, or an axis of length 1 | NumPy scalar |
//! | several numbers | NumPy array |
//! | text of one byte | `bytes` in `_FillValue` and `missing_value`, otherwise `str` if it is UTF-8 |

use crate::array::{self, Shape};
use crate::element::{Element, Owner, Text};
use hyperslab::datatypes::{Charset, StringPadding};
use hyperslab::{Attribute, Dataspace, Heap};
use hyperslab_format::message::Class;
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

/// Attributes whose bytes are compared with the bytes of the variable, so that they are not decoded.
const FILLS: [&[u8]; 2] = [b"_FillValue", b"missing_value"];

/// The value of an attribute of the object at `path`. `heap` is that of the file.
pub fn value<'py>(
    py: Python<'py>,
    attribute: &Attribute,
    file: &hyperslab::File,
    path: &str,
    heap: &mut Heap,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(text) = single_text(py, attribute, heap)? {
        // Texts of older formats have no charset: many are Latin-1.
        let is_latin1 = file.named_dimensions().is_some()
            && text.cast::<PyString>().is_ok_and(|text| text.to_str().is_err());
        return match is_latin1 {
            true => text
                .call_method1("encode", ("utf-8", "surrogateescape"))?
                .call_method1("decode", ("latin-1",)),
            false => Ok(text),
        };
    }
    let owner = Owner { file, path, attribute: Some(&attribute.name) };
    let element = Element::new(py, &attribute.datatype)?;
    let value = match &attribute.dataspace {
        Dataspace::Null => return null(py, attribute, &element),
        Dataspace::Scalar => element.array(py, owner, &attribute.data, Shape::new(), text_of(&element))?,
        Dataspace::Simple { dims, .. } => {
            let shape = dims.iter().map(|&dim| dim as isize).collect();
            element.array(py, owner, &attribute.data, shape, text_of(&element))?
        }
    };
    let (rank, first) = (value.ndim(), value.shape().first().copied());
    let value = match &attribute.datatype.class {
        Class::FixedString { charset, .. } if attribute.datatype.size > 1 => {
            let texts = PyList::empty(py);
            for text in value.getattr("flat")?.try_iter()? {
                texts.append(text?.call_method1("decode", (codec(*charset), "surrogateescape"))?)?;
            }
            texts.into_any()
        }
        // NumPy's `bytes_`, unlike the bytes of an axis.
        Class::FixedString { .. } if rank == 0 => array::finish(value)?,
        Class::FixedString { .. } | Class::VlenString { .. } => {
            value.call_method0(if rank == 0 { "item" } else { "tolist" })?
        }
        _ if rank == 0 => return array::finish(value),
        _ => value.into_any(),
    };
    let value = match value.cast::<PyList>() {
        Ok(list) if list.len() == 1 => list.get_item(0)?,
        Ok(_) => value,
        Err(_) if first == Some(1) => value.get_item(0)?,
        Err(_) => value,
    };
    decoded(attribute, value)
}

/// A single text of usual length, without an array in between. `None` for anything else.
fn single_text<'py>(
    py: Python<'py>,
    attribute: &Attribute,
    heap: &mut Heap,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if attribute.data.len() != attribute.datatype.size as usize {
        return Ok(None);
    }
    let text = match &attribute.datatype.class {
        Class::VlenString { .. } => match heap.sequence(&attribute.data, 1) {
            Ok((_, text)) => Text::LOSSLESS.object(py, &text)?,
            // The usual way says which file and object the error is about.
            Err(_) => return Ok(None),
        },
        Class::FixedString { padding, charset } if attribute.datatype.size > 1 => {
            let end = match padding {
                StringPadding::NullTerminate => attribute.data.iter().position(|&byte| byte == 0),
                StringPadding::NullPad => None,
                StringPadding::SpacePad => return Ok(None),
            };
            let text = &attribute.data[..end.unwrap_or(attribute.data.len())];
            let len = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            let text_kind = Text::Str { encoding: codec(*charset), errors: "surrogateescape" };
            text_kind.decoded(py, &text[..len])?
        }
        _ => return Ok(None),
    };
    Ok(Some(text))
}

/// The value of an attribute without elements.
fn null<'py>(py: Python<'py>, attribute: &Attribute, element: &Element) -> PyResult<Bound<'py, PyAny>> {
    match &attribute.datatype.class {
        Class::FixedString { .. } if attribute.datatype.size == 1 => {
            decoded(attribute, PyBytes::new(py, b"").into_any())
        }
        _ => {
            let no_elements = PyList::empty(py);
            crate::helper(py, "numpy", "array")?.call1((no_elements, element.dtype.bind(py)))
        }
    }
}

/// Bytes as `str`, apart from fill values and from what is not UTF-8.
fn decoded<'py>(attribute: &Attribute, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Ok(bytes) = value.cast::<PyBytes>() else { return Ok(value) };
    if FILLS.contains(&attribute.name.as_bytes()) {
        return Ok(value);
    }
    match std::str::from_utf8(bytes.as_bytes()) {
        Ok(text) => Ok(pyo3::types::PyString::new(value.py(), text).into_any()),
        Err(_) => Ok(value),
    }
}

fn text_of(element: &Element) -> Text<'static> {
    if element.is_text() { Text::LOSSLESS } else { Text::Bytes }
}

fn codec(charset: Charset) -> &'static str {
    match charset {
        Charset::Ascii => "ascii",
        Charset::Utf8 => "utf-8",
    }
}
