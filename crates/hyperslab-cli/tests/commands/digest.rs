//! `hyperslab digest`. Whether its values are right is tested over the corpus; here, how it behaves.

use super::run::ABSENT;
use super::{run, tour};
use hyperslab_testkit::require;
use serde_json::Value;

fn records(out: &str) -> Vec<Value> {
    let mut lines = out.lines();
    assert_eq!(lines.next().unwrap(), r#"{"schema":{"name":"hyperslab.digest","version":1},"t":"schema"}"#);
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_record_each_in_order_and_the_files_own_last() {
    let tour = require!(tour());
    let digest = run(&["digest", "{}"], &tour);
    assert_eq!((digest.code, digest.err.as_str()), (0, ABSENT));
    let records = records(&digest.out);
    let places: Vec<(&str, &str)> = records
        .iter()
        .map(|record| (record["t"].as_str().unwrap(), record["path"].as_str().unwrap_or("")))
        .collect();
    let expected = [
        ("obj", "/"),
        ("link", "/elsewhere"),
        ("obj", "/kind"),
        ("obj", "/measured"),
        ("obj", "/measured/again"),
        ("link", "/measured/temperature"),
        ("obj", "/measured/time"),
        ("link", "/measured/up"),
        ("obj", "/names"),
        ("obj", "/nothing"),
        ("obj", "/scalar"),
        ("link", "/shortcut"),
        ("obj", "/table"),
        ("obj", "/unwritten"),
        ("file", ""),
    ];
    assert_eq!(places, expected);
    assert!(records.iter().all(|record| record["file"] == "FILE"));
    let own = records.last().unwrap();
    assert_eq!((&own["status"], &own["objects"], &own["errors"]), (&"ok".into(), &10.into(), &0.into()));
}

#[test]
fn values_of_every_form() {
    let tour = require!(tour());
    let records = records(&run(&["digest", "{}"], &tour).out);
    let of = |path: &str| records.iter().find(|record| record["path"] == path).unwrap();
    assert_eq!((&of("/scalar")["enc"], &of("/scalar")["value"]), (&"bin".into(), &"f9".into()));
    assert_eq!(of("/names")["value"], r#"["first","zweite","troisi\u00e8me"]"#);
    assert_eq!(of("/nothing")["enc"], "null");
    assert_eq!(of("/table")["nbytes"], 51);
    let zeros = "f8c784aa6b57396e7c5e094c34d079d8252473e46e2f60593a921dbebf941fcc";
    assert_eq!((&of("/unwritten")["nbytes"], &of("/unwritten")["sha256"]), (&80_000.into(), &zeros.into()));
}

#[test]
fn bare_digests_of_two_files_can_be_compared() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.h5");
    std::fs::copy(&tour, &copy).unwrap();
    let (one, other) = (run(&["digest", "--bare", "{}"], &tour), run(&["digest", "--bare", "{}"], &copy));
    assert_eq!(one, other);
    assert!(!one.out.contains("\"file\"") && !one.out.contains("\"t\":\"file\""));
}

#[test]
fn large_values_are_skipped_and_said_to_be() {
    let tour = require!(tour());
    let digest = run(&["digest", "--max-bytes", "1KiB", "{}"], &tour);
    assert_eq!(digest.code, 0);
    let skipped = "note: FILE: skipped 2 values that are too large; --max-bytes raises the limit\n";
    assert_eq!(digest.err, format!("{ABSENT}{skipped}"));
    let records = records(&digest.out);
    let unwritten = records.iter().find(|record| record["path"] == "/unwritten").unwrap();
    assert_eq!(unwritten["skipped"], "logical size 80000");
}

#[test]
fn one_wrong_file_does_not_hide_the_others() {
    let tour = require!(tour());
    let digest = run(&["digest", "no such file", "{}"], &tour);
    assert_eq!(digest.code, 2);
    assert!(digest.err.starts_with("error: no such file: no such file\n"), "{}", digest.err);
    assert_eq!(records(&digest.out).len(), 15);
}
