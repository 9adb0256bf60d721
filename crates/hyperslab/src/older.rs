//! How the formats before HDF5 store values, where HDF5 has no word for it: the counterpart of [`crate::hdf5`].

use crate::{Dataset, Result};

/// How the values of a dataset are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// In one piece, in another file, or nowhere.
    Whole,
    /// In one stream by the coder of this name, which readers decode from its beginning (HDF4).
    Stream(&'static str),
    /// In chunks by the coder of this name, or `none` (HDF4).
    Chunks(&'static str),
    /// In this number of pieces, to which tables lead (HDF4).
    Blocks(u64),
    /// A record at a time, between those of other variables (netCDF classic).
    Records {
        /// The offset of the first record.
        begin: u64,
        /// Bytes from one record to the next.
        every: u64,
    },
}

/// The form of a dataset; `None` for HDF5.
///
/// # Errors
/// Damaged descriptions.
pub fn form(dataset: &Dataset) -> Result<Option<Form>> {
    let node = &dataset.inner.node;
    node.object.form().map_err(|error| node.located(error))
}
