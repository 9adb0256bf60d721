//! New fractal heaps: where each object goes, and the bytes of all blocks once the objects are known.
//!
//! Objects fill the direct blocks in the order of their offsets. A block that is too small for the next object is left
//! out (its address is undefined), as libhdf5 does. Free space is counted but not recorded in a free-space manager.
//!
//! ```text
//! sizes of objects ──► place ──► heap IDs, addresses of all blocks ──► encode(objects) ──► bytes of all blocks
//! ```

use super::doubling_table::DoublingTable;
use super::{FLAG_CHECKSUMS, STRUCTURE};
use crate::btree::v2::{BTreeV2Layout, NodeShape};
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths, checksum};

/// The properties of a new heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapShape {
    /// The size of a heap ID in bytes.
    pub id_bytes: u16,
    /// The size of a block in the first two rows, in bytes.
    pub start_bytes: u64,
    /// log2 of the maximum size of managed space in bytes.
    pub max_heap_bits: u16,
}

impl HeapShape {
    /// The heap of a group's links (`H5G_FHEAP_*`).
    pub const LINKS: Self = Self { id_bytes: 7, start_bytes: 512, max_heap_bits: 32 };
    /// The heap of an object's attributes (`H5O_FHEAP_*`).
    pub const ATTRIBUTES: Self = Self { id_bytes: 8, start_bytes: 1024, max_heap_bits: 40 };
}

/// Blocks per row, the largest direct block and the largest managed object, which are those of all heaps of libhdf5.
const WIDTH: u16 = 4;
const MAX_DIRECT_BYTES: u64 = 64 << 10;
const MANAGED_OBJECT_MAX: u32 = 4 << 10;
const HUGE_NODE_BYTES: u32 = 512;
/// A heap whose objects fit in a block of this size has only that block.
const ONLY_BLOCK_BYTES_MAX: u64 = 16 << 10;

/// A new heap whose header, blocks and huge objects have addresses.
#[derive(Debug, Clone)]
pub struct FractalHeapLayout {
    shape: HeapShape,
    widths: Widths,
    header: Address,
    objects: Vec<ObjectPlace>,
    huge: Vec<HugePlace>,
    direct: Vec<DirectBlock>,
    indirect: Vec<IndirectBlock>,
    /// The root block and its number of rows; 0 for a direct block.
    root: Option<(Address, u16)>,
    huge_index: Option<BTreeV2Layout>,
}

#[derive(Debug, Clone, Copy)]
enum ObjectPlace {
    /// At an offset in managed space, in the direct block of this number.
    Managed { offset: u64, block: u32, len: u16 },
    /// On its own: its number among the huge objects.
    Huge(u32),
}

/// An object that is too large for managed space. It is found by its key.
#[derive(Debug, Clone, Copy)]
struct HugePlace {
    address: Address,
    len: u64,
    key: u64,
}

#[derive(Debug, Clone, Copy)]
struct DirectBlock {
    offset: u64,
    bytes: u64,
    used: u64,
    address: Address,
}

#[derive(Debug, Clone)]
struct IndirectBlock {
    offset: u64,
    address: Address,
    children: Vec<Option<Address>>,
}

impl FractalHeapLayout {
    /// Places a heap for objects of these sizes in bytes.
    ///
    /// # Errors
    ///
    /// If the heap cannot be as large as the objects need.
    pub fn place(
        shape: HeapShape,
        sizes: &[u64],
        widths: Widths,
        allocate: &mut Allocate<'_>,
    ) -> Result<Self, EncodeError> {
        let header = allocate(26 + 12 * u64::from(widths.length) + 3 * u64::from(widths.offset));
        let mut heap = Self {
            shape,
            widths,
            header,
            objects: Vec::with_capacity(sizes.len()),
            huge: Vec::new(),
            direct: Vec::new(),
            indirect: Vec::new(),
            root: None,
            huge_index: None,
        };
        heap.widen_only_block(sizes);
        heap.place_objects(sizes, allocate)?;
        heap.place_blocks(allocate);
        heap.place_huge_index(allocate)?;
        Ok(heap)
    }

    /// The address of the header.
    pub fn address(&self) -> Address {
        self.header
    }

    /// The heap ID of the object of this number.
    pub fn id(&self, number: usize) -> Vec<u8> {
        let mut id = Encoder::new("fractal heap ID", self.widths);
        match self.objects[number] {
            ObjectPlace::Managed { offset, len, .. } => {
                id.u8(0);
                id.uint("offset", offset, self.offset_bytes());
                id.uint("length", len.into(), LENGTH_BYTES);
            }
            ObjectPlace::Huge(number) => {
                let key = self.huge[number as usize].key;
                id.u8(0x10);
                id.uint("B-tree key", key, usize::from(self.shape.id_bytes - 1).min(8));
            }
        }
        id.zeros(usize::from(self.shape.id_bytes).saturating_sub(id.position()));
        id.finish().expect("offsets and lengths were checked when they were placed")
    }

    /// Small heaps are one block, which is made as large as they need.
    fn widen_only_block(&mut self, sizes: &[u64]) {
        let managed = sizes.iter().filter(|&&size| size <= MANAGED_OBJECT_MAX.into());
        let needed = self.prefix_bytes() + managed.sum::<u64>();
        if needed <= ONLY_BLOCK_BYTES_MAX {
            self.shape.start_bytes = self.shape.start_bytes.max(needed.next_power_of_two());
        }
    }

    fn place_objects(&mut self, sizes: &[u64], allocate: &mut Allocate<'_>) -> Result<(), EncodeError> {
        let (table, prefix) = (self.table(), self.prefix_bytes());
        let end = 1u64 << self.shape.max_heap_bits;
        let mut next_block = 0;
        for (key, &len) in (1..).zip(sizes) {
            let Some(small) = u16::try_from(len).ok().filter(|&len| u32::from(len) <= MANAGED_OBJECT_MAX)
            else {
                self.objects.push(ObjectPlace::Huge(number_of(self.huge.len())?));
                self.huge.push(HugePlace { address: allocate(len), len, key });
                continue;
            };
            while self.direct.last().is_none_or(|block| block.bytes - block.used < len) {
                let bytes = direct_bytes(&table, next_block);
                if next_block + bytes > end {
                    let what = format!("objects of more than {end} bytes in total");
                    return Err(EncodeError { structure: STRUCTURE, field: "maximum heap size", what });
                }
                if bytes - prefix >= len {
                    let address = Address(0);
                    self.direct.push(DirectBlock { offset: next_block, bytes, used: prefix, address });
                }
                next_block += bytes;
            }
            let block = number_of(self.direct.len() - 1)?;
            let found = &mut self.direct[block as usize];
            self.objects.push(ObjectPlace::Managed { offset: found.offset + found.used, block, len: small });
            found.used += len;
        }
        Ok(())
    }

    /// Gives all blocks their addresses, an indirect block before its children.
    fn place_blocks(&mut self, allocate: &mut Allocate<'_>) {
        let Some(last) = self.direct.last() else { return };
        if last.offset == 0 && last.bytes == self.shape.start_bytes {
            let address = allocate(last.bytes);
            self.direct[0].address = address;
            self.root = Some((address, 0));
            return;
        }
        let rows = self.table().position(last.offset).row + 1;
        let address = self.place_table(0, rows, allocate);
        self.root = Some((address, rows as u16));
    }

    /// Places an indirect block and everything below it.
    fn place_table(&mut self, offset: u64, rows: u32, allocate: &mut Allocate<'_>) -> Address {
        let table = self.table();
        let address = allocate(self.indirect_bytes(rows));
        let number = self.indirect.len();
        self.indirect.push(IndirectBlock { offset, address, children: Vec::new() });
        let mut children = Vec::with_capacity((rows * u32::from(WIDTH)) as usize);
        let mut at = 0;
        for row in 0..rows {
            for _ in 0..WIDTH {
                let bytes = table.position(at).bytes;
                let blocks = offset + at..offset + at + bytes;
                let first = self.direct.partition_point(|block| block.offset < blocks.start);
                let is_used = self.direct.get(first).is_some_and(|block| block.offset < blocks.end);
                children.push(match (is_used, row < table.direct_rows()) {
                    (false, _) => None,
                    (true, true) => {
                        self.direct[first].address = allocate(bytes);
                        Some(self.direct[first].address)
                    }
                    (true, false) => {
                        let rows = table.rows_of(bytes).unwrap_or(1);
                        Some(self.place_table(blocks.start, rows, allocate))
                    }
                });
                at += bytes;
            }
        }
        self.indirect[number].children = children;
        address
    }

    fn place_huge_index(&mut self, allocate: &mut Allocate<'_>) -> Result<(), EncodeError> {
        let huge = self.huge.len() as u64;
        if huge > 0 {
            let (offset, length) = (u16::from(self.widths.offset), u16::from(self.widths.length));
            let record_bytes = offset + 2 * length;
            let shape = NodeShape { kind: 1, node_bytes: HUGE_NODE_BYTES, record_bytes };
            self.huge_index = Some(BTreeV2Layout::place(shape, huge, self.widths, allocate)?);
        }
        Ok(())
    }

    /// The header, all blocks and all huge objects. `objects` are as many and of the same sizes as were placed; they are
    /// asked for one after the other.
    ///
    /// # Errors
    ///
    /// If an object does not have the size that was placed, and those of `objects`.
    pub fn encode(
        &self,
        objects: impl ExactSizeIterator<Item = Result<Vec<u8>, EncodeError>>,
    ) -> Result<Vec<PlacedBlock>, EncodeError> {
        let mut blocks = vec![PlacedBlock { address: self.header, bytes: self.encode_header()? }];
        for block in &self.indirect {
            blocks.push(PlacedBlock { address: block.address, bytes: self.encode_indirect(block)? });
        }
        let first = blocks.len();
        for block in &self.direct {
            let mut bytes = self.encode_prefix(b"FHDB", block.offset)?;
            bytes.resize(block.bytes as usize, 0);
            blocks.push(PlacedBlock { address: block.address, bytes });
        }
        if objects.len() != self.objects.len() {
            return Err(mismatch(format!("{} objects for {} places", objects.len(), self.objects.len())));
        }
        for (place, object) in self.objects.iter().zip(objects) {
            let object = object?;
            let len = match *place {
                ObjectPlace::Managed { len, .. } => len.into(),
                ObjectPlace::Huge(number) => self.huge[number as usize].len,
            };
            if len != object.len() as u64 {
                return Err(mismatch(format!("an object of {} bytes in {len}", object.len())));
            }
            match *place {
                ObjectPlace::Managed { offset, block, .. } => {
                    let block = block as usize;
                    let start = (offset - self.direct[block].offset) as usize;
                    blocks[first + block].bytes[start..start + object.len()].copy_from_slice(&object);
                }
                ObjectPlace::Huge(number) => {
                    blocks.push(PlacedBlock { address: self.huge[number as usize].address, bytes: object });
                }
            }
        }
        for block in &mut blocks[first..first + self.direct.len()] {
            let checksum = checksum::lookup3(&block.bytes);
            let at = self.prefix_bytes() as usize - 4;
            block.bytes[at..at + 4].copy_from_slice(&checksum.to_le_bytes());
        }
        if let Some(index) = &self.huge_index {
            let mut records = Encoder::new("version 2 B-tree record", self.widths);
            for &HugePlace { address, len, key } in &self.huge {
                records.address("huge object address", Some(address));
                records.length("huge object length", len);
                records.length("huge object ID", key);
            }
            blocks.append(&mut index.encode(&records.finish()?)?);
        }
        Ok(blocks)
    }

    fn encode_header(&self) -> Result<Vec<u8>, EncodeError> {
        let allocated: u64 = self.direct.iter().map(|block| block.bytes).sum();
        let free: u64 = self.direct.iter().map(|block| block.bytes - block.used).sum();
        let managed = self.objects.iter().filter(|place| matches!(place, ObjectPlace::Managed { .. }));
        let (root, rows) = self.root.unzip();
        let rows = rows.unwrap_or_default();
        let space = match rows {
            0 => allocated,
            rows => (u64::from(WIDTH) * self.shape.start_bytes) << (rows - 1),
        };
        let last_key = self.huge.last().map_or(0, |huge| huge.key);
        let mut out = Encoder::new(STRUCTURE, self.widths);
        out.bytes(b"FRHP");
        out.u8(0);
        out.u16(self.shape.id_bytes);
        out.u16(0);
        out.u8(FLAG_CHECKSUMS);
        out.u32(MANAGED_OBJECT_MAX);
        out.length("next huge object ID", last_key);
        out.address("B-tree address of huge objects", self.huge_index.as_ref().map(BTreeV2Layout::address));
        out.length("amount of free space in managed blocks", free);
        out.address("address of managed block free space manager", None);
        out.length("amount of managed space in heap", space);
        out.length("amount of allocated managed space in heap", allocated);
        let iterator = self.direct.last().map_or(0, |block| block.offset + block.bytes);
        out.length("offset of direct block allocation iterator", iterator);
        out.length("number of managed objects", managed.count() as u64);
        out.length("size of huge objects", self.huge.iter().map(|huge| huge.len).sum());
        out.length("number of huge objects", self.huge.len() as u64);
        out.length("size of tiny objects", 0);
        out.length("number of tiny objects", 0);
        out.u16(WIDTH);
        out.length("starting block size", self.shape.start_bytes);
        out.length("maximum direct block size", MAX_DIRECT_BYTES);
        out.u16(self.shape.max_heap_bits);
        out.u16(1);
        out.address("address of root block", root);
        out.u16(rows);
        out.checksum();
        out.finish()
    }

    fn encode_indirect(&self, block: &IndirectBlock) -> Result<Vec<u8>, EncodeError> {
        let mut out = Encoder::new("fractal heap indirect block", self.widths);
        self.prefix(b"FHIB", block.offset, &mut out);
        block.children.iter().for_each(|&child| out.address("child block address", child));
        out.checksum();
        out.finish()
    }

    /// The prefix of a direct block, with a checksum of 0.
    fn encode_prefix(&self, signature: &[u8; 4], offset: u64) -> Result<Vec<u8>, EncodeError> {
        let mut out = Encoder::new("fractal heap direct block", self.widths);
        self.prefix(signature, offset, &mut out);
        out.u32(0);
        out.finish()
    }

    fn prefix(&self, signature: &[u8; 4], offset: u64, out: &mut Encoder) {
        out.bytes(signature);
        out.u8(0);
        out.address("heap header address", Some(self.header));
        out.uint("block offset", offset, self.offset_bytes());
    }

    fn table(&self) -> DoublingTable {
        DoublingTable {
            width: WIDTH,
            start_bytes: self.shape.start_bytes,
            max_direct_bytes: MAX_DIRECT_BYTES,
            max_heap_bits: self.shape.max_heap_bits,
            root: None,
            root_rows: 0,
        }
    }

    fn offset_bytes(&self) -> usize {
        usize::from(self.shape.max_heap_bits).div_ceil(8)
    }

    /// The size of the prefix of a direct block, in bytes.
    fn prefix_bytes(&self) -> u64 {
        9 + u64::from(self.widths.offset) + self.offset_bytes() as u64
    }

    fn indirect_bytes(&self, rows: u32) -> u64 {
        self.prefix_bytes() + u64::from(rows) * u64::from(WIDTH) * u64::from(self.widths.offset)
    }
}

/// The width of the length of a managed object: enough for [`MANAGED_OBJECT_MAX`].
const LENGTH_BYTES: usize = 2;

/// The size of the direct block at an offset of managed space, however deep its table is.
fn direct_bytes(table: &DoublingTable, offset: u64) -> u64 {
    let position = table.position(offset);
    if position.row < table.direct_rows() {
        return position.bytes;
    }
    direct_bytes(table, offset - position.offset)
}

/// The number of a block or a huge object.
fn number_of(count: usize) -> Result<u32, EncodeError> {
    u32::try_from(count).map_err(|_| mismatch("more than 2^32 blocks or huge objects".into()))
}

fn mismatch(what: String) -> EncodeError {
    EncodeError { structure: STRUCTURE, field: "objects", what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::FractalHeap;
    use crate::{Bytes, View};

    /// Writes a heap of objects of these sizes, and reads all of them back. Returns the heap.
    fn round_trip(shape: HeapShape, sizes: &[u64]) -> FractalHeap {
        let mut end = 0;
        let mut allocate = |bytes| {
            end += bytes;
            Address(end - bytes)
        };
        let heap = FractalHeapLayout::place(shape, sizes, Widths::default(), &mut allocate).unwrap();
        let objects: Vec<Vec<u8>> =
            sizes.iter().enumerate().map(|(i, &len)| vec![(i as u8).wrapping_add(1); len as usize]).collect();
        let mut file = vec![0xee; end as usize];
        for block in heap.encode(objects.iter().cloned().map(Ok)).unwrap() {
            file[block.address.0 as usize..][..block.bytes.len()].copy_from_slice(&block.bytes);
        }
        let file = Bytes::from(file);
        let view = View::new(&file);
        let found = FractalHeap::parse(&view, heap.address()).unwrap();
        for (number, object) in objects.iter().enumerate() {
            let read = found.object(&view, &heap.id(number)).unwrap();
            assert_eq!(read.bytes, object, "object {number}");
        }
        found
    }

    #[test]
    fn a_small_heap_is_one_block() {
        let heap = round_trip(HeapShape::LINKS, &[20, 30, 500, 4096]);
        assert_eq!((heap.table.root_rows, heap.table.start_bytes, heap.managed_objects), (0, 8192, 4));
        let heap = round_trip(HeapShape::LINKS, &[]);
        assert_eq!((heap.table.root, heap.managed_objects), (None, 0));
    }

    #[test]
    fn a_large_heap_has_blocks_in_blocks() {
        // Rows 0 to 8 have direct blocks of 512 bytes to 64 KiB, 512 KiB in all; the next row has tables.
        let heap = round_trip(HeapShape::LINKS, &[100; 4_000]);
        assert_eq!((heap.table.root_rows, heap.managed_objects), (9, 4_000));
        let heap = round_trip(HeapShape::LINKS, &[100; 20_000]);
        assert_eq!(heap.table.root_rows, 11);
        round_trip(HeapShape::ATTRIBUTES, &[3_000; 1_000]);
    }

    #[test]
    fn blocks_too_small_for_an_object_are_left_out() {
        // The first blocks have 512 bytes.
        let sizes: Vec<u64> = (0..60).map(|i| if i % 2 == 0 { 4_000 } else { 10 }).collect();
        let heap = round_trip(HeapShape::LINKS, &sizes);
        assert_eq!(heap.managed_objects, 60);
    }

    #[test]
    fn large_objects_lie_on_their_own() {
        let heap = round_trip(HeapShape::ATTRIBUTES, &[10, 70_000, 4_097, 20]);
        assert_eq!((heap.managed_objects, heap.huge_objects), (2, 2));
        let heap = round_trip(HeapShape::ATTRIBUTES, &[5_000; 100]);
        assert_eq!((heap.table.root, heap.huge_objects), (None, 100));
    }

    #[test]
    fn objects_of_other_sizes_are_refused() {
        let mut allocate = |_| Address(0);
        let heap =
            FractalHeapLayout::place(HeapShape::LINKS, &[3], Widths::default(), &mut allocate).unwrap();
        assert!(heap.encode([Ok(vec![0; 4])].into_iter()).is_err());
        assert!(heap.encode([].into_iter()).is_err());
    }
}
