//! Datasets of many gigabytes of which little or nothing was written: they are copied, changed and verified in little
//! memory.

mod small_trees;

use hyperslab::{Endianness, File, Selection};
use hyperslab_format::message::FilterPipeline;
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{
    Change, ChangeSet, FilterRequest, LayoutRequest, Monitor, ObjectSelection, PathPattern, RepackOptions,
    RepackPlan, Rule,
};
use hyperslab_testkit::{Allocations, CountingAllocator};
use hyperslab_write::{ChunkedSpec, FileTree, FileWriter, ObjectId, StorageSpec, WriteOptions};
use small_trees::group;
use std::sync::Arc;

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

/// Two rows of 64 GiB each.
const DIMS: [u64; 2] = [2, 16 << 30];
const CHUNK: [u64; 2] = [1, 4096];

/// A contiguous dataset that was never allocated, a chunked one without chunks, and one with the chunk (1, 7) alone.
fn file() -> Vec<u8> {
    let chunked = |coords: &[u64]| {
        let (chunk_dims, coords) = (CHUNK.into(), coords.into());
        StorageSpec::Chunked(ChunkedSpec { chunk_dims, edge_chunks_unfiltered: false, coords })
    };
    let dataset = |storage| small_trees::dataset(&DIMS, FilterPipeline::default(), storage);
    let objects = vec![
        group([("contiguous", 1), ("chunked", 2), ("one chunk", 3)]),
        dataset(StorageSpec::Contiguous { allocated: false }),
        dataset(chunked(&[])),
        dataset(chunked(&[1, 7])),
    ];
    let sink = MemorySink::default();
    let tree = FileTree { objects, heap: Vec::new() };
    let mut writer = FileWriter::create(&sink, tree, WriteOptions::default()).unwrap();
    writer.write_chunk(ObjectId(3), &[9; 4 * 4096], 0).unwrap();
    writer.finish().unwrap();
    sink.into_bytes()
}

#[test]
fn data_that_was_never_written_takes_no_memory() {
    let source = File::from_source(Arc::new(Memory::new("unwritten", file()))).unwrap();
    let deflate = Change::Filters(vec![FilterRequest { id: 1, parameters: vec![1] }]);
    let larger = Change::Layout(LayoutRequest::ChunkBytes { bytes: 1 << 20, read: None });
    let cases = [vec![], vec![("/one chunk", deflate.clone())], vec![("*", larger), ("*", deflate)]];
    for (number, changes) in cases.into_iter().enumerate() {
        let rule = |(datasets, change): (&str, Change)| Rule {
            option: "--an-option".into(),
            datasets: PathPattern::parse(datasets).unwrap(),
            change,
        };
        let options = RepackOptions {
            write: WriteOptions::default(),
            user_block_bytes: None,
            objects: ObjectSelection::default(),
            changes: ChangeSet { rules: changes.into_iter().map(rule).collect(), ..ChangeSet::default() },
            memory_bytes: 32 << 20,
            threads: 2,
            gzip: hyperslab_storage::GzipEncoder::default(),
            verify: true,
            keep_going: false,
            moved: None,
            temporary_folder: std::env::temp_dir(),
        };
        let allocations = Allocations::now();
        let (sink, monitor) = (MemorySink::default(), Monitor::default());
        let written = RepackPlan::new(&source, options).unwrap().run(&sink, &monitor).unwrap();
        let target = File::from_source(Arc::new(Memory::new("repacked", sink.into_bytes()))).unwrap();
        written.verify(&target, 2, &monitor).unwrap();
        assert!(allocations.peak() < 48 << 20, "case {number}: {} bytes", allocations.peak());
        let one = target.dataset("/one chunk").unwrap();
        let around = Selection::block(&[1, 7 * CHUNK[1] - 1], &[1, CHUNK[1] + 2]);
        let values = one.read_bytes(&around, Endianness::File).unwrap();
        let expected = [&[0; 4][..], &[9; 4 * 4096], &[0; 4]].concat();
        assert!(values == expected, "case {number}");
        assert!(target.len() < 2 << 20, "case {number}: {} bytes", target.len());
    }
}
