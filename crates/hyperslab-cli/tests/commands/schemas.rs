//! The members of every JSON document. What reads them must not break when words of this project change: a member that
//! goes or is renamed makes a new version in `src/schema.rs`. `HYPERSLAB_UPDATE=1` writes the list anew.

use super::{run, tour};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::require;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// A dataset that always has findings.
const CASE_STUDY: &str = "/All_Data/CrIS-SDR_All/ES_ImaginaryLW";
/// What `hyperslab trace` writes of a program that reads rows, shortened.
const TRACE: &str = r#"{"hyperslab_trace":1,"pid":4,"program":["./rows","a.h5"],"started":1.0,"seconds":9.0,"ended":true,"libhdf5":["1.10.8"]}
{"traced":"/t","file":"/a.h5","inode":[1,2],"shape":[60,717],"type":"f4","element_bytes":4,"chunks":[60,717],"filters":"shuffle+gzip=6","libhdf5":"1.10.8","cache":{"nbytes":1048576,"nslots":521,"w0":0.75},"cache_from":"default","opened":1,"threads":1,"first":0.1,"last":8.0,"reads":{"calls":20,"bytes":57360,"seconds":8.0,"decodes":20},"visits":20,"decodes_least":1,"candidates":[{"nbytes":46461600,"nslots":521,"w0":0.75,"decodes":1}]}
{"dataset":"/t","file":"/a.h5","inode":[1,2],"shape":[1,717],"step":[1,2],"order":"random","count":20,"bytes":57360,"seconds":8.0,"decodes":20,"memory_type":"f4"}
"#;
const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/commands/schemas.txt");

/// Adds the paths of all members, `.objects[].path`.
fn add_members(value: &Value, path: &str, members: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = format!("{path}.{key}");
                // Each finding has its own evidence, which its page describes; which findings there are depends on
                // measured times.
                if key != "evidence" {
                    add_members(value, &path, members);
                }
                members.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_members(item, &format!("{path}[]"), members)),
        _ => {}
    }
}

/// The schema of a document, and its members. Of JSON lines, those of all lines after the first.
fn described(out: &str) -> String {
    let mut documents: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let schema = documents[0]["schema"].clone();
    if documents.len() > 1 {
        documents.remove(0);
    }
    let mut members = BTreeSet::new();
    documents.iter().for_each(|document| add_members(document, "", &mut members));
    let mut text = format!("{} {}\n", schema["name"].as_str().unwrap(), schema["version"]);
    members.iter().for_each(|member| writeln!(text, "  {member}").unwrap());
    text
}

/// The answer of a command that starts others.
fn started(arguments: &[&str]) -> String {
    let command =
        std::process::Command::new(env!("CARGO_BIN_EXE_hyperslab")).args(arguments).output().unwrap();
    assert!(command.status.success(), "{command:?}");
    String::from_utf8(command.stdout).unwrap()
}

#[test]
fn members_are_those_of_their_version() {
    let tour = require!(tour());
    let case_study = require!(fixture("case_study/cris.h5"));
    let answer = |arguments: &[&str], path: &Path| {
        let ended = run(arguments, path);
        assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.err);
        ended.out
    };
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("new.h5");
    let repack = ["repack", "{}", new.to_str().unwrap(), "--filter", "gzip", "--json"];
    let read = ["--synthetic", "4x4", "--read", "1x4", "--engine", "hyperslab", "--repeats", "1", "--json"];
    let trace = folder.path().join("rows.jsonl");
    std::fs::write(&trace, TRACE).unwrap();
    let documents = [
        answer(&["ls", "-rv", "--json", "{}"], &tour),
        answer(&["ls", "--bytes", "--json", "{}"], &tour),
        answer(&["ls", "--netcdf", "--json", "{}"], &tour),
        answer(&["chunks", "--json", "{}"], &tour),
        answer(&["explain", "--json", "{}", "/measured/temperature", ""], &tour),
        answer(&["digest", "{}"], &tour),
        answer(&["doctor", "--json", "{}", CASE_STUDY, "--read", "1x1x1x717"], &case_study),
        answer(&["advise", "--json", "{}", CASE_STUDY, "--read", "1x1x1x717", "--seconds", "1"], &case_study),
        answer(&["check", "--json", "{}"], &tour),
        answer(&repack, &tour),
        answer(&["trace", "--show", "{}", "--json"], &trace),
        answer(&["bench", "--recipe", "list", "--json"], &tour),
        started(&[&["bench"], &read[..]].concat()),
    ];
    let found = documents.map(|document| described(&document)).concat();
    if std::env::var_os("HYPERSLAB_UPDATE").is_some() {
        std::fs::write(LIST, &found).unwrap();
    }
    let listed = std::fs::read_to_string(LIST).unwrap();
    assert_eq!(found, listed, "a member that goes or is renamed needs a new version in src/schema.rs");
}
