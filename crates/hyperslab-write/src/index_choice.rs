//! Which chunk index a dataset gets: the one that libhdf5 1.10 and later would choose, except for sparse datasets.

use hyperslab_format::message::ChunkIndex;

/// An array with more elements than this, and more than [`SPARSE`] for each chunk, would be mostly empty.
const SMALL_ARRAY: u64 = 1024;
const SPARSE: u64 = 8;
/// `H5D_EARRAY_MAX_NELMTS_BITS`.
const MAX_BITS: u8 = 32;

/// Chooses the index of a dataset with these sizes in elements (as of the dataspace), of which `existing` chunks exist.
///
/// One chunk that can never become more is its own index; fixed dimensions have a fixed array, one unlimited dimension
/// an extensible array, several a version 2 B-tree (`H5D__chunk_construct`). Where an array would mostly be empty, it is
/// a version 2 B-tree, too. `filtered` is the stored size and filter mask of a single chunk, to be set later.
pub fn choose_index(
    dims: &[u64],
    max_dims: &[Option<u64>],
    chunk_dims: &[u64],
    filtered: bool,
    existing: u64,
) -> ChunkIndex {
    let is_single = dims
        .iter()
        .zip(max_dims)
        .zip(chunk_dims)
        .all(|((dim, max), chunk)| dim == chunk && *max == Some(*chunk));
    if is_single {
        return ChunkIndex::Single { filtered: filtered.then_some((0, 0)) };
    }
    let unlimited = max_dims.iter().filter(|max| max.is_none()).count();
    // The largest index of a chunk at present, along an unlimited dimension, and of any chunk along the others.
    let slots = dims.iter().zip(max_dims).zip(chunk_dims).try_fold(1u64, |slots, ((dim, max), chunk)| {
        slots.checked_mul(max.unwrap_or(*dim).div_ceil((*chunk).max(1)))
    });
    let is_dense = slots.is_some_and(|slots| slots <= SMALL_ARRAY.max(existing.saturating_mul(SPARSE)));
    match unlimited {
        0 if is_dense => ChunkIndex::FixedArray { page_bits: 10 },
        1 if is_dense && slots.is_some_and(|slots| slots >> (MAX_BITS - 1) == 0) => {
            ChunkIndex::ExtensibleArray {
                max_bits: MAX_BITS,
                index_elements: 4,
                super_block_min_pointers: 4,
                data_block_min_elements: 16,
                page_bits: 10,
            }
        }
        _ => ChunkIndex::BTreeV2 { node_bytes: 2048, split_percent: 100, merge_percent: 40 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(dims: &[u64], max_dims: &[Option<u64>], existing: u64) -> &'static str {
        choose_index(dims, max_dims, &vec![10; dims.len()], true, existing).kind_name()
    }

    #[test]
    fn the_index_is_that_of_libhdf5() {
        assert_eq!(kind(&[10, 10], &[Some(10), Some(10)], 1), "single chunk");
        // A chunk that is larger than the dataset is not a single chunk.
        assert_eq!(kind(&[9], &[Some(9)], 1), "fixed array");
        assert_eq!(kind(&[100, 10], &[Some(100), Some(10)], 10), "fixed array");
        assert_eq!(kind(&[100, 10], &[None, Some(10)], 10), "extensible array");
        assert_eq!(kind(&[100, 10], &[None, None], 10), "btree v2");
    }

    #[test]
    fn sparse_arrays_are_trees() {
        let huge = 1 << 50;
        assert_eq!(kind(&[huge], &[Some(huge)], 10), "btree v2");
        assert_eq!(kind(&[huge], &[None], 10), "btree v2");
        assert_eq!(kind(&[10_240], &[Some(10_240)], 0), "fixed array");
        assert_eq!(kind(&[10_250], &[Some(10_250)], 128), "btree v2");
        assert_eq!(kind(&[10_250], &[Some(10_250)], 129), "fixed array");
    }
}
