//! A Python index (`dataset[index]`), converted to a selection of the engine by h5py's rules.
//!
//! ```text
//! index ─► key: integers, slices, `...`          the common case, creates no objects
//!          fancy: lists, arrays, masks           at most one list; a mask of the dataset's shape
//!          names: fields of a compound           left to Python (`_views.Fields`)
//! ```

mod assignment;
mod fancy;
mod key;
mod region;

pub use assignment::{Assignment, assignment, region_assignment};
pub use key::Axes;
pub use region::region;

use crate::array::Shape;
use crate::errors;
use crate::reference::RegionReference;
use hyperslab::Selection;
use numpy::PyArrayDescr;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// What an index selects.
pub struct Selected {
    /// The elements.
    pub selection: Selection,
    /// The shape of the result, without the axes that were indexed by an integer.
    pub shape: Shape,
    /// How values are broadcast when they are assigned to the elements.
    pub kind: Kind,
}

impl Selected {
    /// All elements of a dataset of this shape.
    pub fn all(shape: Shape) -> Self {
        Self { selection: Selection::All, shape, kind: Kind::Regular { integers: 0 } }
    }

    /// Elements of which the result has all axes, or a single one.
    pub fn points(selection: Selection, shape: Shape) -> Self {
        Self { selection, shape, kind: Kind::Points }
    }
}

/// The kind of an index, by which h5py's rules of broadcasting differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Integers, slices and blocks. `integers` has a bit for each axis that was indexed by an integer.
    Regular { integers: u64 },
    /// One axis has a list or a mask.
    List { integers: u64 },
    /// Single elements, or the region of a reference.
    Points,
}

/// An index of a dataset with a simple dataspace.
pub enum Index<'py> {
    /// Elements.
    Selected(Selected),
    /// Names of fields, and the rest of the index.
    Fields(Vec<Bound<'py, PyAny>>, Bound<'py, PyTuple>),
    /// The selection of a region reference.
    Region(Bound<'py, RegionReference>),
}

/// Parses an index.
#[inline]
pub fn parse<'py>(index: &Bound<'py, PyAny>, dims: &[u64]) -> PyResult<Index<'py>> {
    let mut axes = Axes::new(dims);
    let simple = match index.cast::<PyTuple>() {
        Ok(items) => match axes.common(items.iter_borrowed(), items.len()) {
            // Names of fields belong to no axis; without them the others may fit.
            Err(_) if items.iter_borrowed().any(|item| item.is_none() || is_name(&item)) => false,
            simple => simple?,
        },
        Err(_) => axes.common(std::iter::once(index.as_borrowed()), 1)?,
    };
    if simple { Ok(Index::Selected(axes.finish())) } else { parse_uncommon(index, dims) }
}

#[cold]
fn parse_uncommon<'py>(index: &Bound<'py, PyAny>, dims: &[u64]) -> PyResult<Index<'py>> {
    let items = match index.cast::<PyTuple>() {
        Ok(items) => items.clone(),
        Err(_) => PyTuple::new(index.py(), [index])?,
    };
    check_no_new_axis(&items)?;
    let (names, items) = split_names(&items)?;
    if !names.is_empty() {
        return Ok(Index::Fields(names, items));
    }
    if items.len() == 1
        && let Ok(reference) = items.get_item(0)?.cast_into::<RegionReference>()
    {
        return Ok(Index::Region(reference));
    }
    if items.len() == 1
        && let Some(selected) = fancy::mask(&items.get_item(0)?, dims)?
    {
        return Ok(Index::Selected(selected));
    }
    let mut axes = Axes::new(dims);
    axes.all(&items)?;
    Ok(Index::Selected(axes.finish()))
}

/// Parses the index of a scalar dataset: `()` for its element, `...` for an array without axes.
pub fn parse_scalar<'py>(index: &Bound<'py, PyAny>) -> PyResult<ScalarIndex<'py>> {
    let py = index.py();
    let items = match index.cast::<PyTuple>() {
        Ok(items) => items.clone(),
        Err(_) => PyTuple::new(py, [index])?,
    };
    check_no_new_axis(&items)?;
    let (names, items) = split_names(&items)?;
    if !names.is_empty() {
        return Ok(ScalarIndex::Fields(names, items));
    }
    match items.len() {
        0 => Ok(ScalarIndex::Element),
        1 if items.get_item(0)?.is(py.Ellipsis()) => Ok(ScalarIndex::Array),
        _ => Ok(ScalarIndex::Other),
    }
}

/// An index of a scalar or null dataset.
pub enum ScalarIndex<'py> {
    /// `()`
    Element,
    /// `...`
    Array,
    /// Names of fields, and the rest of the index.
    Fields(Vec<Bound<'py, PyAny>>, Bound<'py, PyTuple>),
    /// Anything else.
    Other,
}

fn check_no_new_axis(items: &Bound<'_, PyTuple>) -> PyResult<()> {
    if items.iter().any(|item| item.is_none()) {
        return Err(errors::wrong_type("Indexing with None (or np.newaxis) is not supported"));
    }
    Ok(())
}

fn is_name(item: &Bound<'_, PyAny>) -> bool {
    item.is_instance_of::<PyString>()
}

fn split_names<'py>(items: &Bound<'py, PyTuple>) -> PyResult<(Vec<Bound<'py, PyAny>>, Bound<'py, PyTuple>)> {
    let (names, rest): (Vec<_>, Vec<_>) = items.iter().partition(|item| is_name(item));
    Ok((names, PyTuple::new(items.py(), rest)?))
}

/// The shape of an array: that of the selection, followed by the axes that the dtype adds (those of an array datatype).
pub fn shape_with(shape: &Shape, dtype: &Bound<'_, PyArrayDescr>) -> Vec<usize> {
    use numpy::PyArrayDescrMethods;
    shape.iter().map(|&size| size as usize).chain(dtype.shape()).collect()
}
