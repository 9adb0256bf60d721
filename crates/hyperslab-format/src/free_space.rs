//! Free-space managers (specification III.H): the free sections of the file, or of a fractal heap.
//!
//! ```text
//! header   "FSHD" | version 0 | client 1 | space L | sections L | serialized L | unserialized L | classes 2 | shrink 2
//!          | expand 2 | address bits 2 | largest section L | list O | bytes of list L | allocated for list L | checksum 4
//! list     "FSSE" | version 0 | header O | sets: [count | size | sections: [offset | type 1 | data] ] | gap | checksum 4
//! ```
//!
//! Counts, sizes and offsets in a list have as many bytes as the largest of them needs. Sections of the file have no
//! data. In a heap, a section of a row of blocks has the place of that row: the offset of its indirect block, then row,
//! column and number of blocks, 2 bytes each.

use crate::{Address, Parse, View};

/// The header of a free-space manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeSpaceManager {
    /// The address of the header, which the list repeats.
    pub address: Address,
    /// Whose space is managed.
    pub client: FreeSpaceClient,
    /// The bytes of all sections.
    pub total_space: u64,
    /// The number of sections: those in the list, and those that the library finds again by itself.
    pub total_sections: u64,
    /// The number of sections in the list.
    pub serialized_sections: u64,
    /// The number of sections that are not in the list.
    pub unserialized_sections: u64,
    /// log2 of the size of the managed space, at most.
    pub address_bits: u16,
    /// The size of the largest section that is possible, in bytes.
    pub largest_section: u64,
    /// The list of sections; `None` without sections.
    pub list: Option<Address>,
    /// The bytes of the list.
    pub list_bytes: u64,
    /// The bytes that are allocated for the list, at least as many.
    pub list_allocated: u64,
}

/// Whose space a manager manages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreeSpaceClient {
    /// A fractal heap: offsets are in its managed space.
    Heap,
    /// The file: offsets are addresses.
    File,
}

/// A free section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreeSection {
    /// Its address or its offset in the heap.
    pub offset: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its type, which depends on the client.
    pub kind: u8,
}

const HEADER: &str = "free-space manager";
const LIST: &str = "free-space section list";
/// Types of the sections of a heap that have data: the first row of a range of blocks, and such a range.
const HEAP_FIRST_ROW: u8 = 1;
const HEAP_RANGE: u8 = 3;
const CHECKSUM: u64 = 4;

impl FreeSpaceManager {
    /// Parses the header at `address`.
    pub fn parse(view: &View, address: Address) -> Parse<Self> {
        let (offset, length) = (u64::from(view.widths.offset), u64::from(view.widths.length));
        let mut header = view.cursor(HEADER, address, 6 + 7 * length + 8 + offset + CHECKSUM)?;
        header.signature(b"FSHD")?;
        header.version(0..=0)?;
        let at = header.at();
        let client = match header.u8("client ID")? {
            0 => FreeSpaceClient::Heap,
            1 => FreeSpaceClient::File,
            other => {
                return Err(header.invalid_at(at, "client ID", format!("unknown client {other}")).into());
            }
        };
        let total_space = header.length("total space tracked")?;
        let total_sections = header.length("total number of sections")?;
        let serialized_sections = header.length("number of serialized sections")?;
        let unserialized_sections = header.length("number of un-serialized sections")?;
        header.skip("classes and percentages", 6)?;
        let at = header.at();
        let address_bits = header.u16("size of address space")?;
        if address_bits > 64 {
            let what = format!("addresses of {address_bits} bits");
            return Err(header.invalid_at(at, "size of address space", what).into());
        }
        let manager = Self {
            address,
            client,
            total_space,
            total_sections,
            serialized_sections,
            unserialized_sections,
            address_bits,
            largest_section: header.length("maximum section size")?,
            list: header.address("address of serialized section list")?,
            list_bytes: header.length("size of serialized section list used")?,
            list_allocated: header.length("allocated size of serialized section list")?,
        };
        header.checksum()?;
        Ok(manager)
    }

    /// Reads the sections in the list, in the order of the file: by size, then by offset.
    pub fn sections(&self, view: &View) -> Parse<Vec<FreeSection>> {
        let Some(address) = self.list.filter(|_| self.serialized_sections > 0) else { return Ok(Vec::new()) };
        let (count_bytes, size_bytes) = (width(self.serialized_sections), width(self.largest_section));
        let offset_bytes = usize::from(self.address_bits).div_ceil(8);
        let mut whole = view.cursor(LIST, address, self.list_bytes)?;
        // Everything that is allocated belongs to the list.
        view.bytes(LIST, address, self.list_allocated.max(self.list_bytes))?;
        let used = self.list_bytes.saturating_sub(CHECKSUM) as usize;
        let mut list = whole.sub("sections", used)?;
        let mut sum = view.cursor(LIST, address, self.list_bytes)?;
        list.signature(b"FSSE")?;
        list.version(0..=0)?;
        let at = list.at();
        if list.address("address of free-space manager")? != Some(self.address) {
            let what = format!("the list does not belong to the manager at {}", self.address);
            return Err(list.invalid_at(at, "address of free-space manager", what).into());
        }
        sum.skip("sections", used)?;
        sum.checksum()?;
        let mut found = Vec::new();
        while (found.len() as u64) < self.serialized_sections {
            let at = list.at();
            let count = list.uint("number of sections", count_bytes)?;
            if count == 0 || count > self.serialized_sections - found.len() as u64 {
                let what = format!("{count} sections, of {} in total", self.serialized_sections);
                return Err(list.invalid_at(at, "number of sections", what).into());
            }
            let bytes = list.uint("size of sections", size_bytes)?;
            for _ in 0..count {
                let offset = list.uint("section offset", offset_bytes)?;
                let kind = list.u8("section type")?;
                if self.client == FreeSpaceClient::Heap && matches!(kind, HEAP_FIRST_ROW | HEAP_RANGE) {
                    list.skip("section data", offset_bytes + 6)?;
                }
                found.push(FreeSection { offset, bytes, kind });
            }
        }
        Ok(found)
    }
}

/// The bytes of a number that is at most `largest`.
fn width(largest: u64) -> usize {
    largest.max(1).ilog2() as usize / 8 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::testing::{Build, every_prefix_fails};

    /// The list at byte 0, then the header: two sections of 16 bytes and one of 300, with data in a heap.
    fn manager(client: u8) -> (Build, Address) {
        let is_heap = client == 0;
        let data = |list: Build| if is_heap { list.u32(0).u16(1).u16(2).u16(3) } else { list };
        let list = |header: u64| {
            let list = Build::default().text("FSSE").u8(0).u64(header);
            let list = list.u8(2).u16(16).u32(64).u8(0).u32(128).u8(0);
            let list = data(list.u8(1).u16(300).u32(512).u8(if is_heap { 1 } else { 2 }));
            list.zeros(3).checksum()
        };
        let header = list(0).here();
        let list = list(header.0);
        let bytes = list.here().0;
        let header_bytes = Build::default()
            .text("FSHD")
            .u8(0)
            .u8(client)
            .u64(332)
            .u64(4)
            .u64(3)
            .u64(1)
            .u16(3)
            .u16(80)
            .u16(120)
            .u16(32)
            .u64(0x8000)
            .u64(0)
            .u64(bytes)
            .u64(bytes)
            .checksum();
        (list.and(&header_bytes), header)
    }

    fn sections(view: &View, address: Address) -> Parse<Vec<FreeSection>> {
        FreeSpaceManager::parse(view, address)?.sections(view)
    }

    #[test]
    fn reads_the_sections_of_files_and_heaps() {
        for (client, kind) in [(0, 1), (1, 2)] {
            let (image, header) = manager(client);
            let found = FreeSpaceManager::parse(&image.view(), header).unwrap();
            assert_eq!((found.total_space, found.total_sections, found.unserialized_sections), (332, 4, 1));
            let expected = [(64, 16, 0), (128, 16, 0), (512, 300, kind)];
            let expected = expected.map(|(offset, bytes, kind)| FreeSection { offset, bytes, kind });
            assert_eq!(found.sections(&image.view()).unwrap(), expected);
            every_prefix_fails(&image, |view| sections(view, header));
        }
    }

    #[test]
    fn a_manager_without_sections_has_no_list() {
        let (image, header) = manager(1);
        let found = FreeSpaceManager::parse(&image.view(), header).unwrap();
        let empty = FreeSpaceManager { serialized_sections: 0, list: None, ..found };
        assert_eq!(empty.sections(&image.view()).unwrap(), []);
    }

    #[test]
    fn every_changed_byte_is_refused() {
        for client in [0, 1] {
            let (image, header) = manager(client);
            for at in 0..image.len() {
                let changed = image.with_byte(at, image.as_slice()[at] ^ 0x41);
                assert!(matches!(sections(&changed.view(), header), Err(Stop::Bad(_))), "byte {at}");
            }
        }
    }

    #[test]
    fn refuses_counts_that_contradict_each_other() {
        let (image, header) = manager(1);
        let found = FreeSpaceManager::parse(&image.view(), header).unwrap();
        for serialized_sections in [1, 4, 200, 1 << 40] {
            let wrong = FreeSpaceManager { serialized_sections, ..found };
            assert!(matches!(wrong.sections(&image.view()), Err(Stop::Bad(_))), "{serialized_sections}");
        }
        for list_bytes in [0, 3, 16, 1 << 40] {
            let wrong = FreeSpaceManager { list_bytes, ..found };
            assert!(matches!(wrong.sections(&image.view()), Err(Stop::Bad(_))), "{list_bytes}");
        }
    }
}
