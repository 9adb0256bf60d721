//! What an index selects of an array in memory: an index for NumPy that keeps all axes, and h5py's rules of broadcasting.

use super::{Index, Kind, ScalarIndex, Selected, parse, parse_scalar, region};
use crate::array::Shape;
use crate::errors;
use hyperslab::{Axis, Selection};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

/// The index for NumPy; the number of elements along each axis of what it selects; the shape of the result of a read; the
/// axes that were indexed by an integer; `"regular"`, `"list"` or `"points"`.
pub type Assignment<'py> = (Bound<'py, PyTuple>, Vec<u64>, Vec<isize>, Vec<usize>, &'static str);

/// What an index of an array of this shape selects.
pub fn assignment<'py>(index: &Bound<'py, PyAny>, dims: &[u64]) -> PyResult<Assignment<'py>> {
    let selected = if dims.is_empty() {
        match parse_scalar(index)? {
            ScalarIndex::Element | ScalarIndex::Array => Selected::all(Shape::new()),
            ScalarIndex::Fields(..) | ScalarIndex::Other => {
                return Err(errors::invalid("Illegal slicing argument for scalar dataspace"));
            }
        }
    } else {
        match parse(index, dims)? {
            Index::Selected(selected) => selected,
            Index::Fields(..) => {
                return Err(errors::wrong_type("an index without names of fields is expected"));
            }
            Index::Region(_) => {
                return Err(errors::wrong_type("a region reference to a dataset of another file"));
            }
        }
    };
    of_selected(index.py(), selected, dims)
}

/// What an encoded region of an array of this shape selects.
pub fn region_assignment<'py>(py: Python<'py>, encoded: &[u8], dims: &[u64]) -> PyResult<Assignment<'py>> {
    of_selected(py, region(encoded, dims)?, dims)
}

fn of_selected<'py>(py: Python<'py>, selected: Selected, dims: &[u64]) -> PyResult<Assignment<'py>> {
    let Selected { selection, shape, kind } = selected;
    let counts = selection.shape(dims);
    let index = match &selection {
        Selection::All => PyTuple::new(py, dims.iter().map(|_| PySlice::full(py)))?,
        Selection::Slab(axes) => {
            PyTuple::new(py, axes.iter().map(|axis| axis_index(py, axis)).collect::<PyResult<Vec<_>>>()?)?
        }
        Selection::Points(points) => {
            let column = |axis: usize| points.coordinates.iter().skip(axis).step_by(points.rank);
            let columns = (0..points.rank).map(|axis| column(axis).map(|&at| at as i64).collect());
            PyTuple::new(py, columns.map(|column: Vec<i64>| PyArray1::from_vec(py, column)))?
        }
    };
    let (integers, kind) = match kind {
        Kind::Regular { integers } => (integers, "regular"),
        Kind::List { integers } => (integers, "list"),
        Kind::Points => (0, "points"),
    };
    let integers = (0..dims.len().min(64)).filter(|axis| integers >> axis & 1 == 1).collect();
    Ok((index, counts, shape.to_vec(), integers, kind))
}

/// A slice, or an array of indexes.
fn axis_index<'py>(py: Python<'py>, axis: &Axis) -> PyResult<Bound<'py, PyAny>> {
    let listed: Vec<i64> = match axis {
        Axis::Blocks(blocks) => match (blocks.bounds(), blocks.step()) {
            (None, _) => return Ok(PySlice::new(py, 0, 0, 1).into_any()),
            (Some((first, last)), Some(step)) => {
                return Ok(
                    PySlice::new(py, first as isize, last as isize + 1, step.max(1) as isize).into_any()
                );
            }
            (Some(_), None) => blocks.iter().map(|at| at as i64).collect(),
        },
        Axis::List(list) => list.iter().map(|&at| at as i64).collect(),
    };
    Ok(PyArray1::from_vec(py, listed).into_any())
}
