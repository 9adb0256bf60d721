//! Version 1 B-trees (specification III.A.1): nodes with room for 2K children, of groups and of chunks.

use crate::checker::{Checked, Checker, Interrupt};
use crate::group::{NODE_ENTRIES, NODE_KEYS, NODE_SIBLINGS};
use hyperslab_format::{Address, Cursor};

/// What a tree indexes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeShape {
    /// 0 for groups, 1 for chunks.
    pub kind: u8,
    /// The name of its nodes.
    pub structure: &'static str,
    /// The size of a key in bytes.
    pub key_bytes: u64,
    /// Half the maximum number of children of a node.
    pub k: u64,
}

/// A node.
#[derive(Debug)]
pub(crate) struct TreeNode {
    /// Its absolute offset.
    pub at: u64,
    level: u8,
    left: Option<Address>,
    right: Option<Address>,
    /// One more than there are children, unless there are none.
    pub keys: Vec<Cursor>,
    /// The address of each child, and the offset of the pointer.
    pub children: Vec<(Address, u64)>,
}

/// The last node of each level so far, with its right sibling.
#[derive(Debug, Default)]
struct Siblings {
    last: Vec<Option<(Address, Option<Address>)>>,
}

impl Checker<'_> {
    /// Checks all nodes of a tree, and calls `leaf` with those of level 0 in their order. `key` turns a key into a value
    /// that is ordered as the keys are.
    pub(crate) fn check_btree_v1<K: Ord>(
        &mut self,
        shape: TreeShape,
        root: Address,
        key: &impl Fn(&Cursor) -> Checked<K>,
        leaf: &mut impl FnMut(&mut Self, &TreeNode) -> Checked,
    ) -> Checked {
        let mut siblings = Siblings::default();
        self.visit_node(shape, root, None, &mut siblings, key, leaf)?;
        for (address, right) in siblings.last.into_iter().flatten() {
            let at = self.view.absolute(address);
            self.demand(right.is_none(), &NODE_SIBLINGS, shape.structure, at, || {
                "the last node of its level has a right sibling".to_owned()
            });
        }
        Ok(())
    }

    fn visit_node<K: Ord>(
        &mut self,
        shape: TreeShape,
        address: Address,
        level: Option<u8>,
        siblings: &mut Siblings,
        key: &impl Fn(&Cursor) -> Checked<K>,
        leaf: &mut impl FnMut(&mut Self, &TreeNode) -> Checked,
    ) -> Checked {
        let node = self.read_node(shape, address, level)?;
        let is_lonely_root = level.is_none() && node.level == 0;
        self.demand(
            !node.children.is_empty() || is_lonely_root,
            &NODE_ENTRIES,
            shape.structure,
            node.at,
            || "a node without children".to_owned(),
        );
        self.check_siblings(shape, address, &node, siblings);
        let keys = node.keys.iter().map(key).collect::<Checked<Vec<K>>>()?;
        let ascends = keys.is_sorted_by(|a, b| a < b);
        self.demand(ascends, &NODE_KEYS, shape.structure, node.at, || "the keys do not ascend".to_owned());
        if node.level == 0 {
            return leaf(self, &node);
        }
        for &(child, _) in &node.children {
            let checked = self.visit_node(shape, child, Some(node.level - 1), siblings, key, leaf);
            self.finish(checked);
        }
        Ok(())
    }

    fn read_node(&mut self, shape: TreeShape, address: Address, level: Option<u8>) -> Checked<TreeNode> {
        let offset = u64::from(self.view.widths.offset);
        let whole = 8 + 2 * offset + 2 * shape.k * (shape.key_bytes + offset) + shape.key_bytes;
        let mut cursor = self.peek(shape.structure, address, 8 + 2 * offset)?;
        let at = cursor.at();
        cursor.signature(b"TREE")?;
        let kind = cursor.u8("node type")?;
        if kind != shape.kind {
            return Err(cursor
                .invalid_at(at, "node type", format!("type {kind}, expected {}", shape.kind))
                .into());
        }
        let found = cursor.u8("node level")?;
        if let Some(expected) = level.filter(|&expected| expected != found) {
            let what = format!("level {found} below a node of level {}", u16::from(expected) + 1);
            return Err(cursor.invalid_at(at, "node level", what).into());
        }
        let entries = u64::from(cursor.u16("entries used")?);
        if entries > 2 * shape.k {
            let what = format!("{entries} children, but a node has room for {}", 2 * shape.k);
            self.report(&NODE_ENTRIES, shape.structure, at, what);
            return Err(Interrupt::Reported);
        }
        let (left, right) = (cursor.address("left sibling")?, cursor.address("right sibling")?);
        let mut cursor = self.cursor(shape.structure, address, whole)?;
        cursor.skip("prefix", (8 + 2 * offset) as usize)?;
        let (mut keys, mut children) = (Vec::new(), Vec::new());
        for _ in 0..entries {
            keys.push(cursor.sub("key", shape.key_bytes as usize)?);
            let at = cursor.at();
            children.push((cursor.address_defined("child")?, at));
        }
        if entries > 0 {
            keys.push(cursor.sub("key", shape.key_bytes as usize)?);
        }
        Ok(TreeNode { at, level: found, left, right, keys, children })
    }

    fn check_siblings(
        &mut self,
        shape: TreeShape,
        address: Address,
        node: &TreeNode,
        siblings: &mut Siblings,
    ) {
        let level = usize::from(node.level);
        if siblings.last.len() <= level {
            siblings.last.resize(level + 1, None);
        }
        let before = siblings.last[level].replace((address, node.right));
        let expected = before.map(|(address, _)| address);
        self.demand(node.left == expected, &NODE_SIBLINGS, shape.structure, node.at, || {
            format!("the left sibling is {:?}, expected {expected:?}", node.left)
        });
        if let Some((address_before, right)) = before {
            let at = self.view.absolute(address_before);
            self.demand(right == Some(address), &NODE_SIBLINGS, shape.structure, at, || {
                format!("the right sibling is {right:?}, expected {address}")
            });
        }
    }
}
