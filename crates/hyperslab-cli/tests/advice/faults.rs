//! What the doctor advises about files with a known fault, and what becomes of the file that follows the advice. Files are
//! written by h5py and repacked by the tools that the lines name.

use super::run::run;
use hyperslab_testkit::files::python;
use hyperslab_testkit::{Missing, require, scale};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file written by a line of Python, in which `f` is open for writing and `r` is a generator of random numbers.
pub(super) fn written(folder: &Path, name: &str, line: &str) -> Result<PathBuf, Missing> {
    let path = folder.join(name);
    let program = format!(
        "import h5py, numpy as np, sys\nr = np.random.default_rng(0)\nwith h5py.File(sys.argv[1], 'w') as f:\n    {line}\n"
    );
    let status = Command::new(python()?).args(["-c", &program]).arg(&path).status().unwrap();
    assert!(status.success(), "{line}");
    Ok(path)
}

pub(super) fn report(path: &Path, options: &[&str]) -> Value {
    let told = run(&[&["doctor", "--json", "{}"], options].concat(), path);
    assert_eq!(told.code, 0, "{}", told.err);
    serde_json::from_str(&told.out).unwrap()
}

pub(super) fn findings(report: &Value) -> Vec<&Value> {
    let datasets = report["datasets"].as_array().unwrap().iter();
    datasets.flat_map(|dataset| dataset["findings"].as_array().unwrap()).collect()
}

pub(super) fn codes(report: &Value) -> Vec<&str> {
    findings(report).iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

pub(super) fn finding<'r>(report: &'r Value, code: &str) -> &'r Value {
    let found = findings(report).into_iter().find(|finding| finding["code"] == code);
    found.unwrap_or_else(|| panic!("{code} is not among {:?}", codes(report)))
}

/// Runs a line for `h5repack` or `nccopy`, which writes `out.h5` or `out.nc` beside the file.
pub(super) fn pasted(line: &str, path: &Path) -> Result<PathBuf, Missing> {
    let folder = path.parent().unwrap();
    let line = &line.replace("FILE", path.to_str().unwrap());
    let tool = line.split(' ').next().unwrap();
    let has_tool = Command::new(tool).arg("-h").output().is_ok();
    if !has_tool {
        return Err(Missing::new(format!("{tool} is not installed")));
    }
    let status = Command::new("sh").args(["-c", line]).current_dir(folder).status().unwrap();
    assert!(status.success(), "{line}");
    Ok(folder.join(line.rsplit(' ').next().unwrap()))
}

fn stored_bytes(path: &Path) -> u64 {
    let told = run(&["ls", "-r", "--json", "{}"], path);
    let listing: Value = serde_json::from_str(&told.out).unwrap();
    let objects = listing["objects"].as_array().unwrap().iter();
    objects.filter_map(|object| object["stored_bytes"].as_u64()).sum()
}

/// The largest number of decodes of a read in libhdf5 1.14, by the name of the read.
fn decodes(report: &Value, read: &str) -> u64 {
    let reads = report["datasets"][0]["reads"].as_array().unwrap();
    let read = reads.iter().find(|one| one["name"] == read).unwrap_or_else(|| panic!("{read}"));
    let profiles = read["profiles"].as_array().unwrap();
    profiles.iter().find(|one| one["name"] == "libhdf5 1.14").unwrap()["decodes"].as_u64().unwrap()
}

#[test]
fn small_time_steps_are_repacked_for_series_without_harm_and_the_doctor_is_content() {
    let folder = tempfile::tempdir().unwrap();
    let line = "f.create_dataset('t2m', data=r.normal(size=(8000, 20, 20)).astype('f4'), chunks=(1, 20, 20), compression='gzip')";
    let path = require!(written(folder.path(), "steps.h5", line));
    let before = report(&path, &[]);
    let thrash = finding(&before, "cyclic-thrash");
    let repack = thrash["fixes"].as_array().unwrap().iter().find(|fix| fix["kind"] == "repack").unwrap();
    assert_eq!(repack["slows_others"], false, "{repack}");
    let steps = repack["others"]
        .as_array()
        .unwrap()
        .iter()
        .find(|read| read["read"] == "plane along axis 0")
        .unwrap();
    assert!(
        steps["after_seconds"].as_f64().unwrap() <= 2.0 * steps["before_seconds"].as_f64().unwrap(),
        "{steps}"
    );

    let out = require!(pasted(repack["line"].as_str().unwrap(), &path));
    let after = report(&out, &["--profile", "libhdf5"]);
    let before = report(&path, &["--profile", "libhdf5"]);
    // Chunks differ in size, so the time of decoding is compared in bytes.
    let bytes = |report: &Value, read: &str| {
        decodes(report, read) * report["datasets"][0]["chunk_bytes"].as_u64().unwrap()
    };
    for series in ["plane along axis 1", "plane along axis 2"] {
        assert!(2 * bytes(&after, series) <= bytes(&before, series), "{series}");
    }
    assert!(bytes(&after, "plane along axis 0") <= 2 * bytes(&before, "plane along axis 0"));
    for finding in findings(&after) {
        assert_eq!(finding["severity"], "low", "{finding}");
        let fixes = finding["fixes"].as_array().unwrap();
        assert!(fixes.iter().all(|fix| fix["kind"] != "repack" || fix["slows_others"] == true), "{finding}");
    }
}

#[test]
fn a_missing_shuffle_is_found_and_the_checksum_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let line = "f.create_dataset('time', data=1.98e8 + np.arange(400000) * 1e-4, chunks=(20000,), compression='gzip', compression_opts=6, fletcher32=True)";
    let path = require!(written(folder.path(), "times.h5", line));
    let before = report(&path, &[]);
    let missing = finding(&before, "shuffle-missing");
    let line = missing["fixes"][0]["line"].as_str().unwrap();
    assert!(line.contains("-f /time:SHUF -f /time:GZIP=6 -f /time:FLET"), "{line}");
    let promised = missing["cost"]["bytes"].as_u64().unwrap();
    let out = require!(pasted(line, &path));
    assert!(stored_bytes(&path) - stored_bytes(&out) >= promised / 2);
    let listed = run(&["ls", "{}"], &out).out;
    for filter in ["shuffle", "gzip 6", "fletcher32"] {
        assert!(listed.contains(filter), "{listed}");
    }
    assert!(!codes(&report(&out, &[])).contains(&"shuffle-missing"));
}

#[test]
fn tiny_chunks_are_found_however_small_the_dataset() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = "f.create_dataset('tiny', data=r.integers(0, 255, (3713, 8)).astype('u1'), chunks=(1, 8), compression='gzip')";
    let path = require!(written(folder.path(), "tiny.h5", tiny));
    let before = report(&path, &[]);
    let small = finding(&before, "chunks-too-small");
    let out = require!(pasted(small["fixes"][0]["line"].as_str().unwrap(), &path));
    let saved = fs::metadata(&path).unwrap().len() - fs::metadata(&out).unwrap().len();
    assert!(saved >= small["cost"]["bytes"].as_u64().unwrap() / 2, "{saved}");

    // The example of the page of one-element-chunks, beside a large dataset.
    let line = "f.create_dataset('time', data=np.arange(10000.), chunks=(1,), maxshape=(None,)); f['big'] = r.random((300, 1000))";
    let path = require!(written(folder.path(), "axis.h5", line));
    assert!(codes(&report(&path, &[])).contains(&"one-element-chunks"));
}

#[test]
fn raw_data_is_found_and_nccopy_takes_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let line = "f.create_dataset('x', data=np.arange(1000000, dtype='i4').reshape(100, 100, 100) // 50)";
    let path = require!(written(folder.path(), "raw.h5", line));
    let before = report(&path, &[]);
    let raw = finding(&before, "compressible-data-raw");
    let out = require!(pasted(raw["fixes"][0]["line"].as_str().unwrap(), &path));
    assert!(stored_bytes(&path) - stored_bytes(&out) >= raw["cost"]["bytes"].as_u64().unwrap() / 2);

    let program = "import netCDF4, numpy as np, sys\nwith netCDF4.Dataset(sys.argv[1], 'w') as nc:\n    [nc.createDimension(n, s) for n, s in (('t', 8000), ('y', 20), ('x', 20))]\n    nc.createVariable('t2m', 'f4', ('t', 'y', 'x'), chunksizes=(1, 20, 20), zlib=True)[:] = np.random.default_rng(0).normal(size=(8000, 20, 20))\n";
    let path = folder.path().join("steps.nc");
    let made = Command::new(require!(python())).args(["-c", program]).arg(&path).status().unwrap();
    if !made.success() {
        return hyperslab_testkit::skipped(&Missing::new("Python has no netCDF4"));
    }
    let before = report(&path, &[]);
    let fixes = finding(&before, "cyclic-thrash")["fixes"].as_array().unwrap().clone();
    let repack = fixes.iter().find(|fix| fix["kind"] == "repack").unwrap();
    let line = repack["writers"].as_array().unwrap().iter().find(|writer| writer["for"] == "nccopy").unwrap();
    let out = require!(pasted(line["line"].as_str().unwrap(), &path));
    let bytes = |path: &Path| {
        let report = report(path, &["--profile", "libhdf5"]);
        decodes(&report, "plane along axis 2") * report["datasets"][0]["chunk_bytes"].as_u64().unwrap()
    };
    assert!(2 * bytes(&out) <= bytes(&path));
}

#[test]
fn variable_length_strings_count_their_heap() {
    let folder = tempfile::tempdir().unwrap();
    let line = "f.create_dataset('s', data=np.array(['station%05d' % i for i in range(100000)], dtype=object), dtype=h5py.string_dtype(), chunks=(1000,), compression='gzip')";
    let path = require!(written(folder.path(), "strings.h5", line));
    let report = report(&path, &[]);
    let dataset = &report["datasets"][0];
    // 16 bytes of header and 12 of text, padded to 16.
    assert_eq!(dataset["variable_length"]["heap_bytes"], 100_000 * 32);
    assert_eq!(codes(&report), ["variable-length-strings"]);
    let text = run(&["doctor", "{}"], &path).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("100,000 elements refer to 3.05 MiB in the global heap"), "{text}");
    let everything =
        dataset["reads"].as_array().unwrap().iter().find(|read| read["name"] == "everything").unwrap();
    assert!(everything["profiles"][0]["predicted_seconds"].as_f64().unwrap() > 0.02);
}

#[test]
fn a_well_made_file_has_the_same_findings_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let line = "f.create_dataset('small', data=np.arange(96, dtype='f4'), chunks=(96,), compression='gzip', compression_opts=9); f.create_dataset('good', data=np.cumsum(r.normal(size=(200, 100, 100)), 0).round(1).astype('f4'), chunks=(20, 100, 100), compression='gzip', compression_opts=4, shuffle=True)";
    let path = require!(written(folder.path(), "good.h5", line));
    let told = |_| {
        let report = report(&path, &[]);
        findings(&report)
            .iter()
            .map(|finding| (finding["code"].to_string(), finding["severity"].to_string()))
            .collect::<Vec<_>>()
    };
    let all: Vec<_> = (0..scale().of(5)).map(told).collect();
    assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
    assert!(all[0].iter().all(|(code, _)| code != "\"deflate-level-too-high\""), "{:?}", all[0]);
}

#[test]
fn findings_are_selected_ignored_and_known_from_before() {
    let folder = tempfile::tempdir().unwrap();
    let line = "f.create_dataset('time', data=np.arange(10000.), chunks=(1,), maxshape=(None,)); f.create_dataset('g/tiny', data=r.integers(0, 255, (3713, 8)).astype('u1'), chunks=(1, 8), compression='gzip')";
    let path = require!(written(folder.path(), "faults.h5", line));
    let told =
        |options: &[&str]| codes(&report(&path, options)).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let both = ["one-element-chunks", "chunks-too-small"].map(str::to_owned);
    assert_eq!(told(&[]), both);
    assert_eq!(told(&["--select", "one-element-chunks"]), both[..1]);
    assert_eq!(told(&["--ignore", "one-element-chunks,shuffle-missing"]), both[1..]);
    let unknown = run(&["doctor", "{}", "--ignore", "nothing"], &path);
    assert_eq!((unknown.code, unknown.out.as_str()), (2, ""));

    let baseline = folder.path().join("baseline.jsonl");
    let accepted = run(&["doctor", "--json", "{}", "--select", "one-element-chunks"], &path).out;
    fs::write(&baseline, accepted.replace("FILE", path.to_str().unwrap())).unwrap();
    assert_eq!(told(&["--baseline", baseline.to_str().unwrap()]), both[1..]);

    fs::write(folder.path().join(".hyperslabignore"), "# known\nchunks-too-small /g/\n").unwrap();
    assert_eq!(told(&[]), both[..1]);
    fs::write(folder.path().join(".hyperslabignore"), "no-such-code\n").unwrap();
    let wrong = run(&["doctor", "{}"], &path);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("line 1: unknown finding \"no-such-code\""), "{}", wrong.err);
}

#[test]
fn several_files_are_summed_up_and_damaged_ones_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let faulty = "f.create_dataset('time', data=np.arange(10000.), chunks=(1,), maxshape=(None,))";
    require!(written(folder.path(), "a.h5", faulty));
    require!(written(folder.path(), "b.h5", faulty));
    require!(written(folder.path(), "c.h5", "f['x'] = r.random(100)"));
    let whole = fs::read(folder.path().join("a.h5")).unwrap();
    fs::write(folder.path().join("cut.h5"), &whole[..whole.len() / 2]).unwrap();

    let told = run(&["doctor", "{}", "--jobs", "2"], folder.path());
    assert_eq!(told.code, 1, "{}", told.err);
    assert!(
        told.out.contains("4 files, 1 of them damaged or not readable, 1 cause, worst first:\n"),
        "{}",
        told.out
    );
    assert!(
        told.out.contains("  MEDIUM  one-element-chunks: 2 findings in 2 files, worst in FILE/a.h5\n"),
        "{}",
        told.out
    );
    assert!(told.err.contains("FILE/cut.h5"), "{}", told.err);

    let told = run(&["doctor", "{}", "--json"], folder.path());
    let lines: Vec<Value> = told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4, "three reports and the summary");
    let summary = lines.last().unwrap();
    assert_eq!(summary["schema"]["name"], "hyperslab.doctor.summary");
    assert_eq!(
        (&summary["files"], &summary["damaged"], &summary["causes"][0]["files"]),
        (&4.into(), &1.into(), &2.into())
    );

    let (first, second) = ("--shard=1/2", "--shard=2/2");
    let files = |shard| run(&["doctor", "{}", "--json", shard], folder.path()).out.lines().count() - 1;
    assert_eq!(files(first) + files(second), 3);
    let log = folder.path().join("done.log");
    let resumed = || run(&["doctor", "{}", "--json", "--resume", log.to_str().unwrap()], folder.path());
    assert_eq!(resumed().out.lines().count(), 4);
    assert_eq!(resumed().out.lines().count(), 1, "all are done");
    // A single file is examined as before, and a dataset may follow it.
    assert_eq!(run(&["doctor", "{}/a.h5", "/time"], folder.path()).code, 0);
    assert_eq!(run(&["doctor", "{}/a.h5", "/none"], folder.path()).code, 2);
}
