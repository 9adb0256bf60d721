//! The lines to paste, pasted: h5py, xarray and netCDF4 must take them and report the cache they name.

use hyperslab_doctor::{DatasetFacts, FilterFact, Fix, FixKind, Options, diagnose};
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, skipped};
use serde::Deserialize;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const PATH: &str = "/All Data/it's/rows";

#[derive(Debug, Deserialize)]
struct Answer {
    #[serde(rename = "for")]
    target: String,
    skip: Option<String>,
    nbytes: Option<u64>,
    nslots: Option<u64>,
    w0: Option<f64>,
}

fn fixes(file: &str) -> Vec<Fix> {
    let facts = DatasetFacts::contiguous(PATH, &[8, 1000, 1000], "<f4", 4).unlimited().in_chunks(
        &[2, 1000, 1000],
        vec![FilterFact::gzip(1)],
        16_000_000,
    );
    let options =
        Options { file: file.to_owned(), reads: vec!["1x1x:".parse().unwrap()], ..Options::default() };
    let findings = diagnose(&facts, &options).unwrap().findings;
    findings.into_iter().find(|finding| finding.code == "cache-smaller-than-chunk").unwrap().fixes
}

#[test]
fn the_libraries_take_the_lines() {
    let python = require!(python());
    let folder = std::env::temp_dir().join(format!("hyperslab-paste-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a \"quoted\" name.h5");
    let make = "import h5py, sys\n\
                with h5py.File(sys.argv[1], 'w') as f:\n    \
                f.create_dataset(sys.argv[2], (8, 1000, 1000), 'f4', chunks=(2, 1000, 1000), compression=1)";
    let made = Command::new(&python).args(["-c", make]).arg(&file).arg(PATH).status().unwrap();
    assert!(made.success());

    let fixes = fixes(file.to_str().unwrap());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libhdf5/lines.py");
    let mut child = Command::new(&python)
        .arg(script)
        .arg(&file)
        .arg(PATH)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(serde_json::to_string(&fixes).unwrap().as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(out.status.success());
    let answers: Vec<Answer> = String::from_utf8(out.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 4, "{answers:?}");
    for answer in answers {
        match answer {
            Answer { target, skip: Some(skip), .. } => skipped(&Missing::new(format!("{target}: {skip}"))),
            // The line that reads whole chunks answers with their number.
            Answer { nslots: Some(0), nbytes, .. } => assert_eq!(nbytes, Some(4)),
            Answer { target, nbytes, nslots, w0, .. } => {
                assert_eq!((nbytes, nslots, w0), (Some(8 << 20), Some(521), Some(0.75)), "{target}");
            }
        }
    }
    assert!(
        fixes
            .iter()
            .any(|fix| fix.kind == FixKind::Repack && fix.line.contains(r"'/All Data/it'\''s/rows:CHUNK="))
    );
}
