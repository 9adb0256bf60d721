//! The memory of a repack: of many small datasets less than 1 KB for each object, with verification, an attribute each, and rules
//! that are about all of them; of one that gets other chunks what was planned; and what a prediction says of both.

mod small_trees;

use hyperslab::File;
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_io::LocalSink;
use hyperslab_repack::{
    Change, ChangeSet, FilterRequest, LayoutRequest, Monitor, ObjectSelection, PathPattern, RepackOptions,
    RepackPlan, Rule, SampleSize, Size,
};
use hyperslab_testkit::{Allocations, CountingAllocator, scale};
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
        gzip: hyperslab_storage::GzipEncoder::default(),
        verify: true,
        keep_going: false,
        moved: None,
        temporary_folder: temporary_folder.into(),
    }
}

/// Bytes of memory, and the numbers of datasets that change and that rules leave as they are.
#[derive(Debug)]
struct Taken {
    predicted: usize,
    peak: usize,
    changed: usize,
    kept: usize,
}

/// Repacks a file: what is predicted, and the most bytes that are allocated at a time.
fn taken(source: &Path, rules: Vec<Rule>) -> Taken {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), ChangeSet { rules, ..ChangeSet::default() });
    let open = |path: &Path| File::options().cache_bytes(0).open(path).unwrap();
    let plan = RepackPlan::new(&open(source), options.clone()).unwrap();
    let predicted = plan.estimate(SampleSize::default()).unwrap().memory_bytes as usize;
    let (changed, kept) = (plan.datasets.len(), plan.kept().count());
    drop(plan);
    let target = folder.path().join("target.h5");
    let (sink, monitor) = (LocalSink::create_new(&target).unwrap(), Monitor::default());
    let allocations = Allocations::now();
    let plan = RepackPlan::new(&open(source), options).unwrap();
    // As the command keeps it until it prints its summary.
    let shown = plan.datasets.clone();
    let written = plan.run(&sink, &monitor).unwrap();
    written.verify(&open(&target), 2, &monitor).unwrap();
    drop(shown);
    Taken { predicted, peak: allocations.peak(), changed, kept }
}

/// A rule for the filters of all datasets.
fn filtered(id: u16, parameters: &[u32]) -> Rule {
    let filter = FilterRequest { id, parameters: parameters.into() };
    Rule {
        option: "--filter ".into(),
        datasets: PathPattern::parse("*").unwrap(),
        change: Change::Filters(vec![filter]),
    }
}

/// What is not of any object: buffers, and what the allocator holds in larger pieces.
const FIXED_BYTES: usize = 24 << 20;

#[track_caller]
fn assert_predicted(taken: &Taken, what: &str) {
    let Taken { predicted, peak, .. } = *taken;
    println!("{what}: {predicted} bytes predicted, {peak} taken");
    assert!(peak <= predicted && predicted <= 2 * peak + FIXED_BYTES, "{what}: {taken:?}");
}

/// Allocations are counted for the whole program: one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// 24 MiB in chunks of 1 MiB get other chunks, filtered, in so many bytes of memory. Returns the planned bytes, the most that
/// are allocated at a time, and the bytes that go through a temporary file.
fn planned_and_needed(target_chunk: [u64; 3], memory_bytes: u64) -> (u64, u64, u64) {
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
    let changes = ChangeSet { rules: vec![rule, filtered(1, &[4])], ..ChangeSet::default() };
    let options = RepackOptions { memory_bytes, ..options(folder.path(), changes) };
    let allocations = Allocations::now();
    let plan = RepackPlan::new(&file, options).unwrap();
    let (planned, temporary) = (plan.datasets[0].memory_bytes, plan.datasets[0].temporary_bytes);
    plan.run(&sink, &Monitor::default()).unwrap();
    (planned, allocations.peak() as u64, temporary)
}

#[test]
fn rechunking_takes_the_memory_that_was_planned() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for (chunk, memory_bytes, is_spilled) in [
        ([24, 64, 64], 64 << 20, false),
        ([4, 128, 512], 64 << 20, false),
        ([1, 256, 256], 64 << 20, false),
        ([24, 64, 64], 12 << 20, true),
        ([24, 64, 64], 16 << 20, true),
        ([24, 8, 8], 8 << 20, true),
    ] {
        let (planned, needed, temporary) = planned_and_needed(chunk, memory_bytes);
        let what = format!("chunks of {chunk:?} in {memory_bytes}: {planned} bytes planned, {needed} needed");
        println!("{what}, {temporary} in a file");
        assert_eq!(temporary > 0, is_spilled, "{what}");
        assert!(planned <= memory_bytes, "{what}");
        assert!(needed <= planned && planned <= 3 * needed, "{what}");
    }
}

#[test]
fn an_object_takes_less_than_a_kilobyte() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let trees = [(true, 120, 500), (false, 1, 60_000)];
    for (is_chunked, groups, members) in trees.into_iter().take(scale().sample(1, 2)) {
        let source = folder.path().join(format!("{groups}.h5"));
        write(&source, groups, members, is_chunked);
        let all = groups * members;
        // Chunks get other filters; datasets of 16 bytes without chunks stay as they are, and the plan says why.
        for (rules, changed, kept) in [
            (Vec::new(), 0, 0),
            (vec![filtered(2, &[])], if is_chunked { all } else { 0 }, if is_chunked { 0 } else { all }),
        ] {
            let taken = taken(&source, rules);
            let what = format!("{groups} groups, chunked: {is_chunked}, {changed} changed, {kept} kept");
            assert_eq!((taken.changed, taken.kept), (changed, kept));
            let bytes = taken.peak / all;
            println!("{bytes} bytes for each object; {what}");
            assert!((200..1000).contains(&bytes), "{bytes} bytes for each object; {what}");
            assert_predicted(&taken, &what);
        }
    }
}

#[test]
fn memory_for_many_chunks_is_predicted() {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    for (name, rows, columns, low) in
        [("btree", 400, 300, LowBound::Earliest), ("array", 400, 300, LowBound::V110)]
    {
        let dims = [rows, columns];
        let coords: Vec<u64> = (0..rows).flat_map(|row| (0..columns).flat_map(move |at| [row, at])).collect();
        let chunked =
            ChunkedSpec { chunk_dims: [1, 1].into(), edge_chunks_unfiltered: false, coords: coords.into() };
        let mut tree = FileTree::default();
        tree.objects.push(group(1..2));
        let deflate = Filter { id: 1, name: Some("deflate".into()), flags: 1, parameters: vec![4] };
        let filters = FilterPipeline { filters: vec![deflate] };
        tree.objects.push(small_trees::dataset(&dims, filters, StorageSpec::Chunked(chunked)));
        let source = folder.path().join(name);
        let sink = LocalSink::create_new(&source).unwrap();
        let options = WriteOptions { low, ..WriteOptions::default() };
        let mut writer = FileWriter::create(&sink, tree, options).unwrap();
        for number in 0..(rows * columns) as u32 {
            // The filter was skipped.
            writer.write_chunk(ObjectId(1), &number.to_le_bytes(), 1).unwrap();
        }
        writer.finish().unwrap();
        for rules in [Vec::new(), vec![filtered(2, &[])]] {
            let what = format!("{name}, {} rules", rules.len());
            assert_predicted(&taken(&source, rules), &what);
        }
    }
}
