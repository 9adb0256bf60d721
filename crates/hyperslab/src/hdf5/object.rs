//! An object of an HDF5 file: its object header.

use super::file::Hdf5File;
use crate::Object;
use crate::open_file::Node;
use hyperslab_format::object_header::ObjectHeader;
use std::any::Any;
use std::sync::Arc;

/// An object header, and its file.
pub(crate) struct Hdf5Object {
    pub(crate) file: Arc<Hdf5File>,
    pub(crate) header: Arc<ObjectHeader>,
}

impl Hdf5Object {
    /// The object as an HDF5 object; `None` if its file has another format.
    pub(crate) fn of(node: &Node) -> Option<&Self> {
        (&*node.object as &dyn Any).downcast_ref()
    }
}

/// The node of an object.
pub(crate) fn node(object: &Object) -> &Node {
    match object {
        Object::Group(group) => &group.node,
        Object::Dataset(dataset) => &dataset.inner.node,
        Object::Datatype(datatype) => &datatype.node,
    }
}
