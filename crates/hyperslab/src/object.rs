//! Objects of a file, opened by their paths, links, addresses and references.

use crate::dataset::Dataset;
use crate::group::Group;
use crate::linked_files::Purpose;
use crate::lookup::{Lookup, follow, resolve};
use crate::named_datatype::NamedDatatype;
use crate::open_file::Node;
use crate::{Error, ErrorKind, File, Result};
use hyperslab_array::array::Operation;
use hyperslab_format::Address;
use hyperslab_format::message::Link;
use hyperslab_format::object_header::ObjectKind;
use hyperslab_format::reference::RevisedReference;

/// An object of a file: a group, a dataset or a named datatype.
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
    /// Opens the object of a header as the kind of object that it is.
    pub(crate) fn open(node: Node) -> Result<Self> {
        match node.object.kind() {
            ObjectKind::Group => Ok(Object::Group(Group { node })),
            ObjectKind::Dataset => Dataset::open(node, &Operation::default()).map(Object::Dataset),
            ObjectKind::NamedDatatype => NamedDatatype::open(node).map(Object::Datatype),
            ObjectKind::Unknown => {
                let what = "the object is neither a group, nor a dataset, nor a named datatype";
                Err(node.located(Error::damaged(what)))
            }
        }
    }

    /// The path by which it was opened.
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

    /// The file that contains it.
    pub fn file(&self) -> File {
        match self {
            Object::Group(group) => group.file(),
            Object::Dataset(dataset) => dataset.file(),
            Object::Datatype(datatype) => datatype.file(),
        }
    }

    /// The address of its object header. It is the same for all paths to the same object.
    pub fn address(&self) -> Address {
        match self {
            Object::Group(group) => group.node.object.number(),
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

    /// The object at a path that starts at the root group.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is none; its hint suggests the most similar name.
    pub fn get(&self, path: &str) -> Result<Object> {
        Object::open(resolve(Node::root(&self.inner)?, path, &mut Lookup::suggesting())?)
    }

    /// The object whose header is at an address, for example the target of a reference. Its path is
    /// `<object at ADDRESS>`.
    pub fn object_at(&self, address: Address) -> Result<Object> {
        Object::open(Node::open(&self.inner, address, format!("<object at {address}>"))?)
    }

    /// The object that a revised reference (HDF5 1.12) of this file refers to. It may be in another file.
    /// [`RevisedReference::target`] says whether the reference means a region or an attribute of the object.
    pub fn dereference(&self, reference: &RevisedReference) -> Result<Object> {
        let Some(name) = &reference.file else { return self.object_at(reference.object) };
        let Some(name) = name.as_str() else {
            let what = format!("a reference refers to the file {name}, whose name is not UTF-8");
            return Err(Error::unsupported(what).in_file(self.name()));
        };
        let inner = self.inner.linked_file(name, Purpose::Reference)?;
        File { inner }.object_at(reference.object)
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
    /// Opens the target of a link of this group.
    pub fn open(&self, link: &Link) -> Result<Object> {
        Object::open(follow(&self.node, link, &mut Lookup::plain())?)
    }

    /// The object at a path that starts at this group, or at the root group if the path begins with a slash.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there is none; its hint suggests the most similar name.
    pub fn get(&self, path: &str) -> Result<Object> {
        Object::open(resolve(self.node.clone(), path, &mut Lookup::suggesting())?)
    }

    /// The object at a path, or `None` if there is none.
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
        Some(path) => error.with_hint(format!("it contains, for example, the dataset {path}")),
        None => error,
    }
}
