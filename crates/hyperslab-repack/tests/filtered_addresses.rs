//! Chunks of elements with addresses are filtered in a copy as in its source.

use hyperslab::File;
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{CopyOptions, copy};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::require;
use std::sync::Arc;

#[test]
fn variable_length_strings_are_compressed_again() {
    let source = File::open(require!(fixture("string_types/v110.h5"))).expect("a fixture");
    let sink = MemorySink::default();
    copy(&source, &sink, CopyOptions::default()).expect("a copy");
    let target = File::from_source(Arc::new(Memory::new("a copy", sink.into_bytes()))).expect("a file");
    let dataset = target.dataset("variable many").expect("the dataset");
    let raw_bytes = u64::from(dataset.datatype().size) * dataset.chunk_shape().expect("chunks")[0];
    let map = dataset.chunk_map().expect("the chunks");
    let chunks: Vec<_> = map.iter().map(|(_, chunk)| (chunk.filter_mask, chunk.stored_bytes)).collect();
    assert_eq!(chunks.len() as u64, dataset.shape()[0].div_ceil(100));
    for (mask, stored_bytes) in chunks {
        assert_eq!(mask, 0);
        // Each element has a count, an address and an index, mostly the same bytes.
        assert!(stored_bytes < raw_bytes / 2, "{stored_bytes} of {raw_bytes} bytes");
    }
}
