//! Chunks in a version 1 B-tree.

use super::{CHUNK_OFFSET, Chunked, Entry, INDEX};
use crate::btree_v1::TreeShape;
use crate::checker::{Checked, Checker};
use crate::references::References;
use hyperslab_format::Cursor;

/// A key: stored size, filter mask, and the offset of the chunk along each dimension.
struct Key {
    stored_bytes: u64,
    mask: u32,
    offsets: Vec<u64>,
}

fn parse(key: &Cursor, rank: usize) -> Checked<Key> {
    let mut key = key.clone();
    let (stored_bytes, mask) = (key.u32("size of chunk")?.into(), key.u32("filter mask")?);
    let mut offsets = Vec::with_capacity(rank + 1);
    for _ in 0..=rank {
        offsets.push(key.u64("chunk offset")?);
    }
    Ok(Key { stored_bytes, mask, offsets })
}

impl Checker<'_> {
    pub(super) fn check_chunk_btree_v1(
        &mut self,
        chunked: &mut Chunked<'_>,
        references: &mut References,
    ) -> Checked {
        let rank = chunked.rank();
        let shape = TreeShape {
            kind: 1,
            structure: "chunk B-tree node",
            key_bytes: 8 + 8 * (rank as u64 + 1),
            k: self.node_sizes.chunk_internal,
        };
        let order = |key: &Cursor| Ok(parse(key, rank)?.offsets);
        self.check_btree_v1(shape, chunked.address, &order, &mut |checker, node| {
            for (key, &(address, _)) in node.keys.iter().zip(&node.children) {
                let at = key.at();
                let Key { stored_bytes, mask, offsets } = parse(key, rank)?;
                let is_multiple = offsets.iter().zip(&chunked.sizes).all(|(offset, size)| offset % size == 0);
                checker.demand(is_multiple && offsets[rank] == 0, &CHUNK_OFFSET, INDEX, at, || {
                    format!("offset {offsets:?} with chunks of {:?}", chunked.sizes)
                });
                let coords: Vec<u64> =
                    offsets.iter().zip(&chunked.sizes).take(rank).map(|(o, s)| o / s).collect();
                let entry = Entry { at, address, stored_bytes, mask };
                checker.check_next_chunk(chunked, coords, entry, references)?;
            }
            Ok(())
        })
    }
}
