//! The reads that libhdf5 makes of the raw data of one dataset, without reading it: from the chunk shape and the chunk cache.
//!
//! A recording ends after some blocks. What follows for the data itself needs no recording: the chunk cache is simulated
//! exactly, and contiguous data is read run by run, as h5py reads it over a Python file object, without a sieve buffer.

use super::access::Access;
use crate::simulate::{ChunkCacheSim, Geometry, LibVersion, PageKind};
use hyperslab_storage::CacheSettings;

/// Where the raw data lies in a file.
pub enum RawPlaces<'a> {
    /// Offset and bytes of the chunk with this linear index; `None` for one that is not stored.
    Chunks(&'a dyn Fn(u64) -> Option<(u64, u64)>),
    /// Offset of the first element.
    Contiguous(u64),
}

/// The reads of an open dataset.
pub struct RawReads<'a> {
    geometry: &'a Geometry,
    places: RawPlaces<'a>,
    cache: ChunkCacheSim<'a>,
}

impl<'a> RawReads<'a> {
    /// The dataset, just opened. `None` for unfiltered chunks that do not fit the chunk cache, which are read in parts.
    pub fn new(
        geometry: &'a Geometry,
        places: RawPlaces<'a>,
        settings: CacheSettings,
        version: LibVersion,
    ) -> Option<Self> {
        let bypasses = geometry.chunk_bytes().is_some_and(|bytes| bytes > settings.nbytes);
        let is_known = match places {
            RawPlaces::Chunks(_) => geometry.chunk_dims().is_some() && (geometry.is_filtered() || !bypasses),
            RawPlaces::Contiguous(_) => geometry.chunk_dims().is_none(),
        };
        let cache = ChunkCacheSim::new(geometry, settings, version);
        is_known.then_some(Self { geometry, places, cache })
    }

    /// Reads the block of `count` elements at `start`, which lies inside the extent. Adds its reads to `accesses`.
    pub fn read(&mut self, start: &[u64], count: &[u64], accesses: &mut Vec<Access>) {
        let raw = |address, len| Access { kind: PageKind::Raw, address, len };
        match &self.places {
            RawPlaces::Chunks(place) => {
                let loads = self.cache.chunks_loaded_by(start, count);
                accesses
                    .extend(loads.into_iter().filter_map(place).map(|(address, bytes)| raw(address, bytes)));
            }
            RawPlaces::Contiguous(first) => {
                let element_bytes = self.geometry.element_bytes();
                each_run(self.geometry.shape(), start, count, &mut |element, len| {
                    let address = first.saturating_add(element.saturating_mul(element_bytes));
                    accesses.push(raw(address, len.saturating_mul(element_bytes)));
                });
            }
        }
    }
}

/// Calls `run` with the first element of each contiguous run of a block, in row-major numbering, and its elements.
fn each_run(shape: &[u64], start: &[u64], count: &[u64], run: &mut dyn FnMut(u64, u64)) {
    if count.contains(&0) {
        return;
    }
    let mut strides = vec![1u64; shape.len()];
    for axis in (0..shape.len().saturating_sub(1)).rev() {
        strides[axis] = strides[axis + 1].saturating_mul(shape[axis + 1]);
    }
    // The axes from `inner` on lie together: all behind it are whole.
    let mut inner = shape.len().saturating_sub(1);
    while inner > 0 && count[inner] == shape[inner] {
        inner -= 1;
    }
    let len = count.get(inner).map_or(1, |count| count.saturating_mul(strides[inner]));
    let element = |at: &[u64]| -> u64 {
        at.iter().zip(&strides).fold(0, |sum, (at, stride)| sum.saturating_add(at.saturating_mul(*stride)))
    };
    let mut at = start.to_vec();
    loop {
        run(element(&at), len);
        let Some(axis) = (0..inner).rev().find(|axis| at[*axis] + 1 < start[*axis] + count[*axis]) else {
            return;
        };
        at[axis] += 1;
        at[axis + 1..inner].copy_from_slice(&start[axis + 1..inner]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::ChunkedStorage;

    fn chunked(is_filtered: bool) -> Geometry {
        let storage = ChunkedStorage {
            chunk_dims: vec![2, 5],
            is_filtered,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        };
        Geometry::chunked(&[4, 10], 1, storage).unwrap()
    }

    /// The offsets that are read for rows, one after the other.
    fn rows(geometry: &Geometry, places: RawPlaces<'_>, nbytes: u64) -> Option<Vec<Vec<(u64, u64)>>> {
        let settings = CacheSettings { nbytes, nslots: 521, w0: 0.75 };
        let mut reads = RawReads::new(geometry, places, settings, LibVersion::V2_0)?;
        let row = |row| {
            let mut accesses = Vec::new();
            reads.read(&[row, 0], &[1, 10], &mut accesses);
            accesses.iter().map(|access| (access.address, access.len)).collect()
        };
        Some((0..3).map(row).collect())
    }

    #[test]
    fn chunks_are_read_again_where_the_cache_is_too_small() {
        let place = |chunk: u64| (chunk != 3).then_some((1000 * chunk, 7));
        let places = || RawPlaces::Chunks(&place);
        let first = vec![(0, 7), (1000, 7)];
        assert_eq!(
            rows(&chunked(true), places(), 100).unwrap(),
            [first.clone(), vec![], vec![(2000, 7)]],
            "the last chunk is not stored"
        );
        assert_eq!(rows(&chunked(true), places(), 10).unwrap()[1], first);
        assert!(rows(&chunked(false), places(), 100).is_some());
        assert_eq!(rows(&chunked(false), places(), 9), None, "read in parts");
    }

    #[test]
    fn contiguous_data_is_read_run_by_run() {
        let geometry = Geometry::contiguous(&[4, 10], 8, true).unwrap();
        let found = rows(&geometry, RawPlaces::Contiguous(500), 100).unwrap();
        assert_eq!(found, [vec![(500, 80)], vec![(580, 80)], vec![(660, 80)]]);
        let runs = |shape: &[u64], start: &[u64], count: &[u64]| {
            let mut runs = Vec::new();
            each_run(shape, start, count, &mut |element, len| runs.push((element, len)));
            runs
        };
        assert_eq!(runs(&[4, 10], &[1, 2], &[2, 3]), [(12, 3), (22, 3)]);
        assert_eq!(runs(&[3, 4, 10], &[1, 1, 0], &[2, 2, 10]), [(50, 20), (90, 20)]);
        assert_eq!(runs(&[3, 4, 10], &[0, 0, 0], &[3, 4, 10]), [(0, 120)]);
        assert_eq!(runs(&[7], &[2], &[3]), [(2, 3)]);
        assert_eq!(runs(&[4, 10], &[0, 0], &[0, 3]), []);
    }
}
