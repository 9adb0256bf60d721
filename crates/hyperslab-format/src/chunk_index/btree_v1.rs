//! Chunks in a version 1 B-tree (specification III.A.1, nodes of type 1): all layouts before HDF5 1.10.
//!
//! ```text
//! key:  stored size 4 | filter mask 4 | offset of the chunk in elements, 8 for each dimension | offset in the element 8
//! ```
//!
//! Key i belongs to child i. The last key of a node only bounds the child before it.

use super::batch::gather;
use super::columns::ChunkColumns;
use super::context::WalkContext;
use super::order::Ascending;
use crate::btree::v1::{Node, NodeType};
use crate::node_traversal::{Item, NodeTraversal, VisitedRanges};
use crate::{Address, Cursor, FormatError, Parse, Stop, View};

#[derive(Debug)]
pub(super) struct BTreeV1Walk {
    context: WalkContext,
    nodes: NodeTraversal<Pointer, Node>,
    order: Ascending,
}

#[derive(Debug)]
struct Pointer {
    address: Address,
    level: Option<u8>,
}

impl BTreeV1Walk {
    pub(super) fn new(context: WalkContext) -> Self {
        let root = Pointer { address: context.address, level: None };
        Self { context, nodes: NodeTraversal::strict(root), order: Ascending::default() }
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<Option<ChunkColumns>> {
        let context = &self.context;
        let next = || {
            let leaf = self.nodes.next(|pointer, visited| visit(view, context, pointer, visited))?;
            Ok(leaf.transpose()?)
        };
        let found = gather(context.rank, next, |leaf, found| add_leaf(view, context, &leaf, found))?;
        found.map(|found| self.order.checked(found)).transpose().map_err(Stop::from)
    }
}

/// The children of a node, or the chunks of a leaf, that may be wanted chunks or lead to them.
fn visit(
    view: &View,
    context: &WalkContext,
    pointer: &Pointer,
    visited: &mut VisitedRanges,
) -> Parse<Vec<Item<Pointer, Node>>> {
    let kind = NodeType::Chunk { rank: context.rank };
    let node = Node::parse(view, pointer.address, kind, pointer.level)?;
    visited.claim("version 1 B-tree node", view, node.at, node.bytes)?;
    if node.level == 0 {
        return Ok(vec![Item::Done(node)]);
    }
    let keys = coords_of_all_keys(context, &node)?;
    let key = |i: usize| &keys[i * context.rank..(i + 1) * context.rank];
    if let Some(i) = (1..node.entries).find(|&i| key(i - 1) >= key(i)) {
        let what = format!("key {:?} comes after key {:?}", key(i), key(i - 1));
        return Err(node.key(i)?.invalid("chunk offset", what).into());
    }
    let mut items = Vec::new();
    for i in 0..node.entries {
        // The first and the last key are not used as bounds: some writers update them late.
        let from = (i > 0).then(|| key(i));
        let to = (i + 1 < node.entries).then(|| key(i + 1));
        if context.region.overlaps(from, to) {
            let (address, level) = (node.child(i)?, Some(node.level - 1));
            items.push(Item::Node(Pointer { address, level }));
        }
    }
    Ok(items)
}

/// Adds the wanted chunks of a leaf.
fn add_leaf(
    view: &View,
    context: &WalkContext,
    leaf: &Node,
    found: &mut ChunkColumns,
) -> Result<(), FormatError> {
    let mut coords = Vec::with_capacity(context.rank + 1);
    let mut entry = leaf.keys_and_children();
    for _ in 0..leaf.entries {
        let stored_bytes = u64::from(entry.u32("size of chunk")?);
        let mask = entry.u32("filter mask")?;
        coords.clear();
        read_coords(context, &mut entry, &mut coords)?;
        let at = entry.at();
        let child = entry.address("child")?;
        if context.region.contains(&coords) {
            let nowhere = || entry.invalid_at(at, "child", "the chunk has no address");
            context.add(view, found, &coords, (child.ok_or_else(nowhere)?, stored_bytes, mask))?;
        }
    }
    Ok(())
}

/// The chunk coordinates of all keys of a node, one after the other.
fn coords_of_all_keys(context: &WalkContext, node: &Node) -> Result<Vec<u64>, FormatError> {
    let mut coords = Vec::with_capacity((node.entries + 1) * context.rank);
    // A node without entries has no key.
    for i in 0..=node.entries {
        if node.entries > 0 {
            let mut key = node.key(i)?;
            key.skip("size of chunk, filter mask", 8)?;
            read_coords(context, &mut key, &mut coords)?;
        }
    }
    Ok(coords)
}

fn read_coords(context: &WalkContext, key: &mut Cursor, coords: &mut Vec<u64>) -> Result<(), FormatError> {
    for &chunk in context.chunk_dims.iter().chain([&context.element_bytes]) {
        let at = key.at();
        let offset = key.u64("chunk offset")?;
        if offset % chunk != 0 {
            let what = format!("offset {offset} is not a multiple of the chunk size {chunk}");
            return Err(key.invalid_at(at, "chunk offset", what));
        }
        coords.push(offset / chunk);
    }
    coords.pop();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Dataset, dataset};
    use crate::message::ChunkIndex;
    use crate::testing::{Build, every_prefix_fails};

    const CHILD: u64 = 1000;

    fn node(image: Build, level: u8, keys: &[(u32, [u64; 2])], children: &[u64]) -> Build {
        let mut image = image.text("TREE").u8(1).u8(level).u16(children.len() as u16).undefined().undefined();
        for (i, (size, offset)) in keys.iter().enumerate() {
            image = image.u32(*size).u32(i as u32).u64(offset[0]).u64(offset[1]).u64(0);
            if let Some(&child) = children.get(i) {
                image = image.u64(child);
            }
        }
        image
    }

    /// A tree of two leaves for 2 x 4 chunks of 2 x 3 elements; the chunk (0, 1) was never written.
    fn tree(second_leaf: &[(u32, [u64; 2])]) -> Build {
        let image = node(Build::default(), 1, &[(9, [0, 0]), (9, [2, 0]), (0, [2, 12])], &[CHILD, 2 * CHILD]);
        let image = node(image.pad_to(CHILD), 0, &[(9, [0, 0]), (8, [0, 6]), (0, [2, 0])], &[300, 400]);
        node(image.pad_to(2 * CHILD), 0, second_leaf, &[500, 600]).pad_to(3 * CHILD)
    }

    fn filtered() -> Dataset {
        dataset(&[4, 12], &[None, None], &[2, 3], ChunkIndex::BTreeV1).filtered()
    }

    #[test]
    fn finds_chunks_and_reads_only_nodes_that_may_contain_them() {
        let image = tree(&[(7, [2, 0]), (6, [2, 9]), (0, [3 * 2, 12])]);
        let all = [
            (vec![0, 0], 300, 9, 0),
            (vec![0, 2], 400, 8, 1),
            (vec![1, 0], 500, 7, 0),
            (vec![1, 3], 600, 6, 1),
        ];
        assert_eq!(filtered().rows(&image, None), all);
        let in_use = Build::default().bytes(&image.as_slice()[..2136]);
        every_prefix_fails(&in_use, |view| filtered().chunks(view, None));
        // Without its signature the first leaf cannot be read, but no wanted chunk is in it.
        let broken = image.clone().patch(CHILD, b"nope");
        filtered().chunks(&broken.view(), None).unwrap_err();
        assert_eq!(filtered().rows(&broken, Some(&[(1, 2), (0, 4)])), all[2..]);
        // The dataset became smaller.
        let mut smaller = filtered();
        smaller.dims = vec![4, 5];
        assert_eq!(smaller.rows(&image, None), [all[0].clone(), all[2].clone()]);
    }

    #[test]
    fn refuses_invalid_chunks() {
        for leaf in [
            [(7, [2, 0]), (6, [2, 8]), (0, [4, 0])],
            [(7, [2, 0]), (6, [2, 0]), (0, [4, 0])],
            [(7, [2, 3]), (6, [2, 0]), (0, [4, 0])],
            [(0, [2, 0]), (6, [2, 9]), (0, [4, 0])],
            [(9000, [2, 0]), (6, [2, 9]), (0, [4, 0])],
        ] {
            filtered().chunks(&tree(&leaf).view(), None).unwrap_err();
        }
    }

    #[test]
    fn unfiltered_chunks_are_stored_whole() {
        let unfiltered = Dataset { filtered: false, ..filtered() };
        let stored = |size: u32| {
            let keys = [(size, [0, 0]), (size, [2, 0]), (0, [4, 0])];
            unfiltered.chunks(&node(Build::default(), 0, &keys, &[100, 200]).pad_to(1000).view(), None)
        };
        assert_eq!(stored(24).unwrap().len(), 2);
        stored(23).unwrap_err();
    }

    #[test]
    fn survives_any_change() {
        filtered().survives_changes(&tree(&[(7, [2, 0]), (6, [2, 9]), (0, [6, 12])]));
    }
}
