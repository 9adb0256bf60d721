//! The bytes of an object of a fractal heap, and their offset.

use crate::{Bytes, Cursor, Widths};

/// An object, or a block of objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapObject {
    /// Its bytes.
    pub bytes: Bytes,
    /// Their absolute offset in the file. For bytes that filters produced it is the offset of the stored bytes; for an
    /// object contained in its ID it is the offset of the heap.
    pub at: u64,
    /// True if the bytes are stored unchanged, so that offsets in them correspond to offsets in the file.
    plain: bool,
}

impl HeapObject {
    /// Bytes that are in the file at `at`.
    pub(crate) fn plain(bytes: Bytes, at: u64) -> Self {
        Self { bytes, at, plain: true }
    }

    /// Bytes computed from those in the file at `at`.
    pub(super) fn derived(bytes: Bytes, at: u64) -> Self {
        Self { bytes, at, plain: false }
    }

    /// A part of a block.
    pub(super) fn part(&self, start: u64, len: u64) -> Self {
        let bytes = self.bytes.slice(start as usize..(start + len) as usize);
        let at = if self.plain { self.at.saturating_add(start) } else { self.at };
        Self { bytes, at, plain: self.plain }
    }

    /// A cursor over the bytes. Errors report offsets in the file if possible.
    pub fn cursor(&self, structure: &'static str, widths: Widths) -> Cursor {
        self.clone().into_cursor(structure, widths)
    }

    /// The same, consuming the object.
    pub fn into_cursor(self, structure: &'static str, widths: Widths) -> Cursor {
        let cursor = Cursor::new(structure, self.at, self.bytes, widths);
        if self.plain { cursor } else { cursor.derived() }
    }
}
