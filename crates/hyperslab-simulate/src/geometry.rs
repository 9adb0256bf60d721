//! A dataset's extents, chunk grid and stored chunks, as the simulator needs them.

use crate::GeometryError;
use crate::facts::{ChunkMap, DatasetFacts, Layout};
use hyperslab_storage::pattern::shape_text;
use std::sync::Arc;

/// Dimensions that a dataset may have (`H5S_MAX_RANK`).
const RANK_MAX: usize = 32;

/// Extents and storage of one dataset. Checked so that no product of them overflows.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    pub(super) shape: Vec<u64>,
    pub(super) element_bytes: u64,
    pub(super) storage: StoredAs,
}

/// How the raw data is stored, as far as it affects reading.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StoredAs {
    Chunked(Grid),
    Contiguous { is_allocated: bool },
}

/// The chunk grid of the current extent.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    pub(super) chunk: Vec<u64>,
    /// Chunks along each dimension, including partial ones.
    pub(super) counts: Vec<u64>,
    /// Linear index step of each dimension.
    pub(super) strides: Vec<u64>,
    pub(super) chunk_bytes: u64,
    pub(super) is_filtered: bool,
    pub(super) edge_chunks_unfiltered: bool,
    pub(super) skips_missing: bool,
    pub(super) chunks: Arc<ChunkMap>,
}

/// The extent of a read along one dimension, of which `block` elements are wanted every `step`, from the first on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) len: u64,
    pub(super) step: u64,
    pub(super) block: u64,
}

impl Default for Span {
    fn default() -> Self {
        Self::plain(0, 0)
    }
}

impl Span {
    /// All elements of an extent.
    pub(super) fn plain(start: u64, len: u64) -> Self {
        Self { start, len, step: 1, block: 1 }
    }

    /// Elements at these distances.
    pub(super) fn strided(start: u64, count: u64, step: u64) -> Self {
        Self::blocks(start, count, step, 1)
    }

    /// Blocks at these distances.
    pub(super) fn blocks(start: u64, count: u64, step: u64, block: u64) -> Self {
        let len =
            if count == 0 || block == 0 { 0 } else { (count - 1).saturating_mul(step).saturating_add(block) };
        let step = step.max(1);
        Self { start, len, step, block: block.clamp(1, step) }
    }

    /// The number of wanted elements.
    pub(super) fn wanted(&self) -> u64 {
        self.wanted_before(self.len)
    }

    /// The number of wanted elements among the first `len` of the extent.
    pub(super) fn wanted_before(&self, len: u64) -> u64 {
        len / self.step * self.block + (len % self.step).min(self.block)
    }

    /// The first wanted element at a distance of at least `offset` from the start.
    pub(super) fn wanted_from(&self, offset: u64) -> u64 {
        let within = offset % self.step;
        if within < self.block { offset } else { offset.saturating_add(self.step - within) }
    }
}

/// The storage of a chunked dataset, for [`Geometry::chunked`].
#[derive(Debug, Clone)]
pub struct ChunkedStorage {
    /// Extent of a chunk.
    pub chunk_dims: Vec<u64>,
    /// True if there is a filter pipeline.
    pub is_filtered: bool,
    /// True if partial edge chunks are stored without filters.
    pub edge_chunks_unfiltered: bool,
    /// True if reading a chunk that is not stored leaves memory unchanged, see
    /// [`crate::facts::FillFacts::skips_missing_chunks`].
    pub skips_missing_chunks: bool,
    /// Which chunks are stored; `None` if all are, in their decoded size.
    pub chunks: Option<Arc<ChunkMap>>,
}

fn bad(problem: impl Into<String>) -> GeometryError {
    GeometryError { path: String::new(), problem: problem.into() }
}

fn product(what: &str, factors: impl IntoIterator<Item = u64>) -> Result<u64, GeometryError> {
    factors
        .into_iter()
        .try_fold(1u64, |n, f| n.checked_mul(f))
        .ok_or_else(|| bad(format!("{what} does not fit in 64 bits")))
}

impl Geometry {
    /// A chunked dataset.
    pub fn chunked(
        shape: &[u64],
        element_bytes: u64,
        storage: ChunkedStorage,
    ) -> Result<Self, GeometryError> {
        let chunk = storage.chunk_dims;
        if shape.is_empty() || shape.len() > RANK_MAX || chunk.len() != shape.len() {
            return Err(bad(format!("{} chunk dimensions for {} dimensions", chunk.len(), shape.len())));
        }
        if chunk.contains(&0) || element_bytes == 0 {
            return Err(bad("a chunk has no elements"));
        }
        check_total(shape, element_bytes)?;
        let counts: Vec<u64> = shape.iter().zip(&chunk).map(|(dim, chunk)| dim.div_ceil(*chunk)).collect();
        let grid_chunks = product("the number of chunks", counts.iter().copied())?;
        let chunk_bytes = product("the size of a chunk", chunk.iter().copied().chain([element_bytes]))?;
        let mut strides = vec![1u64; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis].saturating_mul(counts[axis]);
        }
        let chunks = match storage.chunks {
            Some(chunks) if chunks.grid_chunks() != grid_chunks => {
                return Err(bad(format!(
                    "a chunk map of {} chunks for a grid of {grid_chunks}",
                    chunks.grid_chunks()
                )));
            }
            Some(chunks) => chunks,
            None => Arc::new(ChunkMap::complete(grid_chunks, grid_chunks.saturating_mul(chunk_bytes))),
        };
        let grid = Grid {
            chunk,
            counts,
            strides,
            chunk_bytes,
            is_filtered: storage.is_filtered,
            edge_chunks_unfiltered: storage.edge_chunks_unfiltered,
            skips_missing: storage.skips_missing_chunks,
            chunks,
        };
        Ok(Self { shape: shape.to_vec(), element_bytes, storage: StoredAs::Chunked(grid) })
    }

    /// A contiguous dataset; `is_allocated` is false where it has no space in the file yet.
    pub fn contiguous(shape: &[u64], element_bytes: u64, is_allocated: bool) -> Result<Self, GeometryError> {
        if shape.len() > RANK_MAX || element_bytes == 0 {
            return Err(bad("its elements have no bytes, or it has too many dimensions"));
        }
        check_total(shape, element_bytes)?;
        // A scalar is treated as a block of one element.
        let shape = if shape.is_empty() { vec![1] } else { shape.to_vec() };
        Ok(Self { shape, element_bytes, storage: StoredAs::Contiguous { is_allocated } })
    }

    /// The geometry of a dataset, or `None` for layouts that are not simulated (compact, virtual, external).
    pub fn of(facts: &DatasetFacts) -> Result<Option<Self>, GeometryError> {
        let geometry = match &facts.layout {
            Layout::Chunked { chunk_dims, .. } => {
                let chunks = facts.chunks.clone().or_else(|| {
                    let counts =
                        facts.shape.iter().zip(chunk_dims).map(|(dim, chunk)| dim.div_ceil((*chunk).max(1)));
                    let grid_chunks = product("", counts).ok()?;
                    Some(Arc::new(ChunkMap::complete(grid_chunks, facts.stored_bytes)))
                });
                let storage = ChunkedStorage {
                    chunk_dims: chunk_dims.clone(),
                    is_filtered: !facts.filters.is_empty(),
                    edge_chunks_unfiltered: facts.edge_chunks_unfiltered,
                    skips_missing_chunks: facts.fill.skips_missing_chunks(),
                    chunks,
                };
                Self::chunked(&facts.shape, facts.element_bytes, storage)
            }
            Layout::Contiguous { allocated } => {
                Self::contiguous(&facts.shape, facts.element_bytes, *allocated)
            }
            Layout::Compact | Layout::Virtual | Layout::External | Layout::Linked => return Ok(None),
        };
        geometry.map(Some).map_err(|GeometryError { problem, .. }| GeometryError {
            path: facts.path.clone(),
            problem: format!("{problem} (shape {})", shape_text(&facts.shape)),
        })
    }

    /// The same dataset before anything was written to it.
    pub(super) fn emptied(&self) -> Self {
        let mut emptied = self.clone();
        if let StoredAs::Chunked(grid) = &mut emptied.storage {
            grid.chunks = Arc::new(ChunkMap::from_chunks(grid.chunks.grid_chunks(), []));
        }
        emptied
    }

    /// The same dataset stored in chunks of another shape, all of them present: for trying a chunk shape.
    pub fn rechunked(&self, chunk_dims: &[u64]) -> Result<Self, GeometryError> {
        let is_filtered = matches!(&self.storage, StoredAs::Chunked(grid) if grid.is_filtered);
        let storage = ChunkedStorage {
            chunk_dims: chunk_dims.to_vec(),
            is_filtered,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        };
        Self::chunked(&self.shape, self.element_bytes, storage)
    }

    /// The same dataset stored in other chunks, all of them present, that take `stored_bytes` together.
    pub fn stored_as(
        &self,
        chunk_dims: &[u64],
        is_filtered: bool,
        stored_bytes: u64,
    ) -> Result<Self, GeometryError> {
        let counts = self.shape.iter().zip(chunk_dims).map(|(dim, chunk)| dim.div_ceil((*chunk).max(1)));
        let grid_chunks = product("the number of chunks", counts)?;
        let storage = ChunkedStorage {
            chunk_dims: chunk_dims.to_vec(),
            is_filtered,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: Some(Arc::new(ChunkMap::complete(grid_chunks, stored_bytes))),
        };
        Self::chunked(&self.shape, self.element_bytes, storage)
    }

    /// Current extent; `[1]` for a scalar.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// Bytes of one element in the file.
    pub fn element_bytes(&self) -> u64 {
        self.element_bytes
    }

    /// Elements of the current extent times their size.
    pub fn logical_bytes(&self) -> u64 {
        self.shape.iter().fold(self.element_bytes, |n, d| n * d)
    }

    /// Extent of a chunk, if chunked.
    pub fn chunk_dims(&self) -> Option<&[u64]> {
        self.grid().map(|grid| grid.chunk.as_slice())
    }

    /// Bytes of a decoded chunk, if chunked.
    pub fn chunk_bytes(&self) -> Option<u64> {
        self.grid().map(|grid| grid.chunk_bytes)
    }

    /// The map of stored chunks, if chunked.
    pub fn chunks(&self) -> Option<&ChunkMap> {
        self.grid().map(|grid| &*grid.chunks)
    }

    /// True if reading any chunk of it decodes something.
    pub fn is_filtered(&self) -> bool {
        self.grid().is_some_and(|grid| grid.is_filtered)
    }

    /// Number of stored chunks whose reading decodes something: filtered, and not an unfiltered edge chunk.
    pub(super) fn chunks_decodable(&self) -> u64 {
        let Some(grid) = self.grid().filter(|grid| grid.is_filtered) else { return 0 };
        if !grid.edge_chunks_unfiltered {
            return grid.chunks.filtered_chunks();
        }
        let whole: Vec<u64> = self.shape.iter().zip(&grid.chunk).map(|(dim, chunk)| dim / chunk).collect();
        if grid.chunks.is_complete() && grid.chunks.filtered_chunks() == grid.chunks.grid_chunks() {
            return whole.iter().product();
        }
        let is_whole = |linear: u64| {
            let mut rest = linear;
            grid.strides.iter().zip(&whole).all(|(stride, whole)| {
                let coordinate = rest / stride;
                rest %= stride;
                coordinate < *whole
            })
        };
        grid.chunks.stored().filter(|(linear, chunk)| chunk.is_filtered && is_whole(*linear)).count() as u64
    }

    pub(super) fn grid(&self) -> Option<&Grid> {
        match &self.storage {
            StoredAs::Chunked(grid) => Some(grid),
            StoredAs::Contiguous { .. } => None,
        }
    }
}

fn check_total(shape: &[u64], element_bytes: u64) -> Result<(), GeometryError> {
    // An extent of 0 must not hide an overflow of the others, because strides are computed from them.
    product("the size of the dataset", shape.iter().map(|d| (*d).max(1)).chain([element_bytes])).map(drop)
}

impl Grid {
    /// True for a chunk that extends beyond the dataset.
    pub(super) fn is_partial_edge(&self, shape: &[u64], scaled: &[u64]) -> bool {
        // The chunk lies in the grid, so (coordinate + 1) × chunk exceeds the extent by less than one chunk. Comparing
        // by subtraction avoids an overflow.
        scaled
            .iter()
            .zip(&self.chunk)
            .zip(shape)
            .any(|((coordinate, chunk), dim)| dim.saturating_sub(coordinate * chunk) < *chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storage(chunk_dims: &[u64]) -> ChunkedStorage {
        ChunkedStorage {
            chunk_dims: chunk_dims.to_vec(),
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        }
    }

    #[test]
    fn the_case_study_has_fifteen_chunks() {
        let geometry = Geometry::chunked(&[60, 30, 9, 717], 4, storage(&[4, 30, 9, 717])).unwrap();
        assert_eq!(geometry.chunk_bytes(), Some(3_097_440));
        assert_eq!(geometry.chunks().unwrap().grid_chunks(), 15);
        assert_eq!(geometry.logical_bytes(), 46_461_600);
    }

    #[test]
    fn impossible_extents_are_refused_not_multiplied() {
        for (shape, chunk) in [
            (vec![u64::MAX, u64::MAX], vec![1, 1]),
            (vec![u64::MAX, 0], vec![1, 1]),
            (vec![8, 8], vec![u64::MAX, u64::MAX]),
            (vec![8, 8], vec![0, 1]),
            (vec![8], vec![1, 1]),
            (vec![], vec![]),
            (vec![1; 33], vec![1; 33]),
        ] {
            assert!(Geometry::chunked(&shape, 8, storage(&chunk)).is_err(), "{shape:?} {chunk:?}");
        }
        assert!(Geometry::contiguous(&[u64::MAX], 2, true).is_err());
    }

    #[test]
    fn edge_chunks_are_those_that_reach_beyond_the_extent() {
        let geometry = Geometry::chunked(&[10, 8], 1, storage(&[4, 4])).unwrap();
        let grid = geometry.grid().unwrap();
        assert!(!grid.is_partial_edge(&[10, 8], &[1, 1]));
        assert!(grid.is_partial_edge(&[10, 8], &[2, 0]));
    }

    #[test]
    fn a_map_for_another_grid_is_refused() {
        let chunks = Some(Arc::new(ChunkMap::complete(3, 30)));
        assert!(Geometry::chunked(&[8], 1, ChunkedStorage { chunks, ..storage(&[4]) }).is_err());
    }
}
