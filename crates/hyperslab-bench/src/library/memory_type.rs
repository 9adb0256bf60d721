//! The type that elements of a libhdf5 have in memory.

use super::LibraryError;
use super::compound;
use super::datatype::{COMPOUND, class};
use super::handle::Handle;
use crate::study::Layout;
use std::cell::OnceCell;

/// The type of elements in memory.
pub(super) struct MemoryType {
    pub(super) handle: Handle,
    /// Where the fields of records lie, if all of them are numbers and text: found when it is asked for.
    layout: OnceCell<Option<Layout>>,
}

impl MemoryType {
    /// A type whose fields are not known yet.
    pub(super) fn new(handle: Handle) -> Self {
        Self { handle, layout: OnceCell::new() }
    }

    /// A type of records that was made to lie so.
    pub(super) fn of_records(handle: Handle, layout: Layout) -> Self {
        Self { handle, layout: OnceCell::from(Some(layout)) }
    }

    /// Bytes of an element.
    pub(super) fn bytes(&self) -> usize {
        // SAFETY: an open type.
        unsafe { (self.handle.api.functions.H5Tget_size)(self.handle.id) }
    }

    /// Where the fields of records lie, if all of them are numbers and text.
    pub(super) fn layout(&self) -> Result<Option<&Layout>, LibraryError> {
        if self.layout.get().is_none() {
            let is_record = class(&self.handle) == COMPOUND;
            let layout = if is_record { compound::layout(&self.handle)? } else { None };
            let _ = self.layout.set(layout);
        }
        Ok(self.layout.get().and_then(Option::as_ref))
    }
}
