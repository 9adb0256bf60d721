//! A named ("committed") datatype.

use crate::attribute::Attributes;
use crate::open_file::Node;
use crate::{File, Result};
use hyperslab_format::Address;
use hyperslab_format::message::Datatype;

/// A named datatype.
#[derive(Clone)]
pub struct NamedDatatype {
    pub(crate) node: Node,
    datatype: Datatype,
}

impl NamedDatatype {
    pub(crate) fn open(node: Node) -> Result<Self> {
        let datatype = node.object.datatype().map_err(|error| node.located(error))?;
        Ok(Self { datatype, node })
    }

    /// The datatype.
    pub fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// The path by which it was opened.
    pub fn path(&self) -> &str {
        &self.node.path
    }

    /// The file that contains it.
    pub fn file(&self) -> File {
        File { inner: self.node.file.clone() }
    }

    pub(crate) fn address(&self) -> Address {
        self.node.object.number()
    }

    /// Its attributes.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.node)
    }
}
