//! The bytes of a variable.

use hyperslab::ChunkMap;
use std::sync::Arc;

/// Where the bytes of a variable lie, or what they are.
pub(super) enum Stored {
    /// It was never written.
    Nothing,
    /// The values themselves, the least significant byte of a number first.
    Compact(Vec<u8>),
    /// The elements of a compound, as `dmrpp:specialstructuredata` has them.
    Elements(Vec<u8>),
    /// Texts of variable length.
    Texts(Vec<String>),
    /// Offset and size of its only block.
    Block(u64, u64),
    /// In chunks. `unfiltered_edges` is the mask of chunks that extend beyond the variable, if they are not filtered.
    Map { map: Arc<ChunkMap>, shape: Vec<u64>, unfiltered_edges: Option<u32> },
}
