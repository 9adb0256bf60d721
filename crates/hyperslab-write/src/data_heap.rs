//! Collections of the global heap among the data: for elements of variable length.

use crate::options::WIDTHS;
use hyperslab_format::heap::CollectionBuilder;
use hyperslab_format::{Address, EncodeError, Encoder};

/// The collection that objects are appended to.
#[derive(Debug)]
pub(crate) struct OpenCollection {
    pub address: Address,
    /// The space that it was given.
    pub bytes: u64,
    objects: CollectionBuilder,
}

/// Collections have twice the size of the one before, from the smallest that libhdf5 reads up to the largest: a file with
/// few objects stays small, and one with many has few collections.
const SMALLEST: u64 = 4 << 10;
const LARGEST: u64 = 256 << 10;

/// What is reserved at once for a collection of this size: that of a large object grows with it.
fn room(bytes: u64) -> usize {
    bytes.min(LARGEST) as usize
}

impl OpenCollection {
    /// The size in bytes of the collection after one of `before` bytes, for an object of `len` bytes.
    pub fn size_after(before: Option<u64>, len: u64) -> u64 {
        let usual = before.map_or(SMALLEST, |before| (2 * before).clamp(SMALLEST, LARGEST));
        let needed = CollectionBuilder::new(WIDTHS).bytes_with(len).unwrap_or(u64::MAX);
        usual.max(needed)
    }

    pub fn new(address: Address, bytes: u64) -> Self {
        Self { address, bytes, objects: CollectionBuilder::with_room(room(bytes), WIDTHS) }
    }

    /// Appends an object, and returns its index; `None` if there is no space for it.
    pub fn push(&mut self, object: &[u8]) -> Option<u32> {
        let needed = self.objects.bytes_with(object.len() as u64)?;
        (needed <= self.bytes).then(|| self.objects.push(object))
    }

    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        let mut out = Encoder::with_room(room(self.bytes), "global heap collection", WIDTHS);
        self.objects.encode(self.bytes, &mut out);
        out.finish()
    }
}
