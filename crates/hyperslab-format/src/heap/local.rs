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
    /// Where the NULs are, so that text without an end is not searched again and again.
    nuls: Vec<u64>,
}

const STRUCTURE: &str = "local heap";

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
        let nuls = data.iter().enumerate().filter(|&(_, &byte)| byte == 0).map(|(i, _)| i as u64).collect();
        Ok(Self { data, at: view.absolute(segment), nuls })
    }

    /// The text that begins at `offset`: up to the next NUL, or to the end of the heap.
    pub fn text(&self, field: &'static str, offset: u64) -> Result<Name, FormatError> {
        let at = self.at.saturating_add(offset);
        let len = self.data.len() as u64;
        if offset >= len {
            let what = format!("offset {offset} in a heap of {len} bytes");
            return Err(FormatError::invalid(STRUCTURE, field, at, what));
        }
        let next = self.nuls.partition_point(|&nul| nul < offset);
        let end = self.nuls.get(next).copied().unwrap_or(len);
        if end - offset > limits::NAME_BYTES_MAX {
            let (max, found) = (limits::NAME_BYTES_MAX, end - offset);
            return Err(FormatError::limit(STRUCTURE, field, at, "NAME_BYTES_MAX", max, found));
        }
        Ok(Name::new(self.data.slice(offset as usize..end as usize)))
    }
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
    fn an_empty_heap_has_no_text() {
        let image = heap(Image::new(), b"");
        let heap = LocalHeap::parse(&image.view(), Address(0)).unwrap();
        heap.text("name", 0).unwrap_err();
    }
}
