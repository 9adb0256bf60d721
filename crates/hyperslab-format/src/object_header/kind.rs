//! The kind of an object. The format has no field for it; it follows from the messages.

use super::{MessageKind, ObjectHeader};
use std::fmt;

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// An object with links.
    Group,
    /// An object with a datatype and a dataspace.
    Dataset,
    /// An object with only a datatype: a committed datatype.
    NamedDatatype,
    /// None of the others.
    Unknown,
}

impl ObjectHeader {
    /// The kind of the object, determined as in libhdf5: the first that applies of group, dataset, named datatype.
    pub fn kind(&self) -> ObjectKind {
        let has = |kind| self.first(kind).is_some();
        if has(MessageKind::SYMBOL_TABLE) || has(MessageKind::LINK_INFO) {
            ObjectKind::Group
        } else if !has(MessageKind::DATATYPE) {
            ObjectKind::Unknown
        } else if has(MessageKind::DATASPACE) {
            ObjectKind::Dataset
        } else {
            ObjectKind::NamedDatatype
        }
    }
}

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Group => "group",
            Self::Dataset => "dataset",
            Self::NamedDatatype => "named datatype",
            Self::Unknown => "unknown object",
        })
    }
}
