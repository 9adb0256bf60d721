//! Path resolution: follows a path from object to object, through hard, soft and external links.

use crate::linked_files::Purpose;
use crate::open_file::Node;
use crate::suggest::suggest;
use crate::{Error, Result};
use hyperslab_format::Name;
use hyperslab_format::limits::LINK_HOPS_MAX;
use hyperslab_format::message::{Link, LinkTarget};
use hyperslab_format::object_header::ObjectKind;

/// The most path components that one look-up may follow, including those of the links on its way.
const COMPONENTS_MAX: u64 = 4096;
/// The most bytes of paths that one look-up may follow, including those of the links on its way.
const PATH_BYTES_MAX: u64 = 256 << 10;

/// The work that one look-up may still do. All links on its way share these limits: a link may lead to a path of
/// further links, and separate limits for each link would multiply.
pub(crate) struct Lookup {
    links: u64,
    components: u64,
    path_bytes: u64,
    suggests: bool,
}

impl Lookup {
    /// For a path that a user wrote: if an object is not found, the error suggests the most similar name.
    pub(crate) fn suggesting() -> Self {
        Self { suggests: true, ..Self::plain() }
    }

    /// For a path that a file contains. Nobody would read a suggestion, and finding one lists the whole group.
    pub(crate) fn plain() -> Self {
        Self { links: LINK_HOPS_MAX, components: COMPONENTS_MAX, path_bytes: PATH_BYTES_MAX, suggests: false }
    }

    fn path(&mut self, path: &str) -> Result<()> {
        self.path_bytes = self.path_bytes.checked_sub(path.len() as u64).ok_or_else(|| {
            Error::limit(format!("the path and its links have more than {PATH_BYTES_MAX} bytes together"))
        })?;
        Ok(())
    }

    fn component(&mut self) -> Result<()> {
        self.components = self.components.checked_sub(1).ok_or_else(|| {
            Error::limit(format!(
                "the path and its links have more than {COMPONENTS_MAX} components together"
            ))
        })?;
        Ok(())
    }

    fn link(&mut self) -> Result<()> {
        self.links = self.links.checked_sub(1).ok_or_else(|| {
            Error::limit(format!(
                "follows more than {LINK_HOPS_MAX} soft and external links, perhaps in a loop"
            ))
        })?;
        Ok(())
    }
}

/// Follows a path from an object, through links of every kind.
pub(crate) fn resolve(start: Node, path: &str, lookup: &mut Lookup) -> Result<Node> {
    lookup.path(path).map_err(|error| start.named(error))?;
    let mut node = match path.starts_with('/') {
        true => Node::root(&start.file)?,
        false => start,
    };
    // A name of netCDF classic may have a slash.
    if path.contains('/')
        && node.file.format.dimensions().is_some()
        && node.object.kind() == ObjectKind::Group
    {
        let whole = path.strip_prefix('/').unwrap_or(path);
        for name in [path, whole] {
            if let Some(link) = node.link(name)? {
                return follow(&node, &link, lookup);
            }
        }
    }
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        lookup.component().map_err(|error| node.named(error))?;
        if node.object.kind() != ObjectKind::Group {
            let what = format!("is not a group, so it cannot have a member {part:?}");
            return Err(node.named(Error::not_found(what)));
        }
        let Some(link) = node.link(part)? else {
            return Err(not_found(&node, part, lookup));
        };
        node = follow(&node, &link, lookup)?;
    }
    Ok(node)
}

/// Opens the target of a link.
pub(crate) fn follow(group: &Node, link: &Link, lookup: &mut Lookup) -> Result<Node> {
    let path = group.path_of(&link.name);
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
            let other = group.file.linked_file(name, Purpose::ExternalLink).map_err(fail)?;
            let found = resolve(Node::root(&other)?, target, lookup).map_err(|error| {
                led_here(error, || format!("{path} is an external link to {target} in {name}"))
            })?;
            // It keeps its path in the other file.
            Ok(found)
        }
        LinkTarget::UserDefined { class, .. } => {
            let what =
                format!("is a user-defined link of class {class}, whose content has no standard meaning");
            Err(fail(
                Error::unsupported(what).with_hint("only the program that wrote the link can follow it"),
            ))
        }
    }
}

/// Adds the link that led to an error as its hint, unless the error already has a hint.
fn led_here(error: Error, link: impl FnOnce() -> String) -> Error {
    error.or_hint(link)
}

fn not_found(group: &Node, part: &str, lookup: &Lookup) -> Error {
    let path = group.path_of(&Name::from(part));
    let error = Error::not_found("no such object").in_file(group.file.source.name()).at_object(path);
    if !lookup.suggests {
        return error;
    }
    let names: Vec<String> = group
        .object
        .links()
        .map(|links| links.into_iter().flatten().map(|link| link.name.to_string()).collect())
        .unwrap_or_default();
    match suggest(part, &names) {
        Some(nearest) => error.with_hint(format!("did you mean {}?", group.path_of(&Name::from(nearest)))),
        None if names.is_empty() => error.with_hint(format!("the group {} is empty", group.path)),
        None => {
            error.with_hint(format!("{} has {} members; `hyperslab ls` lists them", group.path, names.len()))
        }
    }
}
