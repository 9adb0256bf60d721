//! Text as Python's `bytes` or `str`. Variable-length text is looked up in batches with the interpreter released; then
//! the objects of the batch are made.

use super::Owner;
use super::allowance::Allowance;
use hyperslab::{Heap, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The Python type that text is converted to.
#[derive(Clone, Copy)]
pub enum Text<'a> {
    /// `bytes`.
    Bytes,
    /// `str`.
    Str {
        /// The name of a Python codec.
        encoding: &'a str,
        /// How the codec handles bytes that it cannot decode.
        errors: &'a str,
    },
}

impl Text<'_> {
    /// A `str` that gives the same bytes when it is encoded again, whatever they are.
    pub const LOSSLESS: Self = Self::Str { encoding: "utf-8", errors: "surrogateescape" };

    /// The Python object for a text. As in libhdf5, which returns C strings, the text ends at the first NUL.
    pub fn object<'py>(self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        self.decoded(py, before_nul(bytes))
    }

    /// The Python object for these bytes.
    pub fn decoded<'py>(self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let Self::Str { encoding, errors } = self else { return Ok(PyBytes::new(py, bytes).into_any()) };
        let text = match encoding {
            "utf-8" => std::str::from_utf8(bytes).ok(),
            "ascii" => std::str::from_utf8(bytes).ok().filter(|text| text.is_ascii()),
            _ => None,
        };
        match text {
            Some(text) => Ok(PyString::new(py, text).into_any()),
            None => PyBytes::new(py, bytes).call_method1("decode", (encoding, errors)),
        }
    }
}

fn before_nul(bytes: &[u8]) -> &[u8] {
    if !bytes.contains(&0) {
        return bytes;
    }
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

/// Number of references that are looked up at a time.
const BATCH: usize = 1 << 14;

/// Makes the object for each of the `references` (each `reference_bytes` long) in memory that contains only null
/// pointers and has room for all of them.
pub fn fill(
    py: Python<'_>,
    owner: Owner<'_>,
    references: &[u8],
    reference_bytes: usize,
    target: *mut u8,
    text: Text<'_>,
) -> PyResult<()> {
    let mut heap = owner.file.heap();
    let mut allowance = Allowance::new(owner.file);
    allowance.add_elements(references);
    let mut found = Found::default();
    let mut last: Option<Bound<'_, PyAny>> = None;
    let mut place = target.cast::<*mut pyo3::ffi::PyObject>();
    let mut before: Option<&[u8]> = None;
    for batch in references.chunks(BATCH * reference_bytes.max(1)) {
        py.detach(|| found.look_up(&mut heap, &mut allowance, batch)).map_err(|error| owner.raise(error))?;
        let mut start = 0;
        if before == batch.get(..reference_bytes)
            && let Some(first) = found.ends.first_mut()
        {
            start = first.take().unwrap_or(0);
        }
        before = batch.len().checked_sub(reference_bytes).map(|last| &batch[last..]);
        for &end in &found.ends {
            let object = match (end, &last) {
                (Some(end), _) => text.decoded(py, &found.bytes[std::mem::replace(&mut start, end)..end])?,
                (None, Some(last)) => last.clone(),
                (None, None) => text.decoded(py, &[])?,
            };
            last = Some(object.clone());
            // SAFETY: the caller's memory has room for a pointer for each reference; it was null and may be
            // unaligned. The array now owns the object.
            unsafe {
                place.write_unaligned(object.into_ptr());
                place = place.add(1);
            }
        }
    }
    Ok(())
}

/// Makes the object for each of the `elements` of fixed-length text, as [`fill`] does. NULs at the end of an element
/// are not part of the text.
pub fn fill_fixed(
    py: Python<'_>,
    elements: &[u8],
    element_bytes: usize,
    target: *mut u8,
    text: Text<'_>,
) -> PyResult<()> {
    let target = target.cast::<*mut pyo3::ffi::PyObject>();
    for (number, element) in elements.chunks_exact(element_bytes.max(1)).enumerate() {
        let end = element.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let object = text.decoded(py, &element[..end])?;
        // SAFETY: as in `fill`.
        unsafe { target.add(number).write_unaligned(object.into_ptr()) };
    }
    Ok(())
}

/// The text of a batch.
#[derive(Default)]
struct Found {
    bytes: Vec<u8>,
    /// The end of the text of each reference; `None` if it is the same text as before.
    ends: Vec<Option<usize>>,
}

impl Found {
    fn look_up(&mut self, heap: &mut Heap, allowance: &mut Allowance, references: &[u8]) -> Result<()> {
        self.bytes.clear();
        self.ends.clear();
        heap.each_sequence(references, 1, |found| {
            let end = match found {
                Some(bytes) => {
                    allowance.spend(bytes.len())?;
                    self.bytes.extend_from_slice(before_nul(bytes));
                    Some(self.bytes.len())
                }
                None => None,
            };
            self.ends.push(end);
            Ok(())
        })
    }
}
