//! References to objects, to elements of datasets and to attributes: what they point to, without the file that they
//! came from.

use crate::element::text;
use hyperslab_format::{Address, Name};
use pyo3::prelude::*;

/// A reference to an object. `file[reference]` opens it; a null reference is false.
#[pyclass(frozen, eq, hash, module = "hyperslab")]
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct Reference {
    /// Where the object header lies; `None` for a null reference.
    pub target: Option<Address>,
    /// The file that the object lies in, if another one.
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

/// A reference to elements of a dataset. `file[reference]` opens the dataset; a null reference is false.
#[pyclass(frozen, eq, hash, module = "hyperslab")]
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct RegionReference {
    /// Where the dataset's object header lies; `None` for a null reference.
    pub target: Option<Address>,
    /// The file that the dataset lies in, if another one.
    pub file: Option<Name>,
    /// The selection, as the file encodes it.
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

/// A reference to an attribute (HDF5 1.12; h5py has no such class). `file[reference]` opens the object that has it,
/// `file[reference].attrs[reference.name]` reads it.
#[pyclass(frozen, eq, hash, module = "hyperslab")]
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct AttributeReference {
    /// Where the header of the object lies that has the attribute.
    pub target: Address,
    /// The file that the object lies in, if another one.
    pub file: Option<Name>,
    /// The attribute.
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
