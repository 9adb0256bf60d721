//! All objects of a file, from the root group on: each is checked once, and the links that lead to it are counted.

use crate::checker::{Checked, Checker};
use crate::global_heap::DANGLING_REFERENCE;
use crate::references::References;
use crate::rule::rules;
use hyperslab_format::message::{Link, LinkTarget};
use hyperslab_format::object_header::{ObjectHeader, ObjectKind};
use hyperslab_format::{Address, Name};
use std::collections::{HashMap, VecDeque};

rules! { RULES:
    /// The reference count of an object is the number of hard links to it and, for a committed datatype, of the datasets
    /// and attributes that use it. An object that is in use is not deleted, whatever its count.
    REFERENCE_COUNT = Error "reference-count", "IV.A.1, IV.A.2.w";
    /// The root of a file is a group, and what datasets and attributes use as their datatype is a datatype.
    OBJECT_KIND = Error "object-kind", "II.A, IV.A.2.d";
}

/// Longer paths are shortened in findings: a chain of groups may be as long as the file allows.
const PATH_BYTES_MAX: usize = 1000;

/// An object that a link or another reference leads to.
#[derive(Debug)]
struct Known {
    path: String,
    links: u64,
    /// The kind and the reference count, once the header has been read.
    header: Option<(ObjectKind, u32)>,
}

/// The objects of a file.
#[derive(Default)]
struct Objects {
    known: HashMap<Address, Known>,
    /// In the order in which they were found.
    order: Vec<Address>,
    waiting: VecDeque<Address>,
}

impl Objects {
    /// Notes an object, and `links` more links to it.
    fn add(&mut self, address: Address, links: u64, path: impl FnOnce() -> String) {
        let known = self.known.entry(address).or_insert_with(|| {
            self.order.push(address);
            self.waiting.push_back(address);
            Known { path: path(), links: 0, header: None }
        });
        known.links += links;
    }
}

impl Checker<'_> {
    /// Checks all objects.
    pub(crate) fn check_objects(&mut self, references: &mut References) {
        let mut objects = Objects::default();
        // The superblock refers to the root group as a link does.
        objects.add(self.superblock.root, 1, || "/".to_owned());
        loop {
            while let Some(address) = objects.waiting.pop_front() {
                if self.input.has_failed() {
                    return;
                }
                let path = objects.known[&address].path.clone();
                self.enter(&path);
                let checked = self.check_object(address, &path, &mut objects, references);
                self.finish(checked);
            }
            // A committed datatype remains after its last link was removed, if it is in use.
            let used: Vec<Address> = self.datatype_uses.keys().copied().collect();
            for address in used {
                objects.add(address, 0, || format!("(datatype at {address})"));
            }
            if objects.waiting.is_empty() {
                break;
            }
        }
        self.report.objects = objects.order.len() as u64;
        self.check_reference_counts(&objects);
        self.check_object_references(&objects, references);
    }

    fn check_object(
        &mut self,
        address: Address,
        path: &str,
        objects: &mut Objects,
        references: &mut References,
    ) -> Checked {
        let header = self.object_header(address)?;
        let kind = header.kind();
        if let Some(known) = objects.known.get_mut(&address) {
            known.header = Some((kind, header.reference_count));
        }
        self.check_object_kind(&header);
        self.check_messages(&header);
        let attributes = self.check_attributes(&header);
        for (attribute, at) in self.finish(attributes).unwrap_or_default() {
            self.check_references(references, &attribute.datatype, &attribute.data, at);
        }
        match kind {
            ObjectKind::Group => {
                for link in self.check_group(&header)? {
                    if let LinkTarget::Hard(target) = link.target {
                        objects.add(target, 1, || joined(path, &link.name));
                    }
                }
                if address == self.superblock.root {
                    self.check_root_cache(&header);
                }
                Ok(())
            }
            ObjectKind::Dataset => self.check_dataset(&header, references),
            ObjectKind::NamedDatatype | ObjectKind::Unknown => Ok(()),
        }
    }

    fn check_group(&mut self, header: &ObjectHeader) -> Checked<Vec<Link>> {
        match header.symbol_table(self.view.widths)? {
            Some(table) => self.check_old_group(table),
            None => self.check_links(header),
        }
    }

    fn check_reference_counts(&mut self, objects: &Objects) {
        for address in &objects.order {
            let known = &objects.known[address];
            let Some((kind, stored)) = known.header else { continue };
            self.enter(&known.path);
            let at = self.view.absolute(*address);
            let uses = self.datatype_uses.get(address).copied().unwrap_or_default();
            let expected = known.links + uses;
            self.demand(u64::from(stored) == expected, &REFERENCE_COUNT, "object header", at, || {
                format!(
                    "a reference count of {stored}, but {} links and {uses} uses as a datatype",
                    known.links
                )
            });
            let is_root = *address == self.superblock.root;
            let is_right =
                (!is_root || kind == ObjectKind::Group) && (uses == 0 || kind == ObjectKind::NamedDatatype);
            self.demand(is_right, &OBJECT_KIND, "object header", at, || {
                format!("a {kind} as {}", if is_root { "the root" } else { "a datatype" })
            });
        }
    }

    fn check_object_references(&mut self, objects: &Objects, references: &References) {
        let mut dangling: Vec<_> =
            references.objects.iter().filter(|(address, _)| !objects.known.contains_key(address)).collect();
        dangling.sort();
        for (address, (at, path)) in dangling {
            self.enter(path);
            let what = format!("a reference to {address}, where no link leads");
            self.report(&DANGLING_REFERENCE, "element", *at, what);
        }
    }
}

fn joined(path: &str, name: &Name) -> String {
    let mut joined = format!("{}/{name}", path.trim_end_matches('/'));
    if joined.len() > PATH_BYTES_MAX {
        let start = joined.len() - PATH_BYTES_MAX;
        let start = (start..joined.len()).find(|&start| joined.is_char_boundary(start)).unwrap_or_default();
        joined.replace_range(..start, "...");
    }
    joined
}
