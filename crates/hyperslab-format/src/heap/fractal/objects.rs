//! Finds objects of a fractal heap, many at once: blocks are read and verified once, and what is missing for all
//! of the objects is asked for together.

use super::block::{Child, Indirect};
use super::huge::HugeIndex;
use super::id::{HeapId, HeapIds};
use super::{FractalHeap, HeapObject, Unfilter};
use crate::btree::record::HugeObject;
use crate::{Address, FormatError, Gather, Parse, Stop, View, limits};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// A look-up under way of many objects of one heap.
#[derive(Debug)]
pub struct Objects {
    /// Until the first call, which takes them apart.
    ids: HeapIds,
    /// Those that are not found yet, in the order of their places: neighbours share blocks.
    managed: Vec<Managed>,
    others: Vec<(usize, HeapId)>,
    blocks: Blocks,
    /// Only one object is sought: not worth reading an index as a whole.
    single: bool,
}

/// A managed object that is not found yet.
#[derive(Debug, Clone, Copy)]
struct Managed {
    offset: u64,
    len: u64,
    number: usize,
}

/// Called with each object, or what is wrong with it, and the number of its ID.
pub type Each<'e> = dyn FnMut(usize, Result<HeapObject, FormatError>) + 'e;

/// What has been read of a heap. Errors are kept too: a broken block is not verified for each of its objects.
#[derive(Debug, Default)]
struct Blocks {
    /// By where they begin in managed space, which no two blocks of a kind share.
    indirect: HashMap<u64, Result<Indirect, FormatError>>,
    direct: HashMap<u64, Result<HeapObject, FormatError>>,
    huge: Option<HugeIndex>,
    /// Bytes of objects, and of blocks after filters.
    spent: u64,
    /// Bytes of blocks.
    read: u64,
    last: Option<Last>,
}

/// What the search for the last managed object came to; it holds for all objects in this part of managed space.
#[derive(Debug)]
struct Last {
    covered: Range<u64>,
    /// The direct block; `None` while it, or one that leads to it, is missing.
    block: Option<HeapObject>,
}

const STRUCTURE: &str = "fractal heap";

impl Objects {
    /// The objects with these heap IDs.
    pub fn new(ids: HeapIds) -> Self {
        Self { ids, managed: Vec::new(), others: Vec::new(), blocks: Blocks::default(), single: false }
    }

    /// One object.
    pub(super) fn one(id: &[u8]) -> Self {
        let mut ids = HeapIds::of_bytes(id.len());
        ids.push(id);
        Self { single: true, ..Self::new(ids) }
    }

    /// Goes on, until it is `Ok`: then `each` has been called once for each object, in the order of their places as
    /// far as what has been fetched allows.
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
        // True once the object is found, or never will be.
        let mut settle = |number, found: Parse<HeapObject>| {
            let found = gather.take(found).transpose();
            found.map(|found| each(number, found)).is_some()
        };
        others.retain(|(number, id)| !settle(*number, blocks.other(view, heap, id, *single, unfilter)));
        blocks.last = None;
        managed.retain(|one| !settle(one.number, blocks.managed(view, heap, *one, unfilter)));
        gather.finish()
    }

    /// Takes the IDs apart; what is wrong with one is what was found of its object.
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
            let what = format!("{len} bytes, where managed objects have 1 to {}", heap.managed_object_max);
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
        // What is missing was asked for already.
        let block = last.block.as_ref().ok_or(Stop::Need(Vec::new()))?;
        let within = offset - start;
        if within < heap.direct_prefix_bytes(view) || within.saturating_add(len) > bytes {
            let what =
                format!("{len} bytes at {within:#x} are not within the objects of the block at {start:#x}");
            return Err(invalid("object offset", what));
        }
        self.check(view, heap, len)?;
        let object = block.part(within, len);
        self.spent += len;
        Ok(object)
    }

    /// Searches for the direct block that holds `offset`. Where something is missing, remembers for which offsets.
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

    /// The direct block that holds `offset`: where it begins, its bytes, where it is stored. `covered` becomes the
    /// part of managed space of the block looked at last.
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
        // A block's rows are fewer than those above it, so this ends; the limit is for nobody.
        for _ in 0..limits::HEAP_DEPTH_MAX {
            let found =
                address.ok_or_else(|| invalid("block address", "an indirect block was never allocated"))?;
            let block = self.indirect(view, heap, found, rows, start)?;
            let place = table.place(offset - start);
            let child = block
                .child(&place)
                .ok_or_else(|| invalid("object offset", "the offset lies beyond the rows of its block"))?;
            start += place.offset;
            *covered = start..start.saturating_add(place.bytes);
            if place.row < table.direct_rows() {
                return Ok((start, place.bytes, child));
            }
            rows = table
                .rows_of(place.bytes)
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
            Entry::Vacant(place) => {
                let block = settle(heap.indirect_block(view, address, rows, start))?;
                count(&mut self.read, view, heap, heap.indirect_block_bytes(view, rows))?;
                place.insert(block)
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
        let block = settle(heap.direct_block(view, child, (start, bytes), unfilter))?;
        self.spent += of_filters;
        let stored = child.filtered.map_or(bytes, |(stored, _)| stored);
        count(&mut self.read, view, heap, stored)?;
        self.direct.insert(start, block.clone());
        Ok(block?)
    }

    /// Refuses to take `more` bytes of objects or of what comes out of filters. Objects of a valid heap do not
    /// overlap; without this a small file could ask for the same ones again and again, and a filtered one for more
    /// than memory holds.
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

/// Counts the bytes of a block that has been read. Blocks of a valid heap do not overlap, so that they are not longer
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

/// Takes an error for a result to be kept; what is missing stays missing.
fn settle<T>(parsed: Parse<T>) -> Parse<Result<T, FormatError>> {
    match parsed {
        Ok(value) => Ok(Ok(value)),
        Err(Stop::Bad(error)) => Ok(Err(error)),
        Err(need) => Err(need),
    }
}
