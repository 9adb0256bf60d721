//! Local heaps: the header, the data segment, and the free list in it.
//!
//! ```text
//! "HEAP" | version 0 | reserved 3 | data segment size | head of free list | data segment address
//! free block: offset of the next | size
//! ```

use super::{LOCAL_HEAP_FREE_LIST, NAME_IN_FREE_SPACE};
use crate::checker::{Checked, Checker};
use hyperslab_format::{Address, Widths};

const STRUCTURE: &str = "local heap";
const SEGMENT: &str = "local heap data segment";
/// `H5HL_FREE_NULL`: the end of the list.
const END_OF_LIST: u64 = 1;

impl Checker<'_> {
    /// Checks a heap in which these texts (offset, and bytes with the NUL) are used.
    pub(crate) fn check_local_heap(&mut self, address: Address, mut used: Vec<(u64, u64)>) -> Checked {
        let widths = self.view.widths;
        let (offset, length) = (u64::from(widths.offset), u64::from(widths.length));
        let mut cursor = self.cursor(STRUCTURE, address, 8 + 2 * length + offset)?;
        cursor.signature(b"HEAP")?;
        cursor.version(0..=0)?;
        self.reserved(&mut cursor, "reserved", 3)?;
        let bytes = cursor.length("data segment size")?;
        let head_at = cursor.at();
        let head = cursor.length("offset to head of free-list")?;
        let segment = cursor.address_defined("address of data segment")?;
        self.claim(SEGMENT, segment, bytes)?;
        let free = self.free_blocks(segment, bytes, (head, head_at))?;
        used.sort_unstable();
        let mut blocks = free.iter().peekable();
        for (start, len) in used {
            while blocks.next_if(|(free, free_bytes)| free + free_bytes <= start).is_some() {}
            let overlap = blocks.peek().filter(|(free, _)| *free < start.saturating_add(len));
            if let Some((free, free_bytes)) = overlap {
                let what =
                    format!("the text at offset {start} lies in the {free_bytes} free bytes at {free}");
                self.report(&NAME_IN_FREE_SPACE, SEGMENT, self.view.absolute(segment) + start, what);
            }
        }
        Ok(())
    }

    /// Offset and bytes of the free blocks, sorted.
    fn free_blocks(
        &mut self,
        segment: Address,
        bytes: u64,
        (head, head_at): (u64, u64),
    ) -> Checked<Vec<(u64, u64)>> {
        let length = u64::from(self.view.widths.length);
        let undefined = Widths::undefined(self.view.widths.length);
        let (mut next, mut at, mut free) = (head, head_at, Vec::new());
        while next != END_OF_LIST && next != undefined {
            let inside = next.checked_add(2 * length).is_some_and(|end| end <= bytes);
            // Each block has at least the bytes of its two fields, so that a list that does not end is noticed.
            if !inside || free.len() as u64 > bytes / (2 * length) {
                let what = format!(
                    "a free block at offset {next} of {bytes} bytes, number {} of the list",
                    free.len() + 1
                );
                self.report(&LOCAL_HEAP_FREE_LIST, STRUCTURE, at, what);
                break;
            }
            let mut block = self.peek(SEGMENT, Address(segment.0 + next), 2 * length)?;
            at = block.at();
            let start = next;
            next = block.length("offset of next free block")?;
            let size = block.length("size of free block")?;
            let fits = size >= 2 * length && size <= bytes - start;
            self.demand(fits, &LOCAL_HEAP_FREE_LIST, SEGMENT, at, || {
                format!("a free block of {size} bytes at offset {start} of {bytes}")
            });
            free.push((start, size.min(bytes - start)));
        }
        free.sort_unstable();
        let overlap = free.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0);
        if let Some(pair) = overlap {
            let what = format!("the free blocks at {} and {} overlap", pair[0].0, pair[1].0);
            self.report(&LOCAL_HEAP_FREE_LIST, SEGMENT, self.view.absolute(segment) + pair[1].0, what);
        }
        Ok(free)
    }
}
