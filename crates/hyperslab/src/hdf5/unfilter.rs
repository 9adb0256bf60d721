//! Decoding of filtered heap blocks. Nothing else in the metadata of a file is filtered.

use hyperslab_filters::{FilterSpec, decode_block};
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_format::{Bytes, FormatError};

fn spec(filter: &Filter) -> FilterSpec<'_> {
    FilterSpec { id: filter.id, optional: filter.is_optional(), parameters: &filter.parameters }
}

/// Decodes a fractal heap block with the filters of this build.
pub(super) fn unfilter(
    pipeline: &FilterPipeline,
    mask: u32,
    stored: &Bytes,
    expected: u64,
) -> Result<Vec<u8>, FormatError> {
    let specs: Vec<_> = pipeline.filters.iter().map(spec).collect();
    let fail = |what| FormatError::invalid("fractal heap", "filtered block", 0, what);
    decode_block(&specs, mask, stored, expected).map_err(fail)
}
