use crate::{Address, Bytes, Name};

/// A link of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub name: Name,
    /// Position in the order of creation, where the group tracks it.
    pub creation_order: Option<i64>,
    /// What it leads to.
    pub target: LinkTarget,
}

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// An object header of this file.
    Hard(Address),
    /// A path in this file.
    Soft(Name),
    /// A path in another file.
    External {
        /// The other file.
        file: Name,
        /// The path in it.
        path: Name,
    },
    /// A link class registered by an application (64 to 255, without 64 itself, which is external).
    UserDefined {
        /// The class.
        class: u8,
        /// Its data.
        data: Bytes,
    },
}
