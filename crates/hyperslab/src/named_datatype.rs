//! A named ("committed") datatype.

use crate::attribute::Attributes;
use crate::node::Node;
use crate::{Error, File, Result};
use hyperslab_format::Address;
use hyperslab_format::message::Datatype;
use hyperslab_format::object_header::ObjectHeader;

/// A named datatype.
#[derive(Clone)]
pub struct NamedDatatype {
    pub(crate) node: Node,
    datatype: Datatype,
}

impl NamedDatatype {
    pub(crate) fn open(node: Node) -> Result<Self> {
        let found = node.file.parse_shared(|context| node.header.datatype(context));
        let datatype = found.map_err(|error| error.at_object(node.path.clone()))?;
        let missing = || Error::damaged("the object header has no datatype message");
        Ok(Self { datatype: datatype.ok_or_else(|| node.located(missing()))?, node })
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
        self.node.header.address
    }

    pub(crate) fn header(&self) -> &ObjectHeader {
        &self.node.header
    }

    /// Its attributes.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.node)
    }
}
