//! Converts elements one by one, if NumPy's representation differs from the file's.

use super::fetch::{Fetched, Queue, is_same};
use super::layout::{Kind, Layout, Work, cut_text};
use super::vlen_text::Text;
use crate::array;
use crate::reference::{AttributeReference, Reference, RegionReference};
use bytes::Bytes;
use hyperslab::{ReferenceTarget, RevisedReference};
use numpy::PyArrayDescr;
use pyo3::prelude::*;

/// Converts elements that contain no Python objects.
pub fn plain(layout: &Layout, source: &[u8], target: &mut [u8]) {
    let elements = source
        .chunks_exact(layout.file_bytes.max(1))
        .zip(target.chunks_exact_mut(layout.memory_bytes.max(1)));
    elements.for_each(|(source, target)| plain_element(layout, source, target));
}

fn plain_element(layout: &Layout, source: &[u8], target: &mut [u8]) {
    match &layout.kind {
        Kind::Same => target.copy_from_slice(source),
        Kind::Text(padding) => {
            target.copy_from_slice(source);
            cut_text(*padding, target);
        }
        Kind::Bool => target[0] = u8::from(source.iter().any(|&byte| byte != 0)),
        Kind::Number(number) => number.rebuild(source, target),
        Kind::Array(base) => plain(base, source, target),
        Kind::Compound(fields) => {
            target.fill(0);
            for field in fields {
                let layout = &field.layout;
                let source = &source[field.file..field.file + layout.file_bytes];
                plain_element(layout, source, &mut target[field.memory..field.memory + layout.memory_bytes]);
            }
        }
        Kind::VlenText
        | Kind::VlenSequence(..)
        | Kind::ObjectReference
        | Kind::RegionReference
        | Kind::RevisedReference => {
            unreachable!("Python objects are made by `Objects`")
        }
    }
}

/// Makes the Python objects of elements.
pub struct Objects<'py, 't> {
    py: Python<'py>,
    queue: Queue,
    text: Text<'t>,
    /// The text made last: neighbouring elements often refer to the same text.
    last: Option<(Bytes, Bound<'py, PyAny>)>,
}

impl<'py, 't> Objects<'py, 't> {
    /// Takes the data that was looked up for the elements.
    pub fn new(py: Python<'py>, queue: Queue, text: Text<'t>) -> Self {
        Self { py, queue, text, last: None }
    }

    /// Converts elements into memory that contains only null pointers.
    pub fn rebuild(&mut self, layout: &Layout, source: &[u8], target: *mut u8) -> PyResult<()> {
        if layout.file_bytes == 0 {
            return Ok(());
        }
        for (number, element) in source.chunks_exact(layout.file_bytes).enumerate() {
            // SAFETY: the caller's memory has room for as many elements as `source` has.
            self.element(layout, element, unsafe { target.add(number * layout.memory_bytes) })?;
        }
        Ok(())
    }

    fn element(&mut self, layout: &Layout, source: &[u8], target: *mut u8) -> PyResult<()> {
        let object = match &layout.kind {
            Kind::Array(base) => return self.rebuild(base, source, target),
            Kind::Compound(fields) if layout.work == Work::Objects => {
                for field in fields {
                    let source = &source[field.file..field.file + field.layout.file_bytes];
                    // SAFETY: members lie inside the element.
                    self.element(&field.layout, source, unsafe { target.add(field.memory) })?;
                }
                return Ok(());
            }
            Kind::VlenText => self.next_text()?,
            Kind::VlenSequence(base, dtype) => self.sequence(base, dtype.bind(self.py))?,
            Kind::ObjectReference => self.object_reference()?,
            Kind::RegionReference => self.region_reference()?,
            Kind::RevisedReference => self.revised_reference()?,
            _ => {
                // SAFETY: the caller's memory has room for an element; nobody else refers to it.
                let target = unsafe { std::slice::from_raw_parts_mut(target, layout.memory_bytes) };
                plain_element(layout, source, target);
                return Ok(());
            }
        };
        // SAFETY: there is room for a pointer, which was null and may be unaligned; the array now owns the object.
        unsafe { target.cast::<*mut pyo3::ffi::PyObject>().write_unaligned(object.into_ptr()) };
        Ok(())
    }

    fn next(&mut self) -> Option<Fetched> {
        self.queue.pop_front()
    }

    fn next_text(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let bytes = if let Some(Fetched::Sequence(bytes)) = self.next() { bytes } else { Bytes::new() };
        if let Some((last, object)) = &self.last
            && is_same(last, &bytes)
        {
            return Ok(object.clone());
        }
        let object = self.text.object(self.py, &bytes)?;
        self.last = Some((bytes, object.clone()));
        Ok(object)
    }

    fn sequence(&mut self, base: &Layout, dtype: &Bound<'py, PyArrayDescr>) -> PyResult<Bound<'py, PyAny>> {
        let bytes = match self.next() {
            Some(Fetched::Sequence(bytes)) => bytes,
            _ => Bytes::new(),
        };
        let count = bytes.len().checked_div(base.file_bytes).unwrap_or(0);
        let array = array::empty(self.py, dtype, &mut array::Shape::from_slice(&[count as isize]))?;
        self.rebuild(base, &bytes, array::extent(&array).0)?;
        Ok(array.into_any())
    }

    fn object_reference(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let target = if let Some(Fetched::Object(target)) = self.next() { target } else { None };
        Ok(Bound::new(self.py, Reference { target, file: None })?.into_any())
    }

    fn region_reference(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let found = if let Some(Fetched::Region(found)) = self.next() { found } else { None };
        let (target, selection) =
            found.map_or((None, Vec::new()), |region| (Some(region.dataset), region.selection.to_vec()));
        Ok(Bound::new(self.py, RegionReference { target, file: None, selection })?.into_any())
    }

    fn revised_reference(&mut self) -> PyResult<Bound<'py, PyAny>> {
        let Some(Fetched::Revised(Some(found))) = self.next() else {
            return Ok(Bound::new(self.py, Reference { target: None, file: None })?.into_any());
        };
        let RevisedReference { object, file, target } = found;
        Ok(match target {
            ReferenceTarget::Object => {
                Bound::new(self.py, Reference { target: Some(object), file })?.into_any()
            }
            ReferenceTarget::Region(selection) => {
                let (target, selection) = (Some(object), selection.to_vec());
                Bound::new(self.py, RegionReference { target, file, selection })?.into_any()
            }
            ReferenceTarget::Attribute(attribute) => {
                Bound::new(self.py, AttributeReference { target: object, file, attribute })?.into_any()
            }
        })
    }
}
