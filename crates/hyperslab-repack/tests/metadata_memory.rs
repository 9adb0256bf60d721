//! The memory of a repack of many small datasets: less than 1 KB for each object, with verification.

mod small_trees;

use hyperslab::File;
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_io::LocalSink;
use hyperslab_repack::{ChangeSet, Monitor, ObjectSelection, RepackOptions, RepackPlan};
use hyperslab_testkit::{Allocations, CountingAllocator};
use hyperslab_write::{
    ChunkedSpec, FileTree, FileWriter, LowBound, Object, ObjectId, StorageSpec, WriteOptions,
};
use std::path::Path;

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

const DATASETS_IN_A_GROUP: usize = 500;

fn group(members: impl Iterator<Item = usize>) -> Object {
    small_trees::group(members.map(|number| (format!("dataset {number:06}"), number as u32)))
}

/// A dataset of four numbers: contiguous, or one chunk with a filter.
fn dataset(is_chunked: bool) -> Object {
    let deflate = Filter { id: 1, name: Some("deflate".into()), flags: 1, parameters: vec![4] };
    let filters = FilterPipeline { filters: if is_chunked { vec![deflate] } else { Vec::new() } };
    let chunked = ChunkedSpec { chunk_dims: vec![4], edge_chunks_unfiltered: false, coords: vec![0] };
    let contiguous = StorageSpec::Contiguous { allocated: true };
    let storage = if is_chunked { StorageSpec::Chunked(chunked) } else { contiguous };
    small_trees::dataset(&[4], filters, storage)
}

/// Writes a file with so many small datasets.
fn write(path: &Path, count: usize, is_chunked: bool) {
    let groups = count.div_ceil(DATASETS_IN_A_GROUP);
    let mut tree = FileTree::default();
    tree.objects.push(group(1..groups + 1));
    for number in 0..groups {
        let first = 1 + groups + number * DATASETS_IN_A_GROUP;
        tree.objects.push(group(first..first + DATASETS_IN_A_GROUP));
    }
    tree.objects.extend((0..groups * DATASETS_IN_A_GROUP).map(|_| dataset(is_chunked)));
    let sink = LocalSink::create_new(path).unwrap();
    let objects = tree.objects.len();
    let options = WriteOptions { low: LowBound::Earliest, ..WriteOptions::default() };
    let mut writer = FileWriter::create(&sink, tree, options).unwrap();
    for id in (1 + groups..objects).map(|number| ObjectId(number as u32)) {
        let bytes = id.0.to_le_bytes().repeat(4);
        // All filters of the chunk were skipped, which its mask says.
        let skipped = 1;
        match is_chunked {
            true => writer.write_chunk(id, &bytes, skipped).unwrap(),
            false => writer.write_contiguous(id, 0, &bytes).unwrap(),
        }
    }
    writer.finish().unwrap();
}

/// The most bytes that are allocated at a time.
fn peak(count: usize, is_chunked: bool) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("source.h5"), folder.path().join("target.h5"));
    write(&source, count, is_chunked);
    let allocations = Allocations::now();
    let options = RepackOptions {
        write: WriteOptions::default(),
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes: ChangeSet::default(),
        memory_bytes: 64 << 20,
        threads: 2,
        verify: true,
        keep_going: false,
        moved: None,
        temporary_folder: folder.path().into(),
    };
    let monitor = Monitor::default();
    let sink = LocalSink::create_new(&target).unwrap();
    let plan = RepackPlan::new(&File::open(&source).unwrap(), options).unwrap();
    let written = plan.run(&sink, &monitor).unwrap();
    let compared = written.verify(&File::open(&target).unwrap(), 2, &monitor).unwrap();
    assert_eq!(compared, 16 * (written.objects - 1 - count / DATASETS_IN_A_GROUP) as u64);
    allocations.peak()
}

#[test]
fn an_object_takes_less_than_a_kilobyte() {
    const COUNT: usize = 60_000;
    for is_chunked in [false, true] {
        let bytes = peak(COUNT, is_chunked) / COUNT;
        assert!((200..1000).contains(&bytes), "{bytes} bytes for each object; chunked: {is_chunked}");
    }
}
