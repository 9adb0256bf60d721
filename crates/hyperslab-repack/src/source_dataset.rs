//! Opens datasets of a tree.

use crate::error::RepackError;
use hyperslab::internal::stored;
use hyperslab::{Dataset, Error, File, Object};
use hyperslab_format::Address;

/// The dataset whose object header is at an address. Messages name it by `path`.
///
/// # Errors
///
/// Damage in its header.
pub(crate) fn open_dataset(file: &File, address: Address, path: &str) -> Result<Dataset, RepackError> {
    match stored::object_at(file, address, path)? {
        Object::Dataset(dataset) => Ok(dataset),
        _ => Err(Error::internal("not a dataset").at_object(path).into()),
    }
}
