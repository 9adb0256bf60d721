//! The parts that the tests of all kinds of index share.

use super::context::WalkContext;
use super::{Chunk, ChunkColumns, ChunkWalk, Extent};
use crate::message::{ChunkIndex, ChunkedLayout};
use crate::testing::Build;
use crate::{Address, Bytes, Parse, Stop, View};
use proptest::prelude::*;

/// A dataset with elements of 4 bytes.
#[derive(Debug, Clone)]
pub(super) struct Dataset {
    pub(super) dims: Vec<u64>,
    pub(super) max_dims: Vec<Option<u64>>,
    pub(super) layout: ChunkedLayout,
    pub(super) filtered: bool,
}

pub(super) fn dataset(
    dims: &[u64],
    max_dims: &[Option<u64>],
    chunk_dims: &[u64],
    index: ChunkIndex,
) -> Dataset {
    let layout = ChunkedLayout {
        chunk_dims: chunk_dims.to_vec(),
        element_bytes: 4,
        index,
        address: Some(Address(0)),
        edge_chunks_unfiltered: false,
        version: 4,
    };
    Dataset { dims: dims.to_vec(), max_dims: max_dims.to_vec(), layout, filtered: false }
}

impl Dataset {
    pub(super) fn filtered(self) -> Self {
        Self { filtered: true, ..self }
    }

    pub(super) fn extent(&self) -> Extent<'_> {
        let Self { dims, max_dims, layout, filtered } = self;
        Extent { dims, max_dims, layout, filtered: *filtered }
    }

    /// The chunks in a region, in the order of the traversal. All bytes of the file must be available.
    pub(super) fn chunks(&self, view: &View, region: Option<&[(u64, u64)]>) -> Parse<ChunkColumns> {
        let mut walk = ChunkWalk::new(&self.extent(), region);
        let mut all = ChunkColumns::new(self.dims.len());
        while let Some(found) = walk.advance(view)? {
            found.iter().for_each(|chunk| all.push(chunk));
        }
        let in_order = all.coords.chunks(self.dims.len().max(1)).is_sorted();
        assert!(in_order || !walk.is_row_major(), "{all:?}");
        Ok(all)
    }

    /// Coordinates, addresses, sizes and masks, in row-major order.
    pub(super) fn rows(
        &self,
        image: &Build,
        region: Option<&[(u64, u64)]>,
    ) -> Vec<(Vec<u64>, u64, u64, u32)> {
        let chunks = self.chunks(&image.view(), region).unwrap();
        let row =
            |chunk: Chunk| (chunk.coords.to_vec(), chunk.address, chunk.stored_bytes, chunk.filter_mask);
        let mut rows: Vec<_> = chunks.iter().map(row).collect();
        rows.sort();
        rows
    }

    /// Changes bytes anywhere in the file: the result is chunks or an error, but no panic, and not more chunks than fit
    /// into the file.
    pub(super) fn survives_changes(&self, image: &Build) {
        let whole = image.as_slice().to_vec();
        let changes = proptest::collection::vec((0..whole.len(), any::<u8>()), 1..6);
        let cut = 0..=whole.len();
        proptest!(|(changes in changes, cut in cut)| {
            let mut bytes = whole.clone();
            for (at, value) in changes {
                bytes[at] = value;
            }
            bytes.truncate(cut);
            let bytes = Bytes::from(bytes);
            // Checksums are corrected until a different error ends the traversal.
            let mut bytes = bytes.to_vec();
            for _ in 0..8 {
                let frozen = Bytes::from(bytes.clone());
                match self.chunks(&View::new(&frozen), None) {
                    Ok(table) => prop_assert!(table.len() <= bytes.len()),
                    Err(Stop::Need(_)) => prop_assert!(false, "all bytes are there"),
                    Err(Stop::Bad(error)) => {
                        let crate::Problem::Checksum { computed, .. } = error.problem else { break };
                        bytes[error.at as usize..][..4].copy_from_slice(&computed.to_le_bytes());
                    }
                }
            }
        });
    }
}

/// The context of a traversal of all chunks of an unfiltered dataset whose index is at address 0.
pub(super) fn context(dims: &[u64], max_dims: &[Option<u64>], chunk_dims: &[u64]) -> WalkContext {
    let dataset = dataset(dims, max_dims, chunk_dims, ChunkIndex::Implicit);
    WalkContext::new(&dataset.extent(), None).unwrap().unwrap()
}

#[test]
fn refuses_invalid_datasets() {
    let none = Bytes::new();
    let fails = |change: fn(&mut Dataset)| {
        let mut dataset = dataset(&[4, 4], &[Some(4), Some(4)], &[2, 2], ChunkIndex::Implicit);
        change(&mut dataset);
        assert!(matches!(dataset.chunks(&View::new(&none), None), Err(Stop::Bad(_))), "{dataset:?}");
    };
    fails(|dataset| dataset.dims = vec![]);
    fails(|dataset| dataset.dims = vec![4; 33]);
    fails(|dataset| dataset.dims = vec![4]);
    fails(|dataset| dataset.max_dims = vec![None]);
    fails(|dataset| dataset.dims = vec![4, 5]);
    fails(|dataset| dataset.layout.chunk_dims = vec![2]);
    fails(|dataset| dataset.layout.chunk_dims = vec![2, 0]);
    fails(|dataset| dataset.layout.chunk_dims = vec![u64::MAX, 2]);
    fails(|dataset| dataset.layout.element_bytes = 0);
    let dataset = dataset(&[4, 4], &[Some(4), Some(4)], &[2, 2], ChunkIndex::Implicit);
    dataset.chunks(&View::new(&none), Some(&[(0, 1)])).unwrap_err();
}

#[test]
fn nothing_is_read_if_there_cannot_be_chunks() {
    let none = Bytes::new();
    let mut dataset = dataset(&[4, 0], &[None, Some(4)], &[2, 2], ChunkIndex::BTreeV1);
    assert!(dataset.chunks(&View::new(&none), None).unwrap().is_empty());
    dataset.dims = vec![4, 4];
    assert!(dataset.chunks(&View::new(&none), Some(&[(1, 1), (0, 9)])).unwrap().is_empty());
    dataset.layout.address = None;
    assert!(dataset.chunks(&View::new(&none), None).unwrap().is_empty());
}
