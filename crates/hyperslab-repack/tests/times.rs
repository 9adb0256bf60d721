//! Times of objects: object headers of version 1 have one, which is that of the last change.

mod small_trees;

use hyperslab::File;
use hyperslab::hdf5::{self, superblock};
use hyperslab_format::message::FilterPipeline;
use hyperslab_format::object_header::Times;
use hyperslab_io::{Memory, MemorySink};
use hyperslab_repack::{CopyOptions, LowBound, copy};
use hyperslab_write::{FileTree, FileWriter, StorageSpec, WriteOptions};
use std::sync::Arc;

fn opened(bytes: Vec<u8>) -> File {
    File::from_source(Arc::new(Memory::new("times", bytes))).unwrap()
}

#[test]
fn the_time_of_the_last_change_survives_older_and_newer_headers() {
    let mut dataset =
        small_trees::dataset(&[4], FilterPipeline::default(), StorageSpec::Contiguous { allocated: false });
    dataset.times = Some(Times { access: 1, modification: 2, change: 3, birth: 4 });
    let tree = FileTree { objects: vec![small_trees::group([("d", 1)]), dataset], heap: Vec::new() };
    let sink = MemorySink::default();
    let options = WriteOptions { low: LowBound::Latest, ..WriteOptions::default() };
    FileWriter::create(&sink, tree, options).unwrap().finish().unwrap();
    let mut file = opened(sink.into_bytes());
    for low in [LowBound::Earliest, LowBound::Latest, LowBound::Earliest] {
        let sink = MemorySink::default();
        let options = CopyOptions { low, page_bytes: None };
        copy(&file, &sink, options).unwrap();
        file = opened(sink.into_bytes());
        let object = file.get("/d").unwrap();
        let time =
            hdf5::header(&object).unwrap().modification_time(superblock(&file).unwrap().widths).unwrap();
        assert_eq!(time.map(|time| time.0), Some(3), "{low:?}");
    }
}
