//! Fractal heaps (specification III.G): the header with its counts, all blocks, the huge objects, and where the objects
//! lie in the blocks.

use crate::checker::{Checked, Checker};
use crate::rule::rules;
use crate::unfilter::unfilter;
use hyperslab_format::btree::record::HugeObject;
use hyperslab_format::heap::fractal::id::HeapId;
use hyperslab_format::heap::fractal::{FractalHeap, HeapIds, HeapObject, Objects};
use hyperslab_format::{Address, Cursor, FormatError, checksum};

rules! { RULES:
    /// The numbers and sizes in the header of a fractal heap are those of its blocks and objects.
    HEAP_COUNTS = Error "heap-counts", "III.G";
    /// Every block repeats the address of its heap and its own offset in the heap.
    HEAP_BLOCK = Error "heap-block", "III.G";
    /// The objects of a fractal heap lie in its blocks, behind their prefixes, and do not overlap.
    HEAP_OBJECTS = Error "heap-objects", "III.G";
    /// The allocated and the free space that the header of a fractal heap states are those of its direct blocks. Blocks that
    /// are not allocated yet may count as free, as in the library. Some files of the library state other sizes.
    HEAP_SPACE = Note "heap-space", "III.G";
}

const HEADER: &str = "fractal heap header";
const DIRECT: &str = "fractal heap direct block";
const INDIRECT: &str = "fractal heap indirect block";
const OBJECT: &str = "fractal heap object";
const HUGE: &str = "fractal heap huge object";

/// A heap whose blocks have been checked.
pub(crate) struct CheckedHeap {
    pub heap: FractalHeap,
    /// The free space that the header states.
    free: u64,
    /// Offset in the heap and bytes of the direct blocks, in order.
    blocks: Vec<(u64, u64)>,
    /// The bytes for objects in all direct blocks that fit in the managed space, also those that are not allocated.
    room: u64,
    prefix_bytes: u64,
    huge: u64,
}

/// Sums over the direct blocks.
struct Walk {
    heap: FractalHeap,
    offset_bytes: usize,
    blocks: Vec<(u64, u64)>,
}

impl Walk {
    fn direct_rows(&self) -> u64 {
        let table = &self.heap.table;
        u64::from(table.max_direct_bytes.ilog2() - table.start_bytes.ilog2()) + 2
    }

    /// The size of a block in a row.
    fn row_bytes(&self, row: u64) -> Option<u64> {
        let shift = u32::try_from(row.saturating_sub(1)).ok().filter(|&shift| shift < 64)?;
        self.heap.table.start_bytes.checked_mul(1u64.checked_shl(shift)?)
    }

    /// The bytes for objects in all direct blocks below an indirect block of so many rows.
    fn room(&self, rows: u64, prefix_bytes: u64) -> u64 {
        let (width, direct_rows) = (u64::from(self.heap.table.width), self.direct_rows());
        // Blocks of each number of rows, from the smallest on, because larger ones contain them.
        let mut rooms = vec![0u64];
        for row in 0..rows {
            let of_block = match self.row_bytes(row) {
                None => u64::MAX,
                Some(bytes) if row < direct_rows => bytes.saturating_sub(prefix_bytes),
                Some(bytes) => rooms[self.rows_of(bytes).min(row) as usize],
            };
            rooms.push(rooms[row as usize].saturating_add(width.saturating_mul(of_block)));
        }
        rooms[rows as usize]
    }

    /// The number of rows of an indirect block that spans `bytes` bytes.
    fn rows_of(&self, bytes: u64) -> u64 {
        let first_row = self.heap.table.start_bytes.ilog2() + u32::from(self.heap.table.width).ilog2();
        u64::from((bytes.max(1).ilog2() + 1).saturating_sub(first_row))
    }
}

impl Checker<'_> {
    /// Checks the header, the blocks and the index of huge objects of a heap.
    pub(crate) fn check_fractal_heap(&mut self, address: Address) -> Checked<CheckedHeap> {
        let widths = self.view.widths;
        let (offset, length) = (u64::from(widths.offset), u64::from(widths.length));
        let heap = FractalHeap::parse(&self.view, address)?;
        let mut header = self.peek(HEADER, address, 10)?;
        header.skip("signature to heap ID length", 7)?;
        let filter_bytes = u64::from(header.u16("I/O filters' encoded length")?);
        let of_filters = if filter_bytes > 0 { length + 4 + filter_bytes } else { 0 };
        let mut header = self.cursor(HEADER, address, 26 + 12 * length + 3 * offset + of_filters)?;
        let at = header.at();
        header.skip("signature to filters' length", 9)?;
        let flags = header.u8("flags")?;
        self.only_bits((HEADER, at), "flags", flags.into(), 0x03);
        header.skip("maximum size of managed objects", 4)?;
        header.length("next huge object ID")?;
        header.address("B-tree address of huge objects")?;
        let free = header.length("amount of free space in managed blocks")?;
        let manager = header.address("address of managed block free space manager")?;
        let space = header.length("amount of managed space in heap")?;
        let allocated = header.length("amount of allocated managed space in heap")?;
        header.length("offset of direct block allocation iterator")?;
        header.length("number of managed objects")?;
        let huge_bytes = header.length("size of huge objects")?;
        let offset_bytes = usize::from(heap.table.max_heap_bits).div_ceil(8);
        let mut walk = Walk { heap, offset_bytes, blocks: Vec::new() };
        let checked = self.check_root_block(&mut walk);
        self.finish(checked);
        let checksum = if walk.heap.checksummed { 4 } else { 0 };
        let prefix_bytes = 5 + offset + offset_bytes as u64 + checksum;
        let room = match (walk.heap.table.root, walk.heap.table.root_rows) {
            (None, _) => 0,
            (Some(_), 0) => walk.heap.table.start_bytes.saturating_sub(prefix_bytes),
            (Some(_), rows) => walk.room(rows.into(), prefix_bytes),
        };
        let Walk { heap, blocks, .. } = walk;
        let found: u64 = blocks.iter().map(|(_, bytes)| bytes).sum();
        self.demand(found == allocated, &HEAP_SPACE, HEADER, at, || {
            format!("{allocated} bytes allocated according to the header, {found} in direct blocks")
        });
        let expected = match (heap.table.root, heap.table.root_rows) {
            (None, _) => 0,
            (Some(_), 0) => heap.table.start_bytes,
            (Some(_), rows) => {
                let first_row = heap.table.start_bytes.saturating_mul(heap.table.width.into());
                first_row.checked_shl(u32::from(rows) - 1).unwrap_or(u64::MAX)
            }
        };
        self.demand(space == expected, &HEAP_COUNTS, HEADER, at, || {
            format!("{space} bytes of managed space according to the header, {expected} in its blocks")
        });
        let huge = self.check_huge_objects(&heap, huge_bytes, at)?;
        if let Some(manager) = manager {
            let checked = self.check_heap_free_space(manager, free);
            self.finish(checked);
        }
        Ok(CheckedHeap { heap, free, blocks, room, prefix_bytes, huge })
    }

    fn check_root_block(&mut self, walk: &mut Walk) -> Checked {
        let table = walk.heap.table;
        let Some(root) = table.root else { return Ok(()) };
        if table.root_rows > 0 {
            return self.check_indirect_block(walk, root, table.root_rows.into(), 0);
        }
        let filtered = walk.heap.filters.as_ref().map(|filters| filters.root_stored_bytes);
        self.check_direct_block(walk, root, (0, table.start_bytes), filtered)
    }

    fn check_indirect_block(&mut self, walk: &mut Walk, address: Address, rows: u64, start: u64) -> Checked {
        let (offset, length) = (u64::from(self.view.widths.offset), u64::from(self.view.widths.length));
        let width = u64::from(walk.heap.table.width);
        let direct_rows = walk.direct_rows().min(rows);
        let filtered = walk.heap.filters.is_some();
        let of_filters = if filtered { direct_rows * width * (length + 4) } else { 0 };
        let bytes = 9 + offset + walk.offset_bytes as u64 + rows * width * offset + of_filters;
        let mut block = self.cursor(INDIRECT, address, bytes)?;
        block.signature(b"FHIB")?;
        self.check_block_prefix(walk, &mut block, start)?;
        let (mut children, mut at) = (Vec::new(), start);
        for row in 0..rows {
            let Some(bytes) = walk.row_bytes(row) else {
                return Err(block.invalid("rows", "the blocks are larger than 2^64 bytes").into());
            };
            for _ in 0..width {
                let child = block.address("child block address")?;
                let stored = if filtered && row < direct_rows {
                    let stored = block.length("size of filtered direct block")?;
                    block.skip("filter mask", 4)?;
                    Some(stored)
                } else {
                    None
                };
                children.extend(child.map(|child| (child, row, (at, bytes), stored)));
                at = at.saturating_add(bytes);
            }
        }
        block.checksum()?;
        for (child, row, (start, bytes), stored) in children {
            let checked = if row < direct_rows {
                self.check_direct_block(walk, child, (start, bytes), stored)
            } else {
                // Smaller than this block, so that the recursion ends.
                let rows_below = walk.rows_of(bytes).min(rows - 1);
                self.check_indirect_block(walk, child, rows_below, start)
            };
            self.finish(checked);
        }
        Ok(())
    }

    fn check_direct_block(
        &mut self,
        walk: &mut Walk,
        address: Address,
        (start, bytes): (u64, u64),
        stored: Option<u64>,
    ) -> Checked {
        walk.blocks.push((start, bytes));
        if let Some(stored) = stored {
            // What is in it is checked when its objects are read.
            return self.claim(DIRECT, address, stored);
        }
        let mut block = self.cursor(DIRECT, address, bytes)?;
        let content = block.clone().rest();
        block.signature(b"FHDB")?;
        self.check_block_prefix(walk, &mut block, start)?;
        if walk.heap.checksummed {
            let (at, position) = (block.at(), block.position());
            let stored = block.u32("checksum")?;
            let mut zeroed = content.to_vec();
            zeroed[position..position + 4].fill(0);
            let computed = checksum::lookup3(&zeroed);
            self.demand(stored == computed, &crate::general::CHECKSUM, DIRECT, at, || {
                format!("the stored checksum is {stored:#010x}, but that of the bytes is {computed:#010x}")
            });
        }
        Ok(())
    }

    fn check_block_prefix(&mut self, walk: &Walk, block: &mut Cursor, start: u64) -> Checked {
        block.version(0..=0)?;
        let at = block.at();
        let owner = block.address("heap header address")?;
        let offset = block.uint("block offset", walk.offset_bytes)?;
        self.demand(owner == Some(walk.heap.address), &HEAP_BLOCK, block.structure(), at, || {
            format!("the block belongs to the heap at {owner:?}, not to that at {}", walk.heap.address)
        });
        self.demand(offset == start, &HEAP_BLOCK, block.structure(), at, || {
            format!("the offset in the heap is {offset:#x}, expected {start:#x}")
        });
        Ok(())
    }

    /// Checks the index of huge objects and notes their bytes. Returns how many there are.
    fn check_huge_objects(&mut self, heap: &FractalHeap, stated_bytes: u64, at: u64) -> Checked<u64> {
        let filtered = heap.filters.is_some();
        let direct = usize::from(heap.id_bytes) > HugeObject::bytes(false, filtered, self.view.widths);
        let (mut count, mut bytes) = (0u64, 0u64);
        if let Some(index) = heap.huge_index {
            let kind = if direct { 3 } else { 1 } + u8::from(filtered);
            let record_bytes = HugeObject::bytes(!direct, filtered, self.view.widths);
            let checked = self.check_btree_v2(index, (kind, record_bytes), &mut |checker, mut record| {
                let object = HugeObject::parse(&mut record, !direct, filtered)?;
                count += 1;
                bytes = bytes.saturating_add(object.filtered.map_or(object.stored_bytes, |(_, bytes)| bytes));
                checker.claim(HUGE, object.address, object.stored_bytes)
            });
            self.finish(checked);
        }
        self.demand(count == heap.huge_objects, &HEAP_COUNTS, HEADER, at, || {
            format!("{} huge objects according to the header, {count} in their index", heap.huge_objects)
        });
        self.demand(bytes == stated_bytes, &HEAP_COUNTS, HEADER, at, || {
            format!("huge objects of {stated_bytes} bytes according to the header, {bytes} in their index")
        });
        Ok(count)
    }

    /// Reads the objects with these IDs, which are all of the heap, and checks where they lie. `each` is called with the
    /// number of each ID and its object.
    pub(crate) fn check_heap_objects(
        &mut self,
        checked: &CheckedHeap,
        ids: &[Vec<u8>],
        each: &mut dyn FnMut(usize, Result<HeapObject, FormatError>),
    ) -> Checked {
        let (heap, widths) = (&checked.heap, self.view.widths);
        let at = self.view.absolute(heap.address);
        let (mut managed, mut tiny, mut huge) = (Vec::new(), 0u64, 0u64);
        let id_bytes = ids.first().map_or(0, Vec::len);
        let mut wanted = HeapIds::of_bytes(id_bytes);
        for id in ids {
            wanted.push(id);
            match heap.heap_id(id, widths)? {
                HeapId::Managed { offset, len } => managed.push((offset, len)),
                HeapId::Tiny(_) => tiny += 1,
                HeapId::HugeKey(_) | HeapId::Huge(_) => huge += 1,
            }
        }
        let counts = [
            ("managed", managed.len() as u64, heap.managed_objects),
            ("tiny", tiny, heap.tiny_objects),
            ("huge", huge, checked.huge),
        ];
        for (kind, found, stated) in counts {
            self.demand(found == stated, &HEAP_COUNTS, HEADER, at, || {
                format!("{stated} {kind} objects according to the heap, {found} according to its index")
            });
        }
        managed.sort_unstable();
        self.check_managed(checked, &managed, at);
        Objects::new(wanted).advance(&self.view, heap, &unfilter, each)?;
        Ok(())
    }

    /// Checks where managed objects, sorted by offset, lie in the blocks.
    fn check_managed(&mut self, checked: &CheckedHeap, managed: &[(u64, u64)], at: u64) {
        let overlap = managed.windows(2).find(|pair| pair[0].0.saturating_add(pair[0].1) > pair[1].0);
        if let Some(pair) = overlap {
            let what = format!("the objects at offsets {:#x} and {:#x} overlap", pair[0].0, pair[1].0);
            self.report(&HEAP_OBJECTS, OBJECT, at, what);
        }
        let mut used = 0u64;
        for &(offset, len) in managed {
            used = used.saturating_add(len);
            let number = checked.blocks.partition_point(|(start, _)| *start <= offset);
            let block = number.checked_sub(1).map(|number| checked.blocks[number]);
            let is_inside = block.is_some_and(|(start, bytes)| {
                offset - start >= checked.prefix_bytes
                    && offset - start <= bytes
                    && len <= bytes - (offset - start)
            });
            self.demand(is_inside, &HEAP_OBJECTS, OBJECT, at, || {
                format!("the object of {len} bytes at offset {offset:#x} lies in no block")
            });
        }
        let allocated =
            checked.blocks.iter().map(|(_, bytes)| bytes.saturating_sub(checked.prefix_bytes)).sum();
        let CheckedHeap { free, room, .. } = *checked;
        let is_right = [allocated, room].iter().any(|room| room.checked_sub(used) == Some(free));
        self.demand(is_right, &HEAP_SPACE, HEADER, at, || {
            format!("{free} free bytes according to the header, but objects use {used} of {room} ({allocated} allocated)")
        });
    }
}
