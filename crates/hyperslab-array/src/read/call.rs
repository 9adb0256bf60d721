//! The parameters of a read other than the wanted elements.

use super::convert::Conversion;
use super::target::Target;
use crate::{Error, Result};
use hyperslab_io::Cancel;

/// The destination of the elements, their conversion, and the cancellation flag.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) target: Target<'a>,
    pub(crate) conversion: Conversion,
    pub(crate) cancel: &'a Cancel,
}

impl Call<'_> {
    /// Returns an error once the read is cancelled.
    pub(crate) fn check_cancelled(&self) -> Result<()> {
        self.cancel.check().map_err(Error::from)
    }
}
