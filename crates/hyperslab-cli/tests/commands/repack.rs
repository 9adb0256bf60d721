//! `hyperslab repack`: what it writes, what it refuses, and what it leaves behind.

#[path = "repack_advice.rs"]
mod advice;
#[path = "repack_lossy.rs"]
mod lossy;
#[path = "repack_metadata.rs"]
mod metadata;
#[path = "repack_names.rs"]
mod names;
#[path = "repack_objects.rs"]
mod objects;
#[path = "repack_plan.rs"]
mod plan;
#[path = "repack_safe.rs"]
mod safe;

use super::{Ended, run, tour};
use hyperslab::{File, Object};
use hyperslab_testkit::files::{fixture, python};
use hyperslab_testkit::{Missing, require, scale};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const HYPERSLAB: &str = env!("CARGO_BIN_EXE_hyperslab");

/// Runs a Python script with these arguments; returns what it prints.
fn script(text: &str, arguments: &[&Path]) -> Result<String, Missing> {
    let output = Command::new(python()?).arg("-c").arg(text).args(arguments).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned())
}

/// Writes `in.h5` with h5py. In the script, `f` is the file, `np` NumPy, and `r` makes random numbers.
fn written(folder: &Path, body: &str) -> Result<PathBuf, Missing> {
    let path = folder.join("in.h5");
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    script(
        &format!(
            "import sys, h5py, numpy as np\nr = np.random.default_rng(0)\nwith h5py.File(sys.argv[1], 'w') as f:\n{body}"
        ),
        &[&path],
    )?;
    Ok(path)
}

/// Repacks to `out.h5` beside the input, whatever becomes of it; returns how that ended, and the new file's path.
fn repacked(input: &Path, options: &[&str]) -> (Ended, PathBuf) {
    let output = input.with_file_name("out.h5");
    let arguments = [&["repack", "{}", output.to_str().unwrap(), "--overwrite"], options].concat();
    (run(&arguments, input), output)
}

/// Repacks, which must end well; returns the document of `--json`.
#[track_caller]
fn repack_document(input: &Path, output: &Path, options: &[&str]) -> serde_json::Value {
    let arguments = [&["repack", "{}", output.to_str().unwrap(), "--overwrite", "--json"], options].concat();
    let ended = run(&arguments, input);
    assert_eq!(ended.code, 0, "{options:?}: {} {}", ended.out, ended.err);
    serde_json::from_str(&ended.out).unwrap()
}

/// A folder with a copy of the small file.
fn folder() -> Result<(tempfile::TempDir, PathBuf), Missing> {
    let tour = tour()?;
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("in.h5");
    fs::copy(tour, &copy).unwrap();
    Ok((folder, copy))
}

fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn digest(path: &Path) -> String {
    run(&["digest", "--bare", "{}"], path).out
}

/// The digest without what tells how values are stored.
fn values(path: &Path) -> Vec<serde_json::Value> {
    let record = |line: &str| {
        let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
        let members = record.as_object_mut().unwrap();
        for member in ["chunks", "chunks_sha256", "filters", "layout", "nchunks", "storage"] {
            members.remove(member);
        }
        record
    };
    digest(path).lines().map(record).collect()
}

fn chunk_shape(path: &Path, dataset: &str) -> Option<Vec<u64>> {
    File::open(path).unwrap().dataset(dataset).unwrap().chunk_shape().map(<[u64]>::to_vec)
}

fn filters(path: &Path, dataset: &str) -> Vec<u16> {
    File::open(path).unwrap().dataset(dataset).unwrap().filters().iter().map(|filter| filter.id).collect()
}

#[test]
fn a_copy_has_the_same_digest_times_and_permissions() {
    let (folder, input) = require!(folder());
    let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&input).unwrap().set_modified(time).unwrap();
    for (name, more) in
        [("a.h5", &[][..]), ("b.h5", &["--page-size", "4KiB"]), ("c.h5", &["--libver", "earliest"])]
    {
        let output = folder.path().join(name);
        let ended = run(&[&["repack", "{}", output.to_str().unwrap()], more].concat(), &input);
        // The file has an external link and a null dataspace.
        let is_raised = |line: &str| line.starts_with("note: /") && line.contains(" HDF5 1.8 or later: ");
        let lines: Vec<_> = ended.err.lines().filter(|line| !is_raised(line)).collect();
        let absent = "note: /elsewhere: the target of this external link was not found: /x in other.h5";
        assert_eq!((ended.code, lines), (0, vec![absent]), "{more:?}");
        assert!(ended.out.contains("verified"), "{}", ended.out);
        assert_eq!(digest(&input), digest(&output), "{more:?}");
        let metadata = output.metadata().unwrap();
        assert_eq!(metadata.modified().unwrap(), time);
        assert_eq!(metadata.permissions(), input.metadata().unwrap().permissions());
    }
    assert_eq!(file_names(folder.path()), ["a.h5", "b.h5", "c.h5", "in.h5"]);
}

#[test]
fn options_change_what_they_name() {
    let (folder, input) = require!(folder());
    let output = folder.path().join("out.h5");
    let repacked = |options: &[&str]| {
        let arguments = [&["repack", "{}", output.to_str().unwrap(), "--overwrite"], options].concat();
        let ended = run(&arguments, &input);
        assert_eq!(ended.code, 0, "{options:?}: {}", ended.err);
        assert!(values(&input) == values(&output), "{options:?}");
        (chunk_shape(&output, "/measured/temperature"), filters(&output, "/measured/temperature"))
    };
    let chunks = |shape: &[u64]| Some(shape.to_vec());
    assert_eq!(repacked(&["--chunks", "temperature:1x10x3"]), (chunks(&[1, 10, 3]), vec![2, 1]));
    assert_eq!(
        repacked(&["--chunks", "/measured/temperature:5,all,all"]),
        (chunks(&[5, 10, 10]), vec![2, 1])
    );
    assert_eq!(
        repacked(&["--filter", "/measured/*:fletcher32+zstd=3"]),
        (chunks(&[4, 5, 10]), vec![3, 32015])
    );
    assert_eq!(repacked(&["--filter", "none"]), (chunks(&[4, 5, 10]), vec![]));
    assert_eq!(repacked(&["--filter", "gzip", "--filter", "temperature:keep"]).1, [2, 1]);
    assert_eq!(
        repacked(&["--for", ":x1x1", "--chunk-bytes", "/measured/temperature:480"]).0,
        chunks(&[12, 1, 10])
    );
    assert_eq!(
        repacked(&[
            "-l",
            "measured/temperature:CHUNK=2x5x5",
            "-f",
            "measured/temperature:SHUF",
            "-f",
            "measured/temperature:GZIP=9"
        ]),
        (chunks(&[2, 5, 5]), vec![2, 1])
    );
    let recipe = folder.path().join("recipe.toml");
    fs::write(&recipe, "[[dataset]]\nobjects = \"temperature\"\nchunks = \"3x3x3\"\nfilter = \"lz4\"\n")
        .unwrap();
    assert_eq!(repacked(&["--recipe", recipe.to_str().unwrap()]), (chunks(&[3, 3, 3]), vec![32004]));
}

#[test]
fn dimensions_have_their_names() {
    let climate = require!(fixture("netcdf4/climate.nc"));
    let file = File::open(&climate).unwrap();
    let netcdf_lines = run(&["ls", "--netcdf", "{}"], &climate).out;
    let (name, rank) = netcdf_lines
        .lines()
        .filter_map(|line| {
            let declared = line.trim().split_once('(')?;
            let dimensions = declared.1.split_once(") ;")?.0;
            let name = declared.0.split_whitespace().nth(1)?;
            let names: Vec<&str> = dimensions.split(", ").collect();
            (names.first() == Some(&"time") && names.len() > 1).then(|| (name.to_owned(), names.len()))
        })
        .next()
        .expect("a variable of time and more");
    assert_eq!(file.dataset(&name).unwrap().shape().len(), rank);
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.nc");
    let ended =
        run(&["repack", "{}", output.to_str().unwrap(), "--chunks", &format!("{name}:time=1")], &climate);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert_eq!(chunk_shape(&output, &name).unwrap()[0], 1);
    assert!(values(&climate) == values(&output));
}

#[test]
fn nothing_is_overwritten_or_left_behind() {
    let (folder, input) = require!(folder());
    let output = folder.path().join("out.h5");
    let before = fs::read(&input).unwrap();
    let (out, input_text) = (output.to_str().unwrap(), input.to_str().unwrap());
    fs::write(&output, b"mine").unwrap();
    let exists = run(&["repack", "{}", out], &input);
    assert_eq!((exists.code, fs::read(&output).unwrap()), (2, b"mine".to_vec()));
    assert!(exists.err.contains("exists") && exists.err.contains("--overwrite"), "{}", exists.err);
    let same = run(&["repack", "{}", input_text, "--overwrite"], &input);
    assert_eq!(same.code, 2);
    assert!(same.err.contains("are the same file") && same.err.contains("--in-place"), "{}", same.err);
    for (option, value, says) in [
        ("--chunks", "/absent:1", "no dataset has this path or name"),
        ("--chunks", "/measured/temperature:1", "has 3 dimensions, not 1"),
        ("--filter", "gzip=10", "gzip takes one number from 0 to 9"),
        ("--filter", "/scalar:gzip", "has no dimensions"),
        ("--contiguous", "temperature", "can grow along axis 0"),
        ("--memory", "0", "memory"),
        ("--page-size", "100", "pages of 100 bytes"),
        ("--user-block", "100", "a user block of 100 bytes"),
    ] {
        let more = ["--overwrite", "--chunks", "temperature:7x7x7", option, value];
        let ended = run(&[&["repack", "{}", out], &more[..]].concat(), &input);
        assert_eq!(ended.code, 2, "{option} {value}: {}", ended.err);
        assert!(ended.err.contains(says), "{option} {value}: {}", ended.err);
    }
    assert_eq!(
        (file_names(folder.path()), fs::read(&output).unwrap()),
        (vec!["in.h5".into(), "out.h5".into()], b"mine".to_vec())
    );
    assert_eq!(fs::read(&input).unwrap(), before);
}

#[test]
fn in_place_replaces_the_file() {
    let (folder, input) = require!(folder());
    let before = values(&input);
    let ended = run(&["repack", "--in-place", "{}", "--filter", "temperature:none"], &input);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(values(&input) == before);
    assert_eq!(file_names(folder.path()), ["in.h5"]);
    assert!(filters(&input, "/measured/temperature").is_empty());
}

#[test]
fn a_dry_run_writes_nothing() {
    let (folder, input) = require!(folder());
    let output = folder.path().join("out.h5");
    let ended = run(&["repack", "{}", output.to_str().unwrap(), "--dry-run", "--filter", "gzip=1"], &input);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(
        ended.out.contains("chunks of 4x5x10, shuffle, gzip 4 -> chunks of 4x5x10, gzip 1"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("/scalar stays as it is"), "{}", ended.out);
    assert!(ended.out.contains("\npredicted: "), "{}", ended.out);
    assert_eq!(file_names(folder.path()), ["in.h5"]);
}

#[test]
fn a_tree_of_files_becomes_the_same_tree() {
    let (folder, input) = require!(folder());
    let tree = folder.path().join("tree");
    fs::create_dir_all(tree.join("a/b")).unwrap();
    for name in ["one.h5", "a/two.h5", "a/b/three.h5"] {
        fs::copy(&input, tree.join(name)).unwrap();
    }
    fs::write(tree.join("a/damaged.h5"), &fs::read(&input).unwrap()[..5000]).unwrap();
    let (out, log) = (folder.path().join("out"), folder.path().join("log"));
    let (out_text, log_text) = (out.to_str().unwrap(), log.to_str().unwrap());
    let arguments = ["repack", "{}", out_text, "--json", "--jobs", "2", "--resume", log_text];
    let ended = run(&arguments, &tree);
    assert_eq!(ended.code, 1, "{}", ended.err);
    let documents: Vec<serde_json::Value> =
        ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let errors = documents.iter().filter(|document| !document["error"].is_null()).count();
    assert_eq!((documents.len(), errors), (4, 1));
    assert_eq!(digest(&out.join("a/b/three.h5")), digest(&input));
    assert_eq!(
        (file_names(&out), file_names(&out.join("a"))),
        (vec!["a".to_owned(), "one.h5".into()], vec!["b".to_owned(), "two.h5".into()])
    );
    let again = run(&arguments, &tree);
    assert_eq!((again.code, again.out.lines().count()), (1, 1), "only what failed: {}", again.out);
    assert!(again.out.contains("damaged.h5"), "{}", again.out);
}

#[test]
fn a_dry_run_passes_over_finished_files_and_finishes_none() {
    let (folder, input) = require!(folder());
    let tree = folder.path().join("tree");
    fs::create_dir(&tree).unwrap();
    let copies = ["one.h5", "two.h5"].map(|name| tree.join(name));
    for copy in &copies {
        fs::copy(&input, copy).unwrap();
    }
    let (out, log) = (folder.path().join("out"), folder.path().join("log"));
    let arguments =
        ["repack", "{}", out.to_str().unwrap(), "--json", "--resume", log.to_str().unwrap(), "--dry-run"];
    assert_eq!(run(&arguments, &tree).out.lines().count(), 2);
    assert!(!log.exists() && !out.exists());
    fs::write(&log, format!("{}\n", copies[0].display())).unwrap();
    assert_eq!(run(&arguments, &tree).out.lines().count(), 1);
    let real = run(&arguments[..6], &tree);
    assert_eq!((real.code, file_names(&out)), (0, vec!["two.h5".to_owned()]), "{}", real.err);
    assert_eq!(run(&arguments[..6], &tree).out, "", "all are done");
}

#[test]
fn the_new_folder_is_not_searched() {
    let (folder, input) = require!(folder());
    let out = folder.path().join("packed");
    let arguments = ["repack", "{}", out.to_str().unwrap(), "--overwrite"];
    let absent =
        "note: FILE/in.h5: /elsewhere: the target of this external link was not found: /x in other.h5\n";
    assert_eq!(run(&arguments, folder.path()).err, absent);
    let again = run(&arguments, folder.path());
    assert_eq!((again.code, file_names(&out)), (0, vec!["in.h5".to_owned()]), "{}", again.err);
    let left = "note: 1 file in FILE/packed left alone: it is the folder of new files\n";
    assert_eq!(again.err, format!("{left}{absent}"));
    let into_file = run(&["repack", "{}", input.to_str().unwrap()], folder.path());
    assert_eq!((into_file.code, into_file.out.as_str()), (2, ""));
    assert_eq!(into_file.err, "error: FILE/in.h5 is a file; several files need a folder\n");
}

#[test]
fn links_lead_to_the_same_file_from_another_folder() {
    let (folder, input) = require!(folder());
    fs::copy(&input, folder.path().join("other.h5")).unwrap();
    let deep = folder.path().join("deep");
    fs::create_dir(&deep).unwrap();
    let link = |path: &Path| {
        let listed = run(&["ls", "{}", "/"], path).out;
        listed.lines().find(|line| line.starts_with("/elsewhere")).unwrap().to_owned()
    };
    assert!(link(&input).contains("-> /x in other.h5"));
    let output = deep.join("out.h5");
    assert_eq!(run(&["repack", "{}", output.to_str().unwrap()], &input).code, 0);
    assert!(link(&output).contains("-> /x in ../other.h5"), "{}", link(&output));
    let both = folder.path().join("both");
    let other = folder.path().join("other.h5");
    let arguments = ["repack", "{}", other.to_str().unwrap(), both.to_str().unwrap()];
    assert_eq!(run(&arguments, &input).code, 0);
    assert!(both.join("other.h5").exists());
    let moved_along = link(&both.join("in.h5"));
    assert!(moved_along.contains("-> /x in other.h5"), "{moved_along}");
}

#[test]
fn damaged_chunks_end_it_or_are_listed() {
    let (folder, input) = require!(folder());
    let dataset = File::open(&input).unwrap().dataset("/measured/temperature").unwrap();
    let (number, location) = dataset.chunk_map().unwrap().nth(1).unwrap();
    let offset = dataset.chunk_grid().unwrap().offset(number);
    let mut bytes = fs::read(&input).unwrap();
    bytes[location.address as usize + 10..][..20].fill(0xff);
    fs::write(&input, bytes).unwrap();
    let output = folder.path().join("out.h5");
    for change in [["--filter", "temperature:zstd=1"], ["--chunks", "temperature:3x3x3"]] {
        let arguments = [&["repack", "{}", output.to_str().unwrap()], &change[..]].concat();
        let ended = run(&arguments, &input);
        assert_eq!((ended.code, output.exists()), (1, false), "{}", ended.err);
        assert!(ended.err.contains("temperature") || ended.err.contains("again"), "{}", ended.err);
        let ended = run(&[&arguments[..], &["--keep-going", "--json"]].concat(), &input);
        assert_eq!(ended.code, 1, "{}", ended.err);
        let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        let damage = &document["result"]["damage"];
        assert_eq!(damage.as_array().unwrap().len(), 1, "{damage}");
        assert_eq!(damage[0]["offset"], serde_json::json!(offset));
        let repacked = File::open(&output).unwrap().dataset("/measured/temperature").unwrap();
        let first = hyperslab::Selection::block(&offset, &[1, 1, 1]);
        assert_eq!(repacked.read::<f32>(&first).unwrap(), [-1.5], "the fill value");
        fs::remove_file(&output).unwrap();
    }
}

/// A file of which one chunk, one part of contiguous data, and one variable-length string cannot be read.
fn unreadable(folder: &Path) -> Result<PathBuf, Missing> {
    const SCRIPT: &str = r#"
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w", libver="earliest") as f:
    f.create_dataset("chunks", data=np.arange(12.), chunks=(4,), fillvalue=-1, shuffle=True)
    f.create_dataset("texts", data=["a", "b", "c"], dtype=h5py.string_dtype(), chunks=(3,))
    f.create_dataset("rows", data=np.arange(300.).reshape(100, 3), fillvalue=-2)
    place = f["chunks"].id.get_chunk_info(1).byte_offset
    rows = f["rows"].id.get_offset()
    texts = f["texts"].id.get_chunk_info(0).byte_offset
    f.flush()
with open(sys.argv[1], "r+b") as f:
    bytes = bytearray(f.read())
    size = len(bytes)
    at = bytes.find(place.to_bytes(8, "little"))
    bytes[at:at + 8] = (1 << 40).to_bytes(8, "little")
    # The last 10 rows are beyond the end.
    at = bytes.find(rows.to_bytes(8, "little"))
    bytes[at:at + 8] = (size - 90 * 24).to_bytes(8, "little")
    # The collection of the second string.
    bytes[texts + 16 + 4:texts + 16 + 12] = (1 << 40).to_bytes(8, "little")
    f.seek(0)
    f.write(bytes)
"#;
    let path = folder.join("in.h5");
    let output = Command::new(python()?).args(["-c", SCRIPT]).arg(&path).output().expect("Python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(path)
}

#[test]
fn what_is_merely_copied_may_be_unreadable() {
    let folder = tempfile::tempdir().unwrap();
    let input = require!(unreadable(folder.path()));
    let output = folder.path().join("out.h5");
    let arguments = ["repack", "{}", output.to_str().unwrap()];
    let ended = run(&arguments, &input);
    assert_eq!((ended.code, output.exists()), (1, false), "{}", ended.err);
    let ended = run(&[&arguments[..], &["--keep-going", "--json"]].concat(), &input);
    assert_eq!(ended.code, 1, "{}", ended.err);
    let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let damage = document["result"]["damage"].as_array().unwrap();
    let parts: Vec<_> =
        damage.iter().map(|part| (part["path"].as_str().unwrap(), &part["offset"], &part["shape"])).collect();
    let json = |numbers: &[u64]| serde_json::json!(numbers);
    let expected = [
        ("/chunks", &json(&[4]), &json(&[4])),
        ("/rows", &json(&[90, 0]), &json(&[10, 3])),
        ("/texts", &json(&[0]), &json(&[3])),
    ];
    assert_eq!(parts, expected, "{damage:?}");
    assert!(damage[2]["error"].as_str().unwrap().starts_with("1 elements: "), "{}", damage[2]);
    let file = File::open(&output).unwrap();
    let all = |dataset: &hyperslab::Dataset| {
        let shape = dataset.shape().to_vec();
        hyperslab::Selection::block(&vec![0; shape.len()], &shape)
    };
    let chunks = file.dataset("chunks").unwrap();
    let values = chunks.read::<f64>(&all(&chunks)).unwrap();
    assert_eq!(values, [0., 1., 2., 3., -1., -1., -1., -1., 8., 9., 10., 11.]);
    let rows = file.dataset("rows").unwrap();
    let values = rows.read::<f64>(&all(&rows)).unwrap();
    assert!(values[270..].iter().all(|&value| value == -2.), "{:?}", &values[260..]);
    assert!(values[..270].iter().all(|&value| value != -2.));
    let checked = run(&["check", "{}"], &output);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

#[test]
fn a_killed_process_leaves_no_file_and_nothing_after_the_next() {
    const KILLS: usize = 50;
    let input = require!(fixture("layouts/v110.h5"));
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.h5");
    let start = || {
        Command::new(HYPERSLAB)
            .args(["repack".as_ref(), input.as_os_str(), output.as_os_str()])
            .args(["--filter", "gzip=9", "--overwrite"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let begun = std::time::Instant::now();
    assert!(start().wait().unwrap().success());
    let whole = begun.elapsed();
    fs::remove_file(&output).unwrap();
    // The moments differ from run to run: from the start to the time that a whole run takes.
    let kills = scale().of(KILLS) as u32;
    for moment in 0..kills {
        let mut child = start();
        std::thread::sleep(whole * moment / kills);
        let _ = child.kill();
        child.wait().unwrap();
        if output.exists() {
            File::open(&output).unwrap();
        }
        let others = file_names(folder.path()).into_iter().filter(|name| name != "out.h5");
        assert!(others.into_iter().all(|name| name == ".out.h5.hyperslab-part"));
    }
    assert!(start().wait().unwrap().success());
    assert_eq!(file_names(folder.path()), ["out.h5"]);
    assert!(values(&input) == values(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupted_process_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.h5");
    fs::copy(require!(fixture("case_study/cris.h5")), &input).unwrap();
    let output = folder.path().join("out.h5");
    let mut child = Command::new(HYPERSLAB)
        .args(["repack".as_ref(), input.as_os_str(), output.as_os_str()])
        .args(["--filter", "gzip=9"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let temporary = folder.path().join(".out.h5.hyperslab-part");
    while !temporary.exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    // SAFETY: a signal to a process that this test started and has not waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
    let ended = child.wait_with_output().unwrap();
    match ended.status.code() {
        Some(1) => {
            assert!(String::from_utf8_lossy(&ended.stderr).contains("interrupted; nothing was written"));
            assert_eq!(file_names(folder.path()), ["in.h5"]);
        }
        // It was complete before the signal came.
        code => {
            assert_eq!((code, file_names(folder.path())), (Some(0), vec!["in.h5".into(), "out.h5".into()]))
        }
    }
    assert!(matches!(File::open(&input).unwrap().get("/").unwrap(), Object::Group(_)));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on_with_what_was_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (tree, out, log) = (folder.path().join("in"), folder.path().join("out"), folder.path().join("log"));
    fs::create_dir(&tree).unwrap();
    let all: Vec<String> = (0..4).map(|number| format!("{number}.h5")).collect();
    let source = require!(fixture("case_study/cris.h5"));
    for name in all.iter() {
        fs::copy(&source, tree.join(name)).unwrap();
    }
    let arguments: Vec<&Path> = ["repack", "--filter", "gzip=9", "--resume"].map(Path::new).to_vec();
    let mut child = Command::new(HYPERSLAB)
        .args([&arguments[..], &[&log, &tree, &out]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !out.join("0.h5").exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    // SAFETY: a signal to a process that this test started and has not waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
    let ended = child.wait_with_output().unwrap();
    let noted = |log: &Path| fs::read_to_string(log).unwrap().lines().count();
    assert_eq!(noted(&log), file_names(&out).len(), "{}", String::from_utf8_lossy(&ended.stderr));
    let again = run(&["repack", "{}", out.to_str().unwrap(), "--resume", log.to_str().unwrap()], &tree);
    assert_eq!((again.code, file_names(&out), noted(&log)), (0, all, 4), "{}", again.err);
}
