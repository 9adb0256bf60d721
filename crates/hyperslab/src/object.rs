//! Objects of a file, and the paths that lead to them.

use crate::file::FileInner;
use crate::link::{Links, suggest};
use crate::sibling::Purpose;
use crate::{Dataset, Error, ErrorKind, File, Group, Result};
use hyperslab_format::limits::LINK_HOPS_MAX;
use hyperslab_format::message::{Datatype, Link, LinkTarget};
use hyperslab_format::object_header::{ObjectHeader, ObjectKind};
use hyperslab_format::{Address, Name};
use std::sync::Arc;

/// Whatever a path may lead to.
#[derive(Clone)]
pub enum Object {
    /// A group.
    Group(Group),
    /// A dataset.
    Dataset(Dataset),
    /// A named ("committed") datatype.
    Datatype(NamedDatatype),
}

/// A named datatype.
#[derive(Clone)]
pub struct NamedDatatype {
    node: Node,
    datatype: Datatype,
}

impl NamedDatatype {
    fn open(node: Node) -> Result<Self> {
        let found = node.file.parse_shared(|context| node.header.datatype(context));
        let datatype = found.map_err(|error| error.at_object(node.path.clone()))?;
        let missing = || Error::damaged("the object header has no datatype message");
        Ok(Self { datatype: datatype.ok_or_else(|| node.named(missing()))?, node })
    }

    /// The datatype.
    pub fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// Its path, as it was opened.
    pub fn path(&self) -> &str {
        &self.node.path
    }

    /// The file that it lies in.
    pub fn file(&self) -> File {
        File { inner: self.node.file.clone() }
    }

    /// Its attributes.
    pub fn attributes(&self) -> crate::Attributes<'_> {
        crate::Attributes::new(&self.node)
    }
}

/// An object header and how it was reached.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) file: Arc<FileInner>,
    pub(crate) path: String,
    pub(crate) header: Arc<ObjectHeader>,
}

impl Node {
    pub(crate) fn open(file: &Arc<FileInner>, address: Address, path: String) -> Result<Self> {
        file.trim();
        let header = file.parse(|view| ObjectHeader::parse(*view, address));
        let header = header.map_err(|error| error.at_object(path.clone()))?;
        Ok(Self { file: file.clone(), path, header: Arc::new(header) })
    }

    /// Names this object and its file in an error.
    pub(crate) fn named(&self, error: Error) -> Error {
        error.in_file(self.file.source.name()).at_object(self.path.clone())
    }

    /// Opens the object as what it is.
    pub(crate) fn into_object(self) -> Result<Object> {
        match self.header.kind() {
            ObjectKind::Group => Ok(Object::Group(Group { node: self })),
            ObjectKind::Dataset => Dataset::open(self).map(Object::Dataset),
            ObjectKind::NamedDatatype => NamedDatatype::open(self).map(Object::Datatype),
            ObjectKind::Unknown => {
                let what = "the object is neither a group, nor a dataset, nor a named datatype";
                Err(self.named(Error::damaged(what)))
            }
        }
    }
}

impl Object {
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
            Object::Datatype(datatype) => datatype.node.header.address,
        }
    }
}

impl File {
    /// The group from which every path starts.
    pub fn root(&self) -> Result<Group> {
        let node = Node::open(&self.inner, self.inner.superblock.root, "/".into())?;
        Ok(Group { node })
    }

    /// The object that a path leads to, from the root.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] suggests the nearest name.
    pub fn get(&self, path: &str) -> Result<Object> {
        resolve(self.root()?.node, path, 0)?.into_object()
    }

    /// The object whose header lies at an address, as references have it. Its path only says so.
    pub fn object_at(&self, address: Address) -> Result<Object> {
        Node::open(&self.inner, address, format!("<object at {address}>"))?.into_object()
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

fn mismatch(found: &Object, wanted: &str) -> Error {
    let is = match found {
        Object::Group(_) => "a group",
        Object::Dataset(_) => "a dataset",
        Object::Datatype(_) => "a named datatype",
    };
    let hint = match found {
        Object::Group(group) => group.first_dataset().map(|path| format!("it holds {path}, for example")),
        _ => None,
    };
    let error = Error::invalid(format!("is {is}, not {wanted}")).at_object(found.path());
    Error { hint, ..error }
}

/// Follows a path from an object, through hard and soft links.
pub(crate) fn resolve(start: Node, path: &str, hops: u64) -> Result<Node> {
    let mut node = match path.starts_with('/') {
        true => Node::open(&start.file, start.file.superblock.root, "/".into())?,
        false => start,
    };
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if node.header.kind() != ObjectKind::Group {
            let what = format!("is not a group, so it has no member {part:?}");
            return Err(node.named(Error::new(ErrorKind::NotFound, what)));
        }
        let links = Links::new(&node);
        let Some(link) = links.get(part.as_bytes()).map_err(|error| node.named(error))? else {
            return Err(not_found(&node, part));
        };
        node = follow(&node, &link, hops)?;
    }
    Ok(node)
}

/// Opens what a link leads to.
pub(crate) fn follow(group: &Node, link: &Link, hops: u64) -> Result<Node> {
    let path = join(&group.path, &link.name);
    let fail = |error: Error| error.in_file(group.file.source.name()).at_object(path.clone());
    match &link.target {
        LinkTarget::Hard(address) => Node::open(&group.file, *address, path),
        LinkTarget::Soft(target) => {
            if hops >= LINK_HOPS_MAX {
                return Err(fail(Error::invalid(format!(
                    "more than {LINK_HOPS_MAX} soft links in a row: a loop?"
                ))));
            }
            let Some(target) = target.as_str() else {
                return Err(fail(Error::unsupported(format!(
                    "the soft link leads to {target}, which is not UTF-8"
                ))));
            };
            let found = resolve(group.clone(), target, hops + 1).map_err(|error| Error {
                hint: Some(format!("{path} is a soft link to {target}")),
                ..error
            })?;
            Ok(Node { path, ..found })
        }
        LinkTarget::External { file, path: target } => {
            if hops >= LINK_HOPS_MAX {
                return Err(fail(Error::invalid(format!(
                    "more than {LINK_HOPS_MAX} links in a row: a loop?"
                ))));
            }
            let (Some(name), Some(target)) = (file.as_str(), target.as_str()) else {
                return Err(fail(Error::unsupported(format!("the external link to {file} is not UTF-8"))));
            };
            let other = group.file.sibling(name, Purpose::ExternalLink).map_err(fail)?;
            let found = resolve(other.root()?.node, target, hops + 1)?;
            Ok(Node { path, ..found })
        }
        LinkTarget::UserDefined { class, .. } => {
            Err(fail(Error::unsupported(format!("is a link of the user-defined class {class}"))))
        }
    }
}

/// The path of a member.
pub(crate) fn join(group: &str, name: &Name) -> String {
    if group.ends_with('/') { format!("{group}{name}") } else { format!("{group}/{name}") }
}

fn not_found(group: &Node, part: &str) -> Error {
    let names: Vec<String> = Links::new(group)
        .list()
        .map(|links| links.into_iter().flatten().map(|link| link.name.to_string()).collect())
        .unwrap_or_default();
    let path = join(&group.path, &Name::from(part));
    let error =
        Error::new(ErrorKind::NotFound, "no such object").in_file(group.file.source.name()).at_object(path);
    match suggest(part, &names) {
        Some(nearest) => error.hint(format!("did you mean {}?", join(&group.path, &Name::from(nearest)))),
        None if names.is_empty() => error.hint(format!("the group {} is empty", group.path)),
        None => error.hint(format!("{} has {} members; `hyperslab ls` lists them", group.path, names.len())),
    }
}
