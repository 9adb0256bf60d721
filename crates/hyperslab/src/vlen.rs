//! Variable-length data: elements hold references, the global heap holds the bytes.
//!
//! In the file, an element of a variable-length datatype is a count of elements (4 bytes), the address of a global
//! heap collection, and the number of an object in it (4 bytes) (specification IV.A.2.d, III.E). Neighbouring
//! elements mostly lie in the same collection, so a [`Heap`] keeps the collections that it has parsed.

use crate::file::FileInner;
use crate::{Error, File, Result};
use bytes::Bytes;
use hyperslab_format::heap::global::Collection;
use hyperslab_format::reference::{RevisedReference, StoredReference};
use hyperslab_format::{Address, Cursor, FormatError, Widths};
use std::collections::HashMap;
use std::sync::Arc;

/// Parsed collections beyond this are forgotten.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// The global heap of a file, as far as it was needed.
pub struct Heap {
    file: Arc<FileInner>,
    collections: HashMap<Address, Collection>,
    kept_bytes: usize,
}

impl File {
    /// Looks up variable-length data. One value serves many elements; it is not shared between threads.
    pub fn heap(&self) -> Heap {
        Heap { file: self.inner.clone(), collections: HashMap::new(), kept_bytes: 0 }
    }
}

impl Heap {
    /// The elements that a variable-length element refers to: how many, and their bytes, `base_bytes` each in the
    /// representation of the file (1 for text). A reference that was never written is empty.
    pub fn sequence(&mut self, reference: &[u8], base_bytes: u32) -> Result<(u64, Bytes)> {
        let mut cursor = self.cursor(reference);
        let count = u64::from(cursor.u32("length")?);
        let (collection, index) = (cursor.address("collection address")?, cursor.u32("object index")?);
        let needed = count * u64::from(base_bytes);
        match collection {
            // libhdf5 treats address 0 as "nothing", too.
            Some(address) if count > 0 && address.0 > 0 => {
                let object = self.object(address, index)?;
                if (object.len() as u64) < needed {
                    return Err(Error::damaged(format!(
                        "variable-length data: object {index} of the global heap at {address} has {} bytes, the \
                         element needs {needed}",
                        object.len()
                    )));
                }
                Ok((count, object.slice(..needed as usize)))
            }
            _ => Ok((0, Bytes::new())),
        }
    }

    /// The bytes that a dataset region reference refers to (an object's address and a selection); `None` where the
    /// reference is null.
    pub fn region(&mut self, reference: &[u8]) -> Result<Option<Bytes>> {
        let mut cursor = self.cursor(reference);
        let (collection, index) = (cursor.address("collection address")?, cursor.u32("object index")?);
        match collection {
            Some(address) if address.0 > 0 => self.object(address, index).map(Some),
            _ => Ok(None),
        }
    }

    /// The object header that an object reference refers to; `None` where the reference is null.
    pub fn object_reference(&self, reference: &[u8]) -> Option<Address> {
        let address = self.cursor(reference).address("object address").ok()?;
        address.filter(|address| address.0 > 0)
    }

    /// What a revised reference (HDF5 1.12) refers to; `None` where it is null.
    pub fn reference(&mut self, reference: &[u8]) -> Result<Option<RevisedReference>> {
        let in_file = |error: FormatError| Error::from(error).in_file(self.file.source.name());
        let bytes = Bytes::copy_from_slice(reference);
        match StoredReference::parse(bytes, self.widths()).map_err(in_file)? {
            StoredReference::Null => Ok(None),
            StoredReference::Here(found) => Ok(Some(found)),
            StoredReference::InHeap { kind, collection, index } => {
                let object = self.object(collection, index)?;
                let found = RevisedReference::parse_in_heap(kind, object, self.widths());
                found.map(Some).map_err(|error| Error::from(error).in_file(self.file.source.name()))
            }
        }
    }

    /// One object of a collection.
    pub fn object(&mut self, collection: Address, index: u32) -> Result<Bytes> {
        if !self.collections.contains_key(&collection) {
            let parsed = self.file.parse(|view| Collection::parse(view, collection))?;
            if self.kept_bytes > KEPT_BYTES_MAX {
                self.collections.clear();
                self.kept_bytes = 0;
                self.file.trim();
            }
            self.kept_bytes += parsed.size();
            self.collections.insert(collection, parsed);
        }
        let found = self.collections.get(&collection).expect("just parsed");
        found.object(index).map_err(|error| Error::from(error).in_file(self.file.source.name()))
    }

    /// How the file writes addresses.
    pub fn widths(&self) -> Widths {
        self.file.superblock.widths
    }

    fn cursor(&self, reference: &[u8]) -> Cursor {
        Cursor::new("variable-length element", 0, Bytes::copy_from_slice(reference), self.widths())
    }
}
