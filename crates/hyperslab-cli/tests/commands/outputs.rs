//! Files that options name for writing: what is read, and other data, is never replaced by a report.

use super::{run, tour};
use hyperslab_testkit::require;
use std::fs;
use std::path::{Path, PathBuf};

/// A copy of the tour, which may be destroyed, and another name of it.
struct Copy {
    folder: tempfile::TempDir,
    file: PathBuf,
    link: PathBuf,
}

impl Copy {
    fn of(path: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("v.h5"), folder.path().join("link.html"));
        fs::copy(path, &file).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&file, &link).unwrap();
        #[cfg(not(unix))]
        fs::hard_link(&file, &link).unwrap();
        Self { folder, file, link }
    }
}

#[test]
fn no_option_replaces_what_is_read() {
    let tour = require!(tour());
    let copy = Copy::of(&tour);
    let before = fs::read(&copy.file).unwrap();
    let data = "/measured/again";
    let commands: &[&[&str]] = &[
        &["index", "{}", "-o", "OUT"],
        &["index", "{}", "-o", "OUT", "--format", "dmrpp"],
        &["index", "{}", "-o", "OUT", "--format", "hsds"],
        &["index", "{}", "-o", "OUT", "--format", "hyperslab"],
        &["index", "{}", "-o", "OUT", "--format", "zarr"],
        &["index", "{}", "-o", "/dev/null", "--resume", "OUT"],
        &["advise", "{}", data, "--html", "OUT"],
        &["advise", "{}", data, "--recipe-out", "OUT"],
        &["doctor", "{}", "--html", "OUT"],
        &["doctor", "{}", "--cloud", "--html", "OUT"],
        &["doctor", "--summary", "{}", "--html", "OUT"],
        &["doctor", "--summary", "{}", "--recipe-out", "OUT"],
        &["doctor", "--summary", "{}", "--resume", "OUT"],
        &["check", "{}", "--resume", "OUT"],
        &["bench", "{}", data, "--read", "1x10x10", "--html", "OUT"],
        &["bench", "{}", data, "--read", "1x10x10", "--csv", "OUT"],
        &["bench", "{}", data, "--read", "1x10x10", "--resume=OUT"],
        &["bench", "{}", data, "--read", "1x10x10", "--keep", "OUT"],
        #[cfg(feature = "remote")]
        &["--request-log", "OUT", "ls", "{}"],
    ];
    for command in commands {
        for out in [&copy.file, &copy.link] {
            let out = out.to_str().unwrap();
            let arguments: Vec<String> = command.iter().map(|word| word.replace("OUT", out)).collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let done = run(&arguments, &copy.file);
            assert_eq!((done.code, done.out.as_str()), (2, ""), "{arguments:?} {done:?}");
            assert!(
                done.err.contains("this file is read") || done.err.contains("an HDF5 file"),
                "{}",
                done.err
            );
            assert_eq!(fs::read(&copy.file).unwrap(), before, "{arguments:?}");
        }
    }
}

#[test]
fn other_data_is_not_replaced_by_a_report() {
    let tour = require!(tour());
    let copy = Copy::of(&tour);
    let before = fs::read(&copy.file).unwrap();
    let out = copy.file.to_str().unwrap();
    for command in [["index", "{}", "-o", out], ["doctor", "{}", "--html", out]] {
        let done = run(&command, &tour);
        assert_eq!(done.code, 2, "{done:?}");
        assert!(done.err.contains("this is an HDF5 file, which is not replaced"), "{}", done.err);
    }
    // The indexes of several files are named after them.
    let other = copy.folder.path().join("other.h5");
    fs::copy(&tour, &other).unwrap();
    let in_the_way = copy.folder.path().join("v.h5.json");
    fs::copy(&tour, &in_the_way).unwrap();
    let folder = copy.folder.path().to_str().unwrap();
    let done = run(&["index", "{}", other.to_str().unwrap(), "-o", folder], &copy.file);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(!copy.folder.path().join("other.h5.json").exists(), "something was written");
    assert_eq!(fs::read(&in_the_way).unwrap(), before);
}

#[test]
fn two_options_do_not_name_the_same_file() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    let done = run(&["advise", "{}", "/measured/again", "--html", out, "--recipe-out", out], &tour);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.err.contains("--html names the same file"), "{}", done.err);
}

/// The permissions of a file, or its absence.
#[cfg(unix)]
fn mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().ok().map(|metadata| metadata.permissions().mode() & 0o777)
}

#[cfg(unix)]
#[test]
fn what_is_written_has_the_permissions_of_new_files() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("new"), "").unwrap();
    fs::create_dir(at("new folder")).unwrap();
    for (format, like) in [
        ("kerchunk", "new"),
        ("dmrpp", "new"),
        ("hsds", "new"),
        ("hyperslab", "new"),
        ("kerchunk-parquet", "new folder"),
        ("zarr", "new folder"),
    ] {
        let out = at(format);
        for _ in 0..2 {
            let done = run(&["index", "{}", "--format", format, "-o", out.to_str().unwrap()], &tour);
            assert_eq!(done.code, 0, "{}", done.err);
            assert_eq!(mode(&out), mode(&at(like)), "{format}");
        }
    }
    let page = at("page.html");
    assert_eq!(run(&["doctor", "{}", "--html", page.to_str().unwrap()], &tour).code, 0);
    assert_eq!(mode(&page), mode(&at("new")));
}

#[cfg(unix)]
#[test]
fn a_device_is_written_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let tour = require!(tour());
    let done = run(&["index", "{}", "-o", "/dev/null"], &tour);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
}

#[cfg(unix)]
#[test]
fn a_link_keeps_leading_to_its_index() {
    let tour = require!(tour());
    let folder = tempfile::tempdir().unwrap();
    let (index, link) = (folder.path().join("index.json"), folder.path().join("link.json"));
    fs::write(&index, "{}").unwrap();
    std::os::unix::fs::symlink(&index, &link).unwrap();
    assert_eq!(run(&["index", "{}", "-o", link.to_str().unwrap()], &tour).code, 0);
    assert!(link.is_symlink() && fs::read_to_string(&index).unwrap().len() > 2);
}
