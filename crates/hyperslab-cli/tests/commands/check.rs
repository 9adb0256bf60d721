//! `hyperslab check`: what is printed, and the exit codes.

use super::run::ABSENT;
use super::{ended, run, tour};
use hyperslab_testkit::files::corpus;
use hyperslab_testkit::require;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(arguments: &[&str], path: &Path) -> (i32, Vec<Value>) {
    let done = run(arguments, path);
    let is_absent = |line: &str| line.starts_with("warning: FILE") && line.ends_with("/x in other.h5");
    assert!(done.err.lines().all(is_absent), "{arguments:?}: {}", done.err);
    (done.code, done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The codes of all findings.
fn codes(document: &Value) -> Vec<&str> {
    let findings = document["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

#[test]
fn a_file_of_the_library_has_no_errors_but_lost_bytes() {
    let tour = require!(tour());
    let done = run(&["check", "{}"], &tour);
    assert_eq!((done.code, done.err.as_str()), (0, ABSENT), "{}", done.out);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines[0], "FILE: no errors, no warnings, 1 note");
    assert!(lines[1].starts_with("  note     orphan-bytes: file at byte 0x"), "{}", lines[1]);
    assert!(lines[1].ends_with("(III.H)"), "{}", lines[1]);
    assert_eq!(lines.len(), 2);
    let (code, documents) = json(&["check", "--json", "--data", "--strict", "{}"], &tour);
    assert_eq!((code, codes(&documents[0])), (0, vec!["orphan-bytes"]));
    assert_eq!(documents[0]["schema"]["name"], "hyperslab.check");
}

#[test]
fn damage_is_found_with_its_place() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.h5");
    let mut bytes = fs::read(&tour).unwrap();
    // The reserved byte after the versions in the superblock.
    bytes[11] = 7;
    fs::write(&damaged, &bytes).unwrap();
    let done = run(&["check", "{}"], &damaged);
    assert_eq!((done.code, done.err.as_str()), (1, ABSENT));
    let expected =
        "  error    reserved: superblock at byte 0xb: reserved: the bytes [07] are not zero (II.A)";
    assert_eq!(done.out.lines().nth(1), Some(expected), "{}", done.out);
    fs::write(&damaged, &bytes[..bytes.len() - 100]).unwrap();
    let (code, documents) = json(&["check", "--json", "{}"], &damaged);
    assert_eq!((code, codes(&documents[0])[1]), (1, "truncated"));
}

#[test]
fn several_files_have_a_summary() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(&tour).unwrap();
    let mut broken = bytes.clone();
    broken[11] = 1;
    fs::write(folder.path().join("a.h5"), &broken).unwrap();
    fs::write(folder.path().join("b.h5"), &bytes).unwrap();
    fs::write(folder.path().join("c.h5"), &bytes[..20]).unwrap();
    let done = run(&["check", "{}", "--jobs", "2"], folder.path());
    assert_eq!(done.code, 1);
    assert!(done.err.contains("\nerror: FILE/c.h5: superblock"), "{}", done.err);
    assert_eq!(done.err.matches("/elsewhere: the target of this external link was not found").count(), 2);
    let end = "\n3 files: 1 with errors, 0 with warnings only, 1 not readable\n  orphan-bytes: 2 files\n  reserved: 1 file\n";
    assert!(done.out.ends_with(end), "{}", done.out);
    fs::remove_file(folder.path().join("c.h5")).unwrap();
    let (code, documents) = json(&["check", "--json", "{}"], folder.path());
    assert_eq!((code, documents.len()), (1, 3));
    assert_eq!(documents[2]["schema"]["name"], "hyperslab.check.summary");
    assert_eq!((&documents[2]["files"], &documents[2]["with_errors"]), (&2.into(), &1.into()));
    fs::remove_file(folder.path().join("a.h5")).unwrap();
    // The bytes that are unaccounted for are a note.
    assert_eq!(json(&["check", "--json", "--strict", "{}"], folder.path()).0, 0);
    assert_eq!(json(&["check", "--json", "{}"], folder.path()).0, 0);
}

#[test]
fn the_members_of_a_family_are_joined() {
    let first = require!(corpus()).join("debian-hdf5-1.14.6/tools/test/h5dump/testfiles/tfamily00000.h5");
    let done = run(&["check", "{}"], &first);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
}

#[test]
fn wrong_requests() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    fs::write(&text, "no HDF5 in here").unwrap();
    let done = run(&["check", "{}"], &text);
    assert_eq!(done.code, 2, "{}", done.err);
    assert_eq!(run(&["check", "{}"], Path::new("/no/such/file.h5")).code, 2);
    assert_eq!(run(&["check", "{}"], folder.path()).code, 2);
    assert_eq!(run(&["check"], Path::new("-")).code, 2);
}

#[test]
fn the_rules_are_printed() {
    // No text of the page is taken for this path.
    assert_eq!(
        run(&["check", "--rules"], Path::new("/no/such/file")),
        ended(0, &hyperslab_check::page(), "")
    );
}
