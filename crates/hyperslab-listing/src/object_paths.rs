//! The path under which each object of the file was listed first. References are written as these paths.

use hyperslab::Dataspace;
use hyperslab_format::{Address, Name};
use std::collections::HashMap;

/// A path as text, as a user can write it: names that are not UTF-8 are taken for Latin-1.
pub fn text_of(path: &[u8]) -> String {
    let names = path.split(|byte| *byte == b'/').map(|name| Name::new(name.to_vec()).to_string());
    names.collect::<Vec<_>>().join("/")
}

/// An object that was listed.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedObject {
    /// Its path, as the bytes in the file.
    pub path: Vec<u8>,
    /// Its extent, if it is a dataset.
    pub extent: Option<Dataspace>,
}

/// All listed objects, by the address of their headers.
#[derive(Debug, Default)]
pub struct ObjectPaths {
    by_address: HashMap<Address, ListedObject>,
}

impl ObjectPaths {
    /// The object whose header is at an address.
    pub fn get(&self, address: Address) -> Option<&ListedObject> {
        self.by_address.get(&address)
    }

    /// Records the path under which an object was listed first.
    pub fn insert(&mut self, address: Address, object: ListedObject) {
        self.by_address.insert(address, object);
    }
}
