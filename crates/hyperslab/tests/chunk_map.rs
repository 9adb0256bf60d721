//! The chunk map: the same chunks whether it is read, walked or given; no request where it is given.

use hyperslab::io::LocalFile;
use hyperslab::{
    ChunkBatch, ChunkGrid, ChunkIndex, ChunkMap, Dataset, Endianness, Error, ErrorKind, File, Location,
    Result, Selection,
};
use hyperslab_io::wrap::{Recorder, Recording};
use hyperslab_testkit::files::{fixture, hdf5_files};
use hyperslab_testkit::{Missing, require};
use std::sync::Arc;

const FILES: [&str; 3] = ["btree_v1_gzip.h5", "v110_gzip.h5", "v200_plain.h5"];

fn open(name: &str) -> std::result::Result<(File, Recording), Missing> {
    let path = fixture(&format!("chunk_indexes/{name}"))?;
    let (source, recording) = Recorder::new(LocalFile::open(path).expect("a fixture"));
    Ok((File::from_source(Arc::new(source)).expect("a sound file"), recording))
}

/// All chunked datasets of a file of the recipe `chunk_indexes`.
fn datasets(file: &File) -> Vec<Dataset> {
    let mut found = Vec::new();
    let mut open = vec![file.root().unwrap()];
    while let Some(group) = open.pop() {
        for link in group.links().unwrap() {
            match group.open(&link.unwrap()).unwrap() {
                hyperslab::Object::Group(group) => open.push(group),
                hyperslab::Object::Dataset(dataset) => found.push(dataset),
                hyperslab::Object::Datatype(_) => {}
            }
        }
    }
    found
}

fn values(dataset: &Dataset) -> Vec<u8> {
    dataset.read_bytes(&Selection::All, Endianness::File).unwrap()
}

#[test]
fn a_walk_hands_over_the_chunks_of_the_map() {
    let mut other_orders = 0;
    for name in FILES {
        let (file, _) = require!(open(name));
        for dataset in datasets(&file) {
            let (index, grid) = (dataset.chunk_index().unwrap(), dataset.chunk_grid().unwrap().clone());
            let mut walked = Vec::new();
            let mut each = |batch: ChunkBatch<'_>| {
                assert!(!batch.is_empty() && batch.len() < 10_000);
                walked.extend(batch.iter().map(|(at, location)| (grid.number(at.iter().copied()), location)));
                Ok(())
            };
            index.walk(None, &mut each).unwrap();
            if !index.is_row_major() {
                other_orders += u32::from(!walked.is_sorted_by_key(|row| row.0));
                walked.sort_by_key(|row| row.0);
            }
            let map = dataset.chunk_map().unwrap();
            assert!(map.iter().eq(walked), "{name}: {}", dataset.path());
            assert!(map.memory_bytes() <= 28 * map.len());
        }
    }
    assert!(other_orders > 0, "an extensible array whose unlimited axis is not the first has another order");
}

#[test]
fn a_dataset_is_read_through_a_map_that_was_made_earlier_without_its_index() {
    for name in FILES {
        let (first, _) = require!(open(name));
        for known in datasets(&first) {
            let map = known.chunk_map().unwrap();
            let (file, recording) = require!(open(name));
            let dataset = file.dataset(known.path()).unwrap().with_chunk_map(map.clone()).unwrap();
            recording.take();
            let read = values(&dataset);
            // Every request begins where a chunk does; the index lies elsewhere.
            for range in recording.take() {
                let is_chunk = map.iter().any(|(_, location)| location.address == range.start);
                assert!(is_chunk, "{name}: {}: {range:?}", known.path());
            }
            assert_eq!(read, values(&known), "{name}: {}", known.path());
            assert!(Arc::ptr_eq(&dataset.chunk_map().unwrap(), &map), "no second map");
        }
    }
}

#[test]
fn a_given_map_does_not_change_what_others_read() {
    let (file, _) = require!(open("v110_gzip.h5"));
    let dataset = file.dataset("/fixed/few").unwrap();
    let map = dataset.chunk_map().unwrap();
    let right = values(&dataset);
    // The first two chunks of the first row, exchanged.
    let exchanged = map.iter().map(|(number, location)| {
        let other = if number < 2 { map.get(1 - number).unwrap() } else { location };
        (map.grid().coordinates(number), other)
    });
    let exchanged = Arc::new(ChunkMap::new(map.grid().clone(), exchanged).unwrap());
    let other = dataset.with_chunk_map(exchanged).unwrap();
    assert_ne!(values(&other), right);
    assert_eq!(values(&dataset), right);
    let beyond = map.iter().map(|(number, location)| {
        let address = if number == 0 { u64::MAX - 1 } else { location.address };
        (map.grid().coordinates(number), Location { address, ..location })
    });
    let beyond = Arc::new(ChunkMap::new(map.grid().clone(), beyond).unwrap());
    let broken = dataset.with_chunk_map(beyond).unwrap();
    assert_eq!(broken.read_bytes(&Selection::All, Endianness::File).unwrap_err().kind(), ErrorKind::Damaged);
}

#[test]
fn refuses_maps_of_other_grids_and_of_datasets_without_chunks() {
    let (file, _) = require!(open("v110_gzip.h5"));
    let dataset = file.dataset("/fixed/few").unwrap();
    let other = file.dataset("/fixed/larger maximum").unwrap().chunk_map().unwrap();
    let error = dataset.with_chunk_map(other.clone()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("/fixed/few: the chunk map is that of"), "{error}");
    let layouts = require!(fixture("layouts"));
    let contiguous = hdf5_files(&layouts, 1 << 21)
        .iter()
        .flat_map(|path| datasets(&File::open(path).unwrap()))
        .find(|dataset| dataset.layout_name() == "contiguous")
        .expect("a contiguous dataset");
    assert_eq!(contiguous.with_chunk_map(other).err().unwrap().kind(), ErrorKind::Invalid);
    assert!(contiguous.chunk_index().is_none());
}

/// An index that hands over the same chunk twice.
struct Twice(Location);

impl ChunkIndex for Twice {
    fn walk(
        &self,
        _: Option<&[(u64, u64)]>,
        each: &mut dyn FnMut(ChunkBatch<'_>) -> Result<()>,
    ) -> Result<()> {
        let batch = ChunkBatch {
            coordinates: &[1, 1],
            addresses: &[self.0.address],
            stored_bytes: &[self.0.stored_bytes],
            filter_masks: &[self.0.filter_mask],
        };
        each(batch)?;
        each(batch)
    }

    fn is_row_major(&self) -> bool {
        true
    }
}

#[test]
fn an_index_of_another_kind_is_checked() {
    let grid = ChunkGrid::new(&[4, 4], &[2, 2]).unwrap();
    let twice = Twice(Location { address: 100, stored_bytes: 4, filter_mask: 0 });
    let error = ChunkMap::read(&twice, &grid, None).unwrap_err();
    assert!(error.to_string().contains("twice"), "{error}");
    let small = ChunkGrid::new(&[2, 4], &[2, 2]).unwrap();
    assert_eq!(ChunkMap::read(&twice, &small, None).unwrap_err().kind(), ErrorKind::Damaged);
    // The first error of the reader ends the walk.
    let mut batches = 0;
    let stopped = twice.walk(None, &mut |_| {
        batches += 1;
        Err(Error::invalid("enough"))
    });
    assert!(stopped.is_err() && batches == 1);
}
