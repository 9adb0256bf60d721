//! Decoding of filtered blocks of fractal heaps.

use hyperslab_filters::{FilterSpec, decode_block};
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_format::{Bytes, FormatError};

/// A filter of a message as `hyperslab-filters` takes it.
fn spec(filter: &Filter) -> FilterSpec<'_> {
    FilterSpec { id: filter.id, optional: filter.is_optional(), parameters: &filter.parameters }
}

/// The filters of a message.
pub(crate) fn specs(pipeline: &FilterPipeline) -> Vec<FilterSpec<'_>> {
    pipeline.filters.iter().map(spec).collect()
}

/// Decodes a heap block with the filters of this build.
pub(crate) fn unfilter(
    pipeline: &FilterPipeline,
    mask: u32,
    stored: &Bytes,
    expected: u64,
) -> Result<Vec<u8>, FormatError> {
    let fail = |what| FormatError::invalid("fractal heap direct block", "filtered block", 0, what);
    decode_block(&specs(pipeline), mask, stored, expected).map_err(fail)
}
