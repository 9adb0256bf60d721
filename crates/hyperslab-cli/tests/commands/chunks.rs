//! `hyperslab chunks`.

use super::{ended, fixture, run, tour, without_places};
use hyperslab_testkit::require;
use serde_json::{Value, json};

const HEAD: &str = "path,offset,address,size,filter_mask";

/// The rows of the CSV: path, offset, address, size, filter mask.
fn rows(csv: &str) -> Vec<Vec<&str>> {
    assert_eq!(csv.lines().next(), Some(HEAD));
    csv.lines().skip(1).map(|line| line.split(',').collect()).collect()
}

#[test]
fn a_table_of_one_dataset() {
    let tour = require!(tour());
    let mut listed = run(&["chunks", "{}", "/measured/temperature"], &tour);
    listed.out = without_places(&listed.out).split_inclusive('\n').take(4).collect();
    let expected = "\
/measured/temperature: 12x10x10 in chunks of 4x5x10
  offset  address        size  filter mask
  0,0,0     N         N  0
  0,5,0     N         N  0
";
    assert_eq!(listed, ended(0, expected, ""));
    let whole = run(&["chunks", "{}", "/measured/temperature"], &tour);
    assert!(whole.out.ends_with("\n  6 of 6 chunks exist, 1.0 KiB stored\n"), "{}", whole.out);
}

#[test]
fn all_chunked_datasets_of_a_file_or_group() {
    let tour = require!(tour());
    let listed = run(&["chunks", "{}"], &tour);
    assert_eq!((listed.code, listed.err.as_str()), (0, ""));
    let heads: Vec<&str> = listed.out.lines().filter(|line| line.starts_with('/')).collect();
    assert_eq!(
        heads,
        ["/measured/again: 12x10x10 in chunks of 4x5x10", "/unwritten: 100x100 in chunks of 10x10",]
    );
    assert!(listed.out.contains("\n\n/unwritten"), "{}", listed.out);
    assert!(listed.out.ends_with("  0 of 100 chunks exist, 0 B stored\n"), "{}", listed.out);
    let group = run(&["chunks", "--csv", "{}", "/measured"], &tour);
    assert_eq!(rows(&group.out).len(), 6);
}

#[test]
fn csv_rows_are_in_row_major_order_and_lie_in_the_file() {
    for name in ["btree_v1_gzip.h5", "v110_gzip.h5", "v200_plain.h5"] {
        let path = require!(fixture(&format!("chunk_indexes/{name}")));
        let file_bytes = std::fs::metadata(&path).unwrap().len();
        let listed = run(&["chunks", "--csv", "{}"], &path);
        assert_eq!((listed.code, listed.err.as_str()), (0, ""));
        let mut before: Option<(String, Vec<u64>)> = None;
        for row in rows(&listed.out) {
            let [path, offset, address, size, mask] = row[..] else { panic!("{row:?}") };
            let offset: Vec<u64> = offset.split(';').map(|at| at.parse().unwrap()).collect();
            let (address, size): (u64, u64) = (address.parse().unwrap(), size.parse().unwrap());
            assert!(size > 0 && address + size <= file_bytes && mask == "0", "{row:?}");
            if let Some((last_path, last)) = &before {
                assert!(last_path != path || last < &offset, "{name}: {path}: {offset:?} after {last:?}");
            }
            before = Some((path.to_owned(), offset));
        }
        assert!(before.is_some());
    }
}

#[test]
fn json_says_the_same_as_csv() {
    let path = require!(fixture("chunk_indexes/v110_gzip.h5"));
    let csv = run(&["chunks", "--csv", "{}", "/extensible/last axis"], &path);
    let listed = run(&["chunks", "--json", "{}", "/extensible/last axis"], &path);
    assert_eq!((listed.code, listed.err.as_str(), listed.out.lines().count()), (0, "", 1));
    let document: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(
        (&document["file"], &document["schema"]),
        (&json!("FILE"), &json!({"name": "hyperslab.chunks", "version": 1}))
    );
    let [dataset] = &document["datasets"].as_array().unwrap()[..] else { panic!("{document}") };
    assert_eq!(dataset["path"], "/extensible/last axis");
    assert_eq!((&dataset["shape"], &dataset["chunk_shape"]), (&json!([6, 5, 40]), &json!([2, 4, 3])));
    let from_csv: Vec<Value> = rows(&csv.out)
        .iter()
        .map(|row| {
            let number = |text: &str| text.parse::<u64>().unwrap();
            let offset: Vec<u64> = row[1].split(';').map(number).collect();
            json!({"offset": offset, "address": number(row[2]), "size": number(row[3]), "filter_mask": number(row[4])})
        })
        .collect();
    assert_eq!(from_csv.len(), 3 * 2 * 14);
    assert_eq!(dataset["chunks"], Value::Array(from_csv));
}

#[test]
fn a_damaged_index_is_listed_up_to_the_damage() {
    let path = require!(fixture("chunk_indexes/btree_v1_gzip.h5"));
    let mut bytes = std::fs::read(&path).unwrap();
    // The last leaf of the tree of 5,000 chunks: where the chunk before the last one is listed.
    let node = bytes.windows(8).enumerate().filter(|(_, window)| window.starts_with(b"TREE\x01\x00"));
    let leaf = node.map(|(at, _)| at).next_back().unwrap();
    bytes[leaf..leaf + 4].copy_from_slice(b"nope");
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.h5");
    std::fs::write(&damaged, bytes).unwrap();
    let sound = rows(&run(&["chunks", "--csv", "{}"], &path).out).len();
    for form in ["--csv", "--json"] {
        let listed = run(&["chunks", form, "{}"], &damaged);
        assert_eq!((listed.code, listed.err.lines().count()), (1, 1), "{}", listed.err);
        assert!(listed.err.starts_with("error: FILE: /"), "{}", listed.err);
        assert!(listed.err.contains("version 1 B-tree node"), "{}", listed.err);
        if form == "--csv" {
            let found = rows(&listed.out).len();
            assert!(found < sound && found > sound / 2, "{found} of {sound}");
        } else {
            let document: Value = serde_json::from_str(&listed.out).unwrap();
            let datasets = document["datasets"].as_array().unwrap();
            let broken: Vec<_> = datasets.iter().filter(|dataset| dataset.get("error").is_some()).collect();
            assert_eq!(broken.len(), 1, "{document}");
        }
    }
}

#[test]
fn what_has_no_chunks_is_a_wrong_request() {
    let tour = require!(tour());
    let listed = run(&["chunks", "{}", "/scalar"], &tour);
    let expected = "\
error: FILE: /scalar: the layout is contiguous, so the dataset has no chunks

hint: `hyperslab ls -r FILE` shows which datasets are chunked
";
    assert_eq!(listed, ended(2, "", expected));
    assert_eq!(run(&["chunks", "{}", "/nothing/here"], &tour).code, 2);
    assert_eq!(run(&["chunks", "--csv", "--json", "{}"], &tour).code, 2);
}
