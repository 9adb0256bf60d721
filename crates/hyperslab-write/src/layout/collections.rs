//! The collections of the global heap that are part of the metadata.

use super::FileLayout;
use crate::allocator::Allocator;
use crate::error::WriteError;
use crate::options::WIDTHS;
use crate::value::Value;
use hyperslab_format::Address;
use hyperslab_format::heap::CollectionSize;

/// A collection of the global heap that is part of the metadata.
#[derive(Debug)]
pub(crate) struct PlacedCollection {
    pub address: Address,
    /// The heap objects of the tree in it.
    pub items: std::ops::Range<usize>,
}

/// Collections of metadata are not grown beyond this by small objects.
const COLLECTION_BYTES: u64 = 64 << 10;

impl FileLayout {
    /// Distributes the heap objects over collections, in their order.
    pub(super) fn place_heap(&mut self, heap: &[Value], space: &mut Allocator) -> Result<(), WriteError> {
        let mut first = 0;
        let (mut open, mut objects) = (CollectionSize::new(WIDTHS), 0);
        for (number, value) in heap.iter().enumerate() {
            let len = value.bytes.len() as u64;
            let fits = open.with(len).is_some_and(|bytes| bytes <= COLLECTION_BYTES);
            if !fits && objects > 0 {
                self.place_collection(open, first..number, space);
                (open, objects, first) = (CollectionSize::new(WIDTHS), 0, number);
            }
            let collection = u32::try_from(self.collections.len())
                .map_err(|_| WriteError::Invalid("too many heap collections".into()))?;
            open.push(len);
            objects += 1;
            self.heap.push((collection, objects));
        }
        if objects > 0 {
            self.place_collection(open, first..heap.len(), space);
        }
        Ok(())
    }

    fn place_collection(
        &mut self,
        collection: CollectionSize,
        items: std::ops::Range<usize>,
        space: &mut Allocator,
    ) {
        let address = space.data(collection.bytes());
        self.collections.push(PlacedCollection { address, items });
    }
}
