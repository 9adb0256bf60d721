//! Copies of fixtures and of files of the corpus: libhdf5 (by way of h5py, and by its tools), netCDF-C and pyfive read the
//! same from them, libhdf5 can change them, and copies of copies have the same bytes.
//!
//! At scale 1 the test reads all fixtures and a part of the corpus, in the full run (scale 10) the whole of it.

use hyperslab::{Endianness, File, Selection};
use hyperslab_io::LocalSink;
use hyperslab_repack::{CopyOptions, LowBound, RepackError, Summary, copy};
use hyperslab_testkit::files::{corpus, fixture, fixtures, hdf5_files, python};
use hyperslab_testkit::{Missing, require, scale, skipped};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FILE_BYTES_MAX: u64 = 4 << 20;
/// Files of the corpus at scale 1; in the full run every file.
const CORPUS_FILES: usize = 30;

/// What errors of copies may say, and why: what this version does not copy.
const NOT_COPIED: [(&str, &str); 1] =
    [("soft link value: the path is empty", "a link of a damaged symbol table")];

/// Files of which h5py does not read the same as of their copies, and why.
const DIFFERENT: [(&str, &str); 8] = [
    ("links_and_mappings/odd.h5", "libhdf5 reads beyond the end of a source, whatever is there"),
    ("links_and_mappings/tower.h5", "libhdf5 takes hours"),
    ("h5repack_attr_refs.h5", "reading the attributes of the source ends h5py with a segmentation fault"),
    ("H5O_pline_reset-out-of-bound-read", "the source has damaged messages that are not copied"),
    ("hdf5/globalheaps_test.hdf5", "libhdf5 refuses the source's heap, which is smaller than it requires"),
    ("hdf5/var-length-strings-reused.hdf5", "libhdf5 refuses the source's heap in the same way"),
    ("testfiles/tmisc38b.h5", "libhdf5 refuses the source's datatype, of which 996 bytes are unused"),
    ("testfiles/h5clear_fsm_persist_less.h5", "the source ends, as it says, before its objects"),
];

/// Copies a file to a folder in which all files beside it can be found as well.
fn copy_beside(path: &Path, folder: &Path, options: CopyOptions) -> Result<(PathBuf, Summary), RepackError> {
    let file = File::open(path)?;
    let beside = path.parent().expect("a file is in a folder").read_dir().expect("a readable folder");
    for entry in beside.flatten() {
        let _ = std::os::unix::fs::symlink(entry.path(), folder.join(entry.file_name()));
    }
    let target = folder.join(path.file_name().expect("a file has a name"));
    std::fs::remove_file(&target).expect("the link to the source");
    let sink = LocalSink::create_new(&target).expect("an empty place");
    copy(&file, &sink, options).map(|summary| (target, summary))
}

/// The files of this run; at scale 1 of them one in `each`.
fn files(each: usize) -> Result<Vec<PathBuf>, Missing> {
    let mut files = hdf5_files(&fixtures()?, FILE_BYTES_MAX);
    let corpus = hdf5_files(&corpus()?, FILE_BYTES_MAX);
    let step = if scale().is_full() { 1 } else { scale().step(corpus.len().div_ceil(CORPUS_FILES)) };
    files.extend(corpus.into_iter().step_by(step));
    let each = if step == 1 { 1 } else { each };
    Ok(files.into_iter().step_by(each).collect())
}

/// The copies of all files that can be copied, each with the file that it is a copy of. They are in `folder`.
fn copies(folder: &Path, options: CopyOptions, each: usize) -> Result<Vec<(PathBuf, PathBuf)>, Missing> {
    let mut copies = Vec::new();
    let files = files(each)?;
    for (number, path) in files.iter().enumerate() {
        let folder = folder.join(number.to_string());
        std::fs::create_dir(&folder).expect("a new folder");
        match copy_beside(path, &folder, options) {
            Ok((target, summary)) => {
                assert_eq!(target.metadata().expect("a file").len(), summary.bytes);
                assert!(summary.metadata_bytes <= summary.bytes);
                copies.push((path.clone(), target));
            }
            // Damaged files cannot be read; everything else that is not copied is listed.
            Err(RepackError::Read(_)) => {}
            Err(error) => {
                let error = error.to_string();
                let is_listed = NOT_COPIED.iter().any(|(text, _)| error.contains(text));
                assert!(is_listed, "{}: {error}", path.display());
            }
        }
    }
    println!("{} of {} files were copied", copies.len(), files.len());
    assert!(copies.len() > files.len() / 2);
    Ok(copies)
}

/// Copies files with these options, and runs a Python script with its arguments on the pairs. Returns what it prints.
fn findings(script: &[&str], options: CopyOptions, each: usize) -> Result<Vec<String>, Missing> {
    let python = python()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut pairs = String::new();
    for (source, target) in copies(folder.path(), options, each)? {
        if !DIFFERENT.iter().any(|(name, _)| source.to_string_lossy().ends_with(name)) {
            writeln!(pairs, "{}\t{}", source.display(), target.display()).expect("text");
        }
    }
    let (script, arguments) = script.split_first().expect("the name of a script");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let mut process = Command::new(python)
        .arg(script)
        .args(arguments)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    process.stdin.take().expect("a pipe").write_all(pairs.as_bytes()).expect("Python reads");
    let output = process.wait_with_output().expect("Python ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.pop().as_deref(), Some("done"), "{text}");
    Ok(lines)
}

#[track_caller]
fn finds_nothing(script: &[&str], options: CopyOptions, each: usize) {
    let found = require!(findings(script, options, each));
    assert!(found.is_empty(), "{} files:\n{}", found.len(), found.join("\n"));
}

#[track_caller]
fn same_for_h5py(options: CopyOptions, each: usize) {
    finds_nothing(&["compare.py"], options, each);
}

#[test]
fn h5py_reads_the_same_from_copies() {
    same_for_h5py(CopyOptions::default(), 1);
}

#[test]
fn h5py_reads_the_same_from_copies_for_old_readers() {
    same_for_h5py(CopyOptions { low: LowBound::Earliest, ..CopyOptions::default() }, 2);
    same_for_h5py(CopyOptions { low: LowBound::V18, ..CopyOptions::default() }, 10);
}

#[test]
fn h5py_reads_the_same_from_copies_for_the_latest_version() {
    same_for_h5py(CopyOptions { low: LowBound::Latest, ..CopyOptions::default() }, 4);
}

#[test]
fn h5py_reads_the_same_from_copies_in_pages() {
    same_for_h5py(CopyOptions { page_bytes: Some(4096), ..CopyOptions::default() }, 4);
    same_for_h5py(CopyOptions { page_bytes: Some(4096), low: LowBound::Earliest }, 10);
}

#[test]
fn libhdf5_can_change_copies() {
    finds_nothing(&["append.py"], CopyOptions::default(), 5);
    finds_nothing(&["append.py"], CopyOptions { low: LowBound::Earliest, ..CopyOptions::default() }, 7);
    finds_nothing(&["append.py"], CopyOptions { page_bytes: Some(4096), ..CopyOptions::default() }, 11);
}

#[test]
fn the_tools_of_libhdf5_1_10_and_netcdf_read_the_same_from_copies() {
    const TOOLS: [&str; 3] = ["h5diff", "h5dump", "ncdump"];
    for tool in TOOLS {
        let missing = |_| Missing::new(format!("{tool} is not installed (hdf5-tools, netcdf-bin)"));
        require!(Command::new(tool).output().map_err(missing));
    }
    let script = ["other_readers.py", "h5diff", "h5dump", "ncdump"];
    finds_nothing(&script, CopyOptions::default(), 29);
    finds_nothing(&script, CopyOptions { page_bytes: Some(4 << 20), ..CopyOptions::default() }, 101);
}

#[test]
fn pyfive_reads_the_same_from_copies_for_old_readers() {
    let options = CopyOptions { low: LowBound::Earliest, ..CopyOptions::default() };
    finds_nothing(&["other_readers.py", "pyfive"], options, 11);
}

#[test]
fn libhdf5_1_8_reads_the_same_from_copies_for_old_readers() {
    if std::env::var_os("HYPERSLAB_LIBHDF5_1_8").is_none() {
        let what = "HYPERSLAB_LIBHDF5_1_8 names no shared library (scripts/test fetches one)";
        return skipped(&Missing::on_request(what));
    }
    let options = CopyOptions { low: LowBound::Earliest, ..CopyOptions::default() };
    finds_nothing(&["other_readers.py", "libhdf5_1_8"], options, 23);
}

#[test]
fn empty_texts_stay_texts_and_null_ones_null() {
    let path = require!(fixture("structures/global_heap_v110.h5"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (target, _) = copy_beside(&path, folder.path(), CopyOptions::default()).expect("a copy");
    let elements = |path: &Path, name: &str| {
        let dataset = File::open(path).and_then(|file| file.dataset(name)).expect("a dataset");
        let whole = Selection::parse("...", dataset.shape()).expect("a selection");
        let bytes = dataset.read_bytes(&whole, Endianness::File).expect("elements");
        // Its length, the address of its collection, its index there.
        let element = |bytes: &[u8; 16]| (bytes[..4].to_vec(), bytes[4..12] == [0; 8]);
        bytes.as_chunks().0.iter().map(element).collect::<Vec<_>>()
    };
    for name in ["text", "sequences"] {
        assert_eq!(elements(&path, name), elements(&target, name), "{name}");
    }
    assert!(elements(&path, "text").contains(&(vec![0; 4], false)), "one is empty and not null");
}

#[test]
fn a_copy_of_a_copy_has_the_same_bytes() {
    let options = CopyOptions::default();
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (source, first) in require!(copies(folder.path(), options, 1)) {
        let file = File::open(&first).expect("a copy can be opened");
        let second = first.with_extension("again");
        let sink = LocalSink::create_new(&second).expect("a new file");
        copy(&file, &sink, options).expect("a copy can be copied");
        let read = |path: &Path| std::fs::read(path).expect("a readable file");
        assert!(read(&first) == read(&second), "{}", source.display());
    }
}
