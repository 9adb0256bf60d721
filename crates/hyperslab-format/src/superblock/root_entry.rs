//! The symbol table entry of the root group (specification III.C), the last field of superblocks of versions 0 and 1.
//!
//! ```text
//! link name offset L | object header O | cache type 4 | reserved 4 | scratch-pad 16
//! ```

use crate::{Address, Cursor, Encoder, FormatError};

pub(super) struct RootEntry {
    pub header: Address,
    pub symbol_table: Option<(Address, Address)>,
}

const NOTHING: u32 = 0;
const SYMBOL_TABLE: u32 = 1;
const SYMBOLIC_LINK: u32 = 2;
const SCRATCH: usize = 16;

pub(super) fn parse(cursor: &mut Cursor) -> Result<RootEntry, FormatError> {
    cursor.length("root entry, link name offset")?;
    let header = cursor.address_defined("root entry, object header address")?;
    let at = cursor.at();
    let cache = cursor.u32("root entry, cache type")?;
    cursor.skip("root entry, reserved", 4)?;
    let mut scratch = cursor.sub("root entry, scratch-pad", SCRATCH)?;
    let symbol_table = match cache {
        NOTHING | SYMBOLIC_LINK => None,
        SYMBOL_TABLE => {
            let btree = scratch.address("root entry, B-tree address")?;
            btree.zip(scratch.address("root entry, name heap address")?)
        }
        other => {
            let what = format!("unknown cache type {other}");
            return Err(cursor.invalid_at(at, "root entry, cache type", what));
        }
    };
    Ok(RootEntry { header, symbol_table })
}

pub(super) fn encode(header: Address, symbol_table: Option<(Address, Address)>, out: &mut Encoder) {
    out.length("root entry, link name offset", 0);
    out.address("root entry, object header address", Some(header));
    out.u32(if symbol_table.is_some() { SYMBOL_TABLE } else { NOTHING });
    out.zeros(4);
    let start = out.position();
    if let Some((btree, heap)) = symbol_table {
        out.address("root entry, B-tree address", Some(btree));
        out.address("root entry, name heap address", Some(heap));
    }
    out.zeros(start + SCRATCH - out.position());
}
