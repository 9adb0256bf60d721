//! Integers, slices and `...`: the indexes of almost every read, parsed without creating a Python object.

use super::{Kind, Selected, fancy};
use crate::array::Shape;
use crate::errors;
use hyperslab::{Axis, Selection};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PySlice, PyTuple};
use pyo3::{Borrowed, ffi};

/// The axes of a selection, as far as they have been parsed.
pub struct Axes<'d> {
    dims: &'d [u64],
    axes: Vec<Axis>,
    shape: Shape,
    /// True if an axis already has a list of indexes.
    has_list: bool,
    /// A bit for each axis that was indexed by an integer.
    integers: u64,
    /// The number of indexes given, apart from `...`.
    given: usize,
    has_ellipsis: bool,
}

impl<'d> Axes<'d> {
    /// Nothing parsed yet.
    pub fn new(dims: &'d [u64]) -> Self {
        let axes = Vec::with_capacity(dims.len());
        Self { dims, axes, shape: Shape::new(), has_list: false, integers: 0, given: 0, has_ellipsis: false }
    }

    /// Parses items as long as they are integers, slices and `...`; returns false at the first other item.
    #[inline]
    pub fn common<'a, 'py: 'a>(
        &mut self,
        items: impl Iterator<Item = Borrowed<'a, 'py, PyAny>>,
        count: usize,
    ) -> PyResult<bool> {
        for item in items {
            if item.is_exact_instance_of::<PyInt>() {
                self.integer(&item, count)?;
            } else if let Ok(slice) = item.cast::<PySlice>() {
                self.slice(&slice, count)?;
            } else if item.is(item.py().Ellipsis()) {
                self.ellipsis(count)?;
            } else {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Parses items of any kind.
    pub fn all(&mut self, items: &Bound<'_, PyTuple>) -> PyResult<()> {
        let count = items.len();
        for item in items.iter() {
            if self.common(std::iter::once(item.as_borrowed()), count)? {
                continue;
            }
            // Every object with `__index__` counts as an integer: NumPy's integers, arrays without axes, booleans.
            // SAFETY: a new reference, or null with an exception set.
            let integer =
                unsafe { Bound::from_owned_ptr_or_err(item.py(), ffi::PyNumber_Index(item.as_ptr())) };
            match integer {
                Ok(integer) => self.integer(&integer.as_borrowed(), count)?,
                Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(item.py()) => {
                    let dim = self.next_dim(count)?;
                    if let Some(axis) = fancy::blocks(&item, dim)? {
                        self.shape.push(axis.len() as isize);
                        self.axes.push(axis);
                        continue;
                    }
                    let list = fancy::list(&item, dim, self.has_list)?;
                    self.has_list = true;
                    self.shape.push(list.len() as isize);
                    self.axes.push(Axis::List(list));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The selection; axes without an index are selected whole.
    #[inline]
    pub fn finish(mut self) -> Selected {
        if self.given == 0 {
            let shape = self.dims.iter().map(|&dim| dim as isize).collect();
            return Selected::all(shape);
        }
        self.whole(self.dims.len() - self.axes.len());
        let integers = self.integers;
        let kind = if self.has_list { Kind::List { integers } } else { Kind::Regular { integers } };
        Selected { selection: Selection::Slab(self.axes), shape: self.shape, kind }
    }

    /// The size of the axis that the next index belongs to.
    #[inline]
    fn next_dim(&mut self, count: usize) -> PyResult<u64> {
        match self.dims.get(self.axes.len()) {
            Some(&dim) => {
                self.given += 1;
                Ok(dim)
            }
            None => Err(self.too_many(count)),
        }
    }

    fn too_many(&self, count: usize) -> PyErr {
        let (given, rank) = (count - usize::from(self.has_ellipsis), self.dims.len());
        errors::invalid(format!("{given} indexing arguments for {rank} dimensions"))
    }

    fn whole(&mut self, count: usize) {
        for &dim in &self.dims[self.axes.len()..][..count] {
            self.axes.push(Axis::all(dim));
            self.shape.push(dim as isize);
        }
    }

    fn ellipsis(&mut self, count: usize) -> PyResult<()> {
        if self.has_ellipsis {
            return Err(errors::invalid("Only one ellipsis may be used."));
        }
        self.has_ellipsis = true;
        // `count` includes further ellipses, which are rejected when they are parsed.
        match (self.dims.len() + 1).checked_sub(count) {
            Some(missing) => {
                self.whole(missing);
                Ok(())
            }
            None => Err(self.too_many(count)),
        }
    }

    #[inline]
    fn integer(&mut self, item: &Borrowed<'_, '_, PyAny>, count: usize) -> PyResult<()> {
        let dim = self.next_dim(count)?;
        let mut overflow = 0;
        // SAFETY: the object is an integer.
        let index = unsafe { ffi::PyLong_AsLongLongAndOverflow(item.as_ptr(), &mut overflow) };
        let index = i128::from(index);
        let absolute = if index < 0 { index + i128::from(dim) } else { index };
        if overflow != 0 || absolute < 0 || absolute >= i128::from(dim) {
            return Err(not_in(item, dim));
        }
        // HDF5 has at most 32 axes.
        self.integers |= 1_u64.checked_shl(self.axes.len() as u32).unwrap_or(0);
        self.axes.push(Axis::span(absolute as u64, absolute as u64 + 1));
        Ok(())
    }

    #[inline]
    fn slice(&mut self, slice: &Borrowed<'_, '_, PySlice>, count: usize) -> PyResult<()> {
        let dim = self.next_dim(count)?;
        let len = isize::try_from(dim).unwrap_or(isize::MAX);
        let (mut start, mut stop, mut step) = (0, 0, 0);
        // SAFETY: the object is a slice, the pointers are those of local variables.
        let (failed, found) = unsafe {
            let failed = ffi::PySlice_Unpack(slice.as_ptr(), &mut start, &mut stop, &mut step) < 0;
            (failed, if failed { 0 } else { ffi::PySlice_AdjustIndices(len, &mut start, &mut stop, step) })
        };
        if failed {
            return Err(PyErr::fetch(slice.py()));
        }
        if step < 1 {
            return Err(errors::invalid(format!("Step must be >= 1 (got {step})")));
        }
        let range = Axis::range(start as u64, found as u64, step as u64).map_err(errors::raise)?;
        self.axes.push(range);
        self.shape.push(found);
        Ok(())
    }
}

#[cold]
fn not_in(item: &Borrowed<'_, '_, PyAny>, dim: u64) -> PyErr {
    match dim.checked_sub(1) {
        Some(last) => errors::out_of_range(format!("Index ({}) out of range for (0-{last})", &**item)),
        None => errors::out_of_range(format!("Index ({}) out of range for empty dimension", &**item)),
    }
}
