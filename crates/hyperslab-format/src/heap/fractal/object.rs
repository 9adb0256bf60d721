//! The bytes of an object of a fractal heap, and where they lie.

use crate::{Bytes, Cursor, Widths};

/// An object, or a block of objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapObject {
    /// Its bytes.
    pub bytes: Bytes,
    /// Where they lie in the file. Bytes that came out of filters lie nowhere: then it is where the stored ones begin,
    /// as it is where the heap begins for an object that lies in its own ID.
    pub at: u64,
    /// They are stored as they are, so that places within them are places in the file.
    plain: bool,
}

impl HeapObject {
    /// Bytes as the file has them at `at`.
    pub(crate) fn plain(bytes: Bytes, at: u64) -> Self {
        Self { bytes, at, plain: true }
    }

    /// Bytes made from what the file has at `at`.
    pub(super) fn derived(bytes: Bytes, at: u64) -> Self {
        Self { bytes, at, plain: false }
    }

    /// A part of a block.
    pub(super) fn part(&self, start: u64, len: u64) -> Self {
        let bytes = self.bytes.slice(start as usize..(start + len) as usize);
        let at = if self.plain { self.at.saturating_add(start) } else { self.at };
        Self { bytes, at, plain: self.plain }
    }

    /// A cursor over the bytes. Errors point into the file, where they can.
    pub fn cursor(&self, structure: &'static str, widths: Widths) -> Cursor {
        self.clone().into_cursor(structure, widths)
    }

    /// The same, of an object that is wanted for nothing else.
    pub fn into_cursor(self, structure: &'static str, widths: Widths) -> Cursor {
        let cursor = Cursor::new(structure, self.at, self.bytes, widths);
        if self.plain { cursor } else { cursor.derived() }
    }
}
