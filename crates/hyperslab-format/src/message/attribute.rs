use super::{Dataspace, Datatype};
use crate::{Bytes, Name};

/// An attribute, with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: Name,
    /// Its datatype.
    pub datatype: Datatype,
    /// Its extent.
    pub dataspace: Dataspace,
    /// The bytes of all elements, in the file's representation. Exactly as long as extent and datatype say.
    pub data: Bytes,
    /// Position in the order of creation, where the object tracks it.
    pub creation_order: Option<u32>,
}
