//! Objects of a file, opened by their paths, links, addresses and references.

use crate::dataset::Dataset;
use crate::group::Group;
use crate::linked_files::Purpose;
use crate::lookup::{Lookup, follow, resolve};
use crate::named_datatype::NamedDatatype;
use crate::node::Node;
use crate::{Error, ErrorKind, File, Result, open_dataset};
use hyperslab_array::array::Operation;
use hyperslab_format::Address;
use hyperslab_format::message::Link;
use hyperslab_format::object_header::ObjectKind;
use hyperslab_format::reference::RevisedReference;

/// An object of a file: what a path may lead to.
#[derive(Clone)]
pub enum Object {
    /// A group.
    Group(Group),
    /// A dataset.
    Dataset(Dataset),
    /// A named ("committed") datatype.
    Datatype(NamedDatatype),
}

impl Object {
    /// Opens the object of a header as what it is.
    pub(crate) fn open(node: Node) -> Result<Self> {
        match node.header.kind() {
            ObjectKind::Group => Ok(Object::Group(Group { node })),
            ObjectKind::Dataset => open_dataset::open(node, &Operation::default()).map(Object::Dataset),
            ObjectKind::NamedDatatype => NamedDatatype::open(node).map(Object::Datatype),
            ObjectKind::Unknown => {
                let what = "the object is neither a group, nor a dataset, nor a named datatype";
                Err(node.located(Error::damaged(what)))
            }
        }
    }

    /// Its path, as it was opened.
    pub fn path(&self) -> &str {
        match self {
            Object::Group(group) => group.path(),
            Object::Dataset(dataset) => dataset.path(),
            Object::Datatype(datatype) => datatype.path(),
        }
    }

    /// Its attributes.
    pub fn attributes(&self) -> crate::Attributes<'_> {
        match self {
            Object::Group(group) => group.attributes(),
            Object::Dataset(dataset) => dataset.attributes(),
            Object::Datatype(datatype) => datatype.attributes(),
        }
    }

    /// The file that it lies in.
    pub fn file(&self) -> File {
        match self {
            Object::Group(group) => group.file(),
            Object::Dataset(dataset) => dataset.file(),
            Object::Datatype(datatype) => datatype.file(),
        }
    }

    /// Where its object header lies; the same for all paths to the same object.
    pub fn address(&self) -> Address {
        match self {
            Object::Group(group) => group.node.header.address,
            Object::Dataset(dataset) => dataset.inner.address(),
            Object::Datatype(datatype) => datatype.address(),
        }
    }
}

impl File {
    /// The group from which every path starts.
    pub fn root(&self) -> Result<Group> {
        Ok(Group { node: Node::root(&self.inner)? })
    }

    /// The object that a path leads to, from the root.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] suggests the nearest name.
    pub fn get(&self, path: &str) -> Result<Object> {
        Object::open(resolve(Node::root(&self.inner)?, path, &mut Lookup::suggesting())?)
    }

    /// The object whose header lies at an address, as references have it. Its path only says so.
    pub fn object_at(&self, address: Address) -> Result<Object> {
        Object::open(Node::open(&self.inner, address, format!("<object at {address}>"))?)
    }

    /// The object that a revised reference of this file (HDF5 1.12) refers to, of another file where it says so.
    /// The reference itself says whether it means elements or an attribute.
    pub fn dereference(&self, reference: &RevisedReference) -> Result<Object> {
        let Some(name) = &reference.file else { return self.object_at(reference.object) };
        let Some(name) = name.as_str() else {
            let what = format!("a reference leads to the file {name}, whose name is not UTF-8");
            return Err(Error::unsupported(what).in_file(self.name()));
        };
        self.inner.linked_file(name, Purpose::Reference)?.object_at(reference.object)
    }

    /// The dataset at a path.
    pub fn dataset(&self, path: &str) -> Result<Dataset> {
        match self.get(path)? {
            Object::Dataset(dataset) => Ok(dataset),
            other => Err(mismatch(&other, "a dataset").in_file(self.name())),
        }
    }

    /// The group at a path.
    pub fn group(&self, path: &str) -> Result<Group> {
        match self.get(path)? {
            Object::Group(group) => Ok(group),
            other => Err(mismatch(&other, "a group").in_file(self.name())),
        }
    }
}

impl Group {
    /// Opens what a link of this group leads to.
    pub fn open(&self, link: &Link) -> Result<Object> {
        Object::open(follow(&self.node, link, &mut Lookup::plain())?)
    }

    /// The object at a path, from this group (or from the root, if it begins with a slash).
    pub fn get(&self, path: &str) -> Result<Object> {
        Object::open(resolve(self.node.clone(), path, &mut Lookup::suggesting())?)
    }

    /// The object at a path, if there is one.
    pub fn find(&self, path: &str) -> Result<Option<Object>> {
        match resolve(self.node.clone(), path, &mut Lookup::plain()) {
            Ok(found) => Object::open(found).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The dataset at a path.
    pub fn dataset(&self, path: &str) -> Result<Dataset> {
        match self.get(path)? {
            Object::Dataset(dataset) => Ok(dataset),
            other => {
                let error = Error::invalid("is not a dataset").in_file(self.file().name());
                Err(error.at_object(other.path()))
            }
        }
    }
}

fn mismatch(found: &Object, wanted: &str) -> Error {
    let is = match found {
        Object::Group(_) => "a group",
        Object::Dataset(_) => "a dataset",
        Object::Datatype(_) => "a named datatype",
    };
    let error = Error::invalid(format!("is {is}, not {wanted}")).at_object(found.path());
    let dataset = match found {
        Object::Group(group) => group.first_dataset(),
        _ => None,
    };
    match dataset {
        Some(path) => error.with_hint(format!("it holds {path}, for example")),
        None => error,
    }
}
