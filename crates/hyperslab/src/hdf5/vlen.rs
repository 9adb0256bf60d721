//! Variable-length data: the elements of a dataset are references to bytes in the global heap.
//!
//! In the file, an element of a variable-length datatype consists of a count of elements (4 bytes), the address of a
//! global heap collection, and the index of an object in the collection (4 bytes) (specification IV.A.2.d, III.E).
//! Neighbouring elements are mostly in the same collection, so a [`Heap`] keeps the collections that it has parsed.
//! Many references are looked up together, so that their collections are fetched in few requests.

use super::file::Hdf5File;
use crate::format_error::{OrError, format_error};
use crate::open_file::FileInner;
use crate::{Error, File, Result};
use bytes::Bytes;
use hyperslab_format::heap::global::{self, Collection};
use hyperslab_format::reference::{RevisedReference, StoredReference};
use hyperslab_format::{Address, Cursor, Gather, Widths};
use std::collections::HashMap;
use std::sync::Arc;

/// Parsed collections are dropped above this many bytes, if no other limit is set.
const KEPT_BYTES_MAX: usize = 64 << 20;
/// References whose collections are fetched together.
const BATCH: usize = 1 << 14;

/// The global heap of a file: looks up variable-length data and references. It keeps the collections that were used.
pub struct Heap {
    file: Arc<FileInner>,
    /// `None` for files of other formats, which have no global heap.
    hdf5: Option<Arc<Hdf5File>>,
    widths: Widths,
    collections: Vec<Collection>,
    /// The position in `collections` of the collection at an address.
    numbers: HashMap<Address, usize>,
    /// The collection used last.
    last: Option<(Address, usize)>,
    kept_bytes: usize,
    kept_bytes_max: usize,
}

/// The target of a dataset region reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionReference {
    /// The address of the dataset's object header; see [`File::object_at`].
    pub dataset: Address,
    /// The encoded selection; see [`region_selection`](crate::region_selection).
    pub selection: Bytes,
}

/// A variable-length element, as it is stored.
struct Reference {
    count: u32,
    collection: Address,
    index: u32,
}

impl File {
    /// A reader of the global heap, which looks up variable-length data and references. Use one value for many
    /// elements; each thread needs its own.
    pub fn heap(&self) -> Heap {
        heap(&self.inner)
    }
}

/// The global heap of a file.
pub(crate) fn heap(file: &Arc<FileInner>) -> Heap {
    let hdf5 = file.hdf5("global heap").ok().cloned();
    Heap {
        file: file.clone(),
        widths: hdf5.as_ref().map_or_else(Widths::default, |hdf5| hdf5.widths()),
        hdf5,
        collections: Vec::new(),
        numbers: HashMap::new(),
        last: None,
        kept_bytes: 0,
        kept_bytes_max: KEPT_BYTES_MAX,
    }
}

impl Heap {
    /// Keeps at most about this many bytes of collections, and of the file's metadata: for a reader that needs each
    /// collection once, in order, the same memory serves again and again.
    pub(crate) fn limit(&mut self, bytes_max: usize) {
        self.kept_bytes_max = bytes_max;
        if let Some(hdf5) = &self.hdf5 {
            hdf5.metadata.limit(bytes_max);
        }
    }

    /// The data of one variable-length element: the number of its elements, and their bytes in the representation of
    /// the file. `base_bytes` is the size of one of them (1 for text). A reference that was never written is empty.
    pub fn sequence(&mut self, reference: &[u8], base_bytes: u32) -> Result<(u64, Bytes)> {
        let Some(reference) = self.parse_reference(reference)? else { return Ok((0, Bytes::new())) };
        let collection = self.collection(reference.collection)?;
        let found = self.referred(collection, &reference, base_bytes)?;
        Ok((reference.count.into(), self.collections[collection].slice(found)))
    }

    /// The bytes of one variable-length element, as [`Self::sequence`] finds them.
    ///
    /// # Errors
    /// As those of [`Self::sequence`].
    pub fn sequence_bytes(&mut self, reference: &[u8], base_bytes: u32) -> Result<&[u8]> {
        let Some(reference) = self.parse_reference(reference)? else { return Ok(&[]) };
        let collection = self.collection(reference.collection)?;
        self.referred(collection, &reference, base_bytes)
    }

    /// Looks up many variable-length elements, as a read of a dataset returns them one after the other, and calls
    /// `each` with the bytes of each element. See [`Self::sequence`].
    ///
    /// If a reference equals the one before it, which is common for fill values, `each` is called with `None`.
    pub fn each_sequence(
        &mut self,
        references: &[u8],
        base_bytes: u32,
        mut each: impl FnMut(Option<&[u8]>) -> Result<()>,
    ) -> Result<()> {
        let bytes = self.reference_bytes();
        let mut before: &[u8] = &[];
        for batch in references.chunks(BATCH * bytes) {
            self.fetch(batch)?;
            for element in batch.chunks_exact(bytes) {
                if std::mem::replace(&mut before, element) == element {
                    each(None)?;
                    continue;
                }
                match self.parse_reference(element)? {
                    Some(reference) => {
                        let collection = self.collection(reference.collection)?;
                        each(Some(self.referred(collection, &reference, base_bytes)?))?;
                    }
                    None => each(Some(&[]))?,
                }
            }
        }
        Ok(())
    }

    /// The target of a dataset region reference; `None` if the reference is null.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Damaged`] if the reference does not lead to an address and a selection.
    pub fn region(&mut self, reference: &[u8]) -> Result<Option<RegionReference>> {
        let mut cursor = self.cursor(reference);
        let (collection, index) =
            (cursor.address("collection address").or_error()?, cursor.u32("object index").or_error()?);
        let Some(collection) = collection.filter(|address| address.0 > 0) else { return Ok(None) };
        let bytes = self.object(collection, index)?;
        let mut cursor = Cursor::new("region reference", 0, bytes.clone(), self.widths());
        let dataset = cursor.address("object address").or_error()?;
        let selection = bytes.slice(usize::from(self.widths().offset).min(bytes.len())..);
        let dataset = dataset.ok_or_else(|| Error::damaged("a region reference has no object address"))?;
        Ok(Some(RegionReference { dataset, selection }))
    }

    /// The address of the object header that an object reference refers to; `None` if the reference is null.
    pub fn object_reference(&self, reference: &[u8]) -> Option<Address> {
        let address = self.cursor(reference).address("object address").ok()?;
        address.filter(|address| address.0 > 0)
    }

    /// The target of a revised reference (HDF5 1.12); `None` if the reference is null.
    pub fn reference(&mut self, reference: &[u8]) -> Result<Option<RevisedReference>> {
        let bytes = Bytes::copy_from_slice(reference);
        match StoredReference::parse(bytes, self.widths()).map_err(|error| self.in_file(error))? {
            StoredReference::Null => Ok(None),
            StoredReference::Here(found) => Ok(Some(found)),
            StoredReference::InHeap { kind, collection, index } => {
                let object = self.object(collection, index)?;
                let found = RevisedReference::parse_in_heap(kind, object, self.widths());
                found.map(Some).map_err(|error| self.in_file(error))
            }
        }
    }

    /// The bytes of one object of the collection at an address.
    pub fn object(&mut self, collection: Address, index: u32) -> Result<Bytes> {
        let number = self.collection(collection)?;
        self.collections[number].object(index).map_err(|error| self.in_file(error))
    }

    /// The widths of addresses and lengths in the file.
    pub(crate) fn widths(&self) -> Widths {
        self.widths
    }

    /// The bytes of a variable-length element in the file.
    fn reference_bytes(&self) -> usize {
        8 + usize::from(self.widths().offset)
    }

    /// Parses a reference; `None` if it is null or was never written.
    #[inline]
    fn parse_reference(&self, element: &[u8]) -> Result<Option<Reference>> {
        let width = usize::from(self.widths().offset);
        if element.len() < 8 + width {
            // The cursor reports which field is missing.
            let mut cursor = self.cursor(element);
            cursor.u32("length").or_error()?;
            cursor.address("collection address").or_error()?;
            cursor.u32("object index").or_error()?;
        }
        let u32_at = |at: usize| element[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
        let address = &element[4..4 + width];
        let address = address.try_into().map_or_else(
            |_| address.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)),
            u64::from_le_bytes,
        );
        let count = u32_at(0);
        // libhdf5 treats address 0 as "nothing", too.
        if count == 0 || address == 0 || address == Widths::undefined(width as u8) {
            return Ok(None);
        }
        Ok(Some(Reference { count, collection: Address(address), index: u32_at(4 + width) }))
    }

    /// The range of a collection that a reference refers to.
    #[inline]
    fn referred(&self, collection: usize, reference: &Reference, base_bytes: u32) -> Result<&[u8]> {
        let object = self.collections[collection].get(reference.index);
        let object = object.map_err(|error| self.in_file(error))?;
        let needed = u64::from(reference.count) * u64::from(base_bytes);
        if (object.len() as u64) < needed {
            let at = self.file.absolute(reference.collection);
            return Err(Error::damaged(format!(
                "variable-length data: object {} of the global heap at byte {at:#x} has {} bytes, the element \
                 needs {needed}",
                reference.index,
                object.len()
            ))
            .at_byte("global heap", at)
            .in_file(self.file.source.name()));
        }
        Ok(&object[..needed as usize])
    }

    /// The position in `collections` of the collection at an address, which is parsed if necessary.
    #[inline]
    fn collection(&mut self, address: Address) -> Result<usize> {
        if let Some((last, number)) = self.last
            && last == address
        {
            return Ok(number);
        }
        let number = match self.numbers.get(&address) {
            Some(&number) => number,
            None => self.parse(address)?,
        };
        self.last = Some((address, number));
        Ok(number)
    }

    fn parse(&mut self, address: Address) -> Result<usize> {
        let parsed = self.file.hdf5("global heap")?.parse(|view| Collection::parse(view, address))?;
        if self.kept_bytes > self.kept_bytes_max {
            self.collections.clear();
            self.numbers.clear();
            self.kept_bytes = 0;
            self.file.format.trim();
        }
        self.kept_bytes += parsed.size();
        self.numbers.insert(address, self.collections.len());
        self.collections.push(parsed);
        Ok(self.collections.len() - 1)
    }

    /// True if requests to the file take long, whatever they read: then collections are better fetched together.
    pub fn has_latency(&self) -> bool {
        self.hdf5.as_ref().is_some_and(|hdf5| hdf5.metadata.has_latency())
    }

    /// The address of the collection at the start of a reference into the heap, which is that of a region reference, or of
    /// a variable-length element behind its length; `None` if it refers to nothing.
    pub fn collection_of(&self, reference: &[u8]) -> Option<Address> {
        self.object_reference(reference)
    }

    /// Fetches the beginnings of the collections of these references at once.
    fn fetch(&self, references: &[u8]) -> Result<()> {
        let mut wanted: Vec<Address> = Vec::new();
        let mut before = None;
        for reference in references.chunks_exact(self.reference_bytes()) {
            let Some(Reference { collection, .. }) = self.parse_reference(reference)? else { continue };
            if before.replace(collection) != Some(collection) {
                wanted.push(collection);
            }
        }
        self.fetch_collections(wanted)
    }

    /// Fetches the beginnings of collections at once. Most collections are complete with that. It changes no result.
    ///
    /// # Errors
    /// Those of the source.
    pub fn fetch_collections(&self, addresses: Vec<Address>) -> Result<()> {
        let mut missing = addresses;
        missing.retain(|address| !self.numbers.contains_key(address));
        missing.sort_unstable();
        missing.dedup();
        if missing.len() < 2 {
            return Ok(());
        }
        self.file.hdf5("global heap")?.parse(|view| {
            let mut gather = Gather::default();
            for &address in &missing {
                // An error here is reported when the reference is looked up.
                let beginning = view.cursor_up_to(global::STRUCTURE, address, global::USUAL_BYTES);
                let _ = gather.take(beginning);
            }
            gather.finish()
        })
    }

    fn in_file(&self, error: hyperslab_format::FormatError) -> Error {
        format_error(error).in_file(self.file.source.name())
    }

    fn cursor(&self, reference: &[u8]) -> Cursor {
        Cursor::new("variable-length element", 0, Bytes::copy_from_slice(reference), self.widths())
    }
}
