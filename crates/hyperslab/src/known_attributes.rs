//! Attributes that were read, kept for an object that has many.

use crate::Result;
use hyperslab_format::Name;
use hyperslab_format::message::Attribute;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// An attribute, or the error of an attribute that cannot be read.
#[derive(Debug)]
pub struct AttributeEntry {
    /// The name, if it can be read.
    pub name: Option<Name>,
    /// The attribute.
    pub attribute: Result<Attribute>,
}

/// The attributes of an object that has many, once all of them were read: without it, a program that takes them one by one by
/// name would read all for each. All nodes of an object share it.
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
    pub(crate) fn keep(&self, entries: &[AttributeEntry]) {
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

    /// All attributes by name, if they are kept.
    pub(crate) fn all(&self) -> Option<&HashMap<Name, Attribute>> {
        self.all.get()?.as_ref()
    }

    /// Counts a look-up by name; true if it is time to read all attributes.
    pub(crate) fn looked_up(&self) -> bool {
        self.all.get().is_none() && self.lookups.fetch_add(1, Ordering::Relaxed) >= LOOKUPS
    }
}
