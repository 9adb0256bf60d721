//! Global heap collections (specification III.E), used for variable-length data, region references and virtual
//! mappings.
//!
//! ```text
//! "GCOL" | version 1 | reserved 3 | collection size, including this header
//! index 2 | references 2 | reserved 4 | object size | object, padded to 8 bytes      for each object
//! ```
//!
//! Object 0 is the free space; its size includes its header. If the space at the end is too small for a header, the
//! library treats it as free space without one.

use crate::{Address, Bytes, Encoder, FormatError, Parse, View, Widths};

/// A collection and the offsets of its objects.
#[derive(Debug, Clone)]
pub struct Collection {
    bytes: Bytes,
    /// The absolute offset of the collection.
    at: u64,
    /// Sorted by index.
    objects: Vec<Object>,
}

/// The position of an object in its collection.
#[derive(Debug, Clone, Copy)]
struct Object {
    index: u16,
    start: usize,
    len: usize,
}

/// The name of the structure in errors.
pub const STRUCTURE: &str = "global heap collection";
/// The minimum size that the library allocates; requested before the size is known.
pub const USUAL_BYTES: u64 = 4096;

impl Collection {
    /// Parses the collection at `address`.
    pub fn parse(view: &View, address: Address) -> Parse<Self> {
        // Headers are padded to 8 bytes too, which matters if lengths have 2 or 4 bytes.
        let header = (8 + usize::from(view.widths.length)).next_multiple_of(8);
        let mut cursor = view.cursor_up_to(STRUCTURE, address, USUAL_BYTES)?;
        let at = cursor.at();
        cursor.signature(b"GCOL")?;
        cursor.version(1..=1)?;
        cursor.skip("reserved", 3)?;
        let field = cursor.clone();
        let size = cursor.length("collection size")?;
        if size < header as u64 {
            let what = format!("{size} bytes, less than the header");
            return Err(field.invalid("collection size", what).into());
        }
        let mut cursor = view.cursor(STRUCTURE, address, size)?;
        let bytes = cursor.clone().rest();
        cursor.skip("header", header)?;
        let mut objects: Vec<Object> = Vec::new();
        let mut begin = header;
        // There may be tens of thousands, which is why their headers are not read field by field.
        while let Some(fields) = bytes.get(begin..begin + header) {
            let (index, size) = object_fields(fields, view.widths);
            let start = begin + header;
            let left = bytes.len() - start;
            if index == 0 {
                // Free space extends to the next object or (usually) to the end. Its size includes its header.
                let Some(rest) = size.checked_sub(header as u64) else { break };
                let Some(rest) = usize::try_from(rest).ok().filter(|&rest| rest <= left) else {
                    let what = format!("{size} bytes of free space, but only {} are left", left + header);
                    cursor.skip("objects", begin - header)?;
                    return Err(cursor.invalid("object size", what).into());
                };
                begin = start + rest;
                continue;
            }
            let Some(len) = usize::try_from(size).ok().filter(|&len| len <= left) else {
                let what = format!("object {index} has {size} bytes, but only {left} are left");
                cursor.skip("objects", begin - header)?;
                return Err(cursor.invalid("object size", what).into());
            };
            objects.push(Object { index, start, len });
            begin = start + len.next_multiple_of(8).min(left);
        }
        if !objects.is_sorted_by(|a, b| a.index < b.index) {
            // If several objects have the same index, the last one counts.
            objects.reverse();
            objects.sort_by_key(|object| object.index);
            objects.dedup_by_key(|object| object.index);
        }
        Ok(Self { bytes, at, objects })
    }

    /// The object with this index.
    pub fn object(&self, index: u32) -> Result<Bytes, FormatError> {
        Ok(self.slice(self.get(index)?))
    }

    /// The bytes of the object with this index.
    #[inline]
    pub fn get(&self, index: u32) -> Result<&[u8], FormatError> {
        // Indexes count up from 1 if nothing was deleted.
        let usual = self.objects.get((index as usize).wrapping_sub(1));
        let found = usual.filter(|object| u32::from(object.index) == index).or_else(|| {
            let place = self.objects.binary_search_by_key(&index, |object| object.index.into()).ok()?;
            Some(&self.objects[place])
        });
        match found {
            Some(object) => Ok(&self.bytes[object.start..object.start + object.len]),
            None => {
                let what = format!("there is no object {index} in this collection");
                Err(FormatError::invalid(STRUCTURE, "heap object index", self.at, what))
            }
        }
    }

    /// A part of an object's bytes, as returned by [`Self::get`], that keeps the collection alive.
    pub fn slice(&self, part: &[u8]) -> Bytes {
        self.bytes.slice_ref(part)
    }

    /// The indexes of all objects, in ascending order.
    pub fn indexes(&self) -> impl Iterator<Item = u32> + '_ {
        self.objects.iter().map(|object| object.index.into())
    }

    /// The size of the whole collection in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// True if it contains no objects.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
}

/// The size of a collection that objects are put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectionSize {
    widths: Widths,
    objects: usize,
    bytes: u64,
}

/// Indexes have 16 bits, and 0 is the free space.
const OBJECTS_MAX: usize = u16::MAX as usize;

impl CollectionSize {
    /// The size of a collection without objects.
    pub fn new(widths: Widths) -> Self {
        Self { widths, objects: 0, bytes: header_bytes(widths) }
    }

    /// The size in bytes with one more object of `len` bytes; `None` if there is no index for it.
    pub fn with(&self, len: u64) -> Option<u64> {
        (self.objects < OBJECTS_MAX)
            .then(|| self.bytes.saturating_add(header_bytes(self.widths)).saturating_add(padded(len)))
    }

    /// Counts an object of `len` bytes.
    pub fn push(&mut self, len: u64) {
        self.bytes += header_bytes(self.widths) + padded(len);
        self.objects += 1;
    }

    /// The size of the whole collection in bytes. The library does not read collections of less than
    /// [`USUAL_BYTES`].
    pub fn bytes(&self) -> u64 {
        self.bytes.max(USUAL_BYTES)
    }
}

/// A new collection, to which objects are appended.
#[derive(Debug, Clone)]
pub struct CollectionBuilder {
    size: CollectionSize,
    /// The objects as they are stored, from index 1 on.
    objects: Encoder,
}

impl CollectionBuilder {
    /// A collection without objects.
    pub fn new(widths: Widths) -> Self {
        Self { size: CollectionSize::new(widths), objects: Encoder::new(STRUCTURE, widths) }
    }

    /// A collection without objects, with this many bytes reserved for them.
    pub fn with_room(bytes: usize, widths: Widths) -> Self {
        Self { objects: Encoder::with_room(bytes, STRUCTURE, widths), ..Self::new(widths) }
    }

    /// True if there are no objects.
    pub fn is_empty(&self) -> bool {
        self.size.objects == 0
    }

    /// The size in bytes of the collection with one more object of `len` bytes; `None` if it has no index for it.
    pub fn bytes_with(&self, len: u64) -> Option<u64> {
        self.size.with(len)
    }

    /// Appends an object, and returns its index.
    pub fn push(&mut self, object: &[u8]) -> u32 {
        self.size.push(object.len() as u64);
        if self.size.objects > OBJECTS_MAX {
            self.objects.refuse("heap object index", format!("{} objects", self.size.objects));
        }
        object_header(&mut self.objects, self.size.objects as u16, 1, object.len() as u64);
        self.objects.bytes(object);
        // The beginnings of objects are multiples of 8 bytes from the first one.
        self.objects.align_since(0, 8);
        self.size.objects as u32
    }

    /// The size of the whole collection in bytes, as [`CollectionSize::bytes`] says.
    pub fn bytes(&self) -> u64 {
        self.size.bytes()
    }

    /// Encodes the collection in `bytes` bytes, of which [`Self::bytes`] are needed; the others are free space.
    pub fn encode(&self, bytes: u64, out: &mut Encoder) {
        let header = header_bytes(self.size.widths) as usize;
        let start = out.position();
        if bytes < self.bytes() || !bytes.is_multiple_of(8) {
            return out.refuse("collection size", format!("{bytes} bytes for {} of objects", self.bytes()));
        }
        let end = start + bytes as usize;
        out.bytes(b"GCOL");
        out.u32(1);
        out.length("collection size", bytes);
        out.align_since(start, 8);
        out.append(&self.objects);
        let free = end - out.position();
        if free >= header {
            object_header(out, 0, 0, free as u64);
        }
        out.zeros(end - out.position());
    }
}

/// The size of the header of a collection or of an object, in bytes.
fn header_bytes(widths: Widths) -> u64 {
    (8 + u64::from(widths.length)).next_multiple_of(8)
}

fn padded(len: u64) -> u64 {
    len.checked_next_multiple_of(8).unwrap_or(u64::MAX)
}

/// Where the size of an object is in its header.
const SIZE_AT: usize = 8;

/// The index and the size in the header of an object.
fn object_fields(header: &[u8], widths: Widths) -> (u16, u64) {
    let width = usize::from(widths.length);
    let mut size = [0; 8];
    size[..width].copy_from_slice(&header[SIZE_AT..SIZE_AT + width]);
    (u16::from_le_bytes([header[0], header[1]]), u64::from_le_bytes(size))
}

#[inline]
fn object_header(out: &mut Encoder, index: u16, references: u16, len: u64) {
    let widths = out.widths();
    let mut header = [0; SIZE_AT + 8];
    header[..2].copy_from_slice(&index.to_le_bytes());
    header[2..4].copy_from_slice(&references.to_le_bytes());
    header[SIZE_AT..].copy_from_slice(&len.to_le_bytes());
    if widths.length < 8 && len >> (8 * widths.length) != 0 {
        out.refuse("object size", format!("{len} does not fit in {} bytes", widths.length));
    }
    out.bytes(&header[..header_bytes(widths) as usize]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Build, every_prefix_fails};
    use proptest::prelude::*;

    fn collection() -> Build {
        let image = Build::default().text("GCOL").u32(1).u64(112);
        let image = image.u16(1).u16(1).u32(0).u64(5).text("hello").pad_to(40);
        let image = image.u16(7).u16(1).u32(0).u64(0);
        let image = image.u16(2).u16(0).u32(0).u64(8).text("eight by");
        image.u16(0).u16(0).u32(0).u64(32).pad_to(112)
    }

    #[test]
    fn finds_objects_by_their_index() {
        let image = collection();
        let heap = Collection::parse(&image.view(), Address(0)).unwrap();
        assert_eq!(heap.object(1).unwrap(), "hello");
        assert_eq!(heap.object(2).unwrap(), "eight by");
        assert_eq!(heap.object(7).unwrap(), "");
        for absent in [0, 3, 65_537] {
            heap.object(absent).unwrap_err();
        }
        assert_eq!(heap.indexes().collect::<Vec<_>>(), [1, 2, 7]);
        every_prefix_fails(&image, |view| Collection::parse(view, Address(0)));
    }

    #[test]
    fn new_collections_are_read_back() {
        for widths in [Widths::default(), Widths { offset: 4, length: 4 }] {
            let mut new = CollectionBuilder::new(widths);
            let objects = [&b"one"[..], b"", b"eight by", &[7; 5000]];
            for (index, object) in (1..).zip(objects) {
                assert_eq!(new.push(object), index);
            }
            for more in [0, 8, 16, 4000] {
                let mut out = Encoder::new(STRUCTURE, widths);
                new.encode(new.bytes() + more, &mut out);
                let bytes = Bytes::from(out.finish().unwrap());
                assert_eq!(bytes.len() as u64, new.bytes() + more);
                let found = Collection::parse(&View::new(&bytes).with(0, widths), Address(0)).unwrap();
                for (index, object) in (1..).zip(objects) {
                    assert_eq!(found.get(index).unwrap(), object);
                }
            }
            let mut out = Encoder::new(STRUCTURE, widths);
            new.encode(new.bytes() - 8, &mut out);
            assert_eq!(out.finish().unwrap_err().field, "collection size");
        }
    }

    #[test]
    fn of_two_objects_with_one_index_the_last_counts() {
        let image = Build::default().text("GCOL").u32(1).u64(88);
        let image = image.u16(3).u16(1).u32(0).u64(3).text("one").pad_to(40);
        let image = image.u16(2).u16(1).u32(0).u64(3).text("two").pad_to(64);
        let image = image.u16(3).u16(1).u32(0).u64(5).text("three").pad_to(88);
        let heap = Collection::parse(&image.view(), Address(0)).unwrap();
        assert_eq!((heap.get(2).unwrap(), heap.get(3).unwrap()), (&b"two"[..], &b"three"[..]));
        assert_eq!(heap.indexes().collect::<Vec<_>>(), [2, 3]);
        heap.get(1).unwrap_err();
    }

    #[test]
    fn pads_headers_where_lengths_are_short() {
        let image = Build::default().text("GCOL").u32(1).u32(48).pad_to(16);
        let image = image.u16(1).u16(1).u32(0).u32(3).pad_to(32).text("abc").pad_to(48);
        let view = image.view().with(0, Widths { offset: 4, length: 4 });
        assert_eq!(Collection::parse(&view, Address(0)).unwrap().object(1).unwrap(), "abc");
    }

    #[test]
    fn free_space_without_a_size_ends_the_collection() {
        let image = Build::default().text("GCOL").u32(1).u64(64).u64(0).u64(0).pad_to(64);
        assert!(Collection::parse(&image.view(), Address(0)).unwrap().is_empty());
    }

    #[test]
    fn refuses_objects_beyond_the_collection() {
        for size in [81u64, u64::MAX, u64::MAX - 7] {
            let image = collection().patch(24, &size.to_le_bytes());
            Collection::parse(&image.view(), Address(0)).unwrap_err();
        }
    }

    proptest! {
        #[test]
        fn any_bytes_end(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), size in 0u64..250) {
            if bytes.len() >= 16 {
                bytes[..8].copy_from_slice(b"GCOL\x01\0\0\0");
                bytes[8..16].copy_from_slice(&size.to_le_bytes());
            }
            let bytes = Bytes::from(bytes);
            let _ = Collection::parse(&View::new(&bytes), Address(0));
        }
    }
}
