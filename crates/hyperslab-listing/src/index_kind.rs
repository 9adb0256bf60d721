//! The kinds of chunk indexes, in words.

use hyperslab_format::message::ChunkIndex;

/// The kind of a chunk index: as text, and as a stable code.
pub fn index_kind(index: &ChunkIndex) -> (&'static str, &'static str) {
    match index {
        ChunkIndex::BTreeV1 => ("v1 B-tree", "btree-v1"),
        ChunkIndex::Single { .. } => ("single chunk", "single"),
        ChunkIndex::Implicit => ("implicit", "implicit"),
        ChunkIndex::FixedArray { .. } => ("fixed array", "fixed-array"),
        ChunkIndex::ExtensibleArray { .. } => ("extensible array", "extensible-array"),
        ChunkIndex::BTreeV2 { .. } => ("v2 B-tree", "btree-v2"),
    }
}
