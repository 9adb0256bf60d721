//! Elements that contain addresses, in a form that does not depend on where things are.
//!
//! Variable-length elements and region references refer to the global heap; references refer to objects. All that is
//! copied into a tree of [`Relocatable`]s, which becomes either a [`Value`] of the new file's metadata or, once objects
//! have addresses, bytes of its data.

use crate::wide_datatype::wide;
use bytes::Bytes;
use hyperslab::datatypes::{Class, Reference};
use hyperslab::{Datatype, Heap};
use hyperslab_encode::RepackError;
use hyperslab_format::Address;
use hyperslab_format::reference::StoredReference;
use hyperslab_write::{FileTree, FileWriter, ObjectId, Patch, PatchTarget, Value};

/// Elements, and what they refer to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relocatable {
    /// The bytes of the elements.
    pub bytes: Vec<u8>,
    /// Offsets of addresses of objects.
    pub objects: Vec<(usize, ObjectId)>,
    /// Offsets of references to heap objects, and the objects.
    pub heap: Vec<(usize, HeapContent)>,
    /// Objects of the global heap in place of `heap`, where there are many and all are plain.
    pub packed: Option<PackedContents>,
    /// Offsets of references to objects that are omitted; they are null references now.
    pub omitted: Vec<usize>,
}

/// Plain objects of the global heap, one after the other in one buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedContents {
    /// The offset of the reference to each, ascending, and where it ends in the content.
    pub places: Vec<(usize, usize)>,
    /// All of them.
    pub content: Bytes,
}

impl PackedContents {
    /// The offset of each reference, and the object.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> {
        let mut start = 0;
        self.places.iter().map(move |&(at, end)| (at, &self.content[std::mem::replace(&mut start, end)..end]))
    }
}

/// An object of the global heap. Of texts and plain sequences there are many, so that they share a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapContent {
    /// Bytes that refer to nothing.
    Plain(Bytes),
    /// Elements that refer to something themselves.
    Nested(Box<Relocatable>),
}

impl From<Relocatable> for HeapContent {
    fn from(content: Relocatable) -> Self {
        let refers_to_heap = !content.heap.is_empty() || content.packed.is_some();
        let is_plain = content.objects.is_empty() && !refers_to_heap && content.omitted.is_empty();
        if is_plain { Self::Plain(content.bytes.into()) } else { Self::Nested(Box::new(content)) }
    }
}

impl HeapContent {
    /// The bytes of the object.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) => bytes,
            Self::Nested(content) => &content.bytes,
        }
    }
}

/// The objects of the new file, by their addresses in the source.
pub trait Objects {
    /// The object whose header is at an address of the source.
    fn object(&mut self, address: Address) -> Referent;
}

/// What a reference of the source leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Referent {
    /// This object of the new file.
    Copied(ObjectId),
    /// An object that was left out by request: the reference becomes null.
    Omitted,
    /// Nothing, because the object was deleted: the reference leads nowhere in the new file, too.
    Deleted,
}

/// True if elements of this datatype contain addresses.
pub fn contains_addresses(datatype: &Datatype) -> bool {
    datatype.is_variable() || datatype.contains_reference()
}

/// Fetches the parts of the global heap that elements refer to, all at once, if the source has latency.
pub fn fetch_referents(datatype: &Datatype, elements: &[u8], heap: &Heap) {
    if heap.has_latency() && contains_addresses(datatype) {
        let mut found = Vec::new();
        collections(datatype, elements, heap, &mut found);
        // What cannot be fetched is reported where it is needed.
        let _ = heap.fetch_collections(found);
    }
}

/// The addresses of the heap collections that elements refer to.
fn collections(datatype: &Datatype, elements: &[u8], heap: &Heap, found: &mut Vec<Address>) {
    for element in elements.chunks_exact((datatype.size as usize).max(1)) {
        match &datatype.class {
            Class::VlenString { .. } | Class::VlenSequence { .. } => {
                found.extend(heap.collection_of(element.get(COUNT..).unwrap_or_default()));
            }
            Class::Reference(Reference::Region) => found.extend(heap.collection_of(element)),
            Class::Compound { members } => {
                for member in members.iter().filter(|member| contains_addresses(&member.datatype)) {
                    let start = member.offset as usize;
                    let value = element.get(start..start + member.datatype.size as usize);
                    collections(&member.datatype, value.unwrap_or_default(), heap, found);
                }
            }
            Class::Array { base, .. } => collections(base, element, heap, found),
            _ => return,
        }
    }
}

/// A checksum of many small pieces, which are gathered: the calls would take longer than the bytes.
#[derive(Default)]
struct GatheredChecksum {
    hasher: crc32fast::Hasher,
    gathered: Vec<u8>,
}

impl GatheredChecksum {
    /// Larger pieces are not gathered, nor more bytes than this.
    const GATHERED_BYTES: usize = 16 << 10;

    fn add(&mut self, bytes: &[u8]) {
        if self.gathered.len() + bytes.len() > Self::GATHERED_BYTES {
            self.hasher.update(&self.gathered);
            self.gathered.clear();
        }
        if bytes.len() > Self::GATHERED_BYTES {
            self.hasher.update(bytes);
        } else {
            self.gathered.extend_from_slice(bytes);
        }
    }

    fn add_child(&mut self, at: usize, child: &HeapContent) {
        self.add(&(at as u64).to_le_bytes());
        match child {
            HeapContent::Plain(bytes) => self.add(bytes),
            HeapContent::Nested(content) => content.add_to(self),
        }
    }

    fn finish(mut self) -> u32 {
        self.hasher.update(&self.gathered);
        self.hasher.finalize()
    }
}

/// Bytes of the number of elements before it.
const COUNT: usize = 4;
/// Bytes of an address in a new file.
const ADDRESS: usize = 8;
/// Bytes of a reference into the global heap: the address of a collection and the index of an object.
const HEAP_REFERENCE: usize = ADDRESS + 4;

impl Relocatable {
    /// The elements of a source. They have the sizes of [`wide`], whatever those of its addresses.
    ///
    /// # Errors
    ///
    /// Damage in the heap, and what [`wide`] refuses.
    pub fn read(
        datatype: &Datatype,
        elements: &[u8],
        heap: &mut Heap,
        objects: &mut dyn Objects,
    ) -> Result<Self, RepackError> {
        let wide = wide(datatype, hyperslab::hdf5::widths(heap))?;
        let mut found = Self::sized(datatype, &wide, elements);
        if contains_addresses(datatype) {
            let steps = (0..elements.len()).step_by((datatype.size as usize).max(1));
            for (number, from) in steps.enumerate() {
                let places = (from, number * wide.size as usize);
                found.element((datatype, &wide), elements, places, heap, objects)?;
            }
        }
        Ok(found)
    }

    /// As [`Self::read`], but elements that cannot be read become zeros: empty, or null references. Returns their number
    /// and the first error, too.
    pub fn read_undamaged(
        datatype: &Datatype,
        elements: &[u8],
        heap: &mut Heap,
        objects: &mut dyn Objects,
    ) -> (Self, usize, Option<RepackError>) {
        let wide = match wide(datatype, hyperslab::hdf5::widths(heap)) {
            Ok(wide) => wide,
            Err(error) => {
                return (Self::default(), elements.len() / (datatype.size as usize).max(1), Some(error));
            }
        };
        let mut found = Self::sized(datatype, &wide, elements);
        let (mut damaged, mut first) = (0, None);
        let size = wide.size as usize;
        let steps = (0..elements.len()).step_by((datatype.size as usize).max(1));
        for (number, from) in steps.enumerate() {
            let at = number * size;
            let before = (found.objects.len(), found.heap.len(), found.omitted.len());
            if let Err(error) = found.element((datatype, &wide), elements, (from, at), heap, objects) {
                found.objects.truncate(before.0);
                found.heap.truncate(before.1);
                found.omitted.truncate(before.2);
                let end = (at + size).min(found.bytes.len());
                found.bytes[at..end].fill(0);
                damaged += 1;
                first.get_or_insert(error);
            }
        }
        (found, damaged, first)
    }

    /// The bytes of the elements, still without addresses if their sizes change.
    fn sized(datatype: &Datatype, wide: &Datatype, elements: &[u8]) -> Self {
        let bytes = if std::ptr::eq(datatype, wide) {
            elements.to_vec()
        } else {
            vec![0; elements.len() / (datatype.size as usize).max(1) * wide.size as usize]
        };
        Self { bytes, ..Self::default() }
    }

    /// Takes up the element at the offset `from` of the elements; `at` is its offset in the bytes. The datatypes are that
    /// of the source and its wide form, which are the same object where nothing changes.
    fn element(
        &mut self,
        (datatype, wide): (&Datatype, &Datatype),
        elements: &[u8],
        (from, at): (usize, usize),
        heap: &mut Heap,
        objects: &mut dyn Objects,
    ) -> Result<(), RepackError> {
        let size = wide.size as usize;
        let is_same = std::ptr::eq(datatype, wide);
        let element = elements.get(from..from + datatype.size as usize).unwrap_or_default();
        match (&datatype.class, &wide.class) {
            (Class::VlenString { .. }, _) => {
                let (_, bytes) = heap.sequence(element, 1)?;
                self.variable(at, size, element, heap, HeapContent::Plain(bytes));
            }
            (Class::VlenSequence { base }, _) => {
                let (_, bytes) = heap.sequence(element, base.size)?;
                let content = match contains_addresses(base) {
                    true => Self::read(base, &bytes, heap, objects)?.into(),
                    false => HeapContent::Plain(bytes),
                };
                self.variable(at, size, element, heap, content);
            }
            (Class::Reference(Reference::Object), _) => {
                if let Some(address) = heap.object_reference(element) {
                    self.object(at, address, objects);
                }
            }
            (Class::Reference(Reference::Region), _) => {
                if let Some(region) = heap.region(element)? {
                    // The heap object is an address and the selection.
                    let mut bytes = region.dataset.0.to_le_bytes().to_vec();
                    bytes.extend_from_slice(&region.selection);
                    let mut child = Self { bytes, ..Self::default() };
                    child.object(0, region.dataset, objects);
                    if child.omitted.is_empty() {
                        self.heap.push((at, child.into()));
                    } else {
                        self.omit(at, size);
                    }
                }
            }
            (Class::Reference(Reference::Standard { .. }), _) => self.standard(element, at, heap, objects)?,
            (Class::Compound { members }, Class::Compound { members: wide }) => {
                let pairs = members.iter().zip(wide);
                for (member, wide) in pairs.filter(|(old, _)| !is_same || contains_addresses(&old.datatype)) {
                    let places = (from + member.offset as usize, at + wide.offset as usize);
                    self.element((&member.datatype, &wide.datatype), elements, places, heap, objects)?;
                }
            }
            (Class::Array { base, .. }, Class::Array { base: wide, .. }) if contains_addresses(base) => {
                let steps = (from..from + element.len()).step_by((base.size as usize).max(1));
                for (number, from) in steps.enumerate().take(size / (wide.size as usize).max(1)) {
                    let places = (from, at + number * wide.size as usize);
                    self.element((base, wide), elements, places, heap, objects)?;
                }
            }
            _ if !is_same => self.plain(at, element),
            _ => {}
        }
        Ok(())
    }

    /// Bytes that are not an address.
    fn plain(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// A variable-length element. An empty one refers to nothing, or to an object without bytes: the first is a null
    /// pointer to programs, the second a text or a sequence without elements.
    fn variable(&mut self, at: usize, size: usize, element: &[u8], heap: &Heap, content: HeapContent) {
        let (count, reference) = element.split_at_checked(COUNT).unwrap_or_default();
        if content.bytes().is_empty() && heap.collection_of(reference).is_none() {
            self.bytes[at..at + size].fill(0);
        } else {
            self.plain(at, count);
            self.heap.push((at + COUNT, content));
        }
    }

    /// An address of an object. That of one that was deleted becomes the undefined address: a reference that leads
    /// nowhere, as in the source.
    fn object(&mut self, at: usize, address: Address, objects: &mut dyn Objects) {
        match objects.object(address) {
            Referent::Copied(object) => self.objects.push((at, object)),
            Referent::Omitted => self.omit(at, 8),
            Referent::Deleted => self.bytes[at..at + 8].fill(0xff),
        }
    }

    /// Makes a reference null.
    fn omit(&mut self, at: usize, size: usize) {
        self.bytes[at..at + size].fill(0);
        self.omitted.push(at);
    }

    /// The number of references to omitted objects.
    pub fn omitted_count(&self) -> usize {
        let nested = self.heap.iter().map(|(_, child)| match child {
            HeapContent::Plain(_) => 0,
            HeapContent::Nested(content) => content.omitted_count(),
        });
        self.omitted.len() + nested.sum::<usize>()
    }

    /// A revised reference: the object is in the element, or the rest is in the heap.
    fn standard(
        &mut self,
        element: &[u8],
        at: usize,
        heap: &mut Heap,
        objects: &mut dyn Objects,
    ) -> Result<(), RepackError> {
        /// Bytes before the object of an element: type, flags, length.
        const BEFORE_OBJECT: usize = 3;
        /// Bytes before the collection: type, flags, size.
        const BEFORE_COLLECTION: usize = 6;
        let widths = hyperslab::hdf5::widths(heap);
        let stored = StoredReference::parse(Bytes::copy_from_slice(element), widths);
        match stored.map_err(hyperslab::hdf5::format_error)? {
            StoredReference::Null => {}
            // Only a null reference leads nowhere: this kind cannot contain the undefined address.
            StoredReference::Here(found) => match objects.object(found.object) {
                Referent::Copied(object) => self.objects.push((at + BEFORE_OBJECT, object)),
                Referent::Omitted => self.omit(at, element.len()),
                Referent::Deleted => self.bytes[at..at + element.len()].fill(0),
            },
            StoredReference::InHeap { collection, index, .. } => {
                let mut child = Self { bytes: heap.object(collection, index)?.to_vec(), ..Self::default() };
                // The object of another file keeps its address there.
                let found = heap.reference(element)?.filter(|found| found.file.is_none());
                if let Some(found) = found {
                    match objects.object(found.object) {
                        Referent::Copied(object) => child.objects.push((1, object)),
                        Referent::Omitted => {
                            self.omit(at, element.len());
                            return Ok(());
                        }
                        Referent::Deleted => {
                            self.bytes[at..at + element.len()].fill(0);
                            return Ok(());
                        }
                    }
                }
                self.heap.push((at + BEFORE_COLLECTION, child.into()));
            }
        }
        Ok(())
    }

    /// Without the addresses, which are what they lead to: equal for the same elements of two files.
    pub fn without_addresses(mut self) -> Self {
        self.clear_addresses();
        self
    }

    fn clear_addresses(&mut self) {
        let objects = self.objects.iter().map(|(at, _)| (*at, 8));
        let packed = self.packed.iter().flat_map(|packed| &packed.places).map(|(at, _)| *at);
        let heap = self.heap.iter().map(|(at, _)| *at).chain(packed);
        for (at, len) in objects.chain(heap.map(|at| (at, HEAP_REFERENCE))) {
            self.bytes.get_mut(at..at + len).into_iter().for_each(|address| address.fill(0));
        }
        for (_, child) in &mut self.heap {
            if let HeapContent::Nested(content) = child {
                content.clear_addresses();
            }
        }
        self.omitted.clear();
    }

    /// A checksum of the elements and of all that they refer to, in the order of the offsets. Bytes that will be addresses are
    /// included as they are: zeros, or those before the elements were [written](Self::into_data).
    pub fn checksum(&self) -> u32 {
        let mut sum = GatheredChecksum::default();
        self.add_to(&mut sum);
        sum.finish()
    }

    /// The [checksum](Self::checksum) of elements of a source [without their addresses](Self::without_addresses), if they
    /// are texts or plain sequences: nothing is kept of them.
    ///
    /// # Errors
    ///
    /// As [`Self::read`].
    pub fn checksum_of_sequences(
        datatype: &Datatype,
        elements: &[u8],
        heap: &mut Heap,
    ) -> Option<Result<u32, RepackError>> {
        let base_bytes = match &datatype.class {
            Class::VlenString { .. } => 1,
            Class::VlenSequence { base } if !contains_addresses(base) => base.size,
            _ => return None,
        };
        let size = COUNT + HEAP_REFERENCE;
        (datatype.size as usize == size).then(|| {
            let mut sum = GatheredChecksum::default();
            let mut counts = vec![0; elements.len()];
            let is_null = |element: &[u8]| {
                let address = &element[COUNT..COUNT + ADDRESS];
                address == [0; ADDRESS] || address == [0xff; ADDRESS]
            };
            for (count, element) in counts.chunks_exact_mut(size).zip(elements.chunks_exact(size)) {
                if !is_null(element) {
                    count[..COUNT].copy_from_slice(&element[..COUNT]);
                }
            }
            sum.add(&counts);
            for (number, element) in elements.chunks_exact(size).enumerate() {
                if !is_null(element) {
                    sum.add(&((number * size + COUNT) as u64).to_le_bytes());
                    sum.add(heap.sequence_bytes(element, base_bytes)?);
                }
            }
            Ok(sum.finish())
        })
    }

    fn add_to(&self, sum: &mut GatheredChecksum) {
        sum.add(&self.bytes);
        let mut objects: Vec<_> = self.objects.iter().collect();
        objects.sort_unstable_by_key(|(at, _)| *at);
        for (at, object) in objects {
            sum.add(&(*at as u64).to_le_bytes());
            sum.add(&object.0.to_le_bytes());
        }
        for (at, object) in self.packed.iter().flat_map(PackedContents::iter) {
            sum.add(&(at as u64).to_le_bytes());
            sum.add(object);
        }
        // Elements are taken up one after the other: their offsets rarely need to be sorted.
        if self.heap.is_sorted_by_key(|(at, _)| *at) {
            self.heap.iter().for_each(|(at, child)| sum.add_child(*at, child));
        } else {
            let mut heap: Vec<_> = self.heap.iter().collect();
            heap.sort_unstable_by_key(|(at, _)| *at);
            heap.into_iter().for_each(|(at, child)| sum.add_child(*at, child));
        }
    }

    /// The elements as metadata of the new file. Heap objects go into the tree's heap.
    pub fn into_value(self, tree: &mut FileTree) -> Value {
        let objects =
            self.objects.into_iter().map(|(at, object)| Patch { at, target: PatchTarget::Object(object) });
        let mut patches: Vec<Patch> = objects.collect();
        for (at, object) in self.packed.iter().flat_map(PackedContents::iter) {
            let item = tree.push_heap(Value { bytes: object.to_vec().into(), patches: Vec::new().into() });
            patches.push(Patch { at, target: PatchTarget::Heap(item) });
        }
        for (at, child) in self.heap {
            let value = match child {
                HeapContent::Plain(bytes) => {
                    Value { bytes: bytes.to_vec().into(), patches: Vec::new().into() }
                }
                HeapContent::Nested(content) => content.into_value(tree),
            };
            let item = tree.push_heap(value);
            patches.push(Patch { at, target: PatchTarget::Heap(item) });
        }
        Value { bytes: self.bytes.into(), patches: patches.into() }
    }

    /// The elements as data of the new file. Heap objects are written among the data.
    ///
    /// # Errors
    ///
    /// Those of the sink.
    pub fn into_data(mut self, writer: &mut FileWriter<'_>) -> Result<Vec<u8>, RepackError> {
        for (at, object) in self.objects {
            self.bytes[at..at + 8].copy_from_slice(&writer.address(object).0.to_le_bytes());
        }
        for (at, object) in self.packed.iter().flat_map(PackedContents::iter) {
            let (collection, index) = writer.write_heap_object(object)?;
            refer(&mut self.bytes[at..at + HEAP_REFERENCE], collection, index);
        }
        for (at, child) in self.heap {
            let (collection, index) = match child {
                HeapContent::Plain(bytes) => writer.write_heap_object(&bytes)?,
                HeapContent::Nested(content) => {
                    let bytes = content.into_data(writer)?;
                    writer.write_heap_object(&bytes)?
                }
            };
            refer(&mut self.bytes[at..at + HEAP_REFERENCE], collection, index);
        }
        Ok(self.bytes)
    }
}

/// Makes a reference into the global heap.
fn refer(reference: &mut [u8], collection: Address, index: u32) {
    reference[..ADDRESS].copy_from_slice(&collection.0.to_le_bytes());
    reference[ADDRESS..].copy_from_slice(&index.to_le_bytes());
}
