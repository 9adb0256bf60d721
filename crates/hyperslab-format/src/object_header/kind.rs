//! What an object is. The format has no field for it; its messages tell.

use super::{MessageKind, ObjectHeader};
use std::fmt;

/// The kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// Has links.
    Group,
    /// Has a datatype and a dataspace.
    Dataset,
    /// Has a datatype only: a committed datatype.
    NamedDatatype,
    /// None of these.
    Unknown,
}

impl ObjectHeader {
    /// What the object is, decided as libhdf5 does: the first that fits of group, dataset, named datatype.
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
