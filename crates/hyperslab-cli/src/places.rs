//! Which path each object of the file was listed at first: what references are written as.

use hyperslab::Dataspace;
use hyperslab_format::Address;
use std::collections::HashMap;

/// An object that was listed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    /// Its path, in the bytes of the file.
    pub path: Vec<u8>,
    /// Its extent, if it is a dataset.
    pub extent: Option<Dataspace>,
}

/// All objects that were listed.
#[derive(Debug, Default)]
pub(crate) struct Places {
    by_address: HashMap<Address, Place>,
}

impl Places {
    /// The object whose header is at an address.
    pub fn get(&self, address: Address) -> Option<&Place> {
        self.by_address.get(&address)
    }

    /// Remembers where an object was listed first.
    pub fn insert(&mut self, address: Address, place: Place) {
        self.by_address.insert(address, place);
    }
}
