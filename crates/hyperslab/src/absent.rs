//! What a file refers to and lacks: sources of virtual datasets, external raw data, targets of links; and whether the
//! program that wrote the file closed it.
//!
//! A read gives fill values for a missing source, and libhdf5 says nothing of it either. Commands say it once.

use crate::dataset::Dataset;
use crate::file::File;
use crate::linked_files::Purpose;
use crate::lookup::{Lookup, resolve};
use crate::object::Object;
use crate::open_file::{FileInner, Node};
use crate::{ErrorKind, LinkTarget, Result};
use hyperslab_format::Address;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

/// Something that is missing. Paths are those of objects of the file; names are as the file stores them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absent {
    /// The file was not closed by the program that wrote it. libhdf5 refuses it.
    Close,
    /// The target of a soft link.
    SoftLink {
        /// The link.
        path: String,
        /// What it names.
        target: String,
    },
    /// The target of an external link: its file, or the object in it.
    ExternalLink {
        /// The link.
        path: String,
        /// The file that it names.
        file: String,
        /// The path in that file.
        target: String,
    },
    /// A link that leads back to itself, perhaps by way of others.
    CircularLink {
        /// The link.
        path: String,
        /// The path that it contains.
        target: String,
    },
    /// Sources of a virtual dataset. Their elements are read as the fill value.
    VirtualSources {
        /// The dataset.
        path: String,
        /// File and dataset of each source that is missing; `.` is the file itself.
        sources: Vec<(String, String)>,
    },
    /// Sources of a virtual dataset that exist and cannot be read. Reads that need them end with an error.
    UnreadableSources {
        /// The dataset.
        path: String,
        /// File and dataset of each source, and why it cannot be read.
        sources: Vec<(String, String, String)>,
    },
    /// The target of an external link, in a file that exists and cannot be read.
    UnreadableLink {
        /// The link.
        path: String,
        /// Why the target cannot be read.
        why: String,
    },
    /// Files of a dataset with external storage, which cannot be read.
    RawData {
        /// The dataset.
        path: String,
        /// The missing files.
        files: Vec<String>,
    },
}

/// The most names in a sentence.
const NAMES_MAX: usize = 5;
/// The most look-ups where each is a request.
const REMOTE_MAX: usize = 64;
/// The most levels of virtual datasets whose sources are virtual themselves.
const DEPTH_MAX: usize = 8;

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absent::Close => f.write_str(
                "the program that wrote this file did not close it, or still writes it: the last changes may be missing, and libhdf5 \
                 refuses it until `h5clear -s` has cleared its flags",
            ),
            Absent::SoftLink { path, target } => {
                write!(f, "{path}: the target of this soft link does not exist: {target}")
            }
            Absent::CircularLink { path, target } => {
                write!(f, "{path}: this link leads in a circle: {target}")
            }
            Absent::ExternalLink { path, file, target } => {
                write!(f, "{path}: the target of this external link was not found: {target} in {file}")
            }
            Absent::VirtualSources { path, sources } => {
                let count = counted(sources.len(), "source was", "sources were");
                let names = first_names(sources.iter().map(|(file, dataset)| source(file, dataset)));
                write!(f, "{path}: {count} not found, and read as the fill value: {names}")
            }
            Absent::UnreadableSources { path, sources } => {
                let count = counted(sources.len(), "source", "sources");
                let them = if sources.len() == 1 { "it" } else { "them" };
                let names =
                    sources.iter().map(|(file, dataset, why)| format!("{} ({why})", source(file, dataset)));
                let names = first_names(names);
                write!(f, "{path}: {count} cannot be read, and reads that need {them} fail: {names}")
            }
            Absent::UnreadableLink { path, why } => {
                write!(f, "{path}: the target of this external link cannot be read: {why}")
            }
            Absent::RawData { path, files } => {
                let count = counted(files.len(), "file of raw data was", "files of raw data were");
                write!(f, "{path}: {count} not found: {}", first_names(files.iter().cloned()))
            }
        }
    }
}

impl Absent {
    /// The object that lacks it; `None` for the file as a whole.
    pub fn path(&self) -> Option<&str> {
        match self {
            Absent::Close => None,
            Absent::SoftLink { path, .. }
            | Absent::ExternalLink { path, .. }
            | Absent::CircularLink { path, .. }
            | Absent::VirtualSources { path, .. }
            | Absent::UnreadableSources { path, .. }
            | Absent::UnreadableLink { path, .. }
            | Absent::RawData { path, .. } => Some(path),
        }
    }
}

fn source(file: &str, dataset: &str) -> String {
    match file {
        "." => format!("{dataset} in this file"),
        file => format!("{dataset} in {file}"),
    }
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// The first names, and the number of the others.
fn first_names(names: impl ExactSizeIterator<Item = String>) -> String {
    let count = names.len();
    let mut text = names.take(NAMES_MAX).collect::<Vec<_>>().join(", ");
    if count > NAMES_MAX {
        text.push_str(&format!(", and {} more", count - NAMES_MAX));
    }
    text
}

/// Everything that a file lacks, each once. Objects that cannot be read are passed over: who reads them says so.
pub fn absent(file: &File) -> Vec<Absent> {
    let mut search = AbsentSearch::new(file);
    let mut pending: Vec<Object> = file.root().map(Object::Group).into_iter().collect();
    let mut seen: HashSet<Address> = HashSet::new();
    while let Some(object) = pending.pop() {
        if !seen.insert(object.address()) {
            continue;
        }
        match &object {
            Object::Dataset(dataset) => search.dataset(dataset),
            Object::Group(group) => {
                for link in group.node.object.links().into_iter().flatten().flatten() {
                    match link.target {
                        LinkTarget::Hard(address) if seen.contains(&address) => {}
                        LinkTarget::Hard(_) => pending.extend(group.open(&link)),
                        _ => {
                            let path = format!("{}/{}", group.path().trim_end_matches('/'), link.name);
                            search.link(&group.file(), &path, &link.target);
                        }
                    }
                }
            }
            Object::Datatype(_) => {}
        }
    }
    search.found
}

/// What one dataset lacks, and whether its file was closed.
pub fn absent_of(dataset: &Dataset) -> Vec<Absent> {
    let mut search = AbsentSearch::new(&dataset.file());
    search.dataset(dataset);
    search.found
}

/// A file that another one refers to.
#[derive(Clone)]
enum Linked {
    Found(Arc<FileInner>),
    Missing,
    /// It exists; why it cannot be read.
    Unreadable(String),
    /// Not looked for, because each look-up is a request and there were too many.
    Unknown,
}

/// A search for what is missing, object by object.
pub struct AbsentSearch {
    /// What was found up to now.
    pub found: Vec<Absent>,
    /// Files that were looked for already, so that sources of the same file do not open it again.
    files: HashMap<(u64, String), Linked>,
    /// Look-ups that may still be made.
    rest: usize,
}

impl AbsentSearch {
    /// A search that has only looked at whether the file was closed.
    pub fn new(file: &File) -> Self {
        let is_remote = file.inner.source.advice().has_latency();
        let is_open = file.inner.format.is_left_open();
        Self {
            found: is_open.then_some(Absent::Close).into_iter().collect(),
            files: HashMap::new(),
            rest: if is_remote { REMOTE_MAX } else { usize::MAX },
        }
    }

    /// Looks for the target of the link at `path`.
    pub fn link(&mut self, owner: &File, path: &str, target: &LinkTarget) {
        let is_missing = |error: &crate::Error| error.kind() == ErrorKind::NotFound;
        match target {
            LinkTarget::Soft(target) => {
                let Err(error) = find(&owner.inner, path) else { return };
                let (path, target) = (path.to_owned(), target.to_string());
                if is_missing(&error) {
                    self.found.push(Absent::SoftLink { path, target });
                } else if error.kind() == ErrorKind::Limit {
                    self.found.push(Absent::CircularLink { path, target });
                }
            }
            LinkTarget::External { file, path: target } => {
                let (file, target) = (file.to_string(), target.to_string());
                let path = path.to_owned();
                let is_absent = match self.linked(&owner.inner, &file, Purpose::ExternalLink) {
                    Linked::Found(inner) => find(&inner, &target).is_err_and(|error| is_missing(&error)),
                    Linked::Missing => true,
                    Linked::Unreadable(why) => return self.found.push(Absent::UnreadableLink { path, why }),
                    Linked::Unknown => false,
                };
                if is_absent {
                    self.found.push(Absent::ExternalLink { path, file, target });
                }
            }
            LinkTarget::Hard(_) | LinkTarget::UserDefined { .. } => {}
        }
    }

    /// Looks for the sources and the raw data of a dataset.
    pub fn dataset(&mut self, dataset: &Dataset) {
        let owner = &dataset.inner.node.file;
        if let Some(files) = dataset.external_sources() {
            let names: BTreeSet<String> = files.into_iter().map(|(name, ..)| name).collect();
            let mut is_missing = |name: &String| {
                let Some(rest) = self.rest.checked_sub(1) else { return false };
                self.rest = rest;
                owner.linked_data(name).is_err_and(|error| error.kind() == ErrorKind::NotFound)
            };
            let files: Vec<String> = names.into_iter().filter(|name| is_missing(name)).collect();
            if !files.is_empty() {
                self.found.push(Absent::RawData { path: dataset.path().to_owned(), files });
            }
        }
        let mut sources = FaultySources::default();
        self.sources(dataset, &mut sources, DEPTH_MAX);
        let path = || dataset.path().to_owned();
        let FaultySources { missing, unreadable } = sources;
        if !missing.is_empty() {
            self.found.push(Absent::VirtualSources { path: path(), sources: missing });
        }
        if !unreadable.is_empty() {
            self.found.push(Absent::UnreadableSources { path: path(), sources: unreadable });
        }
    }

    /// Adds the faulty sources of a virtual dataset, and of those of its sources that are virtual themselves.
    fn sources(&mut self, dataset: &Dataset, faulty: &mut FaultySources, depth: usize) {
        let owner = &dataset.inner.node.file;
        // Names that stand for several may stand for none.
        let is_one = |(file, path): &(String, String)| !file.contains('%') && !path.contains('%');
        let named: BTreeSet<_> = dataset.virtual_sources().into_iter().flatten().filter(is_one).collect();
        for (file, path) in named {
            let inner = match file.as_str() {
                "." => owner.clone(),
                name => match self.linked(owner, name, Purpose::VirtualSource) {
                    Linked::Found(inner) => inner,
                    Linked::Missing => {
                        faulty.missing.push((file, path));
                        continue;
                    }
                    Linked::Unreadable(why) => {
                        faulty.unreadable.push((file, path, why));
                        continue;
                    }
                    Linked::Unknown => continue,
                },
            };
            match find(&inner, &path).map(|node| (place(&node), Object::open(node))) {
                Err(error) if error.kind() == ErrorKind::NotFound => faulty.missing.push((file, path)),
                Err(error) | Ok((_, Err(error))) => faulty.unreadable.push((file, path, error.to_string())),
                Ok((found, Ok(Object::Dataset(source)))) => {
                    let is_itself = found == place(&dataset.inner.node);
                    if depth > 0 && !is_itself && source.virtual_sources().is_some() {
                        self.sources(&source, faulty, depth - 1);
                    }
                }
                Ok((_, Ok(_))) => faulty.unreadable.push((file, path, "it is not a dataset".to_owned())),
            }
        }
    }

    /// The file that another refers to.
    fn linked(&mut self, owner: &Arc<FileInner>, name: &str, purpose: Purpose) -> Linked {
        let key = (owner.data.id, format!("{purpose:?} {name}"));
        if let Some(known) = self.files.get(&key) {
            return known.clone();
        }
        let Some(rest) = self.rest.checked_sub(1) else { return Linked::Unknown };
        self.rest = rest;
        let opened = match owner.linked_file(name, purpose) {
            Ok(file) => Linked::Found(file),
            Err(error) if error.kind() == ErrorKind::NotFound => Linked::Missing,
            Err(error) => Linked::Unreadable(error.to_string()),
        };
        self.files.insert(key, opened.clone());
        opened
    }
}

/// Sources of one virtual dataset.
#[derive(Default)]
struct FaultySources {
    missing: Vec<(String, String)>,
    unreadable: Vec<(String, String, String)>,
}

/// Where an object lies: its file, and the address of its header.
fn place(node: &Node) -> (u64, Address) {
    (node.file.data.id, node.object.number())
}

fn find(file: &Arc<FileInner>, path: &str) -> Result<Node> {
    resolve(Node::root(file)?, path, &mut Lookup::plain())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_names_are_told_and_the_others_counted() {
        let sources = |count: usize| (0..count).map(|n| (format!("r{n}.h5"), "/d".to_owned())).collect();
        let text =
            |count| Absent::VirtualSources { path: "/v".to_owned(), sources: sources(count) }.to_string();
        assert_eq!(text(1), "/v: 1 source was not found, and read as the fill value: /d in r0.h5");
        let many = text(7);
        assert!(
            many.starts_with("/v: 7 sources were not found") && many.ends_with("/d in r4.h5, and 2 more"),
            "{many}"
        );
    }
}
