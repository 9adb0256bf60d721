//! Reads many objects of a fractal heap at once: each block is read and verified once, and the ranges that are missing
//! for all objects are requested together.

use super::block::{Child, Indirect};
use super::huge::HugeIndex;
use super::id::{HeapId, HeapIds};
use super::{FractalHeap, HeapObject, Unfilter};
use crate::btree::record::HugeObject;
use crate::{Address, FormatError, Gather, Parse, Stop, View, limits};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// A lookup of many objects of one heap, in progress.
#[derive(Debug)]
pub struct Objects {
    /// The IDs, until the first call parses them.
    ids: HeapIds,
    /// The objects that have not been found yet, in order of offset, so that neighbours share blocks.
    managed: Vec<Managed>,
    others: Vec<(usize, HeapId)>,
    blocks: Blocks,
    /// True if only one object is wanted: then it is not worth reading a whole index.
    single: bool,
}

/// A managed object that has not been found yet.
#[derive(Debug, Clone, Copy)]
struct Managed {
    offset: u64,
    len: u64,
    number: usize,
}

/// Called with the number of each ID, and the object or its error.
pub type Each<'e> = dyn FnMut(usize, Result<HeapObject, FormatError>) + 'e;

/// The blocks that have been read. Errors are kept too, so that a broken block is not verified again for each of its
/// objects.
#[derive(Debug, Default)]
struct Blocks {
    /// By their offset in managed space, which is unique among blocks of one kind.
    indirect: HashMap<u64, Result<Indirect, FormatError>>,
    direct: HashMap<u64, Result<HeapObject, FormatError>>,
    huge: Option<HugeIndex>,
    /// The total size of objects, and of blocks after filters are reversed, in bytes.
    spent: u64,
    /// The total size of blocks in bytes.
    read: u64,
    last: Option<Last>,
}

/// The result of the search for the last managed object; it applies to all objects in this part of managed space.
#[derive(Debug)]
struct Last {
    covered: Range<u64>,
    /// The direct block; `None` while it, or a block that leads to it, is missing.
    block: Option<HeapObject>,
}

const STRUCTURE: &str = "fractal heap";

impl Objects {
    /// Looks up the objects with these heap IDs.
    pub fn new(ids: HeapIds) -> Self {
        Self { ids, managed: Vec::new(), others: Vec::new(), blocks: Blocks::default(), single: false }
    }

    /// Looks up one object.
    pub(super) fn one(id: &[u8]) -> Self {
        let mut ids = HeapIds::of_bytes(id.len());
        ids.push(id);
        Self { single: true, ..Self::new(ids) }
    }

    /// Continues the lookup. When it returns `Ok`, `each` has been called once for each object, in order of offset as
    /// far as the fetched bytes allow.
    pub fn advance(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        unfilter: &dyn Unfilter,
        each: &mut Each<'_>,
    ) -> Parse<()> {
        let ids = std::mem::take(&mut self.ids);
        self.parse_ids(&ids, view, heap, each);
        let Self { managed, others, blocks, single, .. } = self;
        let mut gather = Gather::default();
        // True once the object has been found or its error is known.
        let mut resolve = |number, found: Parse<HeapObject>| {
            let found = gather.take(found).transpose();
            found.map(|found| each(number, found)).is_some()
        };
        others.retain(|(number, id)| !resolve(*number, blocks.other(view, heap, id, *single, unfilter)));
        blocks.last = None;
        managed.retain(|one| !resolve(one.number, blocks.managed(view, heap, *one, unfilter)));
        gather.finish()
    }

    /// Parses the IDs; the error of an invalid ID becomes the result of its object.
    fn parse_ids(&mut self, ids: &HeapIds, view: &View, heap: &FractalHeap, each: &mut Each<'_>) {
        if ids.is_empty() {
            return;
        }
        self.managed.reserve(ids.len());
        for (number, id) in ids.iter().enumerate() {
            if let Some((offset, len)) = heap.managed_id(id) {
                self.managed.push(Managed { offset, len, number });
                continue;
            }
            match heap.heap_id(id, view.widths) {
                Ok(id) => self.others.push((number, id)),
                Err(error) => each(number, Err(error)),
            }
        }
        self.managed.sort_unstable_by_key(|one| (one.offset, one.number));
    }

    /// Like [`Self::advance`], for the first object.
    pub(super) fn next(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        unfilter: &dyn Unfilter,
    ) -> Parse<HeapObject> {
        let mut first = None;
        self.advance(view, heap, unfilter, &mut |_, found| first = Some(found))?;
        Ok(first.expect("the object or what is wrong with it")?)
    }
}

impl Blocks {
    /// An object that is not in managed blocks.
    fn other(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        id: &HeapId,
        single: bool,
        unfilter: &dyn Unfilter,
    ) -> Parse<HeapObject> {
        match id {
            HeapId::Tiny(object) => Ok(HeapObject::derived(object.clone(), view.absolute(heap.address))),
            &HeapId::Managed { offset, len } => {
                self.managed(view, heap, Managed { offset, len, number: 0 }, unfilter)
            }
            HeapId::Huge(object) => self.huge(view, heap, object, unfilter),
            &HeapId::HugeKey(key) => {
                if self.huge.is_none() {
                    let (at, only) = (view.absolute(heap.address), single.then_some(key));
                    self.huge = Some(HugeIndex::new(heap, only, at, view.widths)?);
                }
                let index = self.huge.as_mut().expect("set above");
                let object = index.find(view, heap.filters.is_some(), key)?;
                self.huge(view, heap, &object, unfilter)
            }
        }
    }

    fn huge(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        object: &HugeObject,
        unfilter: &dyn Unfilter,
    ) -> Parse<HeapObject> {
        let len = object.filtered.map_or(object.stored_bytes, |(_, len)| len);
        self.check(view, heap, len)?;
        let bytes = heap.huge_object(view, object, unfilter)?;
        self.spent += len;
        Ok(bytes)
    }

    fn managed(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        sought: Managed,
        unfilter: &dyn Unfilter,
    ) -> Parse<HeapObject> {
        let Managed { offset, len, .. } = sought;
        let invalid = |field, what: String| {
            Stop::Bad(FormatError::invalid(STRUCTURE, field, view.absolute(heap.address), what))
        };
        if len == 0 || len > heap.managed_object_max.into() {
            let what = format!("{len} bytes, but managed objects have 1 to {}", heap.managed_object_max);
            return Err(invalid("object length", what));
        }
        if offset >= heap.managed_space {
            let what = format!("offset {offset:#x} in a heap of {:#x} bytes", heap.managed_space);
            return Err(invalid("object offset", what));
        }
        if !self.last.as_ref().is_some_and(|last| last.covered.contains(&offset)) {
            self.last = None;
            self.last = Some(self.search(view, heap, offset, unfilter)?);
        }
        let last = self.last.as_ref().expect("set above");
        let (start, bytes) = (last.covered.start, last.covered.end - last.covered.start);
        // The missing ranges have already been requested.
        let block = last.block.as_ref().ok_or(Stop::Need(Vec::new()))?;
        let within = offset - start;
        if within < heap.direct_prefix_bytes(view) || within.saturating_add(len) > bytes {
            let what =
                format!("{len} bytes at {within:#x} are outside of the objects in the block at {start:#x}");
            return Err(invalid("object offset", what));
        }
        self.check(view, heap, len)?;
        let object = block.part(within, len);
        self.spent += len;
        Ok(object)
    }

    /// Searches for the direct block that contains `offset`. If a block is missing, records which offsets that affects.
    fn search(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        offset: u64,
        unfilter: &dyn Unfilter,
    ) -> Parse<Last> {
        let mut covered = 0..u64::MAX;
        let found = match self.locate(view, heap, offset, &mut covered) {
            Ok((start, bytes, child)) => {
                covered = start..start.saturating_add(bytes);
                self.direct(view, heap, child, (start, bytes), unfilter)
            }
            Err(stop) => Err(stop),
        };
        if let Err(Stop::Need(_)) = &found {
            self.last = Some(Last { covered: covered.clone(), block: None });
        }
        Ok(Last { block: Some(found?), covered })
    }

    /// Locates the direct block that contains `offset`: its start in managed space, its size, its address. Sets
    /// `covered` to the part of managed space that belongs to the last block examined.
    fn locate(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        offset: u64,
        covered: &mut Range<u64>,
    ) -> Parse<(u64, u64, Child)> {
        let table = &heap.table;
        if table.root_rows == 0 {
            let filtered = heap.filters.as_ref().map(|f| (f.root_stored_bytes, f.root_mask));
            return Ok((0, table.start_bytes, Child { address: table.root, filtered }));
        }
        let invalid = |field, what: &str| {
            Stop::Bad(FormatError::invalid(STRUCTURE, field, view.absolute(heap.address), what))
        };
        let (mut start, mut rows, mut address) = (0u64, u32::from(table.root_rows), table.root);
        // The number of rows decreases with each level, so this ends; the limit is a safeguard.
        for _ in 0..limits::HEAP_DEPTH_MAX {
            let found =
                address.ok_or_else(|| invalid("block address", "an indirect block was never allocated"))?;
            let block = self.indirect(view, heap, found, rows, start)?;
            let position = table.position(offset - start);
            let child = block
                .child(&position)
                .ok_or_else(|| invalid("object offset", "the offset is beyond the rows of its block"))?;
            start += position.offset;
            *covered = start..start.saturating_add(position.bytes);
            if position.row < table.direct_rows() {
                return Ok((start, position.bytes, child));
            }
            rows = table
                .rows_of(position.bytes)
                .ok_or_else(|| invalid("table width", "an indirect block is smaller than one row"))?;
            address = child.address;
        }
        Err(invalid("object offset", "too many indirect blocks"))
    }

    fn indirect(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        address: Address,
        rows: u32,
        start: u64,
    ) -> Parse<&Indirect> {
        let block = match self.indirect.entry(start) {
            Entry::Occupied(block) => block.into_mut(),
            Entry::Vacant(position) => {
                let block = resolve(heap.indirect_block(view, address, rows, start))?;
                count(&mut self.read, view, heap, heap.indirect_block_bytes(view, rows))?;
                position.insert(block)
            }
        };
        Ok(block.as_ref().map_err(|error| error.clone())?)
    }

    fn direct(
        &mut self,
        view: &View,
        heap: &FractalHeap,
        child: Child,
        (start, bytes): (u64, u64),
        unfilter: &dyn Unfilter,
    ) -> Parse<HeapObject> {
        if let Some(block) = self.direct.get(&start) {
            return Ok(block.clone()?);
        }
        let of_filters = if heap.filters.is_some() { bytes } else { 0 };
        self.check(view, heap, of_filters)?;
        let block = resolve(heap.direct_block(view, child, (start, bytes), unfilter))?;
        self.spent += of_filters;
        let stored = child.filtered.map_or(bytes, |(stored, _)| stored);
        count(&mut self.read, view, heap, stored)?;
        self.direct.insert(start, block.clone());
        Ok(block?)
    }

    /// Checks that `more` bytes of objects, or of the output of filters, are still allowed. Objects of a valid heap do
    /// not overlap; without this check a small file could refer to the same objects again and again, and a filtered one
    /// could produce more bytes than fit in memory.
    fn check(&self, view: &View, heap: &FractalHeap, more: u64) -> Result<(), FormatError> {
        let max = if heap.filters.is_some() { limits::HEAP_OBJECT_BYTES_MAX } else { view.stored_bytes() };
        let found = self.spent.saturating_add(more);
        if found <= max {
            return Ok(());
        }
        let at = view.absolute(heap.address);
        Err(FormatError::limit(STRUCTURE, "object length", at, "bytes of all objects", max, found))
    }
}

/// Adds the bytes of a block that has been read. Blocks of a valid heap do not overlap, so in total they are not longer
/// than the file.
fn count(read: &mut u64, view: &View, heap: &FractalHeap, bytes: u64) -> Result<(), FormatError> {
    let (max, found) = (view.stored_bytes(), read.saturating_add(bytes));
    *read = found;
    if found <= max {
        return Ok(());
    }
    let at = view.absolute(heap.address);
    Err(FormatError::limit(STRUCTURE, "block address", at, "bytes of all blocks", max, found))
}

/// Turns an error into a result to be kept; missing ranges stay an error.
fn resolve<T>(parsed: Parse<T>) -> Parse<Result<T, FormatError>> {
    match parsed {
        Ok(value) => Ok(Ok(value)),
        Err(Stop::Bad(error)) => Ok(Err(error)),
        Err(need) => Err(need),
    }
}
