//! A remote file is repacked with many requests in flight, and read once.

mod small_trees;

use hyperslab::File;
use hyperslab_format::message::datatype::{Charset, Class, StringPadding};
use hyperslab_format::message::{Datatype, FilterPipeline};
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{
    Change, ChangeSet, FilterRequest, LayoutRequest, Monitor, ObjectSelection, PathPattern, RepackOptions,
    RepackPlan, Rule, Size,
};
use hyperslab_testkit::{Counts, DistantSource, Link};
use hyperslab_write::{
    ChunkedSpec, DatatypeUse, FileTree, FileWriter, ObjectId, ObjectSpec, StorageSpec, WriteOptions,
};
use small_trees::group;
use std::sync::Arc;
use std::time::Duration;

const CHUNKS: u64 = 512;
const CHUNK_ELEMENTS: u64 = 8 << 10;
const IN_FLIGHT: usize = 8;
const DATASETS: u32 = 200;
const TEXT_CHUNKS: u64 = 64;

/// A file of 32 MiB: a chunked and a contiguous dataset with the same values.
fn file() -> Vec<u8> {
    let coords = (0..CHUNKS).collect();
    let chunked = ChunkedSpec { chunk_dims: [CHUNK_ELEMENTS].into(), edge_chunks_unfiltered: false, coords };
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
        let counts = repacked_from_afar(&bytes, rules);
        assert!(counts.bytes <= len + (1 << 20), "{what}: {} of {len} bytes were read", counts.bytes);
        assert!(counts.requests <= 80, "{what}: {} requests", counts.requests);
        assert!(counts.in_flight_max >= 3, "{what}: {} requests in flight", counts.in_flight_max);
    }
}

/// Repacks a file behind a distant source, and compares the result with it. Returns what was requested.
fn repacked_from_afar(bytes: &[u8], rules: Vec<Rule>) -> Counts {
    let link = Link { latency: Duration::from_millis(10), bytes_per_second: None };
    let distant = DistantSource::new(Arc::new(Memory::new("remote", bytes.to_vec())), link, IN_FLIGHT);
    let file = File::options().cache_bytes(0).open_source(Arc::new(distant.clone())).unwrap();
    let options = RepackOptions {
        write: WriteOptions::default(),
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes: ChangeSet { rules, ..ChangeSet::default() },
        memory_bytes: 64 << 20,
        threads: 2,
        gzip: hyperslab_storage::GzipEncoder::default(),
        verify: true,
        keep_going: false,
        moved: None,
        temporary_folder: std::env::temp_dir(),
    };
    let (sink, monitor) = (MemorySink::default(), Monitor::default());
    let written = RepackPlan::new(&file, options).unwrap().run(&sink, &monitor).unwrap();
    let target = File::from_source(Arc::new(Memory::new("repacked", sink.into_bytes()))).unwrap();
    assert!(written.verify(&target, 2, &monitor).unwrap() > 0);
    distant.counts()
}

/// A file of many datasets of 16 KiB, of which every second one is chunked.
fn many_datasets() -> Vec<u8> {
    const ELEMENTS: u64 = 4 << 10;
    let storage = |number: u32| match number % 2 {
        0 => StorageSpec::Contiguous { allocated: true },
        _ => StorageSpec::Chunked(ChunkedSpec {
            chunk_dims: [ELEMENTS / 4].into(),
            edge_chunks_unfiltered: false,
            coords: [0, 1, 2, 3].into(),
        }),
    };
    let mut objects = vec![group((1..=DATASETS).map(|number| (format!("dataset {number:03}"), number)))];
    let dataset = |number| small_trees::dataset(&[ELEMENTS], FilterPipeline::default(), storage(number));
    objects.extend((1..=DATASETS).map(dataset));
    let sink = MemorySink::default();
    let tree = FileTree { objects, heap: Vec::new() };
    let mut writer = FileWriter::create(&sink, tree, WriteOptions::default()).unwrap();
    for number in 1..=DATASETS {
        let quarter = number.to_le_bytes().repeat(ELEMENTS as usize / 4);
        for part in 0..4 {
            let offset = part * quarter.len() as u64;
            match number % 2 {
                0 => writer.write_contiguous(ObjectId(number), offset, &quarter).unwrap(),
                _ => writer.write_chunk(ObjectId(number), &quarter, 0).unwrap(),
            }
        }
    }
    writer.finish().unwrap();
    sink.into_bytes()
}

/// A change of all datasets.
fn of_all(change: Change) -> Vec<Rule> {
    let datasets = PathPattern::parse("*").unwrap();
    vec![Rule { option: "--an-option".into(), datasets, change }]
}

#[test]
fn small_datasets_of_a_remote_file_are_read_together() {
    let bytes = many_datasets();
    let halves = LayoutRequest::Chunks(vec![Size::Elements(2 << 10)]);
    let cases = [
        ("copied", Vec::new()),
        ("other chunks", of_all(Change::Layout(halves))),
        ("gzip", of_all(Change::Filters(vec![FilterRequest::gzip(4)]))),
        ("contiguous", of_all(Change::Layout(LayoutRequest::Contiguous))),
    ];
    for (what, rules) in cases {
        let counts = repacked_from_afar(&bytes, rules);
        assert!(counts.requests <= 12, "{what}: {} requests for {DATASETS} datasets", counts.requests);
    }
}

/// A file with texts in 64 chunks, each of which refers to parts of the global heap of its own.
fn texts() -> Vec<u8> {
    const TEXTS: u64 = 64;
    let class = Class::text(StringPadding::NullTerminate, Charset::Utf8);
    let datatype = Datatype { class, size: 16, committed: None };
    let storage = StorageSpec::Chunked(ChunkedSpec {
        chunk_dims: [TEXTS].into(),
        edge_chunks_unfiltered: false,
        coords: (0..TEXT_CHUNKS).collect(),
    });
    let mut texts = small_trees::dataset(&[TEXT_CHUNKS * TEXTS], FilterPipeline::default(), storage);
    if let ObjectSpec::Dataset(spec) = &mut texts.spec {
        spec.datatype = DatatypeUse { datatype: datatype.into(), committed: None };
    }
    let sink = MemorySink::default();
    let tree = FileTree { objects: vec![group([("texts", 1)]), texts], heap: Vec::new() };
    let mut writer = FileWriter::create(&sink, tree, WriteOptions::default()).unwrap();
    for chunk in 0..TEXT_CHUNKS {
        let mut elements = Vec::new();
        for number in 0..TEXTS {
            let text = format!("{chunk} {number} ").repeat(40).into_bytes();
            elements.extend((text.len() as u32).to_le_bytes());
            let (collection, index) = writer.write_heap_object(&text).unwrap();
            elements.extend(collection.0.to_le_bytes());
            elements.extend(index.to_le_bytes());
        }
        writer.write_chunk(ObjectId(1), &elements, 0).unwrap();
    }
    writer.finish().unwrap();
    sink.into_bytes()
}

#[test]
fn texts_of_a_remote_file_are_read_together() {
    let counts = repacked_from_afar(&texts(), Vec::new());
    assert!(counts.requests <= 60, "{} requests for {TEXT_CHUNKS} chunks", counts.requests);
}
