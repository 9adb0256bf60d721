//! Values in metadata that may refer to objects and to the global heap, whose addresses are not known yet.

/// The bytes of some elements as they will be in the file, apart from addresses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    /// The bytes. What the patches cover is overwritten.
    pub bytes: Box<[u8]>,
    /// Where addresses belong.
    pub patches: Box<[Patch]>,
}

/// An address in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch {
    /// The offset in the value's bytes.
    pub at: usize,
    /// What the address is of.
    pub target: PatchTarget,
}

/// What a patch refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchTarget {
    /// An object header: 8 bytes.
    Object(ObjectId),
    /// An object of the global heap: the address of its collection and its index, 12 bytes.
    Heap(HeapItem),
}

/// An object of a [`FileTree`](crate::FileTree), by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// A value of [`FileTree::heap`](crate::FileTree), by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeapItem(pub u32);

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.into(), patches: Box::default() }
    }
}

impl PatchTarget {
    /// The number of bytes that the patch covers.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Object(_) => 8,
            Self::Heap(_) => 12,
        }
    }
}
