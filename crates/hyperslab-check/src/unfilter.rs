//! Decoding of filtered blocks of fractal heaps.

use hyperslab_filters::{FilterSpec, decode_block};
use hyperslab_format::heap::fractal::Unfilter;
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_format::{Bytes, FormatError};

const DIRECT: &str = "fractal heap direct block";

/// The filters of this build.
pub(crate) struct HeapFilters;

/// A filter of a message as `hyperslab-filters` takes it.
fn spec(filter: &Filter) -> FilterSpec<'_> {
    FilterSpec { id: filter.id, optional: filter.is_optional(), parameters: &filter.parameters }
}

/// The filters of a message.
pub(crate) fn specs(pipeline: &FilterPipeline) -> Vec<FilterSpec<'_>> {
    pipeline.filters.iter().map(spec).collect()
}

impl Unfilter for HeapFilters {
    fn unfilter(
        &self,
        pipeline: &FilterPipeline,
        mask: u32,
        stored: Bytes,
        expected: u64,
    ) -> Result<Bytes, FormatError> {
        let fail = |what: String| FormatError::invalid(DIRECT, "filtered block", 0, what);
        decode_block(&specs(pipeline), mask, &stored, expected).map(Bytes::from).map_err(fail)
    }
}
