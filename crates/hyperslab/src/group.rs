//! A group: named links to other objects.

use crate::link::Links;
use crate::object::{Lookup, Node, Object, follow, join, resolve};
use crate::{Attributes, Dataset, Error, ErrorKind, Result};
use hyperslab_format::message::{Link, LinkTarget};
use hyperslab_format::object_header::ObjectKind;

/// A group of an open file. Its members are looked up when they are asked for.
#[derive(Clone)]
pub struct Group {
    pub(crate) node: Node,
}

impl Group {
    /// Its path, as it was opened.
    pub fn path(&self) -> &str {
        &self.node.path
    }

    /// The file that it lies in.
    pub fn file(&self) -> crate::File {
        crate::File { inner: self.node.file.clone() }
    }

    /// Its attributes.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.node)
    }

    /// All links by ascending name (in bytes). A damaged link does not hide the others.
    pub fn links(&self) -> Result<Vec<Result<Link>>> {
        let links = Links::new(&self.node).list().map_err(|error| self.node.named(error))?;
        Ok(links.into_iter().map(|link| link.map_err(|error| self.node.named(error))).collect())
    }

    /// How many links there are. Where the file counts them they are not read.
    pub fn len(&self) -> Result<u64> {
        Links::new(&self.node).count().map_err(|error| self.node.named(error))
    }

    /// True for a group without links.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// One link, looked up by its name without listing the group.
    pub fn link(&self, name: &[u8]) -> Result<Option<Link>> {
        Links::new(&self.node).get(name).map_err(|error| self.node.named(error))
    }

    /// True where the group remembers in which order its links were made.
    pub fn tracks_creation_order(&self) -> bool {
        Links::new(&self.node).tracks_creation_order()
    }

    /// Opens what a link of this group leads to.
    pub fn open(&self, link: &Link) -> Result<Object> {
        follow(&self.node, link, &mut Lookup::plain())?.into_object()
    }

    /// The object at a path, from this group (or from the root, if it begins with a slash).
    pub fn get(&self, path: &str) -> Result<Object> {
        resolve(self.node.clone(), path, &mut Lookup::suggesting())?.into_object()
    }

    /// The object at a path, if there is one.
    pub fn find(&self, path: &str) -> Result<Option<Object>> {
        match resolve(self.node.clone(), path, &mut Lookup::plain()) {
            Ok(found) => found.into_object().map(Some),
            Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
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

    /// Path of the first member that is a dataset, for hints.
    pub(crate) fn first_dataset(&self) -> Option<String> {
        let links = Links::new(&self.node).list().ok()?;
        links.into_iter().flatten().take(100).find_map(|link| {
            let LinkTarget::Hard(address) = link.target else { return None };
            let path = join(self.path(), &link.name);
            let node = Node::open(&self.node.file, address, path.clone()).ok()?;
            (node.header.kind() == ObjectKind::Dataset).then_some(path)
        })
    }
}
