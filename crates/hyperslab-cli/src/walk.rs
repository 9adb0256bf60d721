//! The order in which the objects of a file are listed: depth first, a group before its members, links by ascending
//! name. An object that several hard links lead to is listed once; the others are aliases. So cycles end.

use crate::places::{Place, Places};
use hyperslab::{Error, Group, Link, LinkTarget, Object, Result};

/// One entry of the listing.
pub(crate) enum Item {
    /// An object, listed for the first time.
    Object {
        path: Vec<u8>,
        object: Object,
        /// How many links it has, if it is a group whose links can be read.
        links: Option<u64>,
    },
    /// An object that cannot be opened.
    Unopened { path: Vec<u8>, error: Error },
    /// A further hard link to an object that was listed at `target`.
    Alias { path: Vec<u8>, target: Vec<u8> },
    /// A link that is not followed.
    Link { path: Vec<u8>, target: LinkTarget },
    /// A link, or all links of a group, that cannot be read.
    BrokenLink { path: Vec<u8>, error: Error },
}

/// A link of a group, with its path.
type Member = (Group, Vec<u8>, Link, usize);

/// A listing under way.
pub(crate) struct Walk {
    items: Vec<Item>,
    places: Places,
    /// Members deeper than this are not listed.
    depth_max: usize,
    /// What is still to be listed, the next one last.
    pending: Vec<Member>,
}

impl Walk {
    /// Lists `start`, which is at `path`, and what lies below it, at most `depth_max` groups deep.
    pub fn run(start: Object, path: &[u8], depth_max: usize) -> (Vec<Item>, Places) {
        let mut walk = Self { items: Vec::new(), places: Places::default(), depth_max, pending: Vec::new() };
        walk.visit(start, path.to_vec(), 0);
        while let Some((group, path, link, depth)) = walk.pending.pop() {
            walk.follow(&group, link, path, depth);
        }
        (walk.items, walk.places)
    }

    fn follow(&mut self, group: &Group, link: Link, path: Vec<u8>, depth: usize) {
        let LinkTarget::Hard(address) = link.target else {
            return self.items.push(Item::Link { path, target: link.target });
        };
        if let Some(place) = self.places.get(address) {
            let target = place.path.clone();
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
        self.places.insert(object.address(), Place { path: path.clone(), extent });
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
