//! New dense storage of links or attributes: their messages in a fractal heap, and version 2 B-trees of the hashes of
//! their names and, if asked for, of their creation order.

use crate::btree::v2::{BTreeV2Layout, NodeShape};
use crate::checksum::lookup3;
use crate::heap::fractal::{FractalHeapLayout, HeapShape};
use crate::{Address, Allocate, EncodeError, Encoder, Name, PlacedBlock, Widths};

/// What is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DenseKind {
    /// The links of a group: records of types 5 and 6.
    Links,
    /// The attributes of an object: records of types 8 and 9.
    Attributes,
}

/// The links or attributes that are stored, by their numbers. Their messages are asked for one after the other: there may
/// be very many.
pub trait DenseItems {
    /// How many there are.
    fn count(&self) -> usize;
    /// The name of one.
    fn name(&self, number: usize) -> &Name;
    /// Its position in creation order, which the records of attributes have even if the order is not tracked.
    fn creation_order(&self, number: usize) -> u64;
    /// Its encoded message.
    ///
    /// # Errors
    ///
    /// What the format cannot express.
    fn message(&self, number: usize) -> Result<Vec<u8>, EncodeError>;
}

/// New dense storage whose structures have addresses.
#[derive(Debug, Clone)]
pub struct DenseLayout {
    kind: DenseKind,
    widths: Widths,
    heap: FractalHeapLayout,
    by_name: BTreeV2Layout,
    by_order: Option<BTreeV2Layout>,
}

/// `H5G_NAME_BT2_NODE_SIZE` and the three like it.
const NODE_BYTES: u32 = 512;

impl DenseLayout {
    /// Places the storage of items whose messages have these sizes in bytes, with an index of their creation order if
    /// `indexed`.
    ///
    /// # Errors
    ///
    /// If the items are too large in total.
    pub fn place(
        kind: DenseKind,
        sizes: &[u64],
        indexed: bool,
        widths: Widths,
        allocate: &mut Allocate<'_>,
    ) -> Result<Self, EncodeError> {
        let (shape, by_name, by_order) = match kind {
            DenseKind::Links => (HeapShape::LINKS, (5, 11), (6, 15)),
            DenseKind::Attributes => (HeapShape::ATTRIBUTES, (8, 17), (9, 13)),
        };
        let heap = FractalHeapLayout::place(shape, sizes, widths, allocate)?;
        let mut index = |(kind, record_bytes)| {
            let shape = NodeShape { kind, node_bytes: NODE_BYTES, record_bytes };
            BTreeV2Layout::place(shape, sizes.len() as u64, widths, &mut *allocate)
        };
        let by_name = index(by_name)?;
        let by_order = if indexed { Some(index(by_order)?) } else { None };
        Ok(Self { kind, widths, heap, by_name, by_order })
    }

    /// The address of the fractal heap.
    pub fn heap(&self) -> Address {
        self.heap.address()
    }

    /// The address of the index of names.
    pub fn name_index(&self) -> Address {
        self.by_name.address()
    }

    /// The address of the index of creation order.
    pub fn creation_order_index(&self) -> Option<Address> {
        self.by_order.as_ref().map(BTreeV2Layout::address)
    }

    /// All blocks. `items` are as many and have messages of the same sizes as were placed.
    ///
    /// # Errors
    ///
    /// If they do not, and those of the messages.
    pub fn encode(&self, items: &dyn DenseItems) -> Result<Vec<PlacedBlock>, EncodeError> {
        let mut blocks = self.heap.encode((0..items.count()).map(|number| items.message(number)))?;
        let hash = |number: usize| lookup3(items.name(number).as_bytes());
        let mut sorted: Vec<(u32, usize)> = (0..items.count()).map(|number| (hash(number), number)).collect();
        // Names with the same hash are ordered by their bytes.
        sorted.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| items.name(a.1).cmp(items.name(b.1))));
        let mut records = Encoder::new("version 2 B-tree record", self.widths);
        for &(hash, number) in &sorted {
            match self.kind {
                DenseKind::Links => {
                    records.u32(hash);
                    records.bytes(&self.heap.id(number));
                }
                DenseKind::Attributes => {
                    self.attribute(number, items.creation_order(number), &mut records);
                    records.u32(hash);
                }
            }
        }
        blocks.append(&mut self.by_name.encode(&records.finish()?)?);
        if let Some(index) = &self.by_order {
            sorted.sort_by_key(|&(_, number)| items.creation_order(number));
            let mut records = Encoder::new("version 2 B-tree record", self.widths);
            for &(_, number) in &sorted {
                let order = items.creation_order(number);
                match self.kind {
                    DenseKind::Links => {
                        records.u64(order);
                        records.bytes(&self.heap.id(number));
                    }
                    DenseKind::Attributes => self.attribute(number, order, &mut records),
                }
            }
            blocks.append(&mut index.encode(&records.finish()?)?);
        }
        Ok(blocks)
    }

    /// The fields that both records of an attribute have.
    fn attribute(&self, number: usize, order: u64, records: &mut Encoder) {
        records.bytes(&self.heap.id(number));
        records.u8(0);
        records.uint("creation order", order, 4);
    }
}
