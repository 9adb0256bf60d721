//! The memory of a repack of many small datasets: less than 1 KB for each object, with verification and an attribute each.

mod small_trees;

use hyperslab::File;
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_io::LocalSink;
use hyperslab_repack::{ChangeSet, Monitor, ObjectSelection, RepackOptions, RepackPlan};
use hyperslab_testkit::{Allocations, CountingAllocator};
use hyperslab_write::{
    AttributeSpec, ChunkedSpec, DataspaceSpec, FileTree, FileWriter, LowBound, Object, ObjectId, ObjectSpec,
    StorageSpec, WriteOptions,
};
use std::path::Path;

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

/// The most bytes that are allocated at a time.
fn peak(groups: usize, members: usize, is_chunked: bool) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("source.h5"), folder.path().join("target.h5"));
    write(&source, groups, members, is_chunked);
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
    assert_eq!(compared, 16 * (groups * members) as u64);
    allocations.peak()
}

#[test]
fn an_object_takes_less_than_a_kilobyte() {
    for (is_chunked, groups, members) in [(true, 120, 500), (false, 1, 60_000)] {
        let bytes = peak(groups, members, is_chunked) / (groups * members);
        let what = format!("{groups} groups, chunked: {is_chunked}");
        assert!((200..950).contains(&bytes), "{bytes} bytes for each object; {what}");
    }
}
