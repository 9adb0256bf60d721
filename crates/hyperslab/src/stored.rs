//! Objects as the file stores them: the messages of their headers, and the bytes of the file.
//!
//! Reading an array hides how it is stored. A program that rewrites a file has to know it.

use crate::node::Node;
use crate::{Address, File, Object, Result};
use hyperslab_format::Parse;
use hyperslab_format::object_header::{Context, ObjectHeader};
use hyperslab_io::Source;
use std::sync::Arc;

/// The header of an object.
pub fn header(object: &Object) -> &ObjectHeader {
    match object {
        Object::Group(group) => &group.node.header,
        Object::Dataset(dataset) => &dataset.inner.node.header,
        Object::Datatype(datatype) => datatype.header(),
    }
}

/// The object whose header is at an address. Messages name it by `path`.
///
/// # Errors
/// Damage in the header.
pub fn object_at(file: &File, address: Address, path: &str) -> Result<Object> {
    Object::open(Node::open(&file.inner, address, path.to_owned())?)
}

/// Runs a parser over a file, fetching what it lacks.
///
/// # Errors
/// Those of the parser and of the source.
pub fn parse<T>(file: &File, parser: impl FnMut(Context<'_>) -> Parse<T>) -> Result<T> {
    file.inner.parse_shared(parser)
}

/// The bytes of a file.
pub fn source(file: &File) -> Arc<dyn Source> {
    file.inner.source.clone()
}
