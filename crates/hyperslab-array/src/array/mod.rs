//! Arrays, independently of the file format: their shape, their elements, and their storage.
//!
//! ```text
//! Array ─┬─ shape, largest shape
//!        ├─ ElementSpec    bytes, and how they become native byte order
//!        ├─ fill element   of what was never written
//!        └─ Storage        compact, contiguous, external, chunked, virtual
//!                              └─ Chunked: chunk shape, grid, filters, chunk index
//! ```
//!
//! A reader of a file format creates an [`Array`] when it opens a dataset. Planning and reading use only the array.

mod chunked;
mod data_source;
mod element;
mod filters;
mod operation;
mod origin;
mod records;
mod small_reads;
mod storage;
mod virtual_sources;

pub use chunked::{ChunkState, Chunked, check_grid};
pub use data_source::DataSource;
pub use element::{ElementSpec, Endianness};
pub use filters::{FilterSettings, Filters, describe_filter, describe_filter_in_use};
pub use operation::Operation;
pub use origin::Origin;
pub use records::{Records, Swaps};
pub use storage::Storage;
pub use virtual_sources::{ConvertElements, ElementChange, VirtualPart, VirtualSources};

use crate::read::convert::Conversion;
use crate::selection::{FieldSubset, Measured};
use crate::{Error, Result, Selection};

/// An array that can be read.
#[derive(Clone)]
pub struct Array {
    /// Where the array was found.
    pub origin: Origin,
    /// Sizes along the axes, slowest first; empty for a single element.
    pub shape: Vec<u64>,
    /// The array has no element, although its shape is empty (a null dataspace).
    pub is_null: bool,
    /// What an element is.
    pub element: ElementSpec,
    /// One element as it is stored, for those that were never written; empty stands for zeros.
    pub fill: Vec<u8>,
    /// Where the elements are stored.
    pub storage: Storage,
}

impl Array {
    /// What a read of a selection gives; nothing where the array has no elements.
    pub fn measure<'s>(&self, selection: &'s Selection) -> Result<Measured<'s>> {
        let mut wanted = Measured::new(selection.resolve(&self.shape)?)?;
        if self.is_null {
            wanted.count = 0;
        }
        Ok(wanted)
    }

    /// The conversion that brings elements into a byte order.
    pub fn conversion(&self, order: Endianness) -> Result<Conversion> {
        match order {
            Endianness::File => Ok(self.element.to_datatype),
            Endianness::Native => self.element.to_native.ok_or_else(|| {
                Error::unsupported("this datatype cannot be brought into native byte order as it is read")
                    .with_hint("read it in the file's own order")
            }),
        }
    }

    /// The bytes of one unwritten element, converted like those read.
    pub(crate) fn fill_element(&self, conversion: Conversion, parts: Option<&FieldSubset>) -> Vec<u8> {
        if self.fill.is_empty() {
            return Vec::new();
        }
        let mut element = self.fill.clone();
        conversion.in_place(&mut element);
        let Some(parts) = parts else { return element };
        let mut wanted = vec![0; parts.bytes()];
        parts.gather(&element, &mut wanted);
        wanted
    }
}
