//! The attributes of an object.

use crate::known_attributes::AttributeEntry;
use crate::open_file::Node;
use crate::suggest::suggest;
use crate::{Error, Result};
use hyperslab_format::Name;
use hyperslab_format::message::Attribute;

/// The attributes of one object. They are read from the file by each method, not in advance.
pub struct Attributes<'n> {
    node: &'n Node,
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
        if self.node.object.tracks_attribute_order() {
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
        if let Some(found) = self.find_in_utf8(name)? {
            return Ok(Some(found));
        }
        let Some(other) = Name::in_latin1(name) else { return Ok(None) };
        let entry = self.read_all()?.into_iter().find(|entry| entry.name.as_ref() == Some(&other));
        entry.map(|entry| entry.attribute).transpose()
    }

    fn find_in_utf8(&self, name: &str) -> Result<Option<Attribute>> {
        let known = self.node.known_attributes();
        if known.looked_up() {
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
        match self.node.known_attributes().all() {
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
        self.node.known_attributes().keep(&all);
        Ok(all)
    }

    /// Reads all attributes or, if `name` is given, at least those of this name.
    fn read(&self, name: Option<&str>) -> Result<Vec<AttributeEntry>> {
        let found = self.node.object.attributes(name)?;
        Ok(found.into_iter().map(|entry| self.named(entry)).collect())
    }

    fn named(&self, AttributeEntry { name, attribute }: AttributeEntry) -> AttributeEntry {
        let attribute = attribute.map_err(|error| {
            let what = name.as_ref().map_or("an attribute".into(), |name| format!("attribute {name:?}"));
            self.node.named(error.with_context(what))
        });
        AttributeEntry { name, attribute }
    }
}
