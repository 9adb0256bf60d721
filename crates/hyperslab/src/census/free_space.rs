//! Free-space managers (specification III.H): what the file itself records as free.
//!
//! ```text
//! header   "FSHD" | version 0 | client 1 | space L | sections L | serialised L | ghosts L | classes 2 | shrink 2 | expand 2
//!          | address bits 2 | largest section L | list O | bytes of list L | allocated for list L | checksum 4
//! list     "FSSE" | version 0 | header O | sets: [count | size | sections: [offset | type 1] ] | checksum 4
//! ```
//!
//! Counts, sizes and offsets in a list have as many bytes as the largest of them needs.

use crate::{File, Result};
use hyperslab_format::superblock::SuperblockExtension;
use hyperslab_format::{Address, Parse, View};

const HEADER: &str = "free-space manager";
const LIST: &str = "free-space section list";
/// More sections than this are not believed.
const SECTIONS_MAX: u64 = 1 << 24;

/// Absolute offset and bytes of each free section.
pub(super) fn sections(file: &File) -> Result<Vec<(u64, u64)>> {
    let inner = &file.inner;
    let extension = inner.parse(|view| SuperblockExtension::parse(*view, &inner.superblock))?;
    let managers =
        extension.and_then(|extension| extension.file_space).map(|space| space.managers).unwrap_or_default();
    let mut found = Vec::new();
    for manager in managers.into_iter().flatten() {
        found.extend(inner.parse(|view| manager_sections(view, manager))?);
    }
    Ok(found.into_iter().map(|(address, bytes)| (inner.absolute(Address(address)), bytes)).collect())
}

fn manager_sections(view: &View, address: Address) -> Parse<Vec<(u64, u64)>> {
    let (offset, length) = (u64::from(view.widths.offset), u64::from(view.widths.length));
    let mut header = view.cursor(HEADER, address, 6 + 4 * length + 8 + length + offset + 2 * length + 4)?;
    header.signature(b"FSHD")?;
    header.version(0..=0)?;
    header.u8("client")?;
    header.length("total space")?;
    header.length("total sections")?;
    let serialised = header.length("serialised sections")?;
    header.length("un-serialised sections")?;
    header.skip("classes and percentages", 6)?;
    let address_bits = header.u16("size of address space")?;
    let largest = header.length("maximum section size")?;
    let list = header.address("address of section list")?;
    let list_bytes = header.length("size of section list used")?;
    let allocated = header.length("allocated size of section list")?;
    header.checksum()?;
    let Some(list) = list.filter(|_| serialised > 0) else { return Ok(Vec::new()) };
    // The whole allocation belongs to the list.
    view.bytes(LIST, list, allocated.max(list_bytes))?;
    let mut cursor = view.cursor(LIST, list, list_bytes)?;
    cursor.signature(b"FSSE")?;
    cursor.version(0..=0)?;
    cursor.address("free-space manager")?;
    let width = |largest: u64| largest.max(1).ilog2() as usize / 8 + 1;
    let (count_bytes, size_bytes) = (width(serialised), width(largest));
    let offset_bytes = usize::from(address_bits).div_ceil(8);
    let mut found = Vec::new();
    while (found.len() as u64) < serialised.min(SECTIONS_MAX) {
        let count = cursor.uint("number of sections", count_bytes)?;
        let size = cursor.uint("size of sections", size_bytes)?;
        for _ in 0..count {
            let start = cursor.uint("section offset", offset_bytes)?;
            cursor.u8("section type")?;
            found.push((start, size));
        }
        if count == 0 {
            break;
        }
    }
    Ok(found)
}
