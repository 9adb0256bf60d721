//! References to objects, to regions of datasets and to attributes. They contain what they refer to, but not the file
//! that they were read from.

use crate::name::text;
use hyperslab_format::{Address, Name};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Pickled by the function that makes it again, and its parts.
fn reduce<'py, P>(py: Python<'py>, function: &str, parts: P) -> PyResult<Bound<'py, PyAny>>
where
    P: IntoPyObject<'py>,
{
    let again = crate::helper(py, "hyperslab._hyperslab", function)?;
    Ok((again, parts).into_pyobject(py)?.into_any())
}

fn address(target: Option<Address>) -> Option<u64> {
    target.map(|address| address.0)
}

fn bytes<'py>(py: Python<'py>, name: Option<&Name>) -> Option<Bound<'py, PyBytes>> {
    name.map(|name| PyBytes::new(py, name.as_bytes()))
}

/// A reference to an object, from what its `__reduce__` says.
#[pyfunction]
pub fn object_reference(target: Option<u64>, file: Option<Vec<u8>>) -> Reference {
    Reference { target: target.map(Address), file: file.map(Name::new) }
}

/// A reference to a region, from what its `__reduce__` says.
#[pyfunction]
pub fn region_reference(target: Option<u64>, file: Option<Vec<u8>>, selection: Vec<u8>) -> RegionReference {
    RegionReference { target: target.map(Address), file: file.map(Name::new), selection }
}

/// A reference to an attribute, from what its `__reduce__` says.
#[pyfunction]
pub fn attribute_reference(target: u64, file: Option<Vec<u8>>, attribute: Vec<u8>) -> AttributeReference {
    let attribute = Name::new(attribute);
    AttributeReference { target: Address(target), file: file.map(Name::new), attribute }
}

/// A reference to an object. `file[reference]` opens it; a null reference is false.
#[pyclass(frozen, eq, hash, module = "hyperslab")]
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct Reference {
    /// The address of the object header; `None` for a null reference.
    pub target: Option<Address>,
    /// The file that contains the object, if it is another file.
    pub file: Option<Name>,
}

#[pymethods]
impl Reference {
    fn __bool__(&self) -> bool {
        self.target.is_some()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts = (address(self.target), bytes(py, self.file.as_ref()));
        reduce(py, "object_reference", parts)
    }

    fn __repr__(&self) -> &'static str {
        if self.target.is_some() { "<HDF5 object reference>" } else { "<HDF5 object reference (null)>" }
    }
}

/// A reference to a region of a dataset. `file[reference]` opens the dataset; a null reference is false.
#[pyclass(frozen, eq, hash, module = "hyperslab")]
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct RegionReference {
    /// The address of the dataset's object header; `None` for a null reference.
    pub target: Option<Address>,
    /// The file that contains the dataset, if it is another file.
    pub file: Option<Name>,
    /// The selection, encoded as in the file.
    pub selection: Vec<u8>,
}

#[pymethods]
impl RegionReference {
    fn __bool__(&self) -> bool {
        self.target.is_some()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let selection = PyBytes::new(py, &self.selection);
        let parts = (address(self.target), bytes(py, self.file.as_ref()), selection);
        reduce(py, "region_reference", parts)
    }

    fn __repr__(&self) -> &'static str {
        if self.target.is_some() { "<HDF5 region reference>" } else { "<HDF5 region reference (null)>" }
    }
}

/// A reference to an attribute (HDF5 1.12; h5py has no such class). `file[reference]` opens the object that has it, and
/// `file[reference].attrs[reference.name]` reads it.
#[pyclass(frozen, eq, hash, module = "hyperslab")]
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct AttributeReference {
    /// The address of the header of the object that has the attribute.
    pub target: Address,
    /// The file that contains the object, if it is another file.
    pub file: Option<Name>,
    /// The name of the attribute.
    pub attribute: Name,
}

#[pymethods]
impl AttributeReference {
    /// The name of the attribute.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        text(py, &self.attribute)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let attribute = PyBytes::new(py, self.attribute.as_bytes());
        let parts = (self.target.0, bytes(py, self.file.as_ref()), attribute);
        reduce(py, "attribute_reference", parts)
    }

    fn __repr__(&self) -> String {
        format!("<HDF5 attribute reference \"{}\">", self.attribute)
    }
}
