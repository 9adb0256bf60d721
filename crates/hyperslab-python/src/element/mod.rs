//! Elements: their NumPy dtype, and their conversion from the bytes of the file.

mod allowance;
mod dtype;
mod fetch;
mod layout;
mod number;
mod rebuild;
mod vlen_text;

pub use vlen_text::Text;

use crate::array::{self, Shape};
use crate::{errors, interrupt};
use fetch::{Fetch, Queue};
use hyperslab::{Datatype, Endianness, Members, Selection};
use hyperslab_format::Name;
use hyperslab_format::message::Class;
use layout::{Kind, Layout, Work};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray};
use pyo3::prelude::*;
use rebuild::Objects;

/// The dataset or attribute that the elements belong to, for error messages.
#[derive(Clone, Copy)]
pub struct Owner<'a> {
    /// The file that contains the elements and the data they refer to.
    pub file: &'a hyperslab::File,
    /// The path of the dataset, or of the object that has the attribute.
    pub path: &'a str,
    /// The attribute, if the elements belong to one.
    pub attribute: Option<&'a Name>,
}

impl<'a> Owner<'a> {
    /// The elements of a dataset.
    pub fn dataset(file: &'a hyperslab::File, path: &'a str) -> Self {
        Self { file, path, attribute: None }
    }

    /// An exception for an error of these elements.
    pub fn raise(self, error: hyperslab::Error) -> PyErr {
        let error = match self.attribute {
            Some(name) => error.with_context(format_args!("attribute {name:?}")),
            None => error,
        };
        errors::raise(error.in_file(self.file.name()).at_object(self.path))
    }
}

/// The elements of a dataset or attribute.
pub struct Element {
    /// The dtype of the elements in NumPy.
    pub dtype: Py<PyArrayDescr>,
    layout: Layout,
    work: Work,
}

impl Element {
    /// The elements of a datatype; an error if NumPy cannot represent them.
    pub fn new(py: Python<'_>, datatype: &Datatype) -> PyResult<Self> {
        let (dtype, layout) = dtype::describe(py, datatype)?;
        debug_assert_eq!(dtype.itemsize(), layout.memory_bytes, "{datatype}");
        Ok(Self { dtype: dtype.unbind(), work: layout.work, layout })
    }

    /// The result of reading some members of a compound: a compound of these members or, with `only`, the member
    /// itself.
    pub fn of_members(py: Python<'_>, datatype: &Datatype, only: bool) -> PyResult<Self> {
        let (dtype, layout) = dtype::describe_members(py, datatype, only)?;
        Ok(Self { dtype: dtype.unbind(), work: layout.work, layout })
    }

    /// Reads a selection of a dataset into a new array of `shape`.
    pub fn read<'py>(
        &self,
        py: Python<'py>,
        dataset: &hyperslab::Dataset,
        selection: &Selection,
        mut shape: Shape,
    ) -> PyResult<Bound<'py, PyUntypedArray>> {
        let array = array::empty(py, self.dtype.bind(py), &mut shape)?;
        if self.work > Work::InPlace {
            let bytes =
                interrupt::read(py, dataset, |dataset| dataset.read_bytes(selection, Endianness::File))?;
            self.rebuild(py, Owner::dataset(&dataset.file(), dataset.path()), &bytes, &array, Text::Bytes)?;
            return Ok(array);
        }
        // SAFETY: the array is new, in row-major order, and its elements are not objects; `work` would be different if
        // they were.
        let out = unsafe { array::bytes_mut(&array) };
        self.read_into(py, dataset, selection, out)?;
        Ok(array)
    }

    /// Reads some members of the elements of a dataset.
    pub fn read_members<'py>(
        &self,
        py: Python<'py>,
        dataset: &hyperslab::Dataset,
        selection: &Selection,
        members: &Members,
        mut shape: Shape,
    ) -> PyResult<Bound<'py, PyUntypedArray>> {
        let array = array::empty(py, self.dtype.bind(py), &mut shape)?;
        if self.work > Work::InPlace {
            let bytes = interrupt::read(py, dataset, |dataset| dataset.read_members(selection, members))?;
            self.rebuild(py, Owner::dataset(&dataset.file(), dataset.path()), &bytes, &array, Text::Bytes)?;
            return Ok(array);
        }
        // SAFETY: the array is new, in row-major order, and its elements are not objects; `work` would be different if
        // they were.
        let out = unsafe { array::bytes_mut(&array) };
        interrupt::read(py, dataset, |dataset| {
            hyperslab::memory::advise_huge_pages(out);
            dataset.read_members_into(selection, members, out)?;
            if self.work == Work::InPlace {
                self.layout.change_in_place(out);
            }
            Ok(())
        })?;
        Ok(array)
    }

    /// Reads text into an array of `str`. Returns `None` if the elements are not text.
    pub fn read_text<'py>(
        &self,
        py: Python<'py>,
        dataset: &hyperslab::Dataset,
        selection: &Selection,
        mut shape: Shape,
        text: Text<'_>,
    ) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
        let fixed = matches!(dataset.datatype().class, Class::FixedString { .. });
        if !fixed && !matches!(self.layout.kind, Kind::VlenText) {
            return Ok(None);
        }
        let bytes = interrupt::read(py, dataset, |dataset| {
            let mut bytes = dataset.read_bytes(selection, Endianness::File)?;
            if self.work == Work::InPlace {
                self.layout.change_in_place(&mut bytes);
            }
            Ok(bytes)
        })?;
        let array = array::empty(py, &PyArrayDescr::new(py, "O")?, &mut shape)?;
        if fixed {
            vlen_text::fill_fixed(py, &bytes, self.layout.file_bytes, array::extent(&array).0, text)?;
        } else {
            self.rebuild(py, Owner::dataset(&dataset.file(), dataset.path()), &bytes, &array, text)?;
        }
        Ok(Some(array))
    }

    /// True if [`Self::read_into`] can write to an array of this dtype.
    pub fn reads_into(&self, dtype: &Bound<'_, PyArrayDescr>) -> bool {
        self.work <= Work::InPlace && self.dtype.bind(dtype.py()).base().is_equiv_to(dtype)
    }

    /// Reads a selection of a dataset into memory of exactly the size of the result.
    pub fn read_into(
        &self,
        py: Python<'_>,
        dataset: &hyperslab::Dataset,
        selection: &Selection,
        out: &mut [u8],
    ) -> PyResult<()> {
        interrupt::read(py, dataset, |dataset| {
            hyperslab::memory::advise_huge_pages(out);
            dataset.read_into(selection, Endianness::File, out)?;
            if self.work == Work::InPlace {
                self.layout.change_in_place(out);
            }
            Ok(())
        })
    }

    /// Makes an array of `shape` from elements in the representation of the file.
    pub fn array<'py>(
        &self,
        py: Python<'py>,
        owner: Owner<'_>,
        elements: &[u8],
        mut shape: Shape,
        text: Text<'_>,
    ) -> PyResult<Bound<'py, PyUntypedArray>> {
        let array = array::empty(py, self.dtype.bind(py), &mut shape)?;
        self.rebuild(py, owner, elements, &array, text)?;
        Ok(array)
    }

    /// True if the elements are variable-length text.
    pub fn is_text(&self) -> bool {
        match &self.layout.kind {
            Kind::Array(base) => matches!(base.kind, Kind::VlenText),
            kind => matches!(kind, Kind::VlenText),
        }
    }

    /// An array with one empty element: zeros, an empty text, or None instead of any other object.
    pub fn zero<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyUntypedArray>> {
        let array = array::empty(py, self.dtype.bind(py), &mut Shape::new())?;
        let zeros = vec![0; self.layout.file_bytes];
        if self.work < Work::Objects {
            // SAFETY: the array is new, in row-major order, and contains no objects.
            rebuild::plain(&self.layout, &zeros, unsafe { array::bytes_mut(&array) });
        } else if self.is_text() {
            Objects::new(py, Queue::new(), Text::Bytes).rebuild(
                &self.layout,
                &zeros,
                array::extent(&array).0,
            )?;
        }
        Ok(array)
    }

    /// Bytes of an element in the file.
    pub fn file_bytes(&self) -> usize {
        self.layout.file_bytes
    }

    fn rebuild(
        &self,
        py: Python<'_>,
        owner: Owner<'_>,
        elements: &[u8],
        array: &Bound<'_, PyUntypedArray>,
        text: Text<'_>,
    ) -> PyResult<()> {
        let (start, len) = array::extent(array);
        let count = elements.len().checked_div(self.layout.file_bytes).unwrap_or(0);
        if count * self.layout.memory_bytes != len {
            return Err(errors::invalid(format!("{count} elements do not fill an array of {len} bytes")));
        }
        if self.is_text() {
            // If the elements are text and nothing else, their heap references are contiguous.
            let reference_bytes =
                self.layout.file_bytes * size_of::<usize>() / self.layout.memory_bytes.max(1);
            return vlen_text::fill(py, owner, elements, reference_bytes, start, text);
        }
        if self.work == Work::Objects {
            let fetch = || Fetch::new(owner.file).all(&self.layout, elements);
            let queue = py.detach(fetch).map_err(|error| owner.raise(error))?;
            return Objects::new(py, queue, text).rebuild(&self.layout, elements, start);
        }
        // SAFETY: the array is new, in row-major order, and its elements are not objects.
        let out = unsafe { array::bytes_mut(array) };
        py.detach(|| rebuild::plain(&self.layout, elements, out));
        Ok(())
    }
}
