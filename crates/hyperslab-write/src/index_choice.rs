//! Which chunk index a dataset gets: the one that libhdf5 would choose, except for sparse datasets.

use hyperslab_format::message::ChunkIndex;

/// What the choice of an index depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexNeeds<'a> {
    /// The sizes in elements.
    pub dims: &'a [u64],
    /// The maximum sizes in elements, as of the dataspace.
    pub max_dims: &'a [Option<u64>],
    /// The sizes of a chunk in elements.
    pub chunk_dims: &'a [u64],
    /// True if the chunks have filters.
    pub is_filtered: bool,
    /// True if libhdf5 would have written all chunks when it created the dataset.
    pub is_allocated_early: bool,
    /// The number of chunks that will exist.
    pub existing: u64,
    /// The version of the layout message.
    pub layout_version: u8,
}

/// An array with more elements than this, and more than [`SPARSE`] for each chunk, would be mostly empty.
const SMALL_ARRAY: u64 = 1024;
const SPARSE: u64 = 8;
/// `H5D_EARRAY_MAX_NELMTS_BITS`.
const MAX_BITS: u8 = 32;

/// Chooses the index of a dataset (`H5D__chunk_construct`): before layout version 4 a version 1 B-tree; then one chunk
/// that can never become more is its own index; fixed dimensions have a fixed array, or no index at all if all chunks
/// are allocated early and unfiltered; one unlimited dimension has an extensible array, several a version 2 B-tree.
/// Where an array would mostly be empty, it is a version 2 B-tree, too. The stored size and filter mask of a single
/// chunk are set later.
pub(crate) fn choose_index(needs: &IndexNeeds<'_>) -> ChunkIndex {
    let IndexNeeds { dims, max_dims, chunk_dims, existing, .. } = *needs;
    if needs.layout_version < 4 {
        return ChunkIndex::BTreeV1;
    }
    let is_single = dims
        .iter()
        .zip(max_dims)
        .zip(chunk_dims)
        .all(|((dim, max), chunk)| dim == chunk && *max == Some(*chunk));
    if is_single {
        return ChunkIndex::Single { filtered: needs.is_filtered.then_some((0, 0)) };
    }
    let unlimited = max_dims.iter().filter(|max| max.is_none()).count();
    // The largest index of a chunk at present, along an unlimited dimension, and of any chunk along the others.
    let slots = dims.iter().zip(max_dims).zip(chunk_dims).try_fold(1u64, |slots, ((dim, max), chunk)| {
        slots.checked_mul(max.unwrap_or(*dim).div_ceil((*chunk).max(1)))
    });
    let is_dense = slots.is_some_and(|slots| slots <= SMALL_ARRAY.max(existing.saturating_mul(SPARSE)));
    match unlimited {
        0 if needs.is_allocated_early && !needs.is_filtered && slots == Some(existing) => {
            ChunkIndex::Implicit
        }
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

    fn needs<'a>(dims: &'a [u64], max_dims: &'a [Option<u64>], existing: u64) -> IndexNeeds<'a> {
        IndexNeeds {
            dims,
            max_dims,
            chunk_dims: &[10, 10][..dims.len()],
            is_filtered: true,
            is_allocated_early: false,
            existing,
            layout_version: 4,
        }
    }

    fn kind(dims: &[u64], max_dims: &[Option<u64>], existing: u64) -> &'static str {
        choose_index(&needs(dims, max_dims, existing)).kind_name()
    }

    #[test]
    fn the_index_is_that_of_libhdf5() {
        assert_eq!(kind(&[10, 10], &[Some(10), Some(10)], 1), "single chunk");
        // A chunk that is larger than the dataset is not a single chunk.
        assert_eq!(kind(&[9], &[Some(9)], 1), "fixed array");
        assert_eq!(kind(&[100, 10], &[Some(100), Some(10)], 10), "fixed array");
        assert_eq!(kind(&[100, 10], &[None, Some(10)], 10), "extensible array");
        assert_eq!(kind(&[100, 10], &[None, None], 10), "btree v2");
        let old = IndexNeeds { layout_version: 3, ..needs(&[100], &[Some(100)], 10) };
        assert_eq!(choose_index(&old), ChunkIndex::BTreeV1);
    }

    #[test]
    fn chunks_that_all_exist_from_the_start_need_no_index() {
        let fixed = needs(&[100], &[Some(100)], 10);
        let early = IndexNeeds { is_allocated_early: true, is_filtered: false, ..fixed };
        assert_eq!(choose_index(&early), ChunkIndex::Implicit);
        assert_ne!(choose_index(&IndexNeeds { is_filtered: true, ..early }), ChunkIndex::Implicit);
        assert_ne!(choose_index(&IndexNeeds { existing: 9, ..early }), ChunkIndex::Implicit);
        assert_ne!(choose_index(&IndexNeeds { max_dims: &[Some(200)], ..early }), ChunkIndex::Implicit);
        assert_ne!(choose_index(&IndexNeeds { max_dims: &[None], ..early }), ChunkIndex::Implicit);
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
