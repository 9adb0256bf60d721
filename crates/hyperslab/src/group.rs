//! A group: named links to other objects.

use crate::Result;
use crate::attribute::Attributes;
use crate::open_file::Node;
use crate::prefetch::Prefetch;
use hyperslab_format::message::{Link, LinkTarget};
use hyperslab_format::object_header::ObjectKind;

/// A group of an open file. Its links are read from the file by each method, not in advance.
#[derive(Clone)]
pub struct Group {
    pub(crate) node: Node,
}

impl Group {
    /// The path by which it was opened.
    pub fn path(&self) -> &str {
        &self.node.path
    }

    /// The file that contains it.
    pub fn file(&self) -> crate::File {
        crate::File { inner: self.node.file.clone() }
    }

    /// Its attributes.
    pub fn attributes(&self) -> Attributes<'_> {
        Attributes::new(&self.node)
    }

    /// All links, sorted by the bytes of their names. A damaged link is an error in the list; the others are still
    /// listed.
    pub fn links(&self) -> Result<Vec<Result<Link>>> {
        let links = self.node.object.links().map_err(|error| self.node.named(error))?;
        Ok(links.into_iter().map(|link| link.map_err(|error| self.node.named(error))).collect())
    }

    /// The number of links. If the file stores it, the links are not read.
    pub fn len(&self) -> Result<u64> {
        self.node.object.link_count().map_err(|error| self.node.named(error))
    }

    /// True if the group has no links.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// The link of this name, or `None`. The group is not listed.
    pub fn link(&self, name: &str) -> Result<Option<Link>> {
        self.node.link(name)
    }

    /// True if the group stores the order in which its links were created.
    pub fn tracks_creation_order(&self) -> bool {
        self.node.object.tracks_link_order()
    }

    /// Fetches the metadata of this group and of what is below it in a few rounds of concurrent requests, if the file is
    /// remote. What is read afterwards does not wait for requests. Objects of other files are not included.
    ///
    /// This does not change what a read returns: errors are reported by the read that they concern.
    pub fn prefetch(&self, prefetch: &Prefetch) {
        self.node.file.format.prefetch(&*self.node.object, prefetch);
    }

    /// The path of the first member that is a dataset, for hints.
    pub(crate) fn first_dataset(&self) -> Option<String> {
        let links = self.node.object.links().ok()?;
        links.into_iter().flatten().take(100).find_map(|link| {
            let LinkTarget::Hard(address) = link.target else { return None };
            let path = self.node.path_of(&link.name);
            let node = Node::open(&self.node.file, address, path.clone()).ok()?;
            (node.object.kind() == ObjectKind::Dataset).then_some(path)
        })
    }
}
