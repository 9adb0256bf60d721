//! The names of an old-style group, in its local heap: all of them, or one at a time.

use crate::heap::{HeapText, LocalHeap};
use crate::{Address, Name, Parse, View};

/// A heap of up to this many bytes is read whole even for a single name: that takes one request, however many names are
/// compared.
const WHOLE_BYTES_MAX: u64 = 64 << 10;

/// The names, as far as they have been read.
#[derive(Debug)]
pub(super) enum Names {
    /// All names.
    Read(HeapText),
    /// No names; each is read when it is needed.
    Unread(LocalHeap),
}

impl Names {
    /// Reads all names of the heap at `address`.
    pub(super) fn all(view: &View, address: Address) -> Parse<Self> {
        Ok(Self::Read(LocalHeap::parse(view, address)?.read(view)?))
    }

    /// Prepares to search for one name: reads all names if the heap is small, otherwise none.
    pub(super) fn few(view: &View, address: Address) -> Parse<Self> {
        let heap = LocalHeap::parse(view, address)?;
        Ok(if heap.len() <= WHOLE_BYTES_MAX { Self::Read(heap.read(view)?) } else { Self::Unread(heap) })
    }

    /// The text at an offset.
    pub(super) fn text(&self, view: &View, field: &'static str, offset: u64) -> Parse<Name> {
        match self {
            Self::Read(text) => Ok(text.text(field, offset)?),
            Self::Unread(heap) => heap.text(view, field, offset),
        }
    }

    /// Requests the text at an offset, which will be needed later.
    pub(super) fn ask(&self, view: &View, field: &'static str, offset: u64) -> Parse<()> {
        match self {
            Self::Read(_) => Ok(()),
            Self::Unread(heap) => heap.ask(view, field, offset),
        }
    }
}
