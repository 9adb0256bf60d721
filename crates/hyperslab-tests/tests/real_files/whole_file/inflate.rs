//! Decoding filtered heaps.

use hyperslab_format::heap::Unfilter;
use hyperslab_format::message::FilterPipeline;
use hyperslab_format::{Bytes, FormatError};

/// Decodes heaps whose only filter is deflate.
pub struct Inflate;

impl Unfilter for Inflate {
    fn unfilter(
        &self,
        pipeline: &FilterPipeline,
        mask: u32,
        stored: Bytes,
        expected: u64,
    ) -> Result<Bytes, FormatError> {
        let error = |what| FormatError::unsupported("test", "filters", 0, what);
        match (&pipeline.filters[..], mask) {
            ([_], 1) => return Ok(stored),
            ([filter], 0) if filter.id == 1 => {}
            _ => return Err(error("other filters than deflate")),
        }
        let mut bytes = vec![0; expected as usize];
        match libdeflater::Decompressor::new().zlib_decompress(&stored, &mut bytes) {
            Ok(len) if len == bytes.len() => Ok(bytes.into()),
            _ => Err(error("broken deflate stream")),
        }
    }
}
