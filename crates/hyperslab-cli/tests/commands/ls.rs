//! `hyperslab ls`.

use super::run::ABSENT;
use super::{ended, run, tour, without_places};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::require;
use serde_json::{Value, json};

#[test]
fn members_of_the_root_in_columns() {
    let tour = require!(tour());
    let mut listed = run(&["ls", "{}"], &tour);
    listed.out = listed.out.split_once('\n').unwrap().1.to_owned();
    let expected = "\
path        shape    type                                     chunks         filters  stored   logical  ratio  index
/elsewhere  -> /x in other.h5 (external link)
/kind       datatype <u2
/measured/  group of 4 members
/names      3        str                                      contiguous     none       48 B      48 B   1.00
/nothing    null     <f8                                      contiguous     none        0 B       0 B      -
/scalar     scalar   |i1                                      contiguous     none        1 B       1 B   1.00
/shortcut   -> /measured/temperature (soft link)
/table      3        compound{id: <i4, value: <f8, tag: |S5}  contiguous     none       51 B      51 B   1.00
/unwritten  100x100  <f8                                      10x10 (800 B)  none        0 B  78.1 KiB      -  v1 B-tree
";
    assert_eq!(listed, ended(0, expected, ABSENT));
}

#[test]
fn everything_with_attributes_and_cycles() {
    let tour = require!(tour());
    let listed = run(&["ls", "-rv", "{}", "/measured"], &tour);
    assert_eq!(listed.code, 0);
    let words = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = listed.out.lines().skip(3).map(words).collect();
    for line in lines.iter_mut().filter(|line| line.starts_with("object header at ")) {
        "object header at N,".clone_into(line);
    }
    assert!(
        listed.out.contains("\nfile space: free-space managers and aggregators (default); "),
        "{}",
        listed.out
    );
    assert!(listed.out.contains(", 2 hard links\n"), "{}", listed.out);
    let expected = [
        "/measured/ group of 4",
        "object header at N,",
        "/measured/again 12x10x10 <f4 4x5x10",
        "can grow to unlimitedx10x10",
        "fill value -1.5",
        "allocation time incremental, fill",
        "filters shuffle (optional), gzip",
        "object header at N,",
        "@range = [0, 1199]",
        "@scale = 0.1 (<f4)",
        "@units = \"K\" (str)",
        "/measured/temperature same as /measured/again",
    ];
    assert_eq!(&lines[..expected.len()], expected);
    assert!(listed.out.contains("\n    @title = \"a tour\"  (str)\n"), "{}", listed.out);
    // The root group is reached again by way of `up`; its group `measured` was listed before.
    assert!(lines.contains(&"/measured/up/measured same as /measured".to_owned()), "{}", listed.out);
}

#[test]
fn one_dataset() {
    let tour = require!(tour());
    let listed = run(&["ls", "{}", "measured/temperature"], &tour);
    let expected = "\
FILE: 15.1 KiB, superblock version 0
path                   shape     type  chunks          filters          stored  logical  ratio  index
/measured/temperature  12x10x10  <f4   4x5x10 (N B)  shuffle, gzip 4  1.0 KiB  4.7 KiB   4.55  v1 B-tree
";
    let squeezed = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    assert_eq!(squeezed(&without_places(&listed.out)), squeezed(expected));
    // A soft link leads to the same.
    let linked = run(&["ls", "{}", "/shortcut"], &tour);
    assert!(linked.out.contains("/shortcut  12x10x10  <f4   4x5x10"), "{}", linked.out);
}

#[test]
fn json_is_one_document_with_the_same_facts() {
    let tour = require!(tour());
    let listed = run(&["ls", "-v", "--json", "{}", "/measured"], &tour);
    assert_eq!((listed.code, listed.err.as_str(), listed.out.lines().count()), (0, "", 1));
    let document: Value = serde_json::from_str(&listed.out).unwrap();
    let objects = document["objects"].as_array().unwrap();
    let of = |path: &str| objects.iter().find(|object| object["path"] == path).unwrap();
    let again = of("/measured/again");
    assert_eq!(again["shape"], json!([12, 10, 10]));
    assert_eq!(again["max_shape"], json!([null, 10, 10]));
    assert_eq!((&again["chunks"], &again["chunk_bytes"]), (&json!([4, 5, 10]), &json!(800)));
    assert_eq!((&again["dtype"], &again["index"]), (&json!("<f4"), &json!("btree-v1")));
    assert_eq!((&again["logical_bytes"], &again["fill_value"]), (&json!(4800), &json!(-1.5)));
    assert_eq!(again["filters"][1]["description"], "gzip 4");
    let stored = again["stored_bytes"].as_u64().unwrap();
    assert_eq!(again["ratio"].as_f64().unwrap(), 4800.0 / stored as f64);
    let attributes: Vec<_> =
        again["attributes"].as_array().unwrap().iter().map(|one| &one["value"]).collect();
    assert_eq!(attributes, [&json!([0, 1199]), &json!(0.1), &json!("K")]);
    assert_eq!(of("/measured/temperature")["target"], "/measured/again");
}

#[test]
fn the_view_of_netcdf_can_be_of_one_group_or_variable() {
    let tour = require!(tour());
    let all = run(&["ls", "--netcdf", "{}"], &tour).out;
    let group = run(&["ls", "--netcdf", "{}", "/measured"], &tour);
    assert_eq!(group.code, 0, "{}", group.err);
    assert!(group.out.contains("group: measured {") && group.out.len() < all.len(), "{}", group.out);
    let one = run(&["ls", "--netcdf", "--json", "{}", "/measured/again"], &tour);
    let document: Value = serde_json::from_str(&one.out).unwrap();
    let groups = document["root"]["groups"].as_array().unwrap();
    assert_eq!((groups.len(), &groups[0]["name"]), (1, &json!("measured")), "{document}");
    let variables = groups[0]["variables"].as_array().unwrap();
    assert_eq!((variables.len(), &variables[0]["name"]), (1, &json!("again")), "{document}");
    let missing = run(&["ls", "--netcdf", "{}", "/nope"], &tour);
    assert_eq!((missing.code, missing.out.as_str()), (2, ""));
    assert!(missing.err.starts_with("error: FILE: /nope: no such object\n"), "{}", missing.err);
}

#[test]
fn what_netcdf_has_no_type_for_is_named() {
    let types = require!(fixture("number_types/latest.h5"));
    let cdl = run(&["ls", "--netcdf", "--cdl", "{}"], &types);
    assert_eq!(cdl.code, 0, "{}", cdl.err);
    let document: Value =
        serde_json::from_str(&run(&["ls", "--netcdf", "--json", "{}"], &types).out).unwrap();
    let omitted = document["omitted"].as_array().unwrap();
    let reason = |path: &str| omitted.iter().find(|one| one["path"] == path).unwrap()["reason"].clone();
    assert_eq!(reason("/f16 < None"), json!("netCDF has no type for float16"));
    assert_eq!(cdl.err.lines().count(), omitted.len());
    assert!(
        cdl.err.contains("warning: /f16 < None is left out: netCDF has no type for float16\n"),
        "{}",
        cdl.err
    );
}

#[test]
fn twenty_thousand_members_are_one_listing() {
    let many = require!(fixture("many_datasets/flat_latest.h5"));
    let listed = run(&["ls", "{}"], &many);
    assert_eq!((listed.code, listed.out.lines().count()), (0, 20_002));
}

#[test]
fn a_listing_of_the_case_study_reads_little() {
    let file = require!(fixture("case_study/cris.h5"));
    // Once to warm up.
    run(&["ls", "-r", "{}"], &file);
    let start = std::time::Instant::now();
    let listed = run(&["ls", "-r", "{}"], &file);
    let taken = start.elapsed();
    assert!(listed.out.contains("60x30x9x717  >f4   4x30x9x717 (3.0 MiB)  gzip 6"), "{}", listed.out);
    // A few hundred microseconds; what counts is that it is not the time of reading 43 MB.
    assert!(taken < std::time::Duration::from_millis(100), "{taken:?}");
}
