//! What is asked of a file: the requests that opening, listing and reading make, in order.
//!
//! The expectations are the point of these tests: a request more, or a byte, is a change of performance on every
//! store with latency. Each test says in its name what is right about it. Places of chunks are taken from the chunk
//! map, because they depend on the compressor that made the fixture; all else is spelled out.

use hyperslab::io::LocalFile;
use hyperslab::{Axis, Dataset, Endianness, File, Selection};
use hyperslab_io::wrap::{Recorder, Recording};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{Missing, require};
use std::fmt::Write;
use std::sync::Arc;

const CASE_STUDY: &str = "/All_Data/CrIS-SDR_All/ES_ImaginaryLW";

fn open(name: &str) -> Result<(File, Recording), Missing> {
    let path = fixture(name)?;
    let (source, recording) = Recorder::new(LocalFile::open(path).expect("a fixture"));
    Ok((File::from_source(Arc::new(source)).expect("a sound file"), recording))
}

/// The requests since the last call, a line each. Those that are exactly a chunk are called by its number.
fn requests(recording: &Recording, dataset: Option<&Dataset>) -> String {
    let chunks = dataset.map(|dataset| dataset.chunk_map().expect("a chunk map"));
    let mut text = String::new();
    for range in recording.take() {
        let chunk = chunks
            .iter()
            .flat_map(|map| map.iter())
            .find(|(_, location)| range == (location.address..location.address + location.stored_bytes));
        match chunk {
            Some((number, _)) => writeln!(text, "chunk {number}").unwrap(),
            None => writeln!(text, "{} bytes at {}", range.end - range.start, range.start).unwrap(),
        }
    }
    text
}

fn read(dataset: &Dataset, selection: &str) -> Vec<u8> {
    let selection = Selection::parse(selection, dataset.shape()).expect("a selection");
    dataset.read_bytes(&selection, Endianness::File).expect("values")
}

#[test]
fn all_metadata_of_a_small_file_is_one_request_and_rows_of_a_chunk_are_one_more() {
    let (file, recording) = require!(open("case_study/cris.h5"));
    assert_eq!(requests(&recording, None), "16384 bytes at 0\n");
    let dataset = file.dataset(CASE_STUDY).unwrap();
    let stored = dataset.stored_bytes().unwrap();
    assert_eq!(
        requests(&recording, None),
        "",
        "path, datatype, layout and chunk index were in the first request"
    );
    assert!(stored > 40_000_000);
    for row in 0..30 {
        read(&dataset, &format!("2, {row}, 0"));
    }
    assert_eq!(requests(&recording, Some(&dataset)), "chunk 0\n");
    assert_eq!(file.decodes(), 1);
}

#[test]
fn a_read_over_two_chunks_fetches_these_two_and_nothing_else() {
    let (file, recording) = require!(open("case_study/cris.h5"));
    let dataset = file.dataset(CASE_STUDY).unwrap();
    dataset.chunk_map().unwrap();
    recording.take();
    assert_eq!(read(&dataset, "6:10, 0, 0, 0:10").len(), 160);
    let mut lines: Vec<String> = requests(&recording, Some(&dataset)).lines().map(str::to_string).collect();
    lines.sort();
    assert_eq!(lines, ["chunk 1", "chunk 2"]);
}

#[test]
fn the_plan_of_that_read_prints() {
    let (file, _) = require!(open("case_study/cris.h5"));
    let dataset = file.dataset(CASE_STUDY).unwrap();
    let map = dataset.chunk_map().unwrap();
    let (a, b) = (map.get(1).unwrap(), map.get(2).unwrap());
    let (a_end, b_end) = (a.address + a.stored_bytes, b.address + b.stored_bytes);
    let selection = Selection::parse("6:10, 0, 0, 0:10", dataset.shape()).unwrap();
    let expected = format!(
        "{CASE_STUDY} -> [4, 1, 1, 10], 160 bytes\n\
         chunked: 2 chunks, 2 decodes; 2 requests, {} bytes fetched\n\
         decode: gzip 6\n\
         GET {}..{a_end}\n    chunk [1, 0, 0, 0]  {}..{a_end}  20 elements -> [0:2, 0:1, 0:1, 0:10]\n\
         GET {}..{b_end}\n    chunk [2, 0, 0, 0]  {}..{b_end}  20 elements -> [2:4, 0:1, 0:1, 0:10]\n",
        a.stored_bytes + b.stored_bytes,
        a.address,
        a.address,
        b.address,
        b.address,
    );
    assert_eq!(dataset.explain(&selection).unwrap().to_string(), expected);
}

#[test]
fn rows_of_unfiltered_chunks_are_read_alone() {
    let (file, recording) = require!(open("case_study/cris_raw.h5"));
    let dataset = file.dataset(CASE_STUDY).unwrap();
    let first = dataset.chunk_map().unwrap().get(0).unwrap().address;
    recording.take();
    read(&dataset, "0, 3, 0");
    let row_bytes = 717 * 4;
    assert_eq!(requests(&recording, None), format!("{row_bytes} bytes at {}\n", first + 3 * 9 * row_bytes));
}

/// Rows of 717 numbers, 16,200 of them, in order.
fn rows(dataset: &Dataset) -> impl Iterator<Item = Selection> {
    let shape = dataset.shape().to_vec();
    let numbers = 0..shape[0] * shape[1] * shape[2];
    numbers.map(move |row| {
        let (scan, rest) = (row / (shape[1] * shape[2]), row % (shape[1] * shape[2]));
        let index = |at| Axis::span(at, at + 1);
        Selection::Slab(vec![
            index(scan),
            index(rest / shape[2]),
            index(rest % shape[2]),
            Axis::all(shape[3]),
        ])
    })
}

#[test]
fn rows_of_an_unfiltered_dataset_share_blocks_and_bring_little_more_than_themselves() {
    let (file, recording) = require!(open("case_study/cris_raw.h5"));
    let dataset = file.dataset(CASE_STUDY).unwrap();
    let whole =
        dataset.read_bytes(&Selection::parse(":", dataset.shape()).unwrap(), Endianness::File).unwrap();
    recording.take();
    let mut row = vec![0; 717 * 4];
    for (selection, expected) in rows(&dataset).zip(whole.chunks(717 * 4)) {
        dataset.read_into(&selection, Endianness::File, &mut row).unwrap();
        assert_eq!(row, expected);
    }
    let requests = recording.take();
    let bytes: u64 = requests.iter().map(|range| range.end - range.start).sum();
    assert!(requests.len() < 200, "{} requests for 16,200 rows", requests.len());
    assert!(bytes as f64 <= 1.1 * whole.len() as f64, "{bytes} bytes for {}", whole.len());
    // What was read completely is not kept: the system has it, and the next block goes to the same memory.
    for (selection, expected) in rows(&dataset).zip(whole.chunks(717 * 4)).step_by(777) {
        dataset.read_into(&selection, Endianness::File, &mut row).unwrap();
        assert_eq!(row, expected);
        let again = recording.take();
        assert!(
            again.iter().all(|range| range.end - range.start <= 717 * 4),
            "one row, not a block: {again:?}"
        );
    }
}

#[test]
fn rows_that_jump_about_bring_nothing_but_themselves() {
    let (file, recording) = require!(open("case_study/cris_raw.h5"));
    let dataset = file.dataset(CASE_STUDY).unwrap();
    dataset.chunk_map().unwrap();
    recording.take();
    let all: Vec<Selection> = rows(&dataset).collect();
    let count = 2000;
    for i in 0..count {
        // A walk that visits rows far apart, in no regular order.
        let selection = &all[(i * 7919 + i * i * 31) % all.len()];
        dataset.read_bytes(selection, Endianness::File).unwrap();
    }
    let requests = recording.take();
    let bytes: u64 = requests.iter().map(|range| range.end - range.start).sum();
    assert!(bytes <= 2 * count as u64 * 717 * 4, "{bytes} bytes for {count} rows");
}

#[test]
fn reads_of_an_unfiltered_dataset_make_the_requests_that_explain_tells() {
    let path = require!(fixture("case_study/cris_raw.h5"));
    let (source, recording) = Recorder::new(LocalFile::open(path).expect("a fixture"));
    // On one thread, no block is fetched ahead.
    let file = File::options().threads(1).open_source(Arc::new(source)).expect("a sound file");
    let dataset = file.dataset(CASE_STUDY).unwrap();
    dataset.chunk_map().unwrap();
    let in_order = (0..40).map(|row| format!("1, {}, {}, :", row / 9, row % 9));
    let others =
        ["9, 3, 4, 10:20", "9, 3, 4, 7", "9, 3, 4:6, :", "9, 3, :, 5", "3:6, 0, 0, 0:9", "12, :, :, :"];
    let mut in_blocks = 0;
    for text in in_order.chain(others.map(str::to_string)) {
        let selection = Selection::parse(&text, dataset.shape()).unwrap();
        let told: Vec<_> =
            dataset.explain(&selection).unwrap().requests.into_iter().map(|request| request.range).collect();
        recording.take();
        dataset.read_bytes(&selection, Endianness::File).unwrap();
        assert_eq!(recording.take(), told, "{text}");
        in_blocks += usize::from(told.is_empty());
    }
    assert!(in_blocks >= 30, "{in_blocks} rows came from a block");
}
