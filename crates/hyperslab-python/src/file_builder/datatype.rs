//! The datatype that h5py writes for a dtype. The reverse is `element/dtype.rs`.

use crate::errors;
use hyperslab_create::datatypes::{self, ByteOrder, Charset, Datatype};
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple, PyType};

/// The datatype of a dtype.
///
/// # Errors
/// A dtype that HDF5 has no datatype for.
pub fn datatype_of(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<Datatype> {
    if let Some(special) = special(dtype)? {
        return Ok(special);
    }
    let subdtype = dtype.getattr("subdtype")?;
    if !subdtype.is_none() {
        let (base, dims): (Bound<'_, PyArrayDescr>, Vec<u32>) = subdtype.extract()?;
        return datatypes::array(datatype_of(&base)?, &dims).ok_or_else(|| unsupported(dtype));
    }
    let size = u32::try_from(dtype.itemsize()).map_err(|_| unsupported(dtype))?;
    if size == 0 {
        return Err(errors::invalid(format!("elements of dtype {} have no bytes", shown(dtype))));
    }
    let order = order(dtype);
    match dtype.kind() {
        b'b' => Ok(datatypes::boolean()),
        b'i' => Ok(datatypes::integer_in(size, true, order)),
        b'u' => Ok(datatypes::integer_in(size, false, order)),
        b'f' => datatypes::float_in(size, order).ok_or_else(|| unsupported(dtype)),
        b'c' => {
            let part = datatypes::float_in(size / 2, order).ok_or_else(|| unsupported(dtype))?;
            Ok(datatypes::complex(part))
        }
        b'S' => {
            let encoding = metadata(dtype, "h5py_encoding")?;
            let is_utf8 = encoding.is_some_and(|encoding| encoding.eq("utf-8").unwrap_or(false));
            Ok(datatypes::fixed_string(size, if is_utf8 { Charset::Utf8 } else { Charset::Ascii }))
        }
        b'V' if dtype.has_fields() => compound(dtype, size),
        b'V' => Ok(datatypes::opaque(size, "")),
        b'O' => {
            let what =
                "an object dtype without an element type; use hyperslab.string_dtype() or vlen_dtype()";
            Err(errors::unsupported_type(what))
        }
        _ => {
            let what =
                format!("HDF5 has no datatype for {}; opaque_dtype() stores it as bytes", shown(dtype));
            Err(errors::unsupported_type(what))
        }
    }
}

/// A datatype that is in the metadata of the dtype.
fn special(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<Option<Datatype>> {
    let py = dtype.py();
    if let Some(base) = metadata(dtype, "vlen")? {
        let is = |class: Bound<'_, PyType>| base.is(&class);
        if is(py.get_type::<PyString>()) {
            return Ok(Some(datatypes::string(Charset::Utf8)));
        }
        if is(py.get_type::<PyBytes>()) {
            return Ok(Some(datatypes::string(Charset::Ascii)));
        }
        let base = PyArrayDescr::new(py, base)?;
        return Ok(Some(datatypes::sequence(datatype_of(&base)?)));
    }
    if let Some(class) = metadata(dtype, "ref")? {
        let name: String = class.getattr("__name__")?.extract()?;
        return match name.as_str() {
            "Reference" => Ok(Some(datatypes::reference())),
            "RegionReference" => Ok(Some(datatypes::region_reference())),
            other => {
                Err(errors::unsupported_type(format!("references of the class {other} are not written")))
            }
        };
    }
    if let Some(names) = metadata(dtype, "enum")? {
        return enumeration(dtype, names.cast::<PyDict>()?).map(Some);
    }
    if metadata(dtype, "h5py_opaque")?.is_some() {
        let name: String = dtype.getattr("str")?.extract()?;
        return Ok(Some(datatypes::opaque(dtype.itemsize() as u32, &format!("NUMPY:{name}"))));
    }
    Ok(None)
}

fn enumeration(dtype: &Bound<'_, PyArrayDescr>, names: &Bound<'_, PyDict>) -> PyResult<Datatype> {
    let (size, order) = (dtype.itemsize(), order(dtype));
    if !matches!(dtype.kind(), b'i' | b'u') {
        return Err(unsupported(dtype));
    }
    let is_signed = dtype.kind() == b'i';
    let base = datatypes::integer_in(size as u32, is_signed, order);
    let members = names.iter().map(|(name, value)| {
        let (name, value): (String, i128) = (name.extract()?, value.extract()?);
        let bits = 8 * size as u32;
        let (least, most) = match is_signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        if !(least..=most).contains(&value) {
            return Err(errors::invalid(format!(
                "the value {value} of {name} does not fit {}",
                shown(dtype)
            )));
        }
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        if order == ByteOrder::Big {
            bytes.reverse();
        }
        Ok((name, bytes))
    });
    Ok(datatypes::enumeration(base, members.collect::<PyResult<Vec<_>>>()?))
}

/// The offsets are those of NumPy; without gaps if members are objects in memory, which have another size in the file.
fn compound(dtype: &Bound<'_, PyArrayDescr>, size: u32) -> PyResult<Datatype> {
    let names: Vec<String> = dtype.getattr("names")?.extract()?;
    let fields = dtype.getattr("fields")?;
    let mut end = 0;
    let mut members = Vec::with_capacity(names.len());
    for name in names {
        let field = fields.get_item(&name)?;
        let field = field.cast::<PyTuple>()?;
        let member: Bound<'_, PyArrayDescr> = field.get_item(0)?.extract()?;
        let datatype = datatype_of(&member)?;
        let offset = if dtype.has_object() { end } else { field.get_item(1)?.extract()? };
        end = offset + datatype.size;
        members.push((name, offset, datatype));
    }
    Ok(datatypes::compound(if dtype.has_object() { end } else { size }, members))
}

fn metadata<'py>(dtype: &Bound<'py, PyArrayDescr>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let metadata = dtype.getattr("metadata")?;
    if metadata.is_none() {
        return Ok(None);
    }
    let value = metadata.call_method1("get", (key,))?;
    Ok((!value.is_none()).then_some(value))
}

fn order(dtype: &Bound<'_, PyArrayDescr>) -> ByteOrder {
    match dtype.byteorder() {
        b'>' => ByteOrder::Big,
        b'<' => ByteOrder::Little,
        _ if cfg!(target_endian = "big") => ByteOrder::Big,
        _ => ByteOrder::Little,
    }
}

fn unsupported(dtype: &Bound<'_, PyArrayDescr>) -> PyErr {
    errors::unsupported_type(format!("arrays of dtype {} are not written", shown(dtype)))
}

fn shown(dtype: &Bound<'_, PyArrayDescr>) -> String {
    dtype.str().map_or_else(|_| "?".into(), |text| text.to_string())
}
