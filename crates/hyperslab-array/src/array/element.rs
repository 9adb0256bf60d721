//! The elements of an array, as far as reading has to know them.

use crate::read::convert::Conversion;

/// The byte order of the numbers that a read returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As in the file: nothing is converted.
    #[default]
    File,
    /// As the machine computes with them.
    Native,
}

/// An element of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementSpec {
    /// Bytes of an element in the file.
    pub bytes: usize,
    /// What brings an element into native byte order; `None` where reversing bytes alone does not.
    pub to_native: Option<Conversion>,
}
