//! Objects of a file, and the paths that lead to them.

use crate::file::FileInner;
use crate::link::{Links, suggest};
use crate::sibling::Purpose;
use crate::{Dataset, Error, ErrorKind, File, Group, Result};
use hyperslab_format::limits::LINK_HOPS_MAX;
use hyperslab_format::message::{Datatype, Link, LinkTarget};
use hyperslab_format::object_header::{ObjectHeader, ObjectKind};
use hyperslab_format::reference::RevisedReference;
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
        let missing = || Error::damaged("there is no datatype message");
        Ok(Self { datatype: datatype.ok_or_else(|| node.located(missing()))?, node })
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

    /// Names this object in an error and, unless the error points into the file already, where its header lies.
    pub(crate) fn located(&self, error: Error) -> Error {
        let points =
            error.format.is_some() || error.object.is_some() || error.message.contains(" at byte 0x");
        let error = self.named(error);
        if points || error.kind != ErrorKind::Damaged {
            return error;
        }
        let at = self.file.absolute(self.header.address);
        Error { message: format!("object header at byte {at:#x}: {}", error.message), ..error }
    }

    /// Opens the object as what it is.
    pub(crate) fn into_object(self) -> Result<Object> {
        match self.header.kind() {
            ObjectKind::Group => Ok(Object::Group(Group { node: self })),
            ObjectKind::Dataset => Dataset::open(self).map(Object::Dataset),
            ObjectKind::NamedDatatype => NamedDatatype::open(self).map(Object::Datatype),
            ObjectKind::Unknown => {
                let what = "the object is neither a group, nor a dataset, nor a named datatype";
                Err(self.located(Error::damaged(what)))
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
        resolve(self.root()?.node, path, &mut Lookup::suggesting())?.into_object()
    }

    /// The node at a path that a file has, not a person.
    pub(crate) fn node(&self, path: &str) -> Result<Node> {
        resolve(self.root()?.node, path, &mut Lookup::plain())
    }

    /// The object whose header lies at an address, as references have it. Its path only says so.
    pub fn object_at(&self, address: Address) -> Result<Object> {
        Node::open(&self.inner, address, format!("<object at {address}>"))?.into_object()
    }

    /// The object that a revised reference of this file (HDF5 1.12) refers to, of another file where it says so.
    /// What of the object is meant, elements or an attribute, the reference tells.
    pub fn dereference(&self, reference: &RevisedReference) -> Result<Object> {
        let Some(name) = &reference.file else { return self.object_at(reference.object) };
        let Some(name) = name.as_str() else {
            let what = format!("a reference leads to the file {name}, whose name is not UTF-8");
            return Err(Error::unsupported(what).in_file(self.name()));
        };
        self.inner.sibling(name, Purpose::Reference)?.object_at(reference.object)
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

/// Path components of one look-up, those of the links that it follows included.
const COMPONENTS_MAX: u64 = 4096;
/// Bytes of the paths of one look-up, those of the links that it follows included.
const PATH_BYTES_MAX: u64 = 256 << 10;

/// What one look-up may still do. All links that it meets share it: a link may lead to a path of further links, and
/// limits for each of them would multiply.
pub(crate) struct Lookup {
    links: u64,
    components: u64,
    path_bytes: u64,
    suggests: bool,
}

impl Lookup {
    /// For a path that a person wrote: what is not found is answered with the nearest name.
    pub(crate) fn suggesting() -> Self {
        Self { suggests: true, ..Self::plain() }
    }

    /// For a path that a file has: nobody reads suggestions, which would list the group.
    pub(crate) fn plain() -> Self {
        Self { links: LINK_HOPS_MAX, components: COMPONENTS_MAX, path_bytes: PATH_BYTES_MAX, suggests: false }
    }

    fn path(&mut self, path: &str) -> Result<()> {
        self.path_bytes = self.path_bytes.checked_sub(path.len() as u64).ok_or_else(|| {
            Error::invalid(format!("the path, with those of its links, has more than {PATH_BYTES_MAX} bytes"))
        })?;
        Ok(())
    }

    fn component(&mut self) -> Result<()> {
        self.components = self.components.checked_sub(1).ok_or_else(|| {
            Error::invalid(format!("the path, with those of its links, has more than {COMPONENTS_MAX} parts"))
        })?;
        Ok(())
    }

    fn link(&mut self) -> Result<()> {
        self.links = self.links.checked_sub(1).ok_or_else(|| {
            Error::invalid(format!(
                "leads through more than {LINK_HOPS_MAX} soft and external links: a loop?"
            ))
        })?;
        Ok(())
    }
}

/// Follows a path from an object, through links of every kind.
pub(crate) fn resolve(start: Node, path: &str, lookup: &mut Lookup) -> Result<Node> {
    lookup.path(path).map_err(|error| start.named(error))?;
    let mut node = match path.starts_with('/') {
        true => Node::open(&start.file, start.file.superblock.root, "/".into())?,
        false => start,
    };
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        lookup.component().map_err(|error| node.named(error))?;
        if node.header.kind() != ObjectKind::Group {
            let what = format!("is not a group, so it has no member {part:?}");
            return Err(node.named(Error::new(ErrorKind::NotFound, what)));
        }
        let links = Links::new(&node);
        let Some(link) = links.get(part.as_bytes()).map_err(|error| node.named(error))? else {
            return Err(not_found(&node, part, lookup));
        };
        node = follow(&node, &link, lookup)?;
    }
    Ok(node)
}

/// Opens what a link leads to.
pub(crate) fn follow(group: &Node, link: &Link, lookup: &mut Lookup) -> Result<Node> {
    let path = join(&group.path, &link.name);
    let fail = |error: Error| error.in_file(group.file.source.name()).at_object(path.clone());
    match &link.target {
        LinkTarget::Hard(address) => Node::open(&group.file, *address, path),
        LinkTarget::Soft(target) => {
            lookup.link().map_err(fail)?;
            let Some(target) = target.as_str() else {
                return Err(fail(Error::unsupported(format!(
                    "the soft link leads to {target}, which is not UTF-8"
                ))));
            };
            let found = resolve(group.clone(), target, lookup)
                .map_err(|error| led_here(error, || format!("{path} is a soft link to {target}")))?;
            Ok(Node { path, ..found })
        }
        LinkTarget::External { file, path: target } => {
            lookup.link().map_err(fail)?;
            let (Some(name), Some(target)) = (file.as_str(), target.as_str()) else {
                return Err(fail(Error::unsupported(format!("the external link to {file} is not UTF-8"))));
            };
            let other = group.file.sibling(name, Purpose::ExternalLink).map_err(fail)?;
            let found = resolve(other.root()?.node, target, lookup).map_err(|error| {
                led_here(error, || format!("{path} is an external link to {target} in {name}"))
            })?;
            // It is named as it is there: its path belongs to the file that it lies in.
            Ok(found)
        }
        LinkTarget::UserDefined { class, .. } => {
            let what =
                format!("is a user-defined link of class {class}, which says nothing to other programs");
            Err(fail(Error::unsupported(what).hint("only the program that wrote it knows where it leads")))
        }
    }
}

/// Tells by which link an error was met, unless there is something better to tell.
fn led_here(error: Error, link: impl FnOnce() -> String) -> Error {
    Error { hint: error.hint.or_else(|| Some(link())), ..error }
}

/// The path of a member.
pub(crate) fn join(group: &str, name: &Name) -> String {
    if group.ends_with('/') { format!("{group}{name}") } else { format!("{group}/{name}") }
}

fn not_found(group: &Node, part: &str, lookup: &Lookup) -> Error {
    let path = join(&group.path, &Name::from(part));
    let error =
        Error::new(ErrorKind::NotFound, "no such object").in_file(group.file.source.name()).at_object(path);
    if !lookup.suggests {
        return error;
    }
    let names: Vec<String> = Links::new(group)
        .list()
        .map(|links| links.into_iter().flatten().map(|link| link.name.to_string()).collect())
        .unwrap_or_default();
    match suggest(part, &names) {
        Some(nearest) => error.hint(format!("did you mean {}?", join(&group.path, &Name::from(nearest)))),
        None if names.is_empty() => error.hint(format!("the group {} is empty", group.path)),
        None => error.hint(format!("{} has {} members; `hyperslab ls` lists them", group.path, names.len())),
    }
}
