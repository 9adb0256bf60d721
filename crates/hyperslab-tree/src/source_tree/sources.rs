//! The objects of the source that are copied, by their addresses, and which of them a reference leads to.

use crate::relocate::{Objects, Referent};
use hyperslab::{File, hdf5};
use hyperslab_format::Address;
use hyperslab_write::ObjectId;
use std::collections::{HashMap, HashSet};

/// The objects found so far, by their addresses in the source.
#[derive(Default)]
pub struct Sources {
    pub(super) numbers: HashMap<Address, ObjectId>,
    /// The address and path of each object.
    pub objects: Vec<(Address, Box<str>)>,
    /// The file, while objects can be added that only references lead to.
    pub(super) file: Option<File>,
    /// Addresses of references that lead to no object.
    pub(super) dangling: HashSet<Address>,
    /// Objects that are left out by request.
    pub(super) omitted: HashSet<Address>,
}

impl Objects for &Sources {
    fn object(&mut self, address: Address) -> Referent {
        match self.numbers.get(&address) {
            Some(number) => Referent::Copied(*number),
            None if self.omitted.contains(&address) => Referent::Omitted,
            None => Referent::Deleted,
        }
    }
}

impl Objects for Sources {
    fn object(&mut self, address: Address) -> Referent {
        let known = (&*self).object(address);
        if known != Referent::Deleted {
            return known;
        }
        let Some(file) = &self.file else { return Referent::Deleted };
        if self.dangling.contains(&address) {
            return Referent::Deleted;
        }
        // libhdf5 does not follow a reference to an object that has no links left.
        let object = file.object_at(address).ok();
        if object.is_none_or(|object| hdf5::reference_count(&object) == 0) {
            self.dangling.insert(address);
            return Referent::Deleted;
        }
        Referent::Copied(self.add(address, &format!("<object at {address}>")))
    }
}

impl Sources {
    pub(super) fn add(&mut self, address: Address, path: &str) -> ObjectId {
        let next = ObjectId(self.objects.len() as u32);
        let objects = &mut self.objects;
        *self.numbers.entry(address).or_insert_with(|| {
            objects.push((address, path.into()));
            next
        })
    }
}
