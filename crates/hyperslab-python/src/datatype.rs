//! `hyperslab.Datatype`: a named datatype.

use crate::attrs::AttributeManager;
use crate::element::Element;
use crate::group;
use crate::reference::Reference;
use crate::session::Session;
use hyperslab::{NamedDatatype, Object};
use pyo3::prelude::*;
use std::sync::Arc;

/// A named datatype of an open file.
#[pyclass(frozen, module = "hyperslab", weakref)]
pub struct Datatype {
    session: Arc<Session>,
    datatype: NamedDatatype,
}

impl Datatype {
    pub(crate) fn new(session: Arc<Session>, datatype: NamedDatatype) -> Self {
        Self { session, datatype }
    }

    fn object(&self) -> Object {
        Object::Datatype(self.datatype.clone())
    }
}

#[pymethods]
impl Datatype {
    /// The dtype that NumPy uses for it.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> PyResult<Py<numpy::PyArrayDescr>> {
        Ok(Element::new(py, self.datatype.datatype())?.dtype)
    }

    /// The path in the file, or None after the file was closed.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.session.is_open().then(|| self.datatype.path())
    }

    /// The group that contains it: the last but one of its path.
    #[getter]
    fn parent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        group::parent(py, &self.session, self.datatype.path())
    }

    /// A reference to this datatype.
    #[getter]
    fn r#ref(&self) -> Reference {
        Reference { target: Some(self.object().address()), file: None }
    }

    /// The file that contains it.
    #[getter]
    fn file<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::file::File::of(py, &self.session)
    }

    /// The attributes of the datatype.
    #[getter]
    fn attrs(&self) -> PyResult<AttributeManager> {
        AttributeManager::new(&self.session, self.object())
    }

    fn __bool__(&self) -> bool {
        self.session.is_open()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| {
            let other = other.get();
            self.session.is_same_file(&other.session) && self.object().address() == other.object().address()
        })
    }

    fn __hash__(&self) -> u64 {
        self.object().address().0
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        if !self.session.is_open() {
            return Ok("<Closed HDF5 named type>".into());
        }
        let name = self.datatype.path().rsplit('/').next().unwrap_or_default();
        let dtype = self.dtype(py)?.bind(py).getattr("str")?.to_string();
        Ok(format!("<HDF5 named type \"{name}\" (dtype {dtype})>"))
    }
}
