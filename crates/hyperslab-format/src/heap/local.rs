//! Local heaps (specification III.D): the names of an old-style group, or of external data files.
//!
//! ```text
//! "HEAP" | version 0 | reserved 3 | data segment size | head of free list | data segment address
//! ```
//!
//! The data segment is NUL-terminated text; others refer to it by offset. Not read: the list of free space.

use crate::{Address, Bytes, FormatError, Name, Parse, View, limits};

/// A local heap with its data segment.
#[derive(Debug, Clone)]
pub struct LocalHeap {
    data: Bytes,
    /// Absolute offset of the data segment.
    at: u64,
    /// Where in each [`PIECE`] of the data the first NUL is, so that long text is not searched again and again.
    first_nuls: Vec<Option<u16>>,
}

const STRUCTURE: &str = "local heap";
/// Bytes that are searched for a NUL at once.
const PIECE: usize = 4096;

impl LocalHeap {
    /// Reads the heap at `address`, all of it.
    pub fn parse(view: &View, address: Address) -> Parse<Self> {
        let widths = view.widths;
        let len = 8 + 2 * u64::from(widths.length) + u64::from(widths.offset);
        let mut cursor = view.cursor(STRUCTURE, address, len)?;
        cursor.signature(b"HEAP")?;
        cursor.version(0..=0)?;
        cursor.skip("reserved", 3)?;
        let size = cursor.length("data segment size")?;
        cursor.length("offset to head of free-list")?;
        let segment = cursor.address_defined("address of data segment")?;
        let data = view.bytes("local heap data segment", segment, size)?;
        let first_nuls = data.chunks(PIECE).map(|piece| position_of_nul(piece).map(|at| at as u16)).collect();
        Ok(Self { data, at: view.absolute(segment), first_nuls })
    }

    /// The text that begins at `offset`: up to the next NUL, or to the end of the heap.
    pub fn text(&self, field: &'static str, offset: u64) -> Result<Name, FormatError> {
        let at = self.at.saturating_add(offset);
        let len = self.data.len() as u64;
        if offset >= len {
            let what = format!("offset {offset} in a heap of {len} bytes");
            return Err(FormatError::invalid(STRUCTURE, field, at, what));
        }
        let end = self.end_of_text(offset as usize) as u64;
        if end - offset > limits::NAME_BYTES_MAX {
            let (max, found) = (limits::NAME_BYTES_MAX, end - offset);
            return Err(FormatError::limit(STRUCTURE, field, at, "NAME_BYTES_MAX", max, found));
        }
        Ok(Name::new(self.data.slice(offset as usize..end as usize)))
    }

    /// The first NUL at `offset` or after it, or the end of the heap.
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
    use crate::test_image::{Image, every_prefix_fails};

    /// A heap at the end of `image` that holds `data`.
    pub(crate) fn heap(image: Image, data: &[u8]) -> Image {
        let segment = image.len() + 32;
        image.text("HEAP").u32(0).u64(data.len() as u64).u64(1).u64(segment).raw(data)
    }

    #[test]
    fn finds_text_by_its_offset() {
        let image = heap(Image::new(), b"\0\0\0\0\0\0\0\0first\0\0\0last");
        let heap = LocalHeap::parse(&image.view(), Address(0)).unwrap();
        for (offset, expected) in [(0, ""), (8, "first"), (10, "rst"), (16, "last"), (19, "t")] {
            assert_eq!(heap.text("name", offset).unwrap(), Name::from(expected), "{offset}");
        }
        heap.text("name", 20).unwrap_err();
        heap.text("name", u64::MAX).unwrap_err();
        every_prefix_fails(&image, |view| LocalHeap::parse(view, Address(0)));
    }

    #[test]
    fn text_may_be_long() {
        let mut data = vec![b'x'; 3 * PIECE];
        data[10] = 0;
        data[2 * PIECE + 5] = 0;
        let image = heap(Image::new(), &data);
        let heap = LocalHeap::parse(&image.view(), Address(0)).unwrap();
        for (offset, end) in
            [(0, 10), (11, 2 * PIECE + 5), (PIECE, 2 * PIECE + 5), (2 * PIECE + 6, 3 * PIECE)]
        {
            assert_eq!(heap.text("name", offset as u64).unwrap().as_bytes().len(), end - offset);
        }
        data.resize(limits::NAME_BYTES_MAX as usize + 4 * PIECE, b'x');
        let image = self::heap(Image::new(), &data);
        let heap = LocalHeap::parse(&image.view(), Address(0)).unwrap();
        assert!(heap.text("name", 3 * PIECE as u64 - 1).is_err());
    }

    #[test]
    fn an_empty_heap_has_no_text() {
        let image = heap(Image::new(), b"");
        let heap = LocalHeap::parse(&image.view(), Address(0)).unwrap();
        heap.text("name", 0).unwrap_err();
    }
}
