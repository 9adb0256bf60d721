//! Files cut short or scribbled over: whatever they are, each command ends with a known exit code, and `--json` is
//! either a whole document or nothing.

use super::{Ended, run, tour};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{Missing, require, scale};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A line of a digest, in which lone surrogates stand for bytes that are no UTF-8.
fn record(line: &str) -> Value {
    serde_json::from_str(&line.replace("\\ud", "\\\\ud")).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// What holds for every command on every file.
fn check(arguments: &[&str], path: &Path) -> Ended {
    let ended = run(arguments, path);
    assert!((0..=2).contains(&ended.code), "{ended:?}");
    assert_eq!(ended.code == 0, !ended.err.contains("error: "), "{ended:?}");
    if arguments.contains(&"--json") && !ended.out.is_empty() {
        serde_json::from_str::<Value>(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    }
    if arguments[0] == "digest" {
        ended.out.lines().for_each(|line| drop(record(line)));
    }
    ended
}

const COMMANDS: [&[&str]; 5] = [
    &["ls", "-rv", "{}"],
    &["ls", "-rv", "--json", "{}"],
    &["digest", "--max-bytes", "1MiB", "{}"],
    &["explain", "--json", "{}", "/measured/temperature", ":"],
    &["doctor", "--json", "{}"],
];

#[test]
fn a_file_cut_short_is_never_taken_for_whole() {
    let tour = require!(tour());
    let bytes = std::fs::read(&tour).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.h5");
    let places = (0..200).step_by(scale().step(1)).chain((200..bytes.len()).step_by(scale().step(61)));
    for len in places {
        std::fs::write(&cut, &bytes[..len]).unwrap();
        for command in COMMANDS {
            let ended = check(command, &cut);
            assert_ne!(ended.code, 0, "{command:?} after {len} bytes: {ended:?}");
        }
    }
}

#[test]
fn a_file_scribbled_over_ends_cleanly() {
    let rounds = scale().of(8);
    let names = [
        "command_line/tour.h5",
        "groups/links_latest.h5",
        "string_types/latest.h5",
        "layouts/v200.h5",
        "number_types/latest.h5",
        "compound_types/v112.h5",
        "chunk_indexes/btree_v1_gzip.h5",
        "chunk_indexes/v110_gzip.h5",
        "fill_values/v200.h5",
        "attributes/many_latest.h5",
        "object_headers/continued_earliest.h5",
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scribbled.h5");
    let mut state = 0x9e37_79b9_7f4a_7c15u64 ^ rounds as u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for name in names {
        let sound = require!(fixture(name));
        let sound = std::fs::read(sound).unwrap();
        // Nearly all bytes that say something are at the beginning.
        let metadata = sound.len().min(20_000);
        for _ in 0..rounds {
            let mut bytes = sound.clone();
            for _ in 0..1 + random(8) {
                let at = random(metadata);
                bytes[at] = [0, 0xff, 0x80, random(256) as u8][random(4)];
            }
            std::fs::write(&path, &bytes).unwrap();
            COMMANDS.iter().for_each(|command| drop(check(command, &path)));
        }
    }
}

#[test]
fn a_broken_part_hides_no_other() {
    let tour = require!(tour());
    let mut bytes = std::fs::read(&tour).unwrap();
    // The text of the variable-length strings: the signature of its global heap.
    let heap = bytes.windows(4).position(|four| four == b"GCOL").unwrap();
    bytes[heap] = b'X';
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.h5");
    std::fs::write(&broken, &bytes).unwrap();
    let digest = check(&["digest", "{}"], &broken);
    assert_eq!(digest.code, 1);
    let records: Vec<Value> = digest.out.lines().map(record).collect();
    let with_error = |record: &&Value| record["error"].is_string();
    assert!(records.iter().any(|record| {
        with_error(&record)
            || record["attrs"]
                .as_array()
                .is_some_and(|attributes| attributes.iter().any(|one| with_error(&one)))
    }));
    let time = records.iter().find(|record| record["path"] == "/measured/time").unwrap();
    assert!(time["sha256"].is_string());
    assert_eq!(records.last().unwrap()["status"], "partial");
    assert!(digest.err.contains("parts could not be read; see \"error\" in the records"), "{}", digest.err);
    let listed = check(&["ls", "-r", "{}"], &broken);
    assert!(listed.out.contains("/measured/time"));
}

/// A file of many datasets, with the header of one of them overwritten.
fn with_a_damaged_member(name: &str, folder: &Path) -> Result<PathBuf, Missing> {
    let sound = fixture(name)?;
    let at = hyperslab::File::open(&sound).unwrap().get("/enum").unwrap().address().0 as usize;
    let mut bytes = std::fs::read(sound).unwrap();
    bytes[at..at + 16].fill(0xff);
    let path = folder.join("member.h5");
    std::fs::write(&path, bytes).unwrap();
    Ok(path)
}

#[test]
fn a_damaged_member_is_a_finding_and_the_others_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["structures/datatypes_earliest.h5", "structures/datatypes_v110.h5"] {
        let path = require!(with_a_damaged_member(name, folder.path()));
        for command in [&["ls", "{}"][..], &["ls", "-r", "{}"]] {
            let listed = check(command, &path);
            assert_eq!(listed.code, 1, "{listed:?}");
            let line = |start: &str| listed.out.lines().find(|line| line.trim_start().starts_with(start));
            assert!(line("/enum").is_some_and(|line| line.contains("error: ")), "{}", listed.out);
            assert!(line("/compound").is_some() && line("/text").is_some(), "{}", listed.out);
            assert!(listed.err.contains("1 part could not be read"), "{}", listed.err);
        }
        let digest = check(&["digest", "{}"], &path);
        let records: Vec<Value> = digest.out.lines().map(record).collect();
        let of = |path: &str| records.iter().find(|record| record["path"] == path).unwrap();
        assert!(of("/enum")["error"].is_string());
        assert!(of("/compound")["sha256"].is_string() && of("/text")["sha256"].is_string());
        assert_eq!((digest.code, records.last().unwrap()["status"].as_str()), (1, Some("partial")));
        let doctor = check(&["doctor", "--json", "{}"], &path);
        assert_eq!(doctor.code, 1, "{doctor:?}");
        assert!(doctor.err.contains("/enum: "), "{}", doctor.err);
        let report: Value = serde_json::from_str(&doctor.out).unwrap();
        assert!(!report["datasets"].as_array().unwrap().is_empty());
    }
}
