//! The attributes of an object.

use crate::format_error::{OrError, format_error};
use crate::node::Node;
use crate::suggest::suggest;
use crate::unfilter::HeapFilters;
use crate::{Error, Result};
use hyperslab_format::Name;
use hyperslab_format::group::dense_attributes::{self, Body, DenseAttribute};
use hyperslab_format::message::Attribute;
use hyperslab_format::object_header::{Found, MessageKind};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The attributes of one object. They are read from the file by each method, not in advance.
pub struct Attributes<'n> {
    node: &'n Node,
}

/// An attribute, or the error of an attribute that cannot be read.
#[derive(Debug)]
pub struct AttributeEntry {
    /// The name, if it can be read.
    pub name: Option<Name>,
    /// The attribute.
    pub attribute: Result<Attribute>,
}

/// The attributes of an object that has many, once all of them were read: without it, a program that takes them one by one by
/// name would read all for each. Clones of a node share it.
#[derive(Default)]
pub(crate) struct KnownAttributes {
    /// How many were looked up by name so far.
    lookups: AtomicU32,
    /// By name; `None` if they are few, large, or some of them are damaged.
    all: OnceLock<Option<HashMap<Name, Attribute>>>,
}

/// Objects with at most so many attributes are read each time.
const FEW: usize = 16;
/// After so many lookups by name, all attributes are read.
const LOOKUPS: u32 = 4;
/// More bytes of values are not kept.
const KNOWN_BYTES_MAX: usize = 16 << 20;

impl KnownAttributes {
    /// Keeps all attributes of an object.
    fn keep(&self, entries: &[AttributeEntry]) {
        self.all.get_or_init(|| {
            if entries.len() <= FEW {
                return None;
            }
            let mut all = HashMap::with_capacity(entries.len());
            let mut bytes = 0;
            for entry in entries {
                let attribute = entry.attribute.as_ref().ok()?;
                bytes += attribute.data.len();
                all.entry(attribute.name.clone()).or_insert_with(|| attribute.clone());
            }
            (bytes <= KNOWN_BYTES_MAX).then_some(all)
        });
    }

    fn all(&self) -> Option<&HashMap<Name, Attribute>> {
        self.all.get()?.as_ref()
    }
}

impl<'n> Attributes<'n> {
    pub(crate) fn new(node: &'n Node) -> Self {
        Self { node }
    }

    /// All attributes, sorted by the bytes of their names. A damaged attribute is an error in the list; the others are
    /// still listed.
    pub fn list(&self) -> Result<Vec<Result<Attribute>>> {
        Ok(self.entries()?.into_iter().map(|entry| entry.attribute).collect())
    }

    /// All attributes as [`Self::list`] returns them, with the names of damaged attributes if these can be read.
    pub fn entries(&self) -> Result<Vec<AttributeEntry>> {
        let mut all = self.read_all()?;
        all.sort_by(|a, b| match (&a.name, &b.name) {
            (Some(a), Some(b)) => a.cmp(b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        });
        Ok(all)
    }

    /// All attributes in the order of their creation if the object tracks it, otherwise in the order in which the file
    /// stores them, which is that in which libhdf5 and netCDF-C list them. A damaged attribute is an error in the list; the
    /// others are still listed.
    pub fn in_file_order(&self) -> Result<Vec<Result<Attribute>>> {
        let mut all = self.read_all()?;
        let order =
            |entry: &AttributeEntry| entry.attribute.as_ref().ok().and_then(|found| found.creation_order);
        if self.node.header.tracks_attribute_order() {
            all.sort_by_key(order);
        }
        Ok(all.into_iter().map(|entry| entry.attribute).collect())
    }

    /// The attribute of this name.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] if there is none; its hint suggests the most similar name.
    pub fn get(&self, name: &str) -> Result<Attribute> {
        if let Some(attribute) = self.find(name)? {
            return Ok(attribute);
        }
        let names: Vec<String> =
            self.list()?.into_iter().flatten().map(|attribute| attribute.name.to_string()).collect();
        let error = self.node.named(Error::not_found(format!("no attribute {name:?}")));
        Err(match suggest(name, &names) {
            Some(nearest) => error.with_hint(format!("did you mean {nearest:?}?")),
            None => error,
        })
    }

    /// The attribute of this name, or `None`. If the object has an index of attribute names, only the attributes with
    /// the same hash of the name are read.
    pub fn find(&self, name: &str) -> Result<Option<Attribute>> {
        let known = &self.node.attributes;
        if known.all.get().is_none() && known.lookups.fetch_add(1, Ordering::Relaxed) >= LOOKUPS {
            self.read_all()?;
        }
        if let Some(all) = known.all() {
            return Ok(all.get(&Name::from(name)).cloned());
        }
        let entries = self.read(Some(name)).map_err(|error| self.node.named(error))?;
        let mut damaged = None;
        for entry in entries {
            match entry.attribute {
                Ok(attribute) if attribute.name.as_bytes() == name.as_bytes() => return Ok(Some(attribute)),
                Ok(_) => {}
                // A damaged attribute may be the wanted one, unless its name is readable and different.
                Err(error) if entry.name.is_none_or(|found| found.as_bytes() == name.as_bytes()) => {
                    damaged = Some(error);
                }
                Err(_) => {}
            }
        }
        damaged.map_or(Ok(None), Err)
    }

    /// The number of attributes, damaged ones included.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn len(&self) -> Result<usize> {
        match self.node.attributes.all() {
            Some(all) => Ok(all.len()),
            None => Ok(self.read_all()?.len()),
        }
    }

    /// True without an attribute.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    fn read_all(&self) -> Result<Vec<AttributeEntry>> {
        let all = self.read(None).map_err(|error| self.node.named(error))?;
        self.node.attributes.keep(&all);
        Ok(all)
    }

    /// True if they lie in a fractal heap beside the object header.
    pub(crate) fn are_dense(&self) -> bool {
        let info = self.node.header.attribute_info(self.node.file.superblock.widths).or_error();
        info.is_ok_and(|info| info.is_some_and(|info| info.heap.is_some()))
    }

    /// Reads all attributes or, if `name` is given, at least those of this name.
    fn read(&self, name: Option<&str>) -> Result<Vec<AttributeEntry>> {
        let (file, header) = (&self.node.file, &self.node.header);
        let in_header = file.parse_shared(|context| header.attributes(context))?;
        let mut all: Vec<AttributeEntry> =
            in_header.into_iter().map(|found| self.entry(found.name, found.attribute.or_error())).collect();
        let Some(info) = header.attribute_info(file.superblock.widths).or_error()? else { return Ok(all) };
        let lookup = name.and_then(|name| dense_attributes::lookup(&info, name.as_bytes()));
        let Some(mut listing) = lookup.or_else(|| dense_attributes::list(&info)) else { return Ok(all) };
        // Thousands of attributes may share one committed datatype; its header is parsed once for all of them.
        let mut found = Found::default();
        let mut listed = file.parse(|view| listing.advance(view, &HeapFilters))?;
        // The records have a creation order even if it is not tracked. libhdf5 then writes the same number into all.
        listed.sort_by_key(|dense| dense.as_ref().map_or(u32::MAX, |dense| dense.creation_order));
        for dense in listed {
            all.push(match dense {
                Ok(dense) => self.dense(dense, &mut found),
                Err(error) => self.entry(None, Err(format_error(error))),
            });
        }
        Ok(all)
    }

    /// Parses an attribute of dense storage (outside of the object header).
    fn dense(&self, dense: DenseAttribute, found: &mut Found) -> AttributeEntry {
        let order = Some(dense.creation_order).filter(|_| self.node.header.tracks_attribute_order());
        let mut name = None;
        let parsed = self.node.file.parse_shared(|context| {
            let cursor = match &dense.body {
                Body::Message(object) => {
                    object.cursor("attribute message in a fractal heap", context.view.widths)
                }
                Body::Shared { heap_id } => context.heap_message(MessageKind::ATTRIBUTE, heap_id, 0)?,
            };
            name = Attribute::parse_name(cursor.clone()).ok();
            Attribute::parse_with(context, cursor, order, found)
        });
        self.entry(name, parsed)
    }

    fn entry(&self, name: Option<Name>, attribute: Result<Attribute>) -> AttributeEntry {
        let attribute = attribute.map_err(|error| {
            let what = name.as_ref().map_or("an attribute".into(), |name| format!("attribute {name:?}"));
            self.node.named(error.with_context(what))
        });
        AttributeEntry { name, attribute }
    }
}
