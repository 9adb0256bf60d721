//! Files of netCDF classic and HDF4 in the commands that judge: counts, folders, lines to paste.

use super::run::run;
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::require;
use serde_json::Value;
use std::collections::BTreeSet;

#[test]
fn a_stream_of_hdf4_is_decoded_from_its_beginning_for_each_column() {
    let file = require!(fixture("older_formats/data_sets.hdf"));
    let told = run(&["doctor", "{}", "/deflate", "--read", "4x1", "--json"], &file);
    assert_eq!((told.code, told.err.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&told.out).unwrap();
    let dataset = &report["datasets"][0];
    assert_eq!((&dataset["layout"], &dataset["chunks"]), (&"stream".into(), &Value::Null));
    let profile = &dataset["reads"][0]["profiles"][0];
    assert_eq!(profile["name"], "libhdf4");
    // Three columns of four numbers of two bytes: up to the last number of each.
    assert_eq!((&profile["decodes"], &profile["decoded_bytes"]), (&3.into(), &(20 + 22 + 24).into()));
    assert_eq!(dataset["reads"][0]["hyperslab"]["decodes"], 1);
}

#[test]
fn records_of_netcdf_classic_are_counted_in_pages() {
    let file = require!(fixture("older_formats/classic_1.nc"));
    let told = run(&["doctor", "{}", "/a", "--read", "2x1", "--json", "--cache", "1MiB"], &file);
    assert_eq!(told.code, 0);
    assert!(told.err.contains("--cache does not apply to this file: netCDF-C reads it"), "{}", told.err);
    let report: Value = serde_json::from_str(&told.out).unwrap();
    let dataset = &report["datasets"][0];
    let profile = &dataset["reads"][0]["profiles"][0];
    assert_eq!((&dataset["layout"], &profile["name"]), (&"records".into(), &"netCDF-C".into()));
    assert_eq!((&profile["driver_reads"], &profile["driver_bytes"]), (&3.into(), &(3 * 4096).into()));
}

#[test]
fn folders_of_all_formats_have_one_summary() {
    let file = require!(fixture("older_formats/classic_1.nc"));
    let folder = file.parent().unwrap();
    let told = run(&["doctor", "{}", "--json"], folder);
    let lines: Vec<Value> = told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [files @ .., summary] = &lines[..] else { panic!("{}", told.out) };
    assert_eq!(
        (files.len(), &summary["files"], &summary["damaged"]),
        (7, &7.into(), &0.into()),
        "{}",
        told.err
    );
    let told = run(&["doctor", "--summary", "{}", "--json"], folder);
    let summary: Value = serde_json::from_str(told.out.lines().last().unwrap()).unwrap();
    assert_eq!((told.code, &summary["files"]), (0, &7.into()), "{}", told.err);
}

#[test]
fn a_store_is_asked_by_hyperslab_and_by_readers_of_references() {
    let file = require!(fixture("older_formats/data_sets.hdf"));
    let told = run(&["doctor", "{}", "/deflate", "--cloud", "--json"], &file);
    let report: Value = serde_json::from_str(&told.out).unwrap();
    let steps = report["forecast"]["steps"].as_array().unwrap();
    for step in steps {
        let readers = step["readers"].as_array().unwrap();
        let names: BTreeSet<&str> = readers.iter().filter_map(|reader| reader["reader"].as_str()).collect();
        assert!(names.len() <= 2 && names.contains("hyperslab"), "{names:?}");
    }
    assert_eq!(report["forecast"]["alternatives"].as_array().map(Vec::len), Some(0));
}

#[test]
fn advice_is_about_the_values_and_converts_the_file() {
    let file = require!(fixture("older_formats/classic_1.nc"));
    let told = run(&["advise", "{}", "a"], &file);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.contains("plain values: "), "{}", told.out);
    assert!(!told.out.contains("h5repack") && !told.out.contains("rdcc"), "{}", told.out);
}

#[test]
fn a_folder_is_converted_with_names_that_say_so() {
    let file = require!(fixture("older_formats/classic_1.nc"));
    let out = tempfile::tempdir().unwrap();
    let told = run(&["repack", "{}", out.path().to_str().unwrap()], file.parent().unwrap());
    assert_eq!(told.code, 0, "{}", told.err);
    let mut names: Vec<String> = std::fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "classic_1.nc",
            "classic_2.nc",
            "classic_5.nc",
            "coded.hdf.nc",
            "data_sets.hdf.nc",
            "grouped.hdf.nc",
            "tables.hdf.nc"
        ]
    );
}
