//! Files whose bytes take their time: values equal to those of the local file, many requests in flight, and an error
//! that says why where something goes wrong.

use hyperslab::io::{Advice, LocalFile, Memory, Source};
use hyperslab::{Cancel, Dataset, Endianness, ErrorKind, File, Object, Selection};
use hyperslab_classic::{Dimension, Header, Kind, Variable, Version};
use hyperslab_remote::{RemoteFile, RemoteOptions};
use hyperslab_testkit::files::{fixture, fixtures, hdf5_files};
use hyperslab_testkit::{DistantSource, Fault, Link, RangeServer, require};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CASE_STUDY: &str = "/All_Data/CrIS-SDR_All/ES_ImaginaryLW";

fn link(milliseconds: u64) -> Link {
    Link { latency: Duration::from_millis(milliseconds), bytes_per_second: None }
}

fn distant(path: &Path, link: Link, in_flight_max: usize) -> (File, DistantSource) {
    let source = DistantSource::new(Arc::new(LocalFile::open(path).unwrap()), link, in_flight_max);
    (File::from_source(Arc::new(source.clone())).unwrap(), source)
}

fn whole(dataset: &Dataset) -> Selection {
    Selection::parse("...", dataset.shape()).unwrap()
}

/// All datasets of a file, with what a read of all of it gives: a hash of the bytes, or the kind of error.
fn contents(file: &File) -> Vec<(String, Result<Vec<u8>, ErrorKind>)> {
    let mut found = Vec::new();
    let mut open = vec!["/".to_string()];
    while let Some(path) = open.pop() {
        let Ok(Object::Group(group)) = file.get(&path) else { continue };
        for link in group.links().into_iter().flatten().flatten() {
            let Some(name) = link.name.as_str() else { continue };
            let child = format!("{}/{name}", path.trim_end_matches('/'));
            match file.get(&child) {
                // Deep enough; hard links may lead in circles.
                Ok(Object::Group(_)) if child.matches('/').count() < 4 => open.push(child),
                Ok(Object::Dataset(dataset)) if dataset.logical_bytes() < 1 << 20 => {
                    let read = dataset.read_bytes(&whole(&dataset), Endianness::File);
                    found.push((child, read.map_err(|error| error.kind())));
                }
                _ => {}
            }
        }
    }
    found
}

#[test]
fn every_value_of_every_fixture_equals_the_local_one() {
    let folder = require!(fixtures());
    let (mut files, mut datasets) = (0, 0);
    for path in hdf5_files(&folder, 1 << 20) {
        // In memory no other files are found beside it, as is the case far away.
        let bytes = std::fs::read(&path).unwrap();
        let Ok(local) = File::from_source(Arc::new(Memory::new("local", bytes))) else { continue };
        let expected = contents(&local);
        let (far, _) = distant(&path, link(0), 8);
        let found = contents(&far);
        files += 1;
        datasets += expected.len();
        for (expected, found) in expected.iter().zip(&found) {
            assert!(expected == found, "{}: {}", path.display(), expected.0);
        }
        assert_eq!(expected.len(), found.len());
    }
    assert!(files > 50 && datasets > 500, "{files} files, {datasets} datasets");
}

#[test]
fn files_are_read_over_http() {
    let mut datasets = 0;
    for name in ["filters/v200.h5", "layouts/v110.h5", "chunk_indexes", "links_and_mappings/other.h5"] {
        let path = require!(fixture(name));
        let paths = if path.is_dir() { hdf5_files(&path, 1 << 20) } else { vec![path] };
        for path in paths {
            let bytes = std::fs::read(&path).unwrap();
            let local = File::from_source(Arc::new(Memory::new("local", bytes.clone()))).unwrap();
            let server = RangeServer::start(bytes, link(1));
            let source = RemoteFile::open(&server.url("f.h5"), RemoteOptions::default()).unwrap();
            let found = contents(&File::from_source(Arc::new(source)).unwrap());
            assert!(contents(&local) == found, "{}", path.display());
            datasets += found.len();
        }
    }
    assert!(datasets > 50, "{datasets}");
}

#[test]
fn the_chunks_of_a_read_are_requested_together() {
    let path = require!(fixture("case_study/cris.h5"));
    let (file, source) = distant(&path, link(200), 64);
    let dataset = file.dataset(CASE_STUDY).unwrap();
    let chunks = dataset.chunk_map().unwrap().len();
    // Each chunk in a request of its own: nothing else shows that they are in flight together.
    let advice = Advice { gap_bytes: 0, request_bytes_max: 1, ..source.advice() };
    let apart = source.clone().advising(advice);
    let file = File::from_source(Arc::new(apart)).unwrap();
    let dataset = file.dataset(CASE_STUDY).unwrap();
    dataset.chunk_map().unwrap();
    source.take_counts();
    let began = Instant::now();
    let found = dataset.read_bytes(&whole(&dataset), Endianness::File).unwrap();
    let took = began.elapsed();
    let counts = source.take_counts();
    assert_eq!(counts.requests, chunks as u64);
    // On a busy machine the first request may be answered before the last one is made.
    assert!(counts.in_flight_max > chunks / 2, "{} of {chunks} in flight", counts.in_flight_max);
    assert!(took < Duration::from_millis(200 * chunks as u64 / 2), "{took:?} for {chunks} chunks");
    let local = File::open(&path).unwrap().dataset(CASE_STUDY).unwrap();
    assert!(found == local.read_bytes(&whole(&local), Endianness::File).unwrap());
}

#[test]
fn chunks_that_are_read_ahead_are_fetched_once() {
    let path = require!(fixture("case_study/cris.h5"));
    let (file, source) = distant(&path, link(20), 64);
    let dataset = file.dataset(CASE_STUDY).unwrap();
    let map = dataset.chunk_map().unwrap();
    let stored: u64 = map.iter().map(|(_, location)| location.stored_bytes).sum();
    source.take_counts();
    for start in (0..60).step_by(4) {
        let block = Selection::block(&[start, 0, 0, 0], &[4, 30, 9, 717]);
        dataset.read_bytes(&block, Endianness::File).unwrap();
    }
    let counts = source.take_counts();
    assert_eq!((counts.requests, counts.bytes), (map.len() as u64, stored));
}

#[test]
fn the_requests_are_those_of_the_plan() {
    let selections = ["...", "5:7, 3, :, 100:200", "0, 0, 0, 0", "::7, ::3, 4, ::50"];
    for name in ["case_study/cris.h5", "case_study/cris_raw.h5"] {
        let path = require!(fixture(name));
        for in_flight_max in [1, 16] {
            let (file, source) = distant(&path, link(0), in_flight_max);
            let dataset = file.dataset(CASE_STUDY).unwrap();
            dataset.chunk_map().unwrap();
            for selection in selections {
                let selection = Selection::parse(selection, dataset.shape()).unwrap();
                source.take_counts();
                let explained = dataset.explain(&selection).unwrap();
                assert_eq!(source.take_counts().requests, 0, "a plan has no side effects");
                dataset.read_bytes(&selection, Endianness::File).unwrap();
                let mut requested = source.take_counts().ranges;
                requested.sort_by_key(|range| (range.start, range.end));
                let planned: Vec<_> = explained.requests.into_iter().map(|request| request.range).collect();
                assert_eq!(requested, planned, "{name} {selection:?} {in_flight_max}");
            }
        }
    }
}

#[test]
fn the_plan_of_a_virtual_dataset_names_the_files_of_its_sources() {
    let path = require!(fixture("links_and_mappings/rows_of_rows.h5"));
    let dataset = File::open(path).unwrap().dataset("d").unwrap();
    let explained = dataset.explain(&whole(&dataset)).unwrap();
    assert_eq!((explained.layout, explained.requests_made as usize), ("virtual", explained.requests.len()));
    let sources = explained.requests.iter().map(|request| request.source.as_ref().expect("a source"));
    let mut files: Vec<_> = sources.map(|source| source.file.rsplit('/').next().unwrap()).collect();
    files.dedup();
    assert_eq!(files, ["rows0.h5", "rows1.h5"]);
    assert!(explained.fetched_bytes > 0);
    let text = explained.to_string();
    assert!(text.contains("rows1.h5: /d\n"), "{text}");
}

#[test]
fn rows_of_unfiltered_data_come_in_blocks() {
    let path = require!(fixture("case_study/cris_raw.h5"));
    let (file, source) = distant(&path, link(0), 16);
    let dataset = file.dataset(CASE_STUDY).unwrap();
    dataset.chunk_map().unwrap();
    let local = File::open(&path).unwrap().dataset(CASE_STUDY).unwrap();
    source.take_counts();
    for row in 0..300 {
        let selection =
            Selection::parse(&format!("{}, {}, {}, :", row / 270, row / 9 % 30, row % 9), dataset.shape());
        let selection = selection.unwrap();
        let expected = local.read_bytes(&selection, Endianness::File).unwrap();
        assert_eq!(dataset.read_bytes(&selection, Endianness::File).unwrap(), expected);
    }
    let counts = source.take_counts();
    assert!(counts.requests <= 5, "{} requests", counts.requests);
}

#[test]
fn all_rows_of_a_contiguous_dataset_take_few_requests() {
    let path = require!(fixture("case_study/cris_raw.h5"));
    let local = File::open(&path).unwrap().dataset(CASE_STUDY).unwrap();
    let server = RangeServer::start(std::fs::read(&path).unwrap(), link(0));
    let source = RemoteFile::open(&server.url("f.h5"), RemoteOptions::default()).unwrap();
    let dataset = File::from_source(Arc::new(source)).unwrap().dataset(CASE_STUDY).unwrap();
    let (rows, points) = (dataset.shape()[0] * dataset.shape()[1] * dataset.shape()[2], dataset.shape()[2]);
    assert_eq!(rows, 16_200);
    server.take_counts();
    for row in 0..rows {
        let (scan, field) = (row / (points * dataset.shape()[1]), row / points % dataset.shape()[1]);
        let selection = Selection::parse(&format!("{scan}, {field}, {}, :", row % points), dataset.shape());
        let selection = selection.unwrap();
        let expected = local.read_bytes(&selection, Endianness::File).unwrap();
        assert_eq!(dataset.read_bytes(&selection, Endianness::File).unwrap(), expected, "row {row}");
    }
    let counts = server.counts();
    assert!(counts.requests < 200, "{} requests", counts.requests);
}

#[test]
fn a_fault_is_an_error_that_names_the_bytes_and_the_next_read_succeeds() {
    for name in ["case_study/cris.h5", "case_study/cris_raw.h5"] {
        let path = require!(fixture(name));
        let (file, source) = distant(&path, link(0), 16);
        let dataset = file.dataset(CASE_STUDY).unwrap();
        let map = dataset.chunk_map().unwrap();
        let address = map.get(0).unwrap().address;
        for selection in ["0, 0, 0, 5:9", "..."] {
            let selection = Selection::parse(selection, dataset.shape()).unwrap();
            source.order([Some(Fault::Status(500))]);
            let error = dataset.read_bytes(&selection, Endianness::File).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io);
            let text = error.to_string();
            assert!(
                text.contains("cris") && text.contains("bytes at byte 0x") && text.contains("Status(500)"),
                "{text}"
            );
            assert!(address > 0 && error.object() == Some(CASE_STUDY));
            dataset.read_bytes(&selection, Endianness::File).unwrap();
        }
    }
}

#[test]
fn a_file_that_is_replaced_is_an_error_however_far_it_is() {
    let path = require!(fixture("case_study/cris_raw.h5"));
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.h5");
    std::fs::copy(&path, &copy).unwrap();
    // Far from the beginning, which comes with the first answer of a server.
    let last = |dataset: &Dataset| {
        let selection = Selection::parse("-1, -1, -1, 5:9", dataset.shape()).unwrap();
        dataset.read_bytes(&selection, Endianness::File)
    };

    let local = File::open(&copy).unwrap().dataset(CASE_STUDY).unwrap();
    last(&local).unwrap();
    let written = std::fs::OpenOptions::new().write(true).open(&copy).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&written, b"other", 0).unwrap();
    written.set_modified(std::time::SystemTime::now() + Duration::from_secs(2)).unwrap();
    let changed =
        [last(&local).unwrap_err(), local.read_bytes(&whole(&local), Endianness::File).unwrap_err()];

    let (file, source) = distant(&path, link(0), 16);
    let far = file.dataset(CASE_STUDY).unwrap();
    last(&far).unwrap();
    source.replace();
    let replaced = [last(&far).unwrap_err(), far.read_bytes(&whole(&far), Endianness::File).unwrap_err()];

    let server = RangeServer::start(std::fs::read(&path).unwrap(), link(0));
    let file =
        File::from_source(Arc::new(RemoteFile::open(&server.url("f.h5"), RemoteOptions::default()).unwrap()))
            .unwrap();
    let served = file.dataset(CASE_STUDY).unwrap();
    last(&served).unwrap();
    server.replace(vec![0; 1 << 20]);
    let tagged =
        [last(&served).unwrap_err(), served.read_bytes(&whole(&served), Endianness::File).unwrap_err()];
    for error in changed.into_iter().chain(replaced).chain(tagged) {
        assert_eq!(error.kind(), ErrorKind::Changed, "{error}");
        assert!(error.to_string().contains("changed after it was opened"), "{error}");
    }
}

#[test]
fn a_cancelled_read_ends_soon_wherever_it_is() {
    for name in ["case_study/cris.h5", "case_study/cris_raw.h5"] {
        let path = require!(fixture(name));
        let source = DistantSource::new(Arc::new(LocalFile::open(&path).unwrap()), link(0), 4);
        let file = File::from_source(Arc::new(source.clone())).unwrap();
        let dataset = file.dataset(CASE_STUDY).unwrap();
        dataset.chunk_map().unwrap();
        source
            .order([Some(Fault::Stall(Duration::from_secs(5))), Some(Fault::Stall(Duration::from_secs(5)))]);
        let cancel = Cancel::new();
        let began = Instant::now();
        let error = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                cancel.cancel();
            });
            dataset.cancelled_by(&cancel).read_bytes(&whole(&dataset), Endianness::File).unwrap_err()
        });
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());

        let local = File::open(&path).unwrap().dataset(CASE_STUDY).unwrap();
        let decodes = local.file().decodes();
        let error = local.cancelled_by(&cancel).read_bytes(&whole(&local), Endianness::File).unwrap_err();
        assert_eq!((error.kind(), local.file().decodes()), (ErrorKind::Cancelled, decodes));
        local.read_bytes(&whole(&local), Endianness::File).unwrap();
    }
}

/// A file of netCDF classic with so many variables that take turns, of which each has three records of four numbers.
fn classic(variables: usize) -> Vec<u8> {
    let variable = |number: usize| Variable {
        name: format!("variable_{number:06}").as_str().into(),
        dimensions: vec![0, 1],
        attributes: Vec::new(),
        kind: Kind::Int,
        stored_bytes: 0,
        begin: 0,
        at: 0,
    };
    let dimensions = [("time", 0), ("x", 4)].map(|(name, len)| Dimension { name: name.into(), len });
    let variables = (0..variables).map(variable).collect();
    let header = Header::new(Version::Offset64, 3, dimensions.to_vec(), Vec::new(), variables).unwrap();
    let mut bytes = header.encode();
    let end = header.place(header.variables.len() - 1).unwrap().end;
    for at in (bytes.len() as u64..end).step_by(4) {
        bytes.extend((at as u32).to_be_bytes());
    }
    bytes
}

#[test]
fn a_file_of_netcdf_classic_opens_in_one_request_or_two() {
    for (variables, requests) in [(2, 1), (1_000, 1), (20_000, 2)] {
        let bytes = classic(variables);
        let local = File::from_source(Arc::new(Memory::new("local", bytes.clone()))).unwrap();
        let server = RangeServer::start(bytes, link(0));
        let source = RemoteFile::open(&server.url("f.nc"), RemoteOptions::default()).unwrap();
        let file = File::from_source(Arc::new(source)).unwrap();
        let path = format!("/variable_{:06}", variables - 1);
        let dataset = file.dataset(&path).unwrap();
        assert_eq!(server.take_counts().requests, requests, "{variables} variables");
        let expected: Vec<i32> = local.dataset(&path).unwrap().read(&Selection::All).unwrap();
        assert_eq!(dataset.read::<i32>(&Selection::All).unwrap(), expected);
        // At most one for each record.
        assert!(server.counts().requests <= 3, "{variables} variables");
    }
}

/// A file of HDF4 with a block of descriptors for each data set of four numbers, and `gap` bytes after each.
fn hdf4(data_sets: u16, gap: usize) -> Vec<u8> {
    let mut bytes = hyperslab_hdf4::MAGIC.to_vec();
    let words = |numbers: &[u16]| numbers.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<u8>>();
    for number in 1..=data_sets {
        let parts: [(u16, Vec<u8>); 4] = [
            (106, vec![1, 22, 16, 1]),
            (701, words(&[1, 0, 4, 106, number, 106, number])),
            (702, words(&[number, 2, 3, 4])),
            (720, words(&[701, number, 702, number])),
        ];
        let header = bytes.len();
        let mut at = header + 6 + 12 * parts.len();
        let next = at + parts.iter().map(|(_, part)| part.len()).sum::<usize>() + gap;
        bytes.extend(words(&[parts.len() as u16]));
        bytes.extend((if number == data_sets { 0 } else { next as u32 }).to_be_bytes());
        for (tag, part) in &parts {
            bytes.extend(words(&[*tag, number]));
            bytes.extend([at as u32, part.len() as u32].map(u32::to_be_bytes).concat());
            at += part.len();
        }
        parts.iter().for_each(|(_, part)| bytes.extend(part));
        bytes.resize(next, 0);
    }
    bytes
}

#[test]
fn a_small_file_of_hdf4_takes_two_requests_for_everything() {
    for (bytes, requests) in [(hdf4(20, 100), 1), (hdf4(974, 4000), 2)] {
        let local = File::from_source(Arc::new(Memory::new("local", bytes.clone()))).unwrap();
        let server = RangeServer::start(bytes, link(0));
        let source = RemoteFile::open(&server.url("f.hdf"), RemoteOptions::default()).unwrap();
        let file = File::from_source(Arc::new(source)).unwrap();
        assert!(contents(&file).len() >= 20);
        assert_eq!(contents(&file), contents(&local));
        assert_eq!(server.counts().requests, requests);
    }
}

#[test]
fn the_structures_of_a_large_file_of_hdf4_take_few_requests() {
    let bytes = hdf4(6, 4 << 20);
    let server = RangeServer::start(bytes, link(0));
    let source = RemoteFile::open(&server.url("f.hdf"), RemoteOptions::default()).unwrap();
    let file = File::from_source(Arc::new(source)).unwrap();
    let dataset = file.dataset("Data-Set-5").unwrap();
    let opened = server.take_counts();
    assert!(opened.requests <= 10 && opened.bytes <= 4 << 20, "{opened:?}");
    assert_eq!(dataset.read::<i16>(&Selection::All).unwrap(), [5, 2, 3, 4]);
    assert_eq!(server.counts().requests, 1);
}
