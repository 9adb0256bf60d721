//! Local heaps (specification III.D): the names of an old-style group, or of external data files.
//!
//! ```text
//! "HEAP" | version 0 | reserved 3 | data segment size | head of free list | data segment address
//! ```
//!
//! The data segment is NUL-terminated text, which other structures refer to by offset. The list of free space is not
//! read.

use crate::{
    Address, Allocate, Bytes, EncodeError, Encoder, FormatError, Name, Parse, PlacedBlock, View, Widths,
    limits,
};

/// The location of a local heap's text.
#[derive(Debug, Clone, Copy)]
pub struct LocalHeap {
    /// The address of the data segment.
    segment: Address,
    /// Its size in bytes.
    len: u64,
}

/// All text of a local heap.
#[derive(Debug, Clone)]
pub struct HeapText {
    data: Bytes,
    /// The absolute offset of the data segment.
    at: u64,
    /// The position of the first NUL in each [`PIECE`] of the data, so that long text is not searched repeatedly.
    first_nuls: Vec<Option<u16>>,
}

const STRUCTURE: &str = "local heap";
const SEGMENT: &str = "local heap data segment";
/// The number of bytes that are searched for a NUL at a time.
const PIECE: usize = 4096;
/// The number of bytes in which most names end.
const USUAL_NAME: u64 = 64;

impl LocalHeap {
    /// Parses the header at `address`.
    pub fn parse(view: &View, address: Address) -> Parse<Self> {
        let mut cursor = view.cursor(STRUCTURE, address, header_bytes(view.widths))?;
        cursor.signature(b"HEAP")?;
        cursor.version(0..=0)?;
        cursor.skip("reserved", 3)?;
        let len = cursor.length("data segment size")?;
        cursor.length("offset to head of free-list")?;
        let segment = cursor.address_defined("address of data segment")?;
        Ok(Self { segment, len })
    }

    /// The size of the text in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True for a heap without any bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads all text.
    pub fn read(&self, view: &View) -> Parse<HeapText> {
        let data = view.bytes(SEGMENT, self.segment, self.len)?;
        let first_nuls = data.chunks(PIECE).map(|piece| position_of_nul(piece).map(|at| at as u16)).collect();
        Ok(HeapText { data, at: view.absolute(self.segment), first_nuls })
    }

    /// Reads only the text at `offset`, of a heap that is too long to be read for one name.
    pub fn text(&self, view: &View, field: &'static str, offset: u64) -> Parse<Name> {
        let mut len = USUAL_NAME;
        loop {
            let bytes = self.beginning(view, field, offset, len)?;
            let end = position_of_nul(&bytes);
            if let Some(end) =
                end.or_else(|| (bytes.len() as u64 == self.len - offset).then_some(bytes.len()))
            {
                return Ok(Name::new(bytes.slice(..end)));
            }
            let (max, found) = (limits::NAME_BYTES_MAX, bytes.len() as u64);
            if found > max {
                let at = view.absolute(self.segment).saturating_add(offset);
                return Err(FormatError::limit(STRUCTURE, field, at, "NAME_BYTES_MAX", max, found).into());
            }
            len = if len == USUAL_NAME { PIECE as u64 } else { max + 1 };
        }
    }

    /// Requests the first bytes of the text at `offset`, which are usually all of it; allows several names to be
    /// requested at once.
    pub fn ask(&self, view: &View, field: &'static str, offset: u64) -> Parse<()> {
        self.beginning(view, field, offset, USUAL_NAME).map(|_| ())
    }

    fn beginning(&self, view: &View, field: &'static str, offset: u64, len: u64) -> Parse<Bytes> {
        let at = view.absolute(self.segment).saturating_add(offset);
        if offset >= self.len {
            return Err(beyond(field, at, offset, self.len).into());
        }
        let start = self.segment.0.checked_add(offset).ok_or_else(|| beyond(field, at, offset, self.len))?;
        view.bytes(SEGMENT, Address(start), len.min(self.len - offset))
    }
}

/// Text for a new local heap, in the order in which it was added. It begins with an empty text, at offset 0.
#[derive(Debug, Clone)]
pub struct HeapTextBuilder {
    data: Vec<u8>,
}

impl Default for HeapTextBuilder {
    fn default() -> Self {
        Self { data: vec![0; TEXT_ALIGN] }
    }
}

/// The library aligns text to this many bytes.
const TEXT_ALIGN: usize = 8;

impl HeapTextBuilder {
    /// Appends text, and returns its offset. Text that contains a NUL would end there.
    pub fn push(&mut self, text: &[u8]) -> u64 {
        let offset = self.data.len() as u64;
        self.data.extend_from_slice(text);
        self.data.resize((self.data.len() + 1).next_multiple_of(TEXT_ALIGN), 0);
        offset
    }

    /// Places the heap: its header, and directly after it the data segment, unless that has to begin with a page.
    pub fn place(&self, widths: Widths, allocate: &mut Allocate<'_>) -> HeapPlaces {
        let header = allocate(header_bytes(widths));
        HeapPlaces { header, segment: allocate(self.data.len() as u64) }
    }

    /// Encodes the heap, which has no free space.
    ///
    /// # Errors
    ///
    /// If an address is too large for these widths.
    pub fn encode(&self, places: HeapPlaces, widths: Widths) -> Result<[PlacedBlock; 2], EncodeError> {
        /// `H5HL_FREE_NULL`: the end of the list of free blocks.
        const NO_FREE_BLOCK: u64 = 1;
        let mut out = Encoder::new(STRUCTURE, widths);
        out.bytes(b"HEAP");
        out.zeros(4);
        out.length("data segment size", self.data.len() as u64);
        out.length("offset to head of free-list", NO_FREE_BLOCK);
        out.address("address of data segment", Some(places.segment));
        let header = PlacedBlock { address: places.header, bytes: out.finish()? };
        Ok([header, PlacedBlock { address: places.segment, bytes: self.data.clone() }])
    }
}

/// The addresses of a new local heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapPlaces {
    /// The header, which other structures refer to.
    pub header: Address,
    /// The data segment.
    pub segment: Address,
}

fn header_bytes(widths: Widths) -> u64 {
    8 + 2 * u64::from(widths.length) + u64::from(widths.offset)
}

fn beyond(field: &'static str, at: u64, offset: u64, len: u64) -> FormatError {
    FormatError::invalid(STRUCTURE, field, at, format!("offset {offset} in a heap of {len} bytes"))
}

impl HeapText {
    /// The text that starts at `offset`: up to the next NUL, or to the end of the heap.
    pub fn text(&self, field: &'static str, offset: u64) -> Result<Name, FormatError> {
        let at = self.at.saturating_add(offset);
        let len = self.data.len() as u64;
        if offset >= len {
            return Err(beyond(field, at, offset, len));
        }
        let end = self.end_of_text(offset as usize) as u64;
        if end - offset > limits::NAME_BYTES_MAX {
            let (max, found) = (limits::NAME_BYTES_MAX, end - offset);
            return Err(FormatError::limit(STRUCTURE, field, at, "NAME_BYTES_MAX", max, found));
        }
        Ok(Name::new(self.data.slice(offset as usize..end as usize)))
    }

    /// The position of the first NUL at or after `offset`, or the end of the heap.
    fn end_of_text(&self, offset: usize) -> usize {
        let number = offset / PIECE;
        let piece = &self.data[offset..self.data.len().min((number + 1) * PIECE)];
        if let Some(nul) = position_of_nul(piece) {
            return offset + nul;
        }
        let later = self.first_nuls.iter().enumerate().skip(number + 1);
        let mut nuls = later.filter_map(|(number, nul)| nul.map(|nul| number * PIECE + usize::from(nul)));
        nuls.next().unwrap_or(self.data.len())
    }
}

fn position_of_nul(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == 0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Stop;
    use crate::testing::{Build, every_prefix_fails};

    /// Appends a heap that contains `data` to `image`.
    pub(crate) fn heap(image: Build, data: &[u8]) -> Build {
        let segment = image.here().0 + 32;
        image.text("HEAP").u32(0).u64(data.len() as u64).u64(1).u64(segment).bytes(data)
    }

    /// The heap at the start of `image`: its header, and its text.
    fn both(image: &Build) -> (LocalHeap, HeapText) {
        let heap = LocalHeap::parse(&image.view(), Address(0)).unwrap();
        (heap, heap.read(&image.view()).unwrap())
    }

    #[test]
    fn finds_text_by_its_offset() {
        let image = heap(Build::default(), b"\0\0\0\0\0\0\0\0first\0\0\0last");
        let (heap, text) = both(&image);
        for (offset, expected) in [(0, ""), (8, "first"), (10, "rst"), (16, "last"), (19, "t")] {
            assert_eq!(text.text("name", offset).unwrap(), Name::from(expected), "{offset}");
            assert_eq!(heap.text(&image.view(), "name", offset).unwrap(), Name::from(expected), "{offset}");
        }
        for offset in [20, u64::MAX] {
            let error = text.text("name", offset).unwrap_err();
            assert_eq!(heap.text(&image.view(), "name", offset).unwrap_err(), Stop::Bad(error));
        }
        every_prefix_fails(&image, |view| LocalHeap::parse(view, Address(0))?.read(view));
    }

    #[test]
    fn text_may_be_long() {
        let mut data = vec![b'x'; 3 * PIECE];
        data[10] = 0;
        data[2 * PIECE + 5] = 0;
        let image = heap(Build::default(), &data);
        let (heap, text) = both(&image);
        for (offset, end) in
            [(0, 10), (11, 2 * PIECE + 5), (PIECE, 2 * PIECE + 5), (2 * PIECE + 6, 3 * PIECE)]
        {
            let found = text.text("name", offset as u64).unwrap();
            assert_eq!(found.as_bytes().len(), end - offset);
            assert_eq!(heap.text(&image.view(), "name", offset as u64), Ok(found));
        }
        data.resize(limits::NAME_BYTES_MAX as usize + 4 * PIECE, b'x');
        let image = self::heap(Build::default(), &data);
        let (heap, text) = both(&image);
        assert!(text.text("name", 3 * PIECE as u64 - 1).is_err());
        assert!(heap.text(&image.view(), "name", 3 * PIECE as u64 - 1).is_err());
    }

    #[test]
    fn an_empty_heap_has_no_text() {
        let image = heap(Build::default(), b"");
        let (heap, text) = both(&image);
        assert!(heap.is_empty());
        text.text("name", 0).unwrap_err();
        heap.text(&image.view(), "name", 0).unwrap_err();
    }
}
