//! Plans of reads: which bytes are requested, how they are decoded, and where the elements go in the result.
//!
//! Planning has no side effects. A plan is a value that `hyperslab explain` prints, that tests check, and that
//! [`crate::read`] executes without making other requests. Chunks and blocks that the cache contained during planning
//! are part of the plan, and need no request.

mod block;
mod build;
mod chunks;
mod explain;
mod raw;

pub(crate) use block::{BlockStep, CacheView};
pub(crate) use chunks::{ChunkElements, ChunkPlan, ChunkRequest, ChunkStep, Task};
pub use explain::{Explained, ExplainedChunk, ExplainedRequest, ExplainedSource};
use raw::RawSteps;
#[cfg(test)]
pub(crate) use raw::requests as raw_requests;
pub(crate) use raw::{RawDestination, RawFrom, RawRequest, RawStep, only_stretch};

use crate::Result;
use crate::array::DataSource;
use crate::read::place::Copies;
use crate::selection::cut::ChunkRuns;
use crate::selection::{FieldSubset, Run};
use bytes::Bytes;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// Sizes along the axes.
pub(crate) type Dims = SmallVec<[u64; 4]>;

/// What is copied along each axis.
type Runs<'p> = SmallVec<[&'p Run; 4]>;

/// The plan of a read.
pub struct ReadPlan {
    /// Shape of the result.
    pub(crate) shape: Dims,
    /// Bytes of one element in the file.
    pub(crate) element_bytes: usize,
    /// What of each element is wanted, if not all of it.
    pub(crate) parts: Option<FieldSubset>,
    /// The selection, cut along the chunk grid (a single chunk for other layouts): pieces of each axis.
    pub(crate) pieces: SmallVec<[ChunkRuns; 4]>,
    pub(crate) steps: Steps,
}

/// Where the elements come from.
pub(crate) enum Steps {
    /// Nothing is wanted.
    Nothing,
    /// Nothing was ever written: the fill value everywhere.
    Fill,
    /// The array is in memory already.
    Compact { data: Bytes, dims: Dims, points: Option<Run> },
    /// One array in the file, or a list of points of it, brought by these requests. Its records may lie apart,
    /// `record_bytes` from one to the next.
    Contiguous {
        data: Arc<DataSource>,
        base: u64,
        record_bytes: Option<usize>,
        dims: Dims,
        points: Option<Run>,
        requests: RawSteps,
    },
    /// Chunks.
    Chunks(ChunkPlan),
}

impl ReadPlan {
    /// Elements of the result.
    pub fn elements(&self) -> u64 {
        self.shape.iter().product()
    }

    /// Bytes of the result.
    pub fn result_bytes(&self) -> u64 {
        self.elements() * self.wanted_bytes() as u64
    }

    /// Bytes wanted of each element.
    pub(crate) fn wanted_bytes(&self) -> usize {
        self.parts.as_ref().map_or(self.element_bytes, FieldSubset::bytes)
    }

    /// The copies out of an array of `dims` that part `part` asks for.
    pub(crate) fn copies<'p>(&'p self, part: &'p ChunkElements, dims: &[u64]) -> Result<Copies<'p>> {
        match part {
            ChunkElements::Product(which) => self.of_elements(self.runs(which), dims, None),
            ChunkElements::Points(run) => self.of_elements(smallvec![run], &[dims.iter().product()], None),
        }
    }

    /// The same places in the result, for a whole element that is repeated.
    pub(crate) fn fill_copies<'p>(&'p self, part: &'p ChunkElements, dims: &[u64]) -> Result<Copies<'p>> {
        let bytes = self.wanted_bytes();
        match part {
            ChunkElements::Product(which) => Copies::new(&self.runs(which), dims, &self.shape, bytes),
            ChunkElements::Points(run) => Copies::new(&[run], &[dims.iter().product()], &self.shape, bytes),
        }
    }

    /// The copies for a layout of one piece (compact, contiguous, fill), whose records may lie apart.
    pub(crate) fn whole_copies<'p>(
        &'p self,
        dims: &[u64],
        points: Option<&'p Run>,
        record_bytes: Option<usize>,
    ) -> Result<Copies<'p>> {
        match points {
            Some(run) => self.of_elements(smallvec![run], &[dims.iter().product()], None),
            None => {
                let runs = self.pieces.iter().map(|pieces| &pieces[0].run).collect();
                self.of_elements(runs, dims, record_bytes)
            }
        }
    }

    fn runs(&self, which: &[u32]) -> Runs<'_> {
        which.iter().zip(&self.pieces).map(|(&number, pieces)| &pieces[number as usize].run).collect()
    }

    /// Copies of elements, or of what is wanted of each. From one index of the outermost axis to the next there are
    /// `outer_bytes` in the source, where they do not follow one another at once.
    fn of_elements<'p>(
        &'p self,
        mut runs: Runs<'p>,
        dims: &[u64],
        outer_bytes: Option<usize>,
    ) -> Result<Copies<'p>> {
        let parts = self.parts.as_ref().and_then(|parts| Some((parts, parts.run.as_ref()?)));
        let Some((parts, run)) = parts else {
            return Copies::strided(&runs, dims, outer_bytes, &self.shape, self.element_bytes);
        };
        let (mut dims, mut shape) = (Dims::from(dims), self.shape.clone());
        runs.push(run);
        dims.push(parts.source);
        shape.push(parts.target);
        Copies::strided(&runs, &dims, outer_bytes, &shape, parts.unit)
    }

    /// The same selection with other steps.
    fn with_steps(&self, steps: Steps) -> ReadPlan {
        let (shape, element_bytes, parts) = (self.shape.clone(), self.element_bytes, self.parts.clone());
        ReadPlan { shape, element_bytes, parts, pieces: self.pieces.clone(), steps }
    }
}
