//! Indexes of all kinds, written and walked over.

use super::super::ChunkWalk;
use super::*;
use crate::message::ChunkedLayout;
use crate::{Bytes, View};

const FIXED_ARRAY: ChunkIndex = ChunkIndex::FixedArray { page_bits: 4 };
const EXTENSIBLE_ARRAY: ChunkIndex = ChunkIndex::ExtensibleArray {
    max_bits: 32,
    index_elements: 4,
    super_block_min_pointers: 4,
    data_block_min_elements: 16,
    page_bits: 6,
};
const BTREE_V2: ChunkIndex = ChunkIndex::BTreeV2 { node_bytes: 256, split_percent: 100, merge_percent: 40 };

/// A dataset of chunks of 10 bytes along each axis, of which those that `exists` wants are written.
struct Case<'a> {
    index: ChunkIndex,
    dims: &'a [u64],
    max_dims: &'a [Option<u64>],
    filtered: bool,
}

impl Case<'_> {
    /// Writes the index, walks over it, and compares every chunk. Returns how many blocks were written.
    fn round_trip(&self, exists: impl Fn(usize) -> bool) -> usize {
        let version = if self.index == ChunkIndex::BTreeV1 { 3 } else { 4 };
        let rank = self.dims.len();
        let layout = ChunkedLayout {
            chunk_dims: vec![10; rank],
            element_bytes: 1,
            index: self.index.clone(),
            address: None,
            edge_chunks_unfiltered: false,
            version,
        };
        let chunk_bytes = 10u64.pow(rank as u32);
        let chunks: Vec<u64> = self.dims.iter().map(|dim| dim.div_ceil(10)).collect();
        let mut expected = ChunkColumns::new(rank);
        let total: u64 = chunks.iter().product();
        for number in (0..total as usize).filter(|&number| exists(number)) {
            let mut rest = number as u64;
            let mut coords = vec![0; rank];
            for d in (0..rank).rev() {
                coords[d] = rest % chunks[d];
                rest /= chunks[d];
            }
            let stored_bytes = if self.filtered { 1 + number as u64 % 200 } else { chunk_bytes };
            let filter_mask = if self.filtered { number as u32 % 3 } else { 0 };
            let address = number as u64 * 2;
            expected.push(Chunk { coords: &coords, address, stored_bytes, filter_mask });
        }
        let data_bytes = 2 * total + chunk_bytes.max(200);
        let mut end = data_bytes;
        let mut allocate = |bytes| {
            end += bytes;
            Address(end - bytes)
        };
        let extent =
            |layout| Extent { dims: self.dims, max_dims: self.max_dims, layout, filtered: self.filtered };
        let widths = Widths::default();
        let index = ChunkIndexLayout::place(&extent(&layout), &expected.coords, 3, widths, &mut allocate);
        let Some(index) = index.unwrap() else {
            assert!(expected.is_empty());
            return 0;
        };
        let blocks = index.encode(&expected).unwrap();
        let mut file = vec![0xee; end as usize];
        for block in &blocks {
            file[block.address.0 as usize..][..block.bytes.len()].copy_from_slice(&block.bytes);
        }
        let layout = ChunkedLayout { address: Some(index.address()), ..layout.clone() };
        let file = Bytes::from(file);
        let mut walk = ChunkWalk::new(&extent(&layout), None);
        let mut found = Vec::new();
        while let Some(batch) = walk.advance(&View::new(&file)).unwrap() {
            found.extend(
                batch.iter().map(|chunk| {
                    (chunk.coords.to_vec(), chunk.address, chunk.stored_bytes, chunk.filter_mask)
                }),
            );
        }
        found.sort();
        let rows = expected.iter();
        let expected: Vec<_> = rows
            .map(|chunk| (chunk.coords.to_vec(), chunk.address, chunk.stored_bytes, chunk.filter_mask))
            .collect();
        assert_eq!(found, expected, "{:?} of {:?}", self.index, self.dims);
        blocks.len()
    }
}

#[test]
fn version_1_btrees_have_as_many_levels_as_they_need() {
    for filtered in [false, true] {
        let case = |dims| Case { index: ChunkIndex::BTreeV1, dims, max_dims: &[None, None], filtered };
        assert_eq!(case(&[10, 60]).round_trip(|_| true), 1);
        // Nodes have room for 6 children: 37 chunks need 7 leaves, 2 nodes above them, and a root.
        assert_eq!(case(&[10, 370]).round_trip(|_| true), 10);
        case(&[300, 400]).round_trip(|number| number % 7 != 3);
        assert_eq!(case(&[10, 60]).round_trip(|_| false), 0);
    }
}

#[test]
fn fixed_arrays_with_and_without_pages() {
    for filtered in [false, true] {
        let case = |dims, max_dims| Case { index: FIXED_ARRAY, dims, max_dims, filtered };
        assert_eq!(case(&[10, 160], &[Some(10), Some(160)]).round_trip(|_| true), 2);
        case(&[35, 161], &[Some(35), Some(161)]).round_trip(|number| number % 5 == 0);
        // Elements count through the largest size.
        case(&[35, 50], &[Some(60), Some(2_000)]).round_trip(|_| true);
    }
}

#[test]
fn extensible_arrays_with_any_number_of_blocks() {
    for filtered in [false, true] {
        for chunks in [1, 4, 5, 20, 21, 100, 300, 1_000, 5_000] {
            let case = Case { index: EXTENSIBLE_ARRAY, dims: &[chunks * 10], max_dims: &[None], filtered };
            case.round_trip(|_| true);
            case.round_trip(|number| number % 97 == 3);
        }
        // The unlimited dimension is the slowest in the array, wherever it is in the dataset.
        let dims = [30, 500];
        Case { index: EXTENSIBLE_ARRAY, dims: &dims, max_dims: &[Some(30), None], filtered }
            .round_trip(|_| true);
    }
}

#[test]
fn a_data_block_without_chunks_is_not_written() {
    let case = Case { index: EXTENSIBLE_ARRAY, dims: &[10_000], max_dims: &[None], filtered: false };
    // Header, index block, super block 4, and its data block with chunk 999.
    assert_eq!(case.round_trip(|number| number == 999), 4);
}

#[test]
fn version_2_btrees() {
    for filtered in [false, true] {
        let case = Case { index: BTREE_V2, dims: &[300, 400], max_dims: &[None, None], filtered };
        case.round_trip(|_| true);
        case.round_trip(|number| number % 11 == 0);
    }
}

#[test]
fn what_an_index_cannot_say_is_refused() {
    let layout = ChunkedLayout {
        chunk_dims: vec![1],
        element_bytes: 1,
        index: FIXED_ARRAY,
        address: None,
        edge_chunks_unfiltered: false,
        version: 4,
    };
    let mut allocate = |_| Address(0);
    for max in [None, Some(1 << 40)] {
        let extent = Extent { dims: &[8], max_dims: &[max], layout: &layout, filtered: false };
        assert!(ChunkIndexLayout::place(&extent, &[0, 1], 32, Widths::default(), &mut allocate).is_err());
    }
    let extent = Extent { dims: &[8], max_dims: &[Some(8)], layout: &layout, filtered: false };
    let index = ChunkIndexLayout::place(&extent, &[0, 1], 32, Widths::default(), &mut allocate);
    let index = index.unwrap().unwrap();
    assert!(index.encode(&ChunkColumns::new(1)).is_err());
}
