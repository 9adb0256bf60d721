//! What a caller wants of a read besides the elements.

use super::convert::Conversion;
use super::target::Target;
use crate::{Error, Result};
use hyperslab_io::Cancel;

/// Where the elements go, how they are converted on the way, and who may stop it.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) target: Target<'a>,
    pub(crate) conversion: Conversion,
    pub(crate) cancel: &'a Cancel,
}

impl Call<'_> {
    /// An error once the caller wants no more of it.
    pub(crate) fn check_cancelled(&self) -> Result<()> {
        self.cancel.check().map_err(Error::from)
    }
}
