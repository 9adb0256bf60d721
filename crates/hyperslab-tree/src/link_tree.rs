//! All groups of a file with their links, before any of the objects is read completely.

use hyperslab::{Address, File, Link, LinkTarget, Object, hdf5};
use hyperslab_encode::RepackError;
use std::collections::{HashMap, VecDeque};

/// The objects that hard links lead to, breadth first. The first is the root group.
pub struct LinkTree {
    pub nodes: Vec<LinkNode>,
    numbers: HashMap<Address, usize>,
}

/// An object.
pub struct LinkNode {
    pub address: Address,
    pub kind: NodeKind,
    /// The links of a group.
    pub links: Vec<LinkState>,
    /// Its paths: for each hard link to it, one below the first path of the group that the link is in.
    pub paths: Vec<String>,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Group,
    Dataset {
        is_virtual: bool,
    },
    Datatype,
    /// It cannot be read, which is an error only if it is to be copied.
    Unreadable,
}

/// A link, and what becomes of it.
pub struct LinkState {
    pub link: Link,
    pub is_dropped: bool,
    pub is_kept: bool,
}

/// A link by the number of its group and its own number there.
pub type LinkNumber = (usize, usize);

/// Soft links that lead to soft links are followed so many times, as by libhdf5.
const SOFT_LINKS_MAX: u32 = 16;

impl LinkTree {
    /// Opens all objects of a file.
    ///
    /// # Errors
    ///
    /// A root group that cannot be read.
    pub fn read(file: &File) -> Result<Self, RepackError> {
        let mut tree = Self { nodes: Vec::new(), numbers: HashMap::new() };
        tree.add(file.root_address(), "/".into());
        file.root()?;
        let mut next = 0;
        while next < tree.nodes.len() {
            let (address, path) = (tree.nodes[next].address, tree.nodes[next].paths[0].clone());
            let (kind, links) = examine(file, address, &path);
            for link in &links {
                if let LinkTarget::Hard(target) = link.target {
                    tree.add(target, joined(&path, &link.name.to_string()));
                }
            }
            tree.nodes[next].kind = kind;
            tree.nodes[next].links =
                links.into_iter().map(|link| LinkState { link, is_dropped: false, is_kept: false }).collect();
            next += 1;
        }
        Ok(tree)
    }

    fn add(&mut self, address: Address, path: String) {
        let next = self.nodes.len();
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            let node = LinkNode { address, kind: NodeKind::Unreadable, links: Vec::new(), paths: vec![path] };
            self.nodes.push(node);
        } else {
            self.nodes[number].paths.push(path);
        }
    }

    /// The object whose header is at an address.
    pub fn at(&self, address: Address) -> Option<usize> {
        self.numbers.get(&address).copied()
    }

    /// The object that a link leads to, if it is a hard link.
    pub fn target(&self, (node, link): LinkNumber) -> Option<usize> {
        match self.nodes[node].links[link].link.target {
            LinkTarget::Hard(address) => self.at(address),
            _ => None,
        }
    }

    /// The first path of a link.
    pub fn link_path(&self, (node, link): LinkNumber) -> String {
        joined(&self.nodes[node].paths[0], &self.nodes[node].links[link].link.name.to_string())
    }

    /// All paths of a link.
    pub fn link_paths(&self, (node, link): LinkNumber) -> impl Iterator<Item = String> {
        let name = self.nodes[node].links[link].link.name.to_string();
        self.nodes[node].paths.iter().map(move |group| joined(group, &name))
    }

    /// All links, group by group.
    pub fn links(&self) -> impl Iterator<Item = LinkNumber> + use<> {
        let counts: Vec<usize> = self.nodes.iter().map(|node| node.links.len()).collect();
        counts.into_iter().enumerate().flat_map(|(node, count)| (0..count).map(move |link| (node, link)))
    }

    /// The state of a link.
    pub fn state(&mut self, (node, link): LinkNumber) -> &mut LinkState {
        &mut self.nodes[node].links[link]
    }

    /// How each object is first reached from the root over links that `allows` lets pass: the link that leads to it. The
    /// root, and objects that are not reached, have none.
    pub fn reached(&self, allows: impl Fn(&LinkState) -> bool) -> HashMap<usize, LinkNumber> {
        let mut found = HashMap::new();
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for (number, state) in self.nodes[node].links.iter().enumerate() {
                if !allows(state) {
                    continue;
                }
                let Some(target) = self.target((node, number)) else { continue };
                if target != 0 && !found.contains_key(&target) {
                    found.insert(target, (node, number));
                    queue.push_back(target);
                }
            }
        }
        found
    }

    /// The links along an absolute path, soft links included; `None` if it dangles in this file.
    pub fn resolve(&self, path: &str) -> Option<Vec<LinkNumber>> {
        let mut links = Vec::new();
        self.follow(0, path, &mut links, SOFT_LINKS_MAX)?;
        Some(links)
    }

    /// Follows a path from a group; returns the object that it leads to.
    fn follow(&self, from: usize, path: &str, links: &mut Vec<LinkNumber>, soft_max: u32) -> Option<usize> {
        let mut node = if path.starts_with('/') { 0 } else { from };
        for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
            let is_named = |state: &LinkState| state.link.name.as_bytes() == name.as_bytes();
            let link = self.nodes[node].links.iter().position(is_named)?;
            links.push((node, link));
            node = match &self.nodes[node].links[link].link.target {
                LinkTarget::Hard(address) => self.at(*address)?,
                LinkTarget::Soft(path) => {
                    self.follow(node, path.as_str()?, links, soft_max.checked_sub(1)?)?
                }
                _ => return None,
            };
        }
        Some(node)
    }
}

/// The kind of an object, and its links.
fn examine(file: &File, address: Address, path: &str) -> (NodeKind, Vec<Link>) {
    let nothing = (NodeKind::Unreadable, Vec::new());
    match hdf5::object_at(file, address, path) {
        Ok(Object::Group(group)) => {
            let links = group.links().and_then(|links| links.into_iter().collect());
            links.map_or(nothing, |links| (NodeKind::Group, links))
        }
        Ok(Object::Dataset(dataset)) => {
            (NodeKind::Dataset { is_virtual: dataset.layout_name() == "virtual" }, Vec::new())
        }
        Ok(Object::Datatype(_)) => (NodeKind::Datatype, Vec::new()),
        Err(_) => nothing,
    }
}

/// The path of a link in a group.
pub fn joined(group: &str, name: &str) -> String {
    format!("{}/{name}", group.trim_end_matches('/'))
}

/// An absolute path for one that begins in a group, without `.` and empty names.
pub fn absolute(group: &str, path: &str) -> String {
    let start = if path.starts_with('/') { "" } else { group };
    let names = start.split('/').chain(path.split('/')).filter(|name| !matches!(*name, "" | "."));
    names.fold(String::new(), |path, name| path + "/" + name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_absolute() {
        assert_eq!(absolute("/a/b", "c/./d"), "/a/b/c/d");
        assert_eq!(absolute("/a", "/c//d/"), "/c/d");
        assert_eq!((joined("/", "a"), joined("/a", "b")), ("/a".into(), "/a/b".into()));
    }
}
