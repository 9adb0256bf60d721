//! Where `hyperslab repack` puts metadata: everything but data lies in one block at the front, or in the first pages.

use super::{repack_document, run};
use hyperslab::{Dataset, File, Group, Object};
use hyperslab_io::{Advice, LocalFile};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{DistantSource, Link, require, skip};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The pages of paged files, and the blocks in which metadata is read.
const PAGE: u64 = 16 << 10;

/// The locations of all chunks of each dataset. Committed datatypes and objects that cannot be opened have none.
fn locations(file: &File) -> Vec<(String, Vec<u64>)> {
    fn visit(group: &Group, path: &str, found: &mut Vec<(String, Vec<u64>)>) {
        for link in group.links().unwrap() {
            let link = link.unwrap();
            let path = format!("{path}/{}", link.name);
            match group.open(&link) {
                Ok(Object::Group(group)) if path.matches('/').count() < 8 => visit(&group, &path, found),
                Ok(Object::Dataset(dataset)) => found.push((path, chunks(&dataset))),
                _ => {}
            }
        }
    }
    fn chunks(dataset: &Dataset) -> Vec<u64> {
        if dataset.chunk_shape().is_none() || dataset.shape().contains(&0) {
            return Vec::new();
        }
        dataset.chunk_map().unwrap().iter().map(|(_, location)| location.address).collect()
    }
    let mut found = Vec::new();
    visit(&file.root().unwrap(), "", &mut found);
    found
}

fn listing(path: &Path) -> String {
    let ended = run(&["ls", "-r", "-v", "{}"], path);
    assert_eq!(ended.code, 0, "{}", ended.err);
    ended.out
}

/// Repacks a fixture, and returns the bytes from the start of the new file to the end of its metadata.
fn metadata_bytes(input: &Path, output: &Path, options: &[&str]) -> u64 {
    repack_document(input, output, options)["result"]["metadata_bytes"].as_u64().unwrap()
}

#[test]
fn a_listing_needs_only_the_front_of_the_file() {
    let pages = PAGE.to_string();
    let options: [&[&str]; 3] = [&[], &["--page-size", &pages], &["--libver", "earliest"]];
    let inputs = [
        "netcdf4/climate.nc",
        "chunk_indexes/v110_gzip.h5",
        "attributes/many_latest.h5",
        "groups/links_latest.h5",
    ];
    for (input, options) in inputs.iter().flat_map(|&input| options.map(|options| (input, options))) {
        let what = format!("{input} {options:?}");
        let folder = tempfile::tempdir().unwrap();
        let (whole, front) = (folder.path().join("whole.h5"), folder.path().join("front.h5"));
        let metadata = metadata_bytes(&require!(fixture(input)), &whole, options);
        let mut bytes = fs::read(&whole).unwrap();
        if options.contains(&"--page-size") {
            assert_eq!(bytes.len() as u64 % PAGE, 0, "{what}");
        }
        // All that is read of the file lies in these blocks: the pages of a paged file.
        let advice = Advice { gap_bytes: 0, request_bytes_max: PAGE, block_bytes: PAGE, in_flight_max: 1 };
        let source = Arc::new(LocalFile::open(&whole).unwrap());
        let counted = DistantSource::new(source, Link::default(), 1).advising(advice);
        let found = locations(&File::from_source(Arc::new(counted.clone())).unwrap());
        let counts = counted.counts();
        let last = counts.ranges.iter().map(|range| range.end).max().unwrap();
        assert!(last <= metadata.next_multiple_of(PAGE), "{what}: {last} after {metadata}: {counts:?}");
        // No chunk lies among the metadata.
        let first = found.iter().flat_map(|(_, chunks)| chunks).min();
        assert!(first.is_none_or(|&first| first >= metadata), "{what}: {first:?} before {metadata}");
        // Without what follows the metadata, nothing changes.
        bytes[metadata as usize..].fill(0xa5);
        fs::write(&front, bytes).unwrap();
        assert!(listing(&whole) == listing(&front), "{what}: {metadata} bytes are not enough");
        assert!(found == locations(&File::open(&front).unwrap()), "{what}: {metadata} bytes are not enough");
    }
}

#[test]
fn h5stat_agrees_about_the_strategy_of_file_space() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(fixture("netcdf4/climate.nc"));
    let pages = PAGE.to_string();
    let cases: [(&[&str], &str, u64); 2] = [
        (&[], "H5F_FSPACE_STRATEGY_FSM_AGGR", 4096),
        (&["--page-size", &pages], "H5F_FSPACE_STRATEGY_PAGE", PAGE),
    ];
    for (number, (options, strategy, page)) in cases.into_iter().enumerate() {
        let output = folder.path().join(format!("{number}.h5"));
        metadata_bytes(&input, &output, options);
        let Ok(stat) = Command::new("h5stat").arg(&output).output() else {
            skip!("h5stat is not installed (hdf5-tools)");
        };
        let text = String::from_utf8(stat.stdout).unwrap();
        for line in
            [format!("management strategy: {strategy}\n"), format!("File space page size: {page} bytes\n")]
        {
            assert!(text.contains(&line), "{options:?}: no {line:?} in {text}");
        }
    }
}
