//! Chunks in a version 1 B-tree (specification III.A.1, nodes of type 1): all layouts before HDF5 1.10.
//!
//! ```text
//! key:  stored size 4 | filter mask 4 | offset of the chunk in elements, 8 for each dimension | offset in the element 8
//! ```
//!
//! Key i belongs to child i. The last key of a node only bounds the child before it.

use super::plan::Plan;
use super::table::ChunkTable;
use crate::btree::v1::{Node, NodeType};
use crate::walk::{self, Item};
use crate::{Address, Cursor, FormatError, Parse, View};

#[derive(Debug)]
pub(super) struct Walk {
    plan: Plan,
    nodes: walk::Walk<Pointer, Node>,
}

#[derive(Debug)]
struct Pointer {
    address: Address,
    level: Option<u8>,
}

impl Walk {
    pub(super) fn new(plan: Plan) -> Self {
        let root = Pointer { address: plan.address, level: None };
        Self { plan, nodes: walk::Walk::strict(root) }
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<ChunkTable> {
        let plan = &self.plan;
        let kind = NodeType::Chunk { rank: plan.rank };
        self.nodes.advance(|pointer, footprint| {
            let node = Node::parse(view, pointer.address, kind, pointer.level)?;
            footprint.claim("version 1 B-tree node", view, node.at, node.bytes)?;
            if node.level == 0 {
                return Ok(vec![Item::Done(node)]);
            }
            let keys = coords_of_all_keys(plan, &node)?;
            let mut items = Vec::new();
            for i in 0..node.entries {
                // The outermost keys are not relied on: writers have set them late.
                let from = (i > 0).then(|| &keys[i * plan.rank..(i + 1) * plan.rank]);
                let to = (i + 1 < node.entries).then(|| &keys[(i + 1) * plan.rank..(i + 2) * plan.rank]);
                if plan.region.meets(from, to) {
                    let (address, level) = (node.child(i)?, Some(node.level - 1));
                    items.push(Item::Node(Pointer { address, level }));
                }
            }
            Ok(items)
        })?;
        let mut table = ChunkTable::new(plan.rank);
        let mut coords = Vec::with_capacity(plan.rank);
        for leaf in self.nodes.results() {
            let leaf = leaf?;
            for i in 0..leaf.entries {
                let mut key = leaf.key(i)?;
                let stored_bytes = u64::from(key.u32("size of chunk")?);
                let mask = key.u32("filter mask")?;
                coords.clear();
                read_coords(plan, &mut key, &mut coords)?;
                if plan.region.contains(&coords) {
                    plan.add(view, &mut table, &coords, (leaf.child(i)?, stored_bytes, mask))?;
                }
            }
        }
        Ok(table.ordered())
    }
}

/// The places that the keys of a node say, one after the other.
fn coords_of_all_keys(plan: &Plan, node: &Node) -> Result<Vec<u64>, FormatError> {
    let mut coords = Vec::with_capacity((node.entries + 1) * plan.rank);
    // A node without entries has no key.
    for i in 0..=node.entries {
        if node.entries > 0 {
            let mut key = node.key(i)?;
            key.skip("size of chunk, filter mask", 8)?;
            read_coords(plan, &mut key, &mut coords)?;
        }
    }
    Ok(coords)
}

fn read_coords(plan: &Plan, key: &mut Cursor, coords: &mut Vec<u64>) -> Result<(), FormatError> {
    for &chunk in plan.chunk_dims.iter().chain([&plan.element_bytes]) {
        let field = key.clone();
        let offset = key.u64("chunk offset")?;
        if offset % chunk != 0 {
            let what = format!("offset {offset}, where chunks begin at multiples of {chunk}");
            return Err(field.invalid("chunk offset", what));
        }
        coords.push(offset / chunk);
    }
    coords.pop();
    Ok(())
}
