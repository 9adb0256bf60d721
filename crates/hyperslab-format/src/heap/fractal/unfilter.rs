//! The interface to decoders: a heap may be filtered, but this crate contains no filters.

use super::HeapFilters;
use crate::message::FilterPipeline;
use crate::{Bytes, FormatError, limits};

/// Reverses the filters of heap blocks.
pub trait Unfilter {
    /// Returns `stored` with the filters of `pipeline` reversed, except for those that `mask` marks as skipped. The
    /// result must be `expected` bytes long, at most [`limits::HEAP_OBJECT_BYTES_MAX`].
    fn unfilter(
        &self,
        pipeline: &FilterPipeline,
        mask: u32,
        stored: Bytes,
        expected: u64,
    ) -> Result<Bytes, FormatError>;
}

/// A function that decodes a block, or says why it cannot.
impl<F> Unfilter for F
where
    F: Fn(&FilterPipeline, u32, &Bytes, u64) -> Result<Vec<u8>, FormatError>,
{
    fn unfilter(
        &self,
        pipeline: &FilterPipeline,
        mask: u32,
        stored: Bytes,
        expected: u64,
    ) -> Result<Bytes, FormatError> {
        self(pipeline, mask, &stored, expected).map(Bytes::from)
    }
}

/// Rejects filtered heaps.
#[derive(Debug, Clone, Copy)]
pub struct NoFilters;

impl Unfilter for NoFilters {
    fn unfilter(&self, _: &FilterPipeline, _: u32, _: Bytes, _: u64) -> Result<Bytes, FormatError> {
        let what = "filtered heaps are not supported here";
        Err(FormatError::unsupported("fractal heap", "I/O filter information", 0, what))
    }
}

impl HeapFilters {
    /// Reverses the filters of the bytes at the absolute offset `at`, and checks the length of the result.
    pub(super) fn undo(
        &self,
        unfilter: &dyn Unfilter,
        (at, mask): (u64, u32),
        stored: Bytes,
        expected: u64,
    ) -> Result<Bytes, FormatError> {
        let max = limits::HEAP_OBJECT_BYTES_MAX;
        if expected > max {
            let (structure, field) = ("fractal heap", "size without filters");
            return Err(FormatError::limit(structure, field, at, "HEAP_OBJECT_BYTES_MAX", max, expected));
        }
        let bytes = unfilter.unfilter(&self.pipeline, mask, stored, expected)?;
        if bytes.len() as u64 != expected {
            let what = format!("expected {expected} bytes after filters, found {}", bytes.len());
            return Err(FormatError::invalid("fractal heap", "filtered bytes", at, what));
        }
        Ok(bytes)
    }
}
