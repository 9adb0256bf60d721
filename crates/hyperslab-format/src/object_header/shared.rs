//! Shared messages (specification IV.A.2, "Shared Message"): a body that contains only the location of the message,
//! which is in another object header (a committed datatype) or in the heap of the file's shared message table.
//!
//! ```text
//! version 1   1 | type 1 | reserved 6 | (length, unused) | object header address
//! version 2   2 | type 1 | object header address
//! version 3   3 | type 1 | type 1: heap ID 8; otherwise: object header address
//! ```

use super::{MessageKind, ObjectHeader, SharedMessageTable};
use crate::heap::fractal::FractalHeap;
use crate::limits::SHARED_DEPTH_MAX;
use crate::{Address, Bytes, Cursor, Encoder, FormatError, Parse, View};
use std::collections::HashMap;

/// The information needed to resolve shared messages: the file, and its table of shared messages if it has one.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The file.
    pub view: View<'a>,
    /// The table that the superblock extension points to.
    pub shared: Option<&'a SharedMessageTable>,
}

impl<'a> From<View<'a>> for Context<'a> {
    /// A file without a table of shared messages.
    fn from(view: View<'a>) -> Self {
        Self { view, shared: None }
    }
}

/// The body of a message, after shared messages have been resolved.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Positioned at the start of the body.
    pub cursor: Cursor,
    /// The address of the object header that contains the message, if it is another one.
    pub committed: Option<Address>,
}

/// A cache of resolved shared messages. Thousands of attributes may have the same datatype; with this, its object
/// header is read only once.
#[derive(Debug, Default)]
pub struct Found {
    messages: HashMap<(MessageKind, Location), (Cursor, bool)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Location {
    Header(Address),
    Heap(Bytes),
}

const IN_HEAP: u8 = 1;
const HEAP_ID_BYTES: usize = 8;

impl Context<'_> {
    /// The body of a message of this kind: that of `cursor` or, if it is `shared`, that at the location in it.
    pub fn resolve(
        self,
        kind: MessageKind,
        shared: bool,
        cursor: Cursor,
        found: &mut Found,
    ) -> Parse<Resolved> {
        let mut resolved = Resolved { cursor, committed: None };
        let mut shared = shared;
        for _ in 0..SHARED_DEPTH_MAX {
            if !shared {
                return Ok(resolved);
            }
            let at = resolved.cursor.at();
            let location = location(resolved.cursor)?;
            if let Location::Header(address) = location {
                resolved.committed.get_or_insert(address);
            }
            let key = (kind, location);
            (resolved.cursor, shared) = match found.messages.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let new = self.look_up(kind, &key.1, at)?;
                    found.messages.insert(key, new.clone());
                    new
                }
            };
        }
        if !shared {
            return Ok(resolved);
        }
        let (limit, max, at) = ("SHARED_DEPTH_MAX", SHARED_DEPTH_MAX, resolved.cursor.at());
        Err(FormatError::limit(kind.structure(), "shared message", at, limit, max, max + 1).into())
    }

    /// The body at a location, and whether that message is shared again.
    fn look_up(self, kind: MessageKind, location: &Location, at: u64) -> Parse<(Cursor, bool)> {
        match location {
            Location::Header(address) => {
                let header = ObjectHeader::parse(self.view, *address)?;
                let Some(message) = header.first(kind) else {
                    let what = format!("the object header at {address} has no such message");
                    return Err(FormatError::invalid(kind.structure(), "shared message", at, what).into());
                };
                Ok((message.cursor(self.view.widths), message.is_shared()))
            }
            Location::Heap(id) => Ok((self.heap_message(kind, id, at)?, false)),
        }
    }

    /// The body of a message in the heap of shared messages. `at` is the absolute offset of its heap ID, for errors.
    pub fn heap_message(self, kind: MessageKind, id: &[u8], at: u64) -> Parse<Cursor> {
        let Some(address) = self.shared.and_then(|table| table.heap(kind)) else {
            let what = "the file has no heap for shared messages of this type";
            return Err(FormatError::invalid(kind.structure(), "heap ID", at, what).into());
        };
        let heap = FractalHeap::parse(&self.view, address)?;
        Ok(heap.object(&self.view, id)?.cursor(kind.structure(), self.view.widths))
    }
}

fn location(mut cursor: Cursor) -> Result<Location, FormatError> {
    let version = cursor.version(1..=3)?;
    let kind = cursor.u8("type")?;
    if version == 1 {
        // Formerly a symbol table entry, of which only the object header was ever used.
        cursor.skip("reserved", 6)?;
        cursor.length("link name offset")?;
    } else if kind == IN_HEAP {
        return Ok(Location::Heap(cursor.bytes("heap ID", HEAP_ID_BYTES)?));
    }
    Ok(Location::Header(cursor.address_defined("object header address")?))
}

/// Encodes the location of a message in another object header, in version 2: a committed datatype.
pub(crate) fn encode(out: &mut Encoder, header: Address) {
    const IN_HEADER: u8 = 2;
    out.u8(2);
    out.u8(IN_HEADER);
    out.address("object header address", Some(header));
}

#[cfg(test)]
mod tests;
