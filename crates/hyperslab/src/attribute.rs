//! The attributes of an object.

use crate::object::Node;
use crate::unfilter::HeapFilters;
use crate::{Error, ErrorKind, Result};
use hyperslab_format::group::dense_attributes::{self, Body, DenseAttribute};
use hyperslab_format::message::Attribute;
use hyperslab_format::object_header::{Found, MessageKind};
use hyperslab_format::{Cursor, Name};

/// The attributes of one object, looked up when they are asked for.
pub struct Attributes<'n> {
    node: &'n Node,
}

/// An attribute, or why it cannot be read.
#[derive(Debug)]
pub struct AttributeEntry {
    /// Its name, if that much can be read.
    pub name: Option<Name>,
    /// The attribute.
    pub attribute: Result<Attribute>,
}

impl<'n> Attributes<'n> {
    pub(crate) fn new(node: &'n Node) -> Self {
        Self { node }
    }

    /// All attributes by ascending name (in bytes). A damaged attribute does not hide the others.
    pub fn list(&self) -> Result<Vec<Result<Attribute>>> {
        Ok(self.entries()?.into_iter().map(|entry| entry.attribute).collect())
    }

    /// The same, with the names of damaged attributes where they can be read.
    pub fn entries(&self) -> Result<Vec<AttributeEntry>> {
        let mut all = self.read().map_err(|error| self.node.named(error))?;
        all.sort_by(|a, b| match (&a.name, &b.name) {
            (Some(a), Some(b)) => a.cmp(b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        });
        Ok(all)
    }

    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Result<Attribute> {
        let all = self.list()?;
        let mut names = Vec::new();
        let mut damaged = None;
        for attribute in all {
            match attribute {
                Ok(attribute) if attribute.name.as_bytes() == name.as_bytes() => return Ok(attribute),
                Ok(attribute) => names.push(attribute.name.to_string()),
                Err(error) => damaged = Some(error),
            }
        }
        if let Some(error) = damaged {
            return Err(error);
        }
        let error = self.node.named(Error::new(ErrorKind::NotFound, format!("no attribute {name:?}")));
        Err(match crate::link::suggest(name, &names) {
            Some(nearest) => error.hint(format!("did you mean {nearest:?}?")),
            None => error,
        })
    }

    fn read(&self) -> Result<Vec<AttributeEntry>> {
        let (file, header) = (&self.node.file, &self.node.header);
        let in_header = file.parse_shared(|context| header.attributes(context))?;
        let mut all: Vec<AttributeEntry> = in_header
            .into_iter()
            .map(|found| self.entry(found.name, found.attribute.map_err(Error::from)))
            .collect();
        let info = header.attribute_info(file.superblock.widths)?;
        let Some(mut listing) = info.and_then(|info| dense_attributes::list(&info)) else { return Ok(all) };
        // Thousands of attributes may share one datatype; its header is parsed once for all of them.
        let mut found = Found::default();
        for dense in file.parse(|view| listing.advance(view, &HeapFilters))? {
            all.push(match dense {
                Ok(dense) => self.dense(dense, &mut found),
                Err(error) => self.entry(None, Err(error.into())),
            });
        }
        Ok(all)
    }

    /// Parses an attribute that was kept outside of the object header.
    fn dense(&self, dense: DenseAttribute, found: &mut Found) -> AttributeEntry {
        let order = Some(dense.creation_order).filter(|_| self.node.header.tracks_attribute_order());
        let mut name = None;
        let parsed = self.node.file.parse_shared(|context| {
            let cursor = match &dense.body {
                Body::Message(bytes) => {
                    Cursor::new("attribute message in a fractal heap", 0, bytes.clone(), context.view.widths)
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
            self.node.named(Error { message: format!("{what}: {}", error.message), ..error })
        });
        AttributeEntry { name, attribute }
    }
}
