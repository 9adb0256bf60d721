//! Metadata Cache Image message (specification IV.A.2.y, type 0x18) and the block it points to: metadata that the
//! writer left in one piece when it closed the file, instead of writing each structure to its own place.
//!
//! ```text
//! message   version 0 | block address O | block size L
//!
//! block     "MDCI" | version 0 | flags 1 | block size L | entries 4 | entries | checksum 4
//! entry     type 1 | flags 1 | ring 1 | age 1 | children 2 | dirty children 2 | parents 2 | rank 4
//!           | address O | size L | parents × address O | the bytes that belong to the address
//! ```
//!
//! What lies at the addresses of the entries may be anything: a reader has to see the bytes of the image there.

use crate::{Address, Bytes, Cursor, FormatError, Parse, View};

/// Where the image is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheImageInfo {
    /// The block; `None` where there is none.
    pub address: Option<Address>,
    /// Bytes of the block.
    pub size: u64,
}

/// The structures of the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheImage {
    /// Addresses, with the bytes to be seen there.
    pub entries: Vec<(Address, Bytes)>,
}

const BLOCK: &str = "metadata cache image";

impl CacheImageInfo {
    /// Reads the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        cursor.version(0..=0)?;
        Ok(Self { address: cursor.address("image block address")?, size: cursor.length("image block size")? })
    }
}

impl CacheImage {
    /// Reads the block; without one, an image without entries.
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
        let entries = (0..count).map(|_| entry(&mut cursor)).collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }
}

fn check_the_end(mut cursor: Cursor) -> Result<(), FormatError> {
    let before = cursor.left().checked_sub(4).ok_or_else(|| cursor.invalid("size", "no room for a checksum"))?;
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
