//! Superblock (specification II.A), versions 0 to 3: the first structure of a file, where everything else begins.
//!
//! ```text
//! version 0, 1   signature 8 | version | 3 versions and a reserved byte | widths 2 | reserved 1 | K 2 × 2 | flags 4
//!                | [version 1: K 2 | reserved 2] | base | free space | end of file | driver information | root entry
//! version 2, 3   signature 8 | version | widths 2 | flags 1 | base | extension | end of file | root | checksum 4
//! ```
//!
//! It lies at byte 0 or, after a user block, at 512, 1024, 2048 and so on. Like libhdf5 we believe the place where it
//! is found rather than the base address that it states: files are given and robbed of user blocks by tools that do
//! not know what they cut.

mod extension;
mod root_entry;

pub use extension::SuperblockExtension;

use crate::{Address, Cursor, FormatError, Gather, Parse, View, Widths};

/// The first structure of a file: where everything else begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Superblock {
    /// 0 to 3.
    pub version: u8,
    /// Absolute offset of the signature (length of the user block).
    pub at: u64,
    /// What addresses are relative to: equal to `at`, whatever the file says.
    pub base: u64,
    /// The base address that the file says.
    pub stored_base: u64,
    /// Sizes of offsets and lengths.
    pub widths: Widths,
    /// End of file as stored (relative to `base`).
    pub end_of_file: Address,
    /// Absolute offset of the field that says so.
    pub end_of_file_at: u64,
    /// Object header of the root group.
    pub root: Address,
    /// Symbol table of the root group, cached in the superblock (versions 0 and 1): B-tree and local heap.
    pub root_symbol_table: Option<(Address, Address)>,
    /// Object header with further properties of the file (versions 2 and 3).
    pub extension: Option<Address>,
    /// Driver information block (versions 0 and 1).
    pub driver_info: Option<Address>,
    /// "File Consistency Flags": [`Self::WRITE_ACCESS`] and [`Self::SWMR_WRITE_ACCESS`].
    pub consistency_flags: u8,
    /// Half the most entries of a symbol table node (K of leaf nodes, versions 0 and 1; default 4).
    pub group_leaf_k: u16,
    /// Half the most children of a group B-tree node (default 16).
    pub group_internal_k: u16,
    /// Half the most children of a chunk B-tree node (versions 1; default 32).
    pub chunk_internal_k: u16,
}

const STRUCTURE: &str = "superblock";
/// What an HDF5 file begins with, or what follows its user block.
pub const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
const USER_BLOCK_MIN: u64 = 512;
/// Long enough for all versions in the widest widths.
const LONGEST: u64 = 100;
/// Bit 0x02 is "file is consistent", of old libraries.
const FLAGS: u8 = 0x07;
const K_LEAF: u16 = 4;
const K_GROUP: u16 = 16;
const K_CHUNK: u16 = 32;

/// Finds and reads the superblock.
pub fn locate(view: View<'_>) -> Parse<Superblock> {
    if let Some(cursor) = candidate(view, 0)? {
        return Ok(parse(cursor)?);
    }
    // Nearly always it was there. Otherwise all other places are asked for at once; the first counts.
    let mut gather = Gather::default();
    let mut at = USER_BLOCK_MIN;
    while at < view.file_len() {
        if let Some(Some(cursor)) = gather.take(candidate(view, at))? {
            gather.finish()?;
            return Ok(parse(cursor)?);
        }
        at = at.saturating_mul(2);
    }
    gather.finish()?;
    let what = "not an HDF5 file: no HDF5 signature at byte 0, nor at 512, 1024, 2048, ...";
    Err(FormatError::invalid(STRUCTURE, "signature", 0, what).into())
}

/// A cursor after the signature, if there is one at this byte of the file.
fn candidate(view: View<'_>, at: u64) -> Parse<Option<Cursor>> {
    if view.file_len().saturating_sub(at) < SIGNATURE.len() as u64 {
        return Ok(None);
    }
    let mut cursor = view.with(at, Widths::default()).cursor_up_to(STRUCTURE, Address(0), LONGEST)?;
    let found = cursor.bytes("signature", SIGNATURE.len())?;
    Ok((found[..] == SIGNATURE).then_some(cursor))
}

fn parse(mut cursor: Cursor) -> Result<Superblock, FormatError> {
    match cursor.version(0..=3)? {
        version @ 0..=1 => parse_early(cursor, version),
        version => parse_late(cursor, version),
    }
}

fn parse_early(mut cursor: Cursor, version: u8) -> Result<Superblock, FormatError> {
    let at = cursor.at() - SIGNATURE.len() as u64 - 1;
    for field in ["version of the file's free space storage", "version of the root group symbol table entry"]
    {
        zero(&mut cursor, field)?;
    }
    cursor.skip("reserved", 1)?;
    zero(&mut cursor, "version of shared header message format")?;
    let widths = widths(&mut cursor)?;
    let mut cursor = cursor.with_widths(widths);
    cursor.skip("reserved", 1)?;
    let group_leaf_k = rank(&mut cursor, "group leaf node K")?;
    let group_internal_k = rank(&mut cursor, "group internal node K")?;
    let flags_at = cursor.at();
    let flags = cursor.u32("file consistency flags")?;
    let consistency_flags = u8::try_from(flags).unwrap_or(u8::MAX);
    check_flags(&cursor, flags_at, consistency_flags)?;
    let mut chunk_internal_k = K_CHUNK;
    if version == 1 {
        chunk_internal_k = cursor.u16("indexed storage internal node K")?;
        cursor.skip("reserved", 2)?;
    }
    let base_at = cursor.at();
    let base = cursor.address_defined("base address")?;
    let free_space_at = cursor.at();
    if cursor.address("address of file free space info")?.is_some() {
        let what = "it is defined, which no version of the library ever wrote";
        return Err(cursor.invalid_at(free_space_at, "address of file free space info", what));
    }
    let end_at = cursor.at();
    let end = cursor.address_defined("end of file address")?;
    let end_of_file = end_of_file(&cursor, base_at, base, end)?;
    let driver_at = cursor.at();
    let driver_info = cursor.address("driver information block address")?;
    if driver_info.is_some_and(|driver| driver >= end) {
        let what = format!("it is beyond the end of the file, {end}");
        return Err(cursor.invalid_at(driver_at, "driver information block address", what));
    }
    let entry = root_entry::parse(&mut cursor)?;
    Ok(Superblock {
        version,
        at,
        base: at,
        stored_base: base.0,
        widths,
        end_of_file,
        end_of_file_at: end_at,
        root: entry.header,
        root_symbol_table: entry.symbol_table,
        extension: None,
        driver_info,
        consistency_flags,
        group_leaf_k,
        group_internal_k,
        chunk_internal_k,
    })
}

fn parse_late(mut cursor: Cursor, version: u8) -> Result<Superblock, FormatError> {
    let at = cursor.at() - SIGNATURE.len() as u64 - 1;
    let widths = widths(&mut cursor)?;
    let mut cursor = cursor.with_widths(widths);
    let flags_at = cursor.at();
    let consistency_flags = cursor.u8("file consistency flags")?;
    let base_at = cursor.at();
    let base = cursor.address_defined("base address")?;
    let extension_at = cursor.at();
    let extension = cursor.address("superblock extension address")?;
    let end_at = cursor.at();
    let end = cursor.address_defined("end of file address")?;
    let root_at = cursor.at();
    let root = cursor.address_defined("root group object header address")?;
    // What a damaged superblock says is no news; that it is damaged comes first.
    cursor.checksum()?;
    check_flags(&cursor, flags_at, consistency_flags)?;
    let end_of_file = end_of_file(&cursor, base_at, base, end)?;
    for (place, address, field) in [
        (root_at, Some(root), "root group object header address"),
        (extension_at, extension, "superblock extension address"),
    ] {
        if address.is_some_and(|address| address >= end_of_file) {
            let what = format!("it is beyond the end of the file, {end_of_file}");
            return Err(cursor.invalid_at(place, field, what));
        }
    }
    Ok(Superblock {
        version,
        at,
        base: at,
        stored_base: base.0,
        widths,
        end_of_file,
        end_of_file_at: end_at,
        root,
        root_symbol_table: None,
        extension,
        driver_info: None,
        consistency_flags,
        group_leaf_k: K_LEAF,
        group_internal_k: K_GROUP,
        chunk_internal_k: K_CHUNK,
    })
}

fn zero(cursor: &mut Cursor, field: &'static str) -> Result<(), FormatError> {
    let at = cursor.at();
    match cursor.u8(field)? {
        0 => Ok(()),
        other => {
            let what = format!("version {other} is not known (0 is)");
            Err(FormatError::unsupported(STRUCTURE, field, at, what))
        }
    }
}

fn widths(cursor: &mut Cursor) -> Result<Widths, FormatError> {
    let mut width = |field| {
        let at = cursor.at();
        match cursor.u8(field)? {
            known @ (2 | 4 | 8) => Ok(known),
            wide @ (16 | 32) => {
                let what = format!("numbers of {wide} bytes are not read (2, 4 and 8 are)");
                Err(FormatError::unsupported(STRUCTURE, field, at, what))
            }
            other => Err(cursor.invalid_at(at, field, format!("numbers of {other} bytes"))),
        }
    };
    Ok(Widths { offset: width("size of offsets")?, length: width("size of lengths")? })
}

fn rank(cursor: &mut Cursor, field: &'static str) -> Result<u16, FormatError> {
    let at = cursor.at();
    match cursor.u16(field)? {
        0 => Err(cursor.invalid_at(at, field, "it is 0")),
        rank => Ok(rank),
    }
}

fn check_flags(cursor: &Cursor, at: u64, flags: u8) -> Result<(), FormatError> {
    if flags & !FLAGS == 0 {
        return Ok(());
    }
    let what = format!("flags {flags:#04x} have bits that are not known");
    Err(cursor.invalid_at(at, "file consistency flags", what))
}

/// The stored end of file counts from the beginning of the file that was written: user block included.
fn end_of_file(cursor: &Cursor, at: u64, base: Address, end: Address) -> Result<Address, FormatError> {
    if base >= end {
        let what = format!("it is beyond the end of the file, {end}");
        return Err(cursor.invalid_at(at, "base address", what));
    }
    Ok(Address(end.0 - base.0))
}

impl Superblock {
    /// Consistency flag: a writer has the file open, or died.
    pub const WRITE_ACCESS: u8 = 0x01;
    /// Consistency flag: the writer lets others read meanwhile (single writer, multiple readers).
    pub const SWMR_WRITE_ACCESS: u8 = 0x04;

    /// The view that all other parsers need: with the base and the widths of this file.
    pub fn view<'a>(&self, view: View<'a>) -> View<'a> {
        view.with(self.base, self.widths)
    }

    /// Refuses a file that is shorter than its superblock says: cut off, not closed, or only a part of several.
    /// Those who read next to a writer, or only want to look, go without.
    pub fn check_end_of_file(&self, file_len: u64) -> Result<(), FormatError> {
        let end = self.base.saturating_add(self.end_of_file.0);
        if file_len >= end {
            return Ok(());
        }
        let what = format!("the file has {file_len} bytes, but should have {end}: it is truncated");
        Err(FormatError::invalid(STRUCTURE, "end of file address", self.end_of_file_at, what))
    }
}

#[cfg(test)]
mod tests;
