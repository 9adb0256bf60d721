//! Skipping Huffman (coder 3): a tree for each byte of a value, which changes with every byte (D. W. Jones, *Application of
//! splay trees to data compression*, Communications of the ACM 31, 1988).
//!
//! A code leads from the root to a leaf, a bit for each step, the highest bit of a byte first. Then the path to that leaf is
//! halved, so that frequent bytes get short codes. The trees are never stored: the decoder makes the same changes.

use crate::FilterError;
use crate::scratch::CodecState;
use crate::stage::Stage;

const NAME: &str = "HDF4 skipping Huffman";
/// Nodes with two children: 0, the root, to 255.
const INNER: usize = 256;
/// Leaves follow the inner nodes, one for each byte.
const NODES: usize = 2 * INNER;
/// More trees than a value can have bytes.
const SKIP_MAX: usize = 64;

pub(super) struct SkippingHuffman {
    skip: usize,
}

impl SkippingHuffman {
    pub(super) fn new(skip: usize) -> Result<Self, FilterError> {
        match skip {
            1..=SKIP_MAX => Ok(Self { skip }),
            _ => Err(FilterError::parameters(NAME, format!("{skip} trees"))),
        }
    }
}

impl Stage for SkippingHuffman {
    fn name(&self) -> &'static str {
        NAME
    }

    /// A byte has a code of at least one bit.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        stored_bytes.saturating_mul(8)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let mut trees = vec![Tree::new(); self.skip];
        let mut bits = stored.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        for (at, byte) in out.iter_mut().enumerate() {
            let tree = &mut trees[at % self.skip];
            let mut node = 0;
            while node < INNER {
                let Some(bit) = bits.next() else { return Ok(at) };
                node = usize::from(if bit == 0 { tree.left[node] } else { tree.right[node] });
            }
            *byte = (node - INNER) as u8;
            tree.splay(node)?;
        }
        Ok(out.len())
    }
}

#[derive(Clone)]
struct Tree {
    left: [u16; INNER],
    right: [u16; INNER],
    up: [u16; NODES],
}

impl Tree {
    fn new() -> Self {
        let (mut left, mut right, mut up) = ([0; INNER], [0; INNER], [0; NODES]);
        for node in 0..INNER {
            left[node] = 2 * node as u16;
            right[node] = 2 * node as u16 + 1;
        }
        for (node, parent) in up.iter_mut().enumerate() {
            *parent = (node / 2) as u16;
        }
        Self { left, right, up }
    }

    /// Halves the path from the root to a leaf: every second node changes places with its uncle.
    fn splay(&mut self, leaf: usize) -> Result<(), FilterError> {
        let mut node = leaf;
        for _ in 0..NODES {
            let parent = usize::from(self.up[node]);
            if parent == 0 {
                return Ok(());
            }
            let above = usize::from(self.up[parent]);
            let uncle = match usize::from(self.left[above]) == parent {
                true => std::mem::replace(&mut self.right[above], node as u16),
                false => std::mem::replace(&mut self.left[above], node as u16),
            };
            match usize::from(self.left[parent]) == node {
                true => self.left[parent] = uncle,
                false => self.right[parent] = uncle,
            }
            self.up[node] = above as u16;
            self.up[usize::from(uncle)] = parent as u16;
            node = above;
            if node == 0 {
                return Ok(());
            }
        }
        Err(FilterError::corrupt(NAME, "the codes do not lead to a tree"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The encoder of the same trees: bytes whose codes the decoder must follow.
    fn encode(raw: &[u8], skip: usize) -> Vec<u8> {
        let mut trees = vec![Tree::new(); skip];
        let mut bits = Vec::new();
        for (at, byte) in raw.iter().enumerate() {
            let tree = &mut trees[at % skip];
            let leaf = usize::from(*byte) + INNER;
            let (mut node, mut code) = (leaf, Vec::new());
            while node != 0 {
                let parent = usize::from(tree.up[node]);
                code.push(usize::from(tree.right[parent]) == node);
                node = parent;
            }
            bits.extend(code.into_iter().rev());
            tree.splay(leaf).unwrap();
        }
        bits.chunks(8)
            .map(|bits| bits.iter().enumerate().fold(0, |byte, (at, bit)| byte | u8::from(*bit) << (7 - at)))
            .collect()
    }

    #[test]
    fn codes_lead_back_to_the_bytes() {
        let raw: Vec<u8> = (0..4000u32).map(|i| (i * i % 7) as u8 * (i % 4) as u8).collect();
        for skip in [1, 2, 4] {
            let stored = encode(&raw, skip);
            let mut out = vec![0; raw.len()];
            let coder = SkippingHuffman::new(skip).unwrap();
            assert_eq!(coder.decode(&stored, &mut out, &mut CodecState::default()).unwrap(), raw.len());
            assert_eq!(out, raw);
            assert!(stored.len() < raw.len());
        }
    }

    #[test]
    fn any_bytes_end() {
        for seed in 0..200u32 {
            let stored: Vec<u8> =
                (0..300u32).map(|i| (seed.wrapping_mul(i * 40503 + 77) >> 7) as u8).collect();
            let mut out = [0; 1000];
            let _ = SkippingHuffman::new(2).unwrap().decode(&stored, &mut out, &mut CodecState::default());
        }
        assert!(SkippingHuffman::new(0).is_err());
    }
}
