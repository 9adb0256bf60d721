//! The program itself: a reader that goes away, and what is left behind.

use super::tour;
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{require, skip};
use std::io::Read;
use std::process::{Command, Stdio};

const HYPERSLAB: &str = env!("CARGO_BIN_EXE_hyperslab");

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let many = require!(fixture("many_datasets/flat_latest.h5"));
    let mut child = Command::new(HYPERSLAB)
        .args(["digest".as_ref(), many.as_os_str()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // The pipe is closed here, long before all is written.
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn nothing_is_written_but_the_answer() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.h5");
    std::fs::copy(&tour, &copy).unwrap();
    let before = (std::fs::read(&copy).unwrap(), copy.metadata().unwrap().modified().unwrap());
    for command in [&["ls", "-rv"][..], &["digest"], &["doctor"]] {
        let ended =
            Command::new(HYPERSLAB).args(command).arg(&copy).current_dir(folder.path()).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!((std::fs::read(&copy).unwrap(), copy.metadata().unwrap().modified().unwrap()), before);
}

#[test]
fn names_that_are_not_utf8_are_no_obstacle() {
    use std::os::unix::ffi::OsStrExt;
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join(std::ffi::OsStr::from_bytes(b"gr\xfcn.h5"));
    if std::fs::copy(&tour, &copy).is_err() {
        skip!("this file system takes only names in UTF-8");
    }
    for command in ["ls", "digest", "doctor"] {
        let ended = Command::new(HYPERSLAB).arg(command).arg(&copy).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    }
}

/// Two files in a folder.
fn two_files(tour: &std::path::Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one.h5", "two.h5"] {
        std::fs::copy(tour, folder.path().join(name)).unwrap();
    }
    folder
}

/// Every command over many files.
const OVER_FILES: [&[&str]; 7] = [
    &["check"],
    &["digest"],
    &["doctor"],
    &["doctor", "--cloud"],
    &["doctor", "--summary"],
    &["index", "--format", "hyperslab", "-o", "indexes"],
    &["repack", "--jobs", "2", "--overwrite"],
];

#[test]
fn how_far_it_is_through_many_files_is_shown_on_a_terminal_only() {
    let tour = require!(tour());
    let files = two_files(&tour);
    for command in OVER_FILES {
        let folder = tempfile::tempdir().unwrap();
        let mut words: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        // `digest` takes no folders.
        let names = if command[0] == "digest" { &["one.h5", "two.h5"][..] } else { &[""] };
        words.extend(names.iter().map(|name| files.path().join(name).to_str().unwrap().to_owned()));
        words.extend((command[0] == "repack").then(|| "packed".to_owned()));
        let piped = Command::new(HYPERSLAB).args(&words).current_dir(folder.path()).output().unwrap();
        let told = String::from_utf8_lossy(&piped.stderr).into_owned();
        assert!(
            !told.contains(" left ") && !told.contains('\r') && !told.contains('\x1b'),
            "{words:?}: {told}"
        );
        // A terminal for standard error; `script` gives its child one.
        let line = format!("{HYPERSLAB} {} > /dev/null", words.join(" "));
        let Ok(shown) = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
        else {
            skip!("there is no command script");
        };
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("of 2 files, ") && shown.contains(" left "), "{words:?}: {shown:?}");
    }
}

#[test]
fn one_file_is_noted_in_a_log_as_many_are() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("done.log");
    let doctor = || {
        let ended =
            Command::new(HYPERSLAB).arg("doctor").arg(&tour).arg("--resume").arg(&log).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        String::from_utf8_lossy(&ended.stdout).into_owned()
    };
    assert!(doctor().contains("1 file, "));
    assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), 1);
    assert!(doctor().contains("0 files, no problems found"));
}
