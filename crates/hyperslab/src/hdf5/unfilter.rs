//! Decoding of filtered heap blocks. Nothing else in the metadata of a file is filtered.

use hyperslab_filters::{FilterSpec, decode_block};
use hyperslab_format::heap::fractal::Unfilter;
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_format::{Bytes, FormatError};

fn spec(filter: &Filter) -> FilterSpec<'_> {
    FilterSpec { id: filter.id, optional: filter.is_optional(), parameters: &filter.parameters }
}

/// Decodes fractal heap blocks with the filters of this build.
pub(crate) struct HeapFilters;

impl Unfilter for HeapFilters {
    fn unfilter(
        &self,
        pipeline: &FilterPipeline,
        mask: u32,
        stored: Bytes,
        expected: u64,
    ) -> Result<Bytes, FormatError> {
        let fail = |what: String| FormatError::invalid("fractal heap", "filtered block", 0, what);
        let specs: Vec<_> = pipeline.filters.iter().map(spec).collect();
        decode_block(&specs, mask, &stored, expected).map(Bytes::from).map_err(fail)
    }
}
