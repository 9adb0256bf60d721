//! Fractal heaps (specification III.G), used for dense links, dense attributes and shared messages.
//!
//! ```text
//! "FRHP" | version 0 | heap ID length 2 | I/O filters' length 2 | flags | max. managed object 4
//!        | next huge ID | huge object B-tree | free space in managed blocks | free space manager
//!        | managed space | allocated of it | allocation iterator | managed objects
//!        | bytes, number of huge objects | bytes, number of tiny objects
//!        | doubling table (see doubling_table) | [root block's size | filter mask 4 | filter pipeline] | checksum 4
//! ```
//!
//! An object is found by its heap ID (see [`id`]). It is in a managed block ([`block`]), stored separately in the file
//! ("huge", see [`huge`]), or contained in the ID ("tiny"). [`objects`] reads many at once.
//!
//! Free space is not read; only writers need it. [`layout`] makes new heaps.

pub mod block;
pub mod doubling_table;
pub mod huge;
pub mod id;
pub mod layout;
pub mod object;
pub mod objects;
pub mod unfilter;

use crate::message::FilterPipeline;
use crate::{Address, Parse, View};
use doubling_table::DoublingTable;
pub use id::HeapIds;
pub use layout::{FractalHeapLayout, HeapShape};
pub use object::HeapObject;
pub use objects::{Each, Objects};
pub use unfilter::{NoFilters, Unfilter};

/// The header of a heap.
#[derive(Debug, Clone)]
pub struct FractalHeap {
    /// The address of the header, which every block repeats.
    pub address: Address,
    /// The size of a heap ID in bytes.
    pub id_bytes: u16,
    /// True if direct blocks have checksums.
    pub checksummed: bool,
    /// The size of the largest object that is stored in managed blocks, in bytes.
    pub managed_object_max: u32,
    /// The version 2 B-tree of huge objects.
    pub huge_index: Option<Address>,
    /// The size in bytes of the space that managed blocks fill.
    pub managed_space: u64,
    /// The number of objects in managed blocks.
    pub managed_objects: u64,
    /// The number of huge objects.
    pub huge_objects: u64,
    /// The number of tiny objects.
    pub tiny_objects: u64,
    /// The layout of managed blocks.
    pub table: DoublingTable,
    /// The filters of direct blocks and huge objects.
    pub filters: Option<HeapFilters>,
}

/// The filters of a heap.
#[derive(Debug, Clone)]
pub struct HeapFilters {
    /// The pipeline, in the order in which filters are applied when writing.
    pub pipeline: FilterPipeline,
    /// The stored size of the root block in bytes, if it is a direct block.
    pub root_stored_bytes: u64,
    /// The mask of filters skipped for the root block, if it is a direct block.
    pub root_mask: u32,
}

const STRUCTURE: &str = "fractal heap header";
const FLAG_CHECKSUMS: u8 = 0x02;

impl FractalHeap {
    /// Parses the header at `address`.
    pub fn parse(view: &View, address: Address) -> Parse<Self> {
        let widths = view.widths;
        let (offset, length) = (u64::from(widths.offset), u64::from(widths.length));
        let base = 26 + 12 * length + 3 * offset;
        let mut cursor = view.cursor(STRUCTURE, address, base)?;
        cursor.signature(b"FRHP")?;
        cursor.version(0..=0)?;
        let id_bytes = cursor.u16("heap ID length")?;
        let filter_bytes = cursor.u16("I/O filters' encoded length")?;
        if filter_bytes > 0 {
            let whole = base + length + 4 + u64::from(filter_bytes);
            cursor = view.cursor(STRUCTURE, address, whole)?;
            cursor.skip("signature to filters' length", 9)?;
        }
        let field = cursor.clone();
        if id_bytes == 0 {
            return Err(field.invalid("heap ID length", "IDs have no bytes").into());
        }
        let flags = cursor.u8("flags")?;
        let managed_object_max = cursor.u32("maximum size of managed objects")?;
        cursor.length("next huge object ID")?;
        let huge_index = cursor.address("B-tree address of huge objects")?;
        cursor.length("amount of free space in managed blocks")?;
        cursor.address("address of managed block free space manager")?;
        let managed_space = cursor.length("amount of managed space in heap")?;
        cursor.length("amount of allocated managed space in heap")?;
        cursor.length("offset of direct block allocation iterator")?;
        let managed_objects = cursor.length("number of managed objects")?;
        cursor.length("size of huge objects")?;
        let huge_objects = cursor.length("number of huge objects")?;
        cursor.length("size of tiny objects")?;
        let tiny_objects = cursor.length("number of tiny objects")?;
        let table = DoublingTable::parse(&mut cursor)?;
        let filters = if filter_bytes > 0 {
            let root_stored_bytes = cursor.length("size of filtered root direct block")?;
            let root_mask = cursor.u32("I/O filter mask")?;
            let message = cursor.sub("I/O filter information", filter_bytes.into())?;
            let pipeline = FilterPipeline::parse(message.renamed("fractal heap filter pipeline"))?;
            Some(HeapFilters { pipeline, root_stored_bytes, root_mask })
        } else {
            None
        };
        cursor.checksum()?;
        Ok(Self {
            address,
            id_bytes,
            checksummed: flags & FLAG_CHECKSUMS != 0,
            managed_object_max,
            huge_index,
            managed_space,
            managed_objects,
            huge_objects,
            tiny_objects,
            table,
            filters,
        })
    }

    /// The object with this heap ID, in a heap without filters.
    pub fn object(&self, view: &View, id: &[u8]) -> Parse<HeapObject> {
        self.object_with(view, id, &NoFilters)
    }

    /// The object with this heap ID.
    pub fn object_with(&self, view: &View, id: &[u8], unfilter: &dyn Unfilter) -> Parse<HeapObject> {
        Objects::one(id).next(view, self, unfilter)
    }

    /// The width of an offset in managed space, in bytes.
    fn offset_bytes(&self) -> usize {
        usize::from(self.table.max_heap_bits).div_ceil(8)
    }

    /// The width of the length of a managed object in its heap ID, in bytes.
    fn length_bytes(&self) -> usize {
        let of_blocks = self.table.max_direct_bytes.ilog2().div_ceil(8);
        let of_objects = self.managed_object_max.max(1).ilog2() / 8 + 1;
        of_blocks.min(of_objects) as usize
    }
}

#[cfg(test)]
pub(crate) mod tests;
