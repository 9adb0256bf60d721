//! `hyperslab.AttributeManager`: the attributes of an object.

use crate::array::{self, Shape};
use crate::element::{Element, Owner, Text};
use crate::group::name_of;
use crate::name::text;
use crate::session::Session;
use crate::{errors, interrupt};
use hyperslab::{Attribute, Dataspace, Object};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDict, PyList, PyMapping, PyTuple};
use std::sync::Arc;

/// The attributes of an object, as a mapping of names to values.
#[pyclass(frozen, mapping, module = "hyperslab", weakref)]
pub struct AttributeManager {
    session: Arc<Session>,
    object: Object,
}

impl AttributeManager {
    pub(crate) fn new(session: &Arc<Session>, object: Object) -> PyResult<Self> {
        session.check_open()?;
        Ok(Self { session: session.clone(), object })
    }

    /// All attributes that can be read: in creation order if the file records it, otherwise by name. Each attribute
    /// that cannot be read causes a warning.
    fn list(&self, py: Python<'_>) -> PyResult<Vec<Attribute>> {
        self.session.check_open()?;
        let found = interrupt::detach(py, || self.object.attributes().list())?.map_err(errors::raise)?;
        let mut attributes = Vec::with_capacity(found.len());
        for attribute in found {
            match attribute {
                Ok(attribute) => attributes.push(attribute),
                Err(error) => errors::skipped(py, "an attribute", error)?,
            }
        }
        if attributes.iter().all(|attribute| attribute.creation_order.is_some()) {
            attributes.sort_by_key(|attribute| attribute.creation_order);
        }
        Ok(attributes)
    }

    fn find(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Option<Attribute>> {
        self.session.check_open()?;
        let name = name_of(name)?;
        interrupt::detach(py, || self.object.attributes().find(&name))?.map_err(errors::raise)
    }

    fn value<'py>(&self, py: Python<'py>, attribute: &Attribute) -> PyResult<Bound<'py, PyAny>> {
        let element = Element::new(py, &attribute.datatype)?;
        let shape: Shape = match &attribute.dataspace {
            Dataspace::Null => {
                return crate::helper(py, "hyperslab", "Empty")?.call1((element.dtype.bind(py),));
            }
            Dataspace::Scalar => Shape::new(),
            Dataspace::Simple { dims, .. } => dims.iter().map(|&dim| dim as isize).collect(),
        };
        let text = if element.is_text() { Text::LOSSLESS } else { Text::Bytes };
        let file = self.object.file();
        let owner = Owner { file: &file, path: self.object.path(), attribute: Some(&attribute.name) };
        let array = element.array(py, owner, &attribute.data, shape, text)?;
        if array.ndim() == 0 { array::finish(array) } else { Ok(array.into_any()) }
    }

    fn view<'py>(slf: &Bound<'py, Self>, class: &str) -> PyResult<Bound<'py, PyAny>> {
        slf.get().session.check_open()?;
        crate::helper(slf.py(), "hyperslab._views", class)?.call1((slf,))
    }
}

#[pymethods]
impl AttributeManager {
    fn __getitem__<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.session.check_open()?;
        let name = name_of(name)?;
        let attribute =
            interrupt::detach(py, || self.object.attributes().get(&name))?.map_err(errors::raise)?;
        self.value(py, &attribute)
    }

    /// Return the value of an attribute, or `default` if there is no attribute with this name.
    #[pyo3(signature = (name, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.find(py, name)? {
            Some(attribute) => self.value(py, &attribute).map(Some),
            None => Ok(default),
        }
    }

    /// The name, the dtype and the shape of an attribute, without its value. The shape is None if it has no elements.
    fn get_id<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.session.check_open()?;
        let path = name_of(name)?;
        let attribute =
            interrupt::detach(py, || self.object.attributes().get(&path))?.map_err(errors::raise)?;
        let dtype = Element::new(py, &attribute.datatype)?.dtype;
        let shape = match &attribute.dataspace {
            Dataspace::Null => None,
            Dataspace::Scalar => Some(PyTuple::empty(py)),
            Dataspace::Simple { dims, .. } => Some(PyTuple::new(py, dims)?),
        };
        let id = crate::helper(py, "hyperslab._h5py_names", "AttributeID")?;
        id.call1((text(py, &attribute.name), dtype, shape))
    }

    /// As a mapping: equal to another one with the same names and values.
    fn __eq__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if other.cast::<PyMapping>().is_err() {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let dict = py.get_type::<PyDict>();
        dict.call1((slf,))?.rich_compare(dict.call1((other,))?, CompareOp::Eq)
    }

    /// Return the value of an attribute; an error if there is none, because files are only read.
    #[pyo3(signature = (name, value=None))]
    fn setdefault<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = value;
        let found = self.find(py, name)?;
        found.map_or_else(|| Err(errors::read_only()), |attribute| self.value(py, &attribute))
    }

    /// Raise an error: files are only read.
    #[pyo3(signature = (*_values, **_more))]
    fn update(&self, _values: &Bound<'_, PyTuple>, _more: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(errors::read_only())
    }

    /// Raise an error: files are only read.
    #[pyo3(signature = (*_values, **_more))]
    fn create(&self, _values: &Bound<'_, PyTuple>, _more: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(errors::read_only())
    }

    /// Raise an error: files are only read.
    #[pyo3(signature = (*_values, **_more))]
    fn modify(&self, _values: &Bound<'_, PyTuple>, _more: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(errors::read_only())
    }

    /// Raise an error: files are only read.
    #[pyo3(signature = (*_values, **_more))]
    fn pop(&self, _values: &Bound<'_, PyTuple>, _more: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        Err(errors::read_only())
    }

    /// Raise an error: files are only read.
    fn clear(&self) -> PyResult<()> {
        Err(errors::read_only())
    }

    /// Pickled by the path of the file, its settings, and the path of the object.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (file, given) = self.session.recipe()?;
        let path = match self.object.path() {
            path if path.starts_with('/') => Some(path),
            _ => py.detach(|| self.session.path_of(self.object.address())),
        };
        let anonymous = || errors::wrong_type("the attributes of an anonymous object cannot be pickled");
        let open = crate::helper(py, "hyperslab._reopen", "open_attributes")?;
        Ok((open, (file, given, path.ok_or_else(anonymous)?)).into_pyobject(py)?.into_any())
    }

    fn __contains__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.find(py, name)?.is_some())
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.session.check_open()?;
        interrupt::detach(py, || self.object.attributes().len())?.map_err(errors::raise)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.names(py)?.try_iter().map(Bound::into_any)
    }

    fn __reversed__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let names = self.names(py)?;
        names.reverse()?;
        names.try_iter().map(Bound::into_any)
    }

    /// The names of the attributes.
    fn keys<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "Keys")
    }

    /// The values of the attributes.
    fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "Values")
    }

    /// The names and values of the attributes.
    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::view(slf, "Items")
    }

    fn __repr__(&self) -> String {
        if self.session.is_open() {
            format!("<Attributes of HDF5 object {:?}>", self.object.path())
        } else {
            "<Attributes of closed HDF5 object>".into()
        }
    }

    fn _ipython_key_completions_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.names(py)
    }
}

impl AttributeManager {
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.list(py)?.iter().map(|attribute| text(py, &attribute.name)))
    }
}
