//! Reading what h5py's indexes cannot express: lists of indexes along several axes in any order, and single elements.

use crate::array::Shape;
use crate::dataset::Dataset;
use crate::element::Text;
use crate::errors;
use crate::selection::Selected;
use hyperslab::{Axis, Points, Selection};
use numpy::{PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Read the product of indexes: for each axis either `(start, count, step)` or an array of int64 in any order. The result
/// has all axes. With `codec`, text is decoded to `str`.
#[pyfunction]
#[pyo3(signature = (dataset, axes, codec=None))]
pub fn read_orthogonal<'py>(
    py: Python<'py>,
    dataset: &Bound<'py, Dataset>,
    axes: &Bound<'py, PyTuple>,
    codec: Option<&str>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let axes = axes.iter().map(|axis| parse_axis(&axis)).collect::<PyResult<Vec<Axis>>>()?;
    let selection = if axes.is_empty() { Selection::All } else { Selection::Slab(axes) };
    let shape = selection.shape(dataset.get().inner().shape()).into_iter().map(|len| len as isize).collect();
    dataset.get().read_array(py, Selected::points(selection, shape), codec.map(strict))
}

/// Read single elements: `coordinates` is an array of int64 with a row for each element. The result has one axis.
#[pyfunction]
#[pyo3(signature = (dataset, coordinates, codec=None))]
pub fn read_points<'py>(
    py: Python<'py>,
    dataset: &Bound<'py, Dataset>,
    coordinates: &Bound<'py, PyArrayDyn<i64>>,
    codec: Option<&str>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let rank = dataset.get().inner().shape().len();
    if rank == 0 || coordinates.shape().get(1..) != Some(&[rank]) {
        return Err(errors::invalid(format!(
            "coordinates must have a row of {rank} numbers for each element"
        )));
    }
    let points = Points { rank, coordinates: indexes(coordinates)? };
    let shape = Shape::from_slice(&[points.len() as isize]);
    let selection = match rank {
        1 => Selection::Slab(vec![Axis::List(points.coordinates)]),
        _ => Selection::Points(points),
    };
    dataset.get().read_array(py, Selected::points(selection, shape), codec.map(strict))
}

fn strict(encoding: &str) -> Text<'_> {
    Text::Str { encoding, errors: "strict" }
}

fn parse_axis(axis: &Bound<'_, PyAny>) -> PyResult<Axis> {
    if let Ok(array) = axis.cast::<PyArrayDyn<i64>>() {
        return Ok(Axis::List(indexes(array)?));
    }
    let (start, count, step): (u64, u64, u64) = axis.extract()?;
    Axis::range(start, count, step).map_err(errors::raise)
}

fn indexes(array: &Bound<'_, PyArrayDyn<i64>>) -> PyResult<Vec<u64>> {
    let array = array.readonly();
    let index = |&index: &i64| {
        u64::try_from(index).map_err(|_| errors::out_of_range(format!("the index {index} is negative")))
    };
    array.as_array().iter().map(index).collect()
}
