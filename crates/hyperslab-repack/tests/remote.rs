//! A remote file is repacked with many requests in flight, and read once.

mod small_trees;

use hyperslab::File;
use hyperslab_format::message::FilterPipeline;
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{
    Change, ChangeSet, FilterRequest, LayoutRequest, Monitor, ObjectSelection, PathPattern, RepackOptions,
    RepackPlan, Rule, Size,
};
use hyperslab_testkit::{DistantSource, Link};
use hyperslab_write::{ChunkedSpec, FileTree, FileWriter, ObjectId, StorageSpec, WriteOptions};
use small_trees::group;
use std::sync::Arc;
use std::time::Duration;

const CHUNKS: u64 = 512;
const CHUNK_ELEMENTS: u64 = 8 << 10;
const IN_FLIGHT: usize = 8;

/// A file of 32 MiB: a chunked and a contiguous dataset with the same values.
fn file() -> Vec<u8> {
    let coords = (0..CHUNKS).collect();
    let chunked = ChunkedSpec { chunk_dims: vec![CHUNK_ELEMENTS], edge_chunks_unfiltered: false, coords };
    let dataset =
        |storage| small_trees::dataset(&[CHUNKS * CHUNK_ELEMENTS], FilterPipeline::default(), storage);
    let objects = vec![
        group([("chunked", 1), ("contiguous", 2)]),
        dataset(StorageSpec::Chunked(chunked)),
        dataset(StorageSpec::Contiguous { allocated: true }),
    ];
    let sink = MemorySink::default();
    let tree = FileTree { objects, heap: Vec::new() };
    let mut writer = FileWriter::create(&sink, tree, WriteOptions::default()).unwrap();
    for number in 0..CHUNKS {
        let bytes = (number as u32).to_le_bytes().repeat(CHUNK_ELEMENTS as usize);
        writer.write_chunk(ObjectId(1), &bytes, 0).unwrap();
        writer.write_contiguous(ObjectId(2), number * bytes.len() as u64, &bytes).unwrap();
    }
    writer.finish().unwrap();
    sink.into_bytes()
}

#[test]
fn a_remote_file_is_read_once_with_many_requests_in_flight() {
    let bytes = file();
    let len = bytes.len() as u64;
    let change = |datasets: &str, change| Rule {
        option: "--an-option".into(),
        datasets: PathPattern::parse(datasets).unwrap(),
        change,
    };
    let deflate = Change::Filters(vec![FilterRequest { id: 1, parameters: vec![1] }]);
    let chunks = LayoutRequest::Chunks(vec![Size::Elements(3 * CHUNK_ELEMENTS)]);
    let cases = [
        ("copied", Vec::new()),
        ("other filters", vec![change("chunked", deflate)]),
        ("other chunks", vec![change("*", Change::Layout(chunks))]),
    ];
    for (what, rules) in cases {
        let link = Link { latency: Duration::from_millis(2), bytes_per_second: None };
        let distant = DistantSource::new(Arc::new(Memory::new("remote", bytes.clone())), link, IN_FLIGHT);
        let file = File::options().cache_bytes(0).open_source(Arc::new(distant.clone())).unwrap();
        let options = RepackOptions {
            write: WriteOptions::default(),
            user_block_bytes: None,
            objects: ObjectSelection::default(),
            changes: ChangeSet { rules },
            memory_bytes: 64 << 20,
            threads: 2,
            verify: true,
            keep_going: false,
            moved: None,
            temporary_folder: std::env::temp_dir(),
        };
        let (sink, monitor) = (MemorySink::default(), Monitor::default());
        let written = RepackPlan::new(&file, options).unwrap().run(&sink, &monitor).unwrap();
        let target = File::from_source(Arc::new(Memory::new("repacked", sink.into_bytes()))).unwrap();
        assert!(written.verify(&target, 2, &monitor).unwrap() > 0);
        let counts = distant.counts();
        assert!(counts.bytes <= len + (1 << 20), "{what}: {} of {len} bytes were read", counts.bytes);
        assert!(counts.requests <= 80, "{what}: {} requests", counts.requests);
        assert!(counts.in_flight_max >= 3, "{what}: {} requests in flight", counts.in_flight_max);
    }
}
