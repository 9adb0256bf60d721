//! What an index of a dataset selects: elements, fields, a region; and scalar datasets, which take few indexes.

use super::Dataset;
use crate::array::{self, Shape};
use crate::element::Text;
use crate::errors;
use crate::reference::RegionReference;
use crate::selection::{self, Index, ScalarIndex, Selected};
use numpy::PyUntypedArray;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::{Path, PathBuf};

impl Dataset {
    #[inline]
    pub(super) fn read<'py>(
        &self,
        py: Python<'py>,
        selected: Selected,
    ) -> PyResult<Bound<'py, PyUntypedArray>> {
        let element = self.element(py)?;
        element.read(py, &self.dataset, &selected.selection, selected.shape)
    }

    /// Reads elements into an array, which stays one even without axes; text as `str` if that is wanted.
    pub fn read_array<'py>(
        &self,
        py: Python<'py>,
        selected: Selected,
        text: Option<Text<'_>>,
    ) -> PyResult<Bound<'py, PyUntypedArray>> {
        self.session.check_open()?;
        let Some(text) = text else { return self.read(py, selected) };
        let Selected { selection, shape, .. } = selected;
        let found = self.element(py)?.read_text(py, &self.dataset, &selection, shape, text)?;
        found.ok_or_else(|| errors::wrong_type(format!("{} has no text", self.dataset.path())))
    }

    /// Reads a scalar or null dataset.
    pub(super) fn get_scalar<'py>(
        slf: &Bound<'py, Self>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let index = selection::parse_scalar(index)?;
        if this.dims().is_none() {
            return match index {
                ScalarIndex::Element | ScalarIndex::Array => {
                    crate::helper(py, "hyperslab", "Empty")?.call1((this.element(py)?.dtype.bind(py),))
                }
                _ => Err(errors::invalid("Empty datasets cannot be sliced")),
            };
        }
        let read = || this.read(py, Selected::all(Shape::new()));
        match index {
            ScalarIndex::Element => array::finish(read()?),
            ScalarIndex::Array => Ok(read()?.into_any()),
            ScalarIndex::Fields(names, rest) => read_fields(slf, names, rest),
            ScalarIndex::Other => Err(errors::invalid("Illegal slicing argument for scalar dataspace")),
        }
    }

    /// What an index selects, and whether the result remains an array even if it has no axes. `None` if the dataset has
    /// no elements.
    pub(super) fn selected(&self, index: &Bound<'_, PyAny>) -> PyResult<Option<(Selected, bool)>> {
        self.session.check_open()?;
        let illegal = || errors::invalid("Illegal slicing argument for this dataset");
        match self.dims() {
            None => Ok(None),
            Some([]) => {
                let selected = Selected::all(Shape::new());
                match selection::parse_scalar(index)? {
                    ScalarIndex::Element => Ok(Some((selected, false))),
                    ScalarIndex::Array => Ok(Some((selected, true))),
                    ScalarIndex::Fields(..) | ScalarIndex::Other => Err(illegal()),
                }
            }
            Some(dims) => match selection::parse(index, dims)? {
                Index::Selected(selected) => Ok(Some((selected, false))),
                Index::Region(reference) => Ok(Some((self.region(reference.get(), dims)?, true))),
                Index::Fields(..) => Err(illegal()),
            },
        }
    }

    /// What a region reference to this dataset selects.
    pub(super) fn region(&self, reference: &RegionReference, dims: &[u64]) -> PyResult<Selected> {
        let own = PathBuf::from(self.dataset.file().name());
        // If the reference names another file, compare only the file name: folders may have changed.
        let elsewhere = reference.file.as_ref().is_some_and(|name| {
            name.as_str().is_none_or(|name| Path::new(name).file_name() != own.file_name())
        });
        if elsewhere || reference.target.is_none_or(|target| target.0 != self.address()) {
            return Err(errors::invalid("Region reference must point to this dataset"));
        }
        selection::region(&reference.selection, dims)
    }

    /// What an index selects of a dataset that has elements; all of it without one.
    pub(super) fn select(&self, index: Option<&Bound<'_, PyAny>>) -> PyResult<Selected> {
        let dims =
            self.dims().ok_or_else(|| errors::wrong_type("Empty datasets have no numpy representation"))?;
        match index {
            None => Ok(Selected::all(dims.iter().map(|&dim| dim as isize).collect())),
            Some(index) => match selection::parse(index, dims)? {
                Index::Selected(selected) => Ok(selected),
                Index::Region(reference) => self.region(reference.get(), dims),
                Index::Fields(..) => Err(errors::wrong_type("field names are not a valid selection here")),
            },
        }
    }
}

/// Reads some fields, by the view that h5py calls `fields`.
pub(super) fn read_fields<'py>(
    dataset: &Bound<'py, Dataset>,
    names: Vec<Bound<'py, PyAny>>,
    rest: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = crate::helper(dataset.py(), "hyperslab._views", "Fields")?;
    let view = match names.as_slice() {
        [name] => class.call1((dataset, name))?,
        names => class.call1((dataset, PyTuple::new(dataset.py(), names)?))?,
    };
    view.get_item(rest)
}
