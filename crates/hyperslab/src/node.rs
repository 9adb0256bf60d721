//! An object header and its path: the common part of a group, a dataset and a named datatype.

use crate::attribute::KnownAttributes;
use crate::file::FileInner;
use crate::{Error, Result};
use hyperslab_array::array::Origin;
use hyperslab_format::object_header::ObjectHeader;
use hyperslab_format::{Address, Name};
use std::sync::Arc;

/// An object header, its file, and the path by which it was opened.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) file: Arc<FileInner>,
    pub(crate) path: String,
    pub(crate) header: Arc<ObjectHeader>,
    pub(crate) attributes: Arc<KnownAttributes>,
}

impl Node {
    pub(crate) fn open(file: &Arc<FileInner>, address: Address, path: String) -> Result<Self> {
        file.trim();
        let header = file.parse(|view| ObjectHeader::parse(*view, address));
        let header = header.map_err(|error| error.at_object(path.clone()))?;
        Ok(Self { file: file.clone(), path, header: Arc::new(header), attributes: Arc::default() })
    }

    /// The group from which every path of a file starts.
    pub(crate) fn root(file: &Arc<FileInner>) -> Result<Self> {
        Node::open(file, file.superblock.root, "/".into())
    }

    /// The path of a member of this group.
    pub(crate) fn path_of(&self, name: &Name) -> String {
        let path = &self.path;
        if path.ends_with('/') { format!("{path}{name}") } else { format!("{path}/{name}") }
    }

    /// The file, the path and the header address of the object, for errors.
    pub(crate) fn origin(&self) -> Origin {
        Origin {
            file: self.file.source.clone(),
            path: self.path.clone(),
            structure: "object header",
            at: self.file.absolute(self.header.address),
        }
    }

    /// Adds this object and its file to an error.
    pub(crate) fn named(&self, error: Error) -> Error {
        self.origin().named(error)
    }

    /// Adds this object and its file to an error, and the offset of its header unless the error has an offset.
    pub(crate) fn located(&self, error: Error) -> Error {
        self.origin().located(error)
    }
}
