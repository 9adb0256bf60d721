//! Object and region references: what they point to, without the file that they came from.

use hyperslab::format::Address;
use pyo3::prelude::*;

/// A reference to an object. `file[reference]` opens it; a null reference is false.
#[pyclass(frozen, eq, hash, module = "hyperslab")]
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct Reference {
    /// Where the object header lies; `None` for a null reference.
    pub target: Option<Address>,
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
