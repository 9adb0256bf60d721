//! References to objects, to regions of datasets and to attributes. They contain what they refer to, but not the file
//! that they were read from.

use crate::element::text;
use hyperslab_format::{Address, Name};
use pyo3::prelude::*;

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

    fn __repr__(&self) -> String {
        format!("<HDF5 attribute reference \"{}\">", self.attribute)
    }
}
