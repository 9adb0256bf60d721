//! Superblock (specification II.A), versions 0 to 3: the first structure of a file, which leads to all others.
//!
//! ```text
//! version 0, 1   signature 8 | version | 3 versions and a reserved byte | widths 2 | reserved 1 | K 2 × 2 | flags 4
//!                | [version 1: K 2 | reserved 2] | base | free space | end of file | driver information | root entry
//! version 2, 3   signature 8 | version | widths 2 | flags 1 | base | extension | end of file | root | checksum 4
//! ```
//!
//! It is at byte 0 or, after a user block, at 512, 1024, 2048 and so on. As in libhdf5, the offset at which it is found
//! takes precedence over the base address stored in it: some tools add or remove user blocks without updating that
//! address.

mod extension;
mod root_entry;

pub use extension::SuperblockExtension;

use crate::{Address, Cursor, Encoder, FormatError, Gather, Parse, View, Widths};

/// The first structure of a file, which leads to all others.
#[derive(Debug, Clone, PartialEq)]
pub struct Superblock {
    /// The version, 0 to 3.
    pub version: u8,
    /// The absolute offset of the signature (the length of the user block).
    pub at: u64,
    /// The base that addresses are relative to: equal to `at`, whatever the stored base address is.
    pub base: u64,
    /// The base address stored in the file.
    pub stored_base: u64,
    /// The widths of offsets and lengths.
    pub widths: Widths,
    /// The stored end-of-file address (relative to `base`).
    pub end_of_file: Address,
    /// The absolute offset of the end-of-file field.
    pub end_of_file_at: u64,
    /// The object header of the root group.
    pub root: Address,
    /// The symbol table of the root group, cached in the superblock (versions 0 and 1): B-tree and local heap.
    pub root_symbol_table: Option<(Address, Address)>,
    /// The object header with further properties of the file (versions 2 and 3).
    pub extension: Option<Address>,
    /// The driver information block (versions 0 and 1).
    pub driver_info: Option<Address>,
    /// "File Consistency Flags": [`Self::WRITE_ACCESS`] and [`Self::SWMR_WRITE_ACCESS`].
    pub consistency_flags: u8,
    /// Half the maximum number of entries of a symbol table node (K of leaf nodes, versions 0 and 1; default 4).
    pub group_leaf_k: u16,
    /// Half the maximum number of children of a group B-tree node (default 16).
    pub group_internal_k: u16,
    /// Half the maximum number of children of a chunk B-tree node (version 1; default 32).
    pub chunk_internal_k: u16,
}

const STRUCTURE: &str = "superblock";
/// The signature at the start of an HDF5 file, or after its user block.
pub const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";
const USER_BLOCK_MIN: u64 = 512;
/// Long enough for all versions with the largest widths.
const LONGEST: u64 = 100;
/// Bit 0x02 is "file is consistent" in old libraries.
const FLAGS: u8 = 0x07;
const K_LEAF: u16 = 4;
const K_GROUP: u16 = 16;
const K_CHUNK: u16 = 32;

/// Finds and parses the superblock.
pub fn locate(view: View<'_>) -> Parse<Superblock> {
    if let Some(cursor) = candidate(view, 0)? {
        return Ok(parse(cursor)?);
    }
    // It is almost always at byte 0. Otherwise all other offsets are requested together, and the first match counts.
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

/// A cursor after the signature, if there is one at this offset.
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
        let what = "the address is defined, but no version of the library writes that";
        return Err(cursor.invalid_at(free_space_at, "address of file free space info", what));
    }
    let end_at = cursor.at();
    let end = cursor.address_defined("end of file address")?;
    let end_of_file = end_of_file(&cursor, base_at, base, end)?;
    let driver_at = cursor.at();
    let driver_info = cursor.address("driver information block address")?;
    if driver_info.is_some_and(|driver| driver >= end) {
        let what = format!("the address is beyond the end of the file, {end}");
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
    // The checksum is verified before the fields: that the superblock is damaged matters more than what a damaged field
    // contains.
    cursor.checksum()?;
    check_flags(&cursor, flags_at, consistency_flags)?;
    let end_of_file = end_of_file(&cursor, base_at, base, end)?;
    for (place, address, field) in [
        (root_at, Some(root), "root group object header address"),
        (extension_at, extension, "superblock extension address"),
    ] {
        if address.is_some_and(|address| address >= end_of_file) {
            let what = format!("the address is beyond the end of the file, {end_of_file}");
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
            let what = format!("unknown version {other}; only 0 is known");
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
                let what = format!("widths of {wide} bytes are not supported; 2, 4 and 8 are");
                Err(FormatError::unsupported(STRUCTURE, field, at, what))
            }
            other => Err(cursor.invalid_at(at, field, format!("{other} is not a valid width"))),
        }
    };
    Ok(Widths { offset: width("size of offsets")?, length: width("size of lengths")? })
}

fn rank(cursor: &mut Cursor, field: &'static str) -> Result<u16, FormatError> {
    let at = cursor.at();
    match cursor.u16(field)? {
        0 => Err(cursor.invalid_at(at, field, "the value is 0")),
        rank => Ok(rank),
    }
}

fn check_flags(cursor: &Cursor, at: u64, flags: u8) -> Result<(), FormatError> {
    if flags & !FLAGS == 0 {
        return Ok(());
    }
    let what = format!("unknown bits in flags {flags:#04x}");
    Err(cursor.invalid_at(at, "file consistency flags", what))
}

/// The stored end of file is relative to the start of the file as it was written, including its user block.
fn end_of_file(cursor: &Cursor, at: u64, base: Address, end: Address) -> Result<Address, FormatError> {
    if base >= end {
        let what = format!("the address is beyond the end of the file, {end}");
        return Err(cursor.invalid_at(at, "base address", what));
    }
    Ok(Address(end.0 - base.0))
}

impl Superblock {
    /// Consistency flag: a writer has the file open, or crashed.
    pub const WRITE_ACCESS: u8 = 0x01;
    /// Consistency flag: the writer allows concurrent readers (single writer, multiple readers).
    pub const SWMR_WRITE_ACCESS: u8 = 0x04;

    /// The view for all other parsers: with the base and the widths of this file.
    pub fn view<'a>(&self, view: View<'a>) -> View<'a> {
        view.with(self.base, self.widths)
    }

    /// The size of a superblock of this version in bytes.
    pub fn bytes(version: u8, widths: Widths) -> u64 {
        let (offset, length) = (u64::from(widths.offset), u64::from(widths.length));
        match version {
            0 => 24 + 5 * offset + length + 24,
            1 => 28 + 5 * offset + length + 24,
            _ => 16 + 4 * offset,
        }
    }

    /// Encodes the superblock, in its version. The place where it was found and where its fields were are not used.
    pub fn encode(&self, out: &mut Encoder) {
        let start = out.position();
        out.bytes(&SIGNATURE);
        out.u8(self.version);
        if self.version > 3 {
            out.refuse("version", format!("unknown version {}", self.version));
        }
        let base = Some(Address(self.stored_base));
        let end = self.end_of_file.0.checked_add(self.stored_base).map(Address);
        if self.version >= 2 {
            out.u8(self.widths.offset);
            out.u8(self.widths.length);
            out.u8(self.consistency_flags);
            out.address("base address", base);
            out.address("superblock extension address", self.extension);
            out.address("end of file address", end);
            out.address("root group object header address", Some(self.root));
            return out.checksum_since(start);
        }
        if self.extension.is_some() {
            out.refuse("superblock extension address", "versions 0 and 1 have no extension");
        }
        out.zeros(4);
        out.u8(self.widths.offset);
        out.u8(self.widths.length);
        out.u8(0);
        out.u16(self.group_leaf_k);
        out.u16(self.group_internal_k);
        out.u32(self.consistency_flags.into());
        if self.version == 1 {
            out.u16(self.chunk_internal_k);
            out.u16(0);
        }
        out.address("base address", base);
        out.address("address of file free space info", None);
        out.address("end of file address", end);
        out.address("driver information block address", self.driver_info);
        root_entry::encode(self.root, self.root_symbol_table, out);
    }

    /// Returns an error if the file is shorter than its superblock says: truncated, not closed, or only one of several
    /// files.
    /// Callers that read while a writer is active, or only want to inspect a file, skip this check.
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
