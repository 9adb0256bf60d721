//! The memory of a repack: of many small datasets less than 1 KB for each object, with verification and an attribute each; of
//! one that gets other chunks what was planned.

mod small_trees;

use hyperslab::File;
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_io::LocalSink;
use hyperslab_repack::{
    Change, ChangeSet, LayoutRequest, Monitor, ObjectSelection, PathPattern, RepackOptions, RepackPlan, Rule,
    Size,
};
use hyperslab_testkit::{Allocations, CountingAllocator};
use hyperslab_write::{
    AttributeSpec, ChunkedSpec, DataspaceSpec, FileTree, FileWriter, LowBound, Object, ObjectId, ObjectSpec,
    StorageSpec, WriteOptions,
};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

fn group(members: impl Iterator<Item = usize>) -> Object {
    small_trees::group(members.map(|number| (format!("dataset {number:06}"), number as u32)))
}

/// A dataset of four numbers: contiguous, or one chunk with a filter. It has an attribute with a number of its own.
fn dataset(number: usize, is_chunked: bool) -> Object {
    let deflate = Filter { id: 1, name: Some("deflate".into()), flags: 1, parameters: vec![4] };
    let filters = FilterPipeline { filters: if is_chunked { vec![deflate] } else { Vec::new() } };
    let chunked = ChunkedSpec { chunk_dims: [4].into(), edge_chunks_unfiltered: false, coords: [0].into() };
    let contiguous = StorageSpec::Contiguous { allocated: true };
    let storage = if is_chunked { StorageSpec::Chunked(chunked) } else { contiguous };
    let mut object = small_trees::dataset(&[4], filters, storage);
    if let ObjectSpec::Dataset(spec) = &object.spec {
        object.attributes.push(AttributeSpec {
            name: std::sync::Arc::new("number".into()),
            charset: Charset::Ascii,
            datatype: spec.datatype.clone(),
            dataspace: DataspaceSpec::Scalar,
            value: (number as u32).to_le_bytes().to_vec().into(),
        });
    }
    object
}

/// Writes a file with so many small datasets in groups of equal sizes.
fn write(path: &Path, groups: usize, members: usize, is_chunked: bool) {
    let mut tree = FileTree::default();
    tree.objects.push(group(1..groups + 1));
    for number in 0..groups {
        let first = 1 + groups + number * members;
        tree.objects.push(group(first..first + members));
    }
    tree.objects.extend((0..groups * members).map(|number| dataset(number, is_chunked)));
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

fn options(temporary_folder: &Path, changes: ChangeSet) -> RepackOptions {
    RepackOptions {
        write: WriteOptions::default(),
        user_block_bytes: None,
        objects: ObjectSelection::default(),
        changes,
        memory_bytes: 64 << 20,
        threads: 2,
        verify: true,
        keep_going: false,
        moved: None,
        temporary_folder: temporary_folder.into(),
    }
}

/// The most bytes that are allocated at a time.
fn peak(groups: usize, members: usize, is_chunked: bool) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("source.h5"), folder.path().join("target.h5"));
    write(&source, groups, members, is_chunked);
    let options = options(folder.path(), ChangeSet::default());
    let allocations = Allocations::now();
    let monitor = Monitor::default();
    let sink = LocalSink::create_new(&target).unwrap();
    let plan = RepackPlan::new(&File::open(&source).unwrap(), options).unwrap();
    let written = plan.run(&sink, &monitor).unwrap();
    let compared = written.verify(&File::open(&target).unwrap(), 2, &monitor).unwrap();
    assert_eq!(compared, 16 * (groups * members) as u64);
    allocations.peak()
}

/// Allocations are counted for the whole program: one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// 24 MiB in chunks of 1 MiB get other chunks. Returns the planned bytes of memory, and the most that are allocated at a time.
fn planned_and_needed(target_chunk: [u64; 3]) -> (u64, u64) {
    let (dims, chunk) = ([24, 512, 512], [1, 512, 512]);
    let coords = (0..dims[0]).flat_map(|row| [row, 0, 0]).collect();
    let chunked = ChunkedSpec { chunk_dims: chunk[..].into(), edge_chunks_unfiltered: false, coords };
    let mut tree = FileTree::default();
    tree.objects.push(group(1..2));
    tree.objects.push(small_trees::dataset(&dims, FilterPipeline::default(), StorageSpec::Chunked(chunked)));
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("source.h5"), folder.path().join("target.h5"));
    let sink = LocalSink::create_new(&source).unwrap();
    let mut writer = FileWriter::create(&sink, tree, WriteOptions::default()).unwrap();
    for row in 0..dims[0] as u32 {
        writer.write_chunk(ObjectId(1), &row.to_le_bytes().repeat(512 * 512), 0).unwrap();
    }
    writer.finish().unwrap();
    let sizes = target_chunk.map(Size::Elements).to_vec();
    let rule = Rule {
        option: "--chunks".into(),
        datasets: PathPattern::parse("*").unwrap(),
        change: Change::Layout(LayoutRequest::Chunks(sizes)),
    };
    let file = File::options().cache_bytes(0).open(&source).unwrap();
    let sink = LocalSink::create_new(&target).unwrap();
    let allocations = Allocations::now();
    let plan = RepackPlan::new(
        &file,
        options(folder.path(), ChangeSet { rules: vec![rule], ..ChangeSet::default() }),
    )
    .unwrap();
    let planned = plan.datasets[0].memory_bytes;
    plan.run(&sink, &Monitor::default()).unwrap();
    (planned, allocations.peak() as u64)
}

#[test]
fn rechunking_takes_the_memory_that_was_planned() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for chunk in [[24, 64, 64], [4, 128, 512], [1, 256, 256]] {
        let (planned, needed) = planned_and_needed(chunk);
        let what = format!("chunks of {chunk:?}: {planned} bytes planned, {needed} needed");
        println!("{what}");
        assert!(needed <= planned && planned <= 3 * needed, "{what}");
    }
}

#[test]
fn an_object_takes_less_than_a_kilobyte() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for (is_chunked, groups, members) in [(true, 120, 500), (false, 1, 60_000)] {
        let bytes = peak(groups, members, is_chunked) / (groups * members);
        let what = format!("{groups} groups, chunked: {is_chunked}");
        assert!((200..950).contains(&bytes), "{bytes} bytes for each object; {what}");
    }
}
