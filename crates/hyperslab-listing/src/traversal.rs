//! The order in which the objects of a file are listed: depth first, a group before its members, links in ascending
//! order of name. An object with several hard links is listed once, and its other links are aliases, so cycles are not
//! followed.

use crate::object_paths::{ListedObject, ObjectPaths};
use hyperslab::{Error, Group, Link, LinkTarget, Object, Prefetch, Result};

/// One item of the listing. Paths are the bytes in the file.
pub enum Item {
    /// An object, listed for the first time.
    Object {
        /// Where it was found first.
        path: Vec<u8>,
        /// The object.
        object: Object,
        /// Number of its links, if it is a group whose links can be read.
        links: Option<u64>,
    },
    /// An object that cannot be opened.
    Unopened {
        /// Where a link to it is.
        path: Vec<u8>,
        /// The reason.
        error: Error,
    },
    /// Another hard link to an object that was listed already.
    Alias {
        /// Where the link is.
        path: Vec<u8>,
        /// The path of the object.
        target: Vec<u8>,
    },
    /// A link that is not followed.
    Link {
        /// Where it is.
        path: Vec<u8>,
        /// What it names.
        target: LinkTarget,
    },
    /// A link, or all links of a group, that cannot be read.
    BrokenLink {
        /// Where it is, or the group.
        path: Vec<u8>,
        /// The reason.
        error: Error,
    },
}

/// A link of a group, with its path.
type Member = (Group, Vec<u8>, Link, usize);

/// A traversal in progress.
pub struct Traversal {
    items: Vec<Item>,
    paths: ObjectPaths,
    /// Members at a greater depth are not listed.
    depth_max: usize,
    /// Items that are still to be listed, the next one last.
    pending: Vec<Member>,
}

impl Traversal {
    /// Lists `start`, which is at `path`, and everything below it, at most `depth_max` groups deep.
    ///
    /// `prefetch` is what the caller will read of remote objects; its depth is set here.
    pub fn run(start: Object, path: &[u8], depth_max: usize, prefetch: Prefetch) -> (Vec<Item>, ObjectPaths) {
        if let Object::Group(group) = &start {
            group.prefetch(&Prefetch { depth: depth_max, ..prefetch });
        }
        let mut traversal =
            Self { items: Vec::new(), paths: ObjectPaths::default(), depth_max, pending: Vec::new() };
        traversal.visit(start, path.to_vec(), 0);
        while let Some((group, path, link, depth)) = traversal.pending.pop() {
            traversal.follow(&group, link, path, depth);
        }
        (traversal.items, traversal.paths)
    }

    fn follow(&mut self, group: &Group, link: Link, path: Vec<u8>, depth: usize) {
        let LinkTarget::Hard(address) = link.target else {
            return self.items.push(Item::Link { path, target: link.target });
        };
        if let Some(listed) = self.paths.get(address) {
            let target = listed.path.clone();
            return self.items.push(Item::Alias { path, target });
        }
        match group.open(&link) {
            Ok(object) => self.visit(object, path, depth),
            Err(error) => self.items.push(Item::Unopened { path, error }),
        }
    }

    fn visit(&mut self, object: Object, path: Vec<u8>, depth: usize) {
        let extent = match &object {
            Object::Dataset(dataset) => Some(dataset.dataspace().clone()),
            Object::Group(_) | Object::Datatype(_) => None,
        };
        self.paths.insert(object.address(), ListedObject { path: path.clone(), extent });
        let members = match &object {
            Object::Group(group) => Some(members(group, &path, depth + 1)),
            Object::Dataset(_) | Object::Datatype(_) => None,
        };
        let links = members.as_ref().and_then(|members| Some(members.as_ref().ok()?.len() as u64));
        self.items.push(Item::Object { path: path.clone(), object, links });
        match members {
            Some(Err(error)) => self.items.push(Item::BrokenLink { path, error }),
            Some(Ok(members)) if depth < self.depth_max => {
                for member in members.into_iter().rev() {
                    match member {
                        Ok(member) => self.pending.push(member),
                        Err(error) => self.items.push(Item::BrokenLink { path: path.clone(), error }),
                    }
                }
            }
            _ => {}
        }
    }
}

fn members(group: &Group, path: &[u8], depth: usize) -> Result<Vec<Result<Member>>> {
    let joined = |link: &Link| [if path == b"/" { b"" } else { path }, b"/", link.name.as_bytes()].concat();
    let member = |link: Link| (group.clone(), joined(&link), link, depth);
    Ok(group.links()?.into_iter().map(|link| link.map(member)).collect())
}
