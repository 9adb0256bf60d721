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
