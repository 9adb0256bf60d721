//! The names of an old-style group, which its local heap keeps: all of them, or one at a time.

use crate::heap::{HeapText, LocalHeap};
use crate::{Address, Name, Parse, View};

/// Heaps up to this many bytes are read whole for a single name too: one request, however many names are compared.
const WHOLE_BYTES_MAX: u64 = 64 << 10;

/// The names, as far as they have been read.
#[derive(Debug)]
pub(super) enum Names {
    /// All of them.
    Read(HeapText),
    /// None: each is read when it is wanted.
    Unread(LocalHeap),
}

impl Names {
    /// All names of the heap at `address`.
    pub(super) fn all(view: &View, address: Address) -> Parse<Self> {
        Ok(Self::Read(LocalHeap::parse(view, address)?.read(view)?))
    }

    /// Names to seek one among.
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

    /// Asks for the text at an offset, which will be wanted.
    pub(super) fn ask(&self, view: &View, field: &'static str, offset: u64) -> Parse<()> {
        match self {
            Self::Read(_) => Ok(()),
            Self::Unread(heap) => heap.ask(view, field, offset),
        }
    }
}
