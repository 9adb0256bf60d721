//! Metadata Cache Image message (type 0x18, not in the specification) and the block that it points to: metadata that
//! the writer saved as one block when it closed the file, instead of writing each structure to its own address.
//!
//! ```text
//! message   version 0 | block address O | block size L
//!
//! block     "MDCI" | version 0 | flags 1 | block size L | entries 4 | entries | checksum 4
//! entry     type 1 | flags 1 | ring 1 | age 1 | children 2 | dirty children 2 | parents 2 | rank 4
//!           | address O | size L | parents × address O | the bytes at that address
//! ```
//!
//! The file may contain anything at the addresses of the entries. A reader must use the bytes of the image instead;
//! [`Overlay`] provides them to the parsers.

mod overlay;

pub use overlay::{Overlay, OverlayEntries};

use crate::{Address, Bytes, Cursor, FormatError, Parse, View};

/// The location of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheImageInfo {
    /// The address of the block; `None` if there is none.
    pub address: Option<Address>,
    /// The size of the block in bytes.
    pub size: u64,
}

/// The structures in the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheImage {
    /// Addresses, each with the bytes to use there.
    pub entries: Vec<(Address, Bytes)>,
}

const BLOCK: &str = "metadata cache image";

impl CacheImageInfo {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(0..=0)?;
        Ok(Self { address: cursor.address("image block address")?, size: cursor.length("image block size")? })
    }
}

impl CacheImage {
    /// Parses the block; without a block, the image has no entries.
    pub fn parse(view: View<'_>, info: CacheImageInfo) -> Parse<Self> {
        let (Some(address), 1..) = (info.address, info.size) else {
            return Ok(Self { entries: Vec::new() });
        };
        let mut cursor = view.cursor(BLOCK, address, info.size)?;
        check_the_end(cursor.clone())?;
        cursor.signature(b"MDCI")?;
        cursor.version(0..=0)?;
        cursor.flags(0)?;
        let at = cursor.at();
        let size = cursor.length("image data length")?;
        if size != info.size {
            let what = format!("{size} bytes, but the message says {}", info.size);
            return Err(cursor.invalid_at(at, "image data length", what).into());
        }
        let count = cursor.u32("number of entries")?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let at = cursor.at();
            let (address, bytes) = entry(&mut cursor)?;
            if !view.holds(view.absolute(address), bytes.len() as u64) {
                let what = format!("{} bytes for {address}, beyond the end of the file", bytes.len());
                return Err(cursor.invalid_at(at, "entry address", what).into());
            }
            entries.push((address, bytes));
        }
        Ok(Self { entries })
    }
}

fn check_the_end(mut cursor: Cursor) -> Result<(), FormatError> {
    let before =
        cursor.left().checked_sub(4).ok_or_else(|| cursor.invalid("size", "no room for a checksum"))?;
    cursor.skip("entries", before)?;
    cursor.checksum()
}

fn entry(cursor: &mut Cursor) -> Result<(Address, Bytes), FormatError> {
    cursor.skip("type, flags, ring and age", 4)?;
    cursor.skip("flush dependency children", 4)?;
    let parents = cursor.u16("flush dependency parents")?;
    cursor.skip("rank in the list of least recent use", 4)?;
    let address = cursor.address_defined("entry address")?;
    let at = cursor.at();
    let size = cursor.length("entry size")?;
    if size == 0 {
        return Err(cursor.invalid_at(at, "entry size", "an entry of 0 bytes"));
    }
    cursor.skip("flush dependency parents", usize::from(parents) * usize::from(cursor.widths().offset))?;
    let bytes = cursor.bytes("entry", usize::try_from(size).unwrap_or(usize::MAX))?;
    Ok((address, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fetched;
    use crate::testing::Build;

    /// A file of 200 bytes with an image at 40 that replaces bytes 8 to 11.
    fn file() -> (Build, CacheImageInfo) {
        let entry = Build::default().zeros(8).u16(1).zeros(4).address(8).length(4).address(77).bytes(b"seen");
        let size = 18 + entry.len() as u64 + 4;
        let image = Build::default().bytes(b"MDCI").u8(0).u8(0).length(size).u32(1).and(&entry).checksum();
        let file = Build::default().pad_to(40).and(&image).pad_to(200);
        (file, CacheImageInfo { address: Some(Address(40)), size })
    }

    #[test]
    fn the_image_is_seen_where_its_entries_belong() {
        let (file, info) = file();
        let file = file.done();
        let view = View::new(&file);
        let image = CacheImage::parse(view, info).unwrap();
        assert_eq!(image.entries, [(Address(8), Bytes::from_static(b"seen"))]);
        let entries = OverlayEntries::new(view, &image);
        assert_eq!(Overlay::new(&file, &entries).get(7, 6).unwrap()[..], *b"\0seen\0");
    }

    #[test]
    fn damage_is_noticed_and_nothing_panics() {
        let (file, info) = file();
        for at in 40..40 + info.size as usize {
            let damaged = file.with_byte(at, 0x55).done();
            assert!(CacheImage::parse(View::new(&damaged), info).is_err(), "byte {at}");
        }
        for size in 0..info.size {
            let outcome = CacheImage::parse(View::new(&file.done()), CacheImageInfo { size, ..info });
            assert_eq!(outcome.is_ok(), size == 0);
        }
        let none = CacheImageInfo { address: None, size: 9 };
        assert!(CacheImage::parse(View::new(&file.done()), none).unwrap().entries.is_empty());
    }

    #[test]
    fn the_message_may_be_empty() {
        let body = Build::default().u8(0).address(u64::MAX).length(0);
        assert_eq!(CacheImageInfo::parse(body.cursor()), Ok(CacheImageInfo { address: None, size: 0 }));
        body.each_prefix(|cursor| assert!(CacheImageInfo::parse(cursor).is_err()));
    }
}
