//! Visits the groups below a group.
//!
//! Members are visited depth first, in order of name. A visit of objects follows hard links and calls back once for
//! each object; a visit of links calls back once for each link, and enters every group once. Members that cannot be
//! read are skipped with a warning.

use crate::group::{Group, open};
use crate::name::text;
use crate::{errors, interrupt};
use hyperslab::{Link, LinkTarget, Object, Prefetch};
use hyperslab_format::{Address, Name};
use pyo3::prelude::*;
use std::collections::HashSet;

/// The arguments of the callback.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// Names of objects.
    Objects,
    /// Names of objects, and the objects.
    ObjectItems,
    /// Names of links.
    Links,
    /// Names of links, and the links.
    LinkItems,
}

impl Visit {
    fn of_links(self) -> bool {
        matches!(self, Visit::Links | Visit::LinkItems)
    }
}

/// A group whose members are being visited.
struct Level {
    group: hyperslab::Group,
    /// Path from the group where the visit started, with a trailing slash.
    prefix: Vec<u8>,
    links: std::vec::IntoIter<Link>,
}

impl Level {
    fn new(
        py: Python<'_>,
        group: hyperslab::Group,
        prefix: Vec<u8>,
        found: Vec<hyperslab::Result<Link>>,
    ) -> PyResult<Self> {
        let mut links = Vec::with_capacity(found.len());
        for link in found {
            match link {
                Ok(link) => links.push(link),
                Err(error) => errors::skipped(py, "a link", error)?,
            }
        }
        Ok(Self { group, prefix, links: links.into_iter() })
    }
}

/// Calls `function` for everything below `start` until it returns something other than None, and returns that.
pub fn visit_below<'py>(
    start: &Bound<'py, Group>,
    visit: Visit,
    function: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, this) = (start.py(), start.get().opened()?);
    let prefetch = Prefetch { depth: usize::MAX, chunk_indexes: false, attributes: false };
    interrupt::detach(py, || this.group.prefetch(&prefetch))?;
    let mut seen: HashSet<Address> = HashSet::new();
    seen.insert(this.object().address());
    let links = interrupt::detach(py, || this.group.links())?.map_err(errors::raise)?;
    let mut levels = vec![Level::new(py, this.group.clone(), Vec::new(), links)?];
    while let Some(level) = levels.last_mut() {
        let Some(link) = level.links.next() else {
            levels.pop();
            continue;
        };
        let path: Vec<u8> = [&level.prefix, link.name.as_bytes()].concat();
        let hard = if let LinkTarget::Hard(address) = &link.target { Some(*address) } else { None };
        let new = hard.is_some_and(|address| seen.insert(address));
        if !new && !visit.of_links() {
            continue;
        }
        let group = level.group.clone();
        let object = if new { Some(interrupt::detach(py, || group.open(&link))?) } else { None };
        let name = text(py, &Name::new(path.clone()));
        let answer = match (visit, &object) {
            (Visit::Objects | Visit::Links, _) => function.call1((name,))?,
            (Visit::ObjectItems, Some(Ok(object))) => {
                function.call1((name, open(py, &this.session, object.clone())?))?
            }
            // A name alone can be reported even if the object cannot be opened; the object itself cannot.
            (Visit::ObjectItems, Some(Err(_)) | None) => {
                if let Some(Err(error)) = object {
                    errors::skipped(py, "an object", error)?;
                }
                continue;
            }
            (Visit::LinkItems, _) => {
                function.call1((name, crate::group::describe_link(py, &link, false)?))?
            }
        };
        if !answer.is_none() {
            return Ok(answer);
        }
        if let Some(Ok(Object::Group(group))) = object {
            let prefix = [path.as_slice(), b"/"].concat();
            match interrupt::detach(py, || group.links())? {
                Ok(links) => levels.push(Level::new(py, group, prefix, links)?),
                Err(error) => errors::skipped(py, "the members of a group", error)?,
            }
        }
    }
    Ok(py.None().into_bound(py))
}
