//! The properties of the elements of an array that reading needs.

use crate::read::convert::Conversion;

/// The byte order of the numbers that a read returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Endianness {
    /// The byte order of the datatype. In HDF5 it is that of the file, and nothing is converted; formats whose types have no
    /// byte order of their own say what they mean by [`ElementSpec::to_datatype`].
    #[default]
    File,
    /// The byte order of the machine.
    Native,
}

/// An element of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementSpec {
    /// The bytes of an element in the file.
    pub bytes: usize,
    /// The conversion of an element to native byte order; `None` if reversing the bytes is not enough.
    pub to_native: Option<Conversion>,
    /// The conversion of an element to the byte order of its datatype.
    pub to_datatype: Conversion,
}
