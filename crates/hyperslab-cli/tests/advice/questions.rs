//! What `hyperslab advise` is asked: the reads, the readers, the datasets; and how it ends where it cannot answer.

use super::advise::{MAPS, advice, recommended};
use super::faults::written;
use super::run::run;
use hyperslab_testkit::files::{fixture, python};
use hyperslab_testkit::require;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn axes_of_netcdf_name_the_usual_reads() {
    let path = require!(fixture("netcdf4/climate.nc"));
    let told = run(&["advise", "--json", "--seconds", "1", "{}"], &path);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(document["reads_are_usual"], true);
    let reads = document["datasets"][0]["reads"].as_array().unwrap();
    let names: Vec<&str> = reads.iter().map(|read| read["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"maps") && names.contains(&"time series"), "{names:?}");
    let text = run(&["advise", "--seconds", "1", "{}"], &path).out;
    assert!(text.contains("the usual reads of such data"), "{text}");
}

#[test]
fn reads_that_a_program_made_are_weighed_by_what_they_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let lines = folder.path().join("reads.jsonl");
    // All maps twice, a quarter of the series, and one value.
    let text = "{\"dataset\": \"d\", \"shape\": [1, 60, 80], \"count\": 480}\n\
                {\"dataset\": \"/d\", \"shape\": [240, 1, 1], \"count\": 1199, \"at\": 0.5}\n\
                {\"dataset\": \"/d\", \"shape\": [240, 1, 1]}\n{\"dataset\": \"/d\", \"shape\": [1, 1, 1]}\n";
    fs::write(&lines, text).unwrap();
    let ask =
        |options: &[&str]| run(&[&["advise", "--json", "--seconds", "1", "{}"], options].concat(), &path);
    let told = ask(&["--reads-from", lines.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(
        (&document["reads_are_usual"], &document["datasets"][0]["path"]),
        (&false.into(), &"/d".into())
    );
    let reads = document["datasets"][0]["reads"].as_array().unwrap().iter();
    let reads: Vec<String> = reads.map(|read| format!("{} {}", read["name"], read["weight"])).collect();
    assert_eq!(reads, ["\"1x60x80\" 0.889", "\"240x1x1\" 0.111"]);
    // Patches at random places, and every other point of each map in another order.
    let text = "{\"dataset\": \"/d\", \"shape\": [1, 8, 8], \"count\": 500, \"order\": \"random\"}\n\
                {\"dataset\": \"/d\", \"shape\": [1, 60, 80], \"count\": 240, \"order\": [0, 2, 1], \"step\": [1, 2, 2]}\n";
    fs::write(&lines, text).unwrap();
    let told = ask(&["--reads-from", lines.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    let reads = document["datasets"][0]["reads"].as_array().unwrap().iter();
    let mut names: Vec<&str> = reads.map(|read| read["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["1x60x80 every 1x2x2", "1x8x8 at 500 random places"]);
    for (text, says) in [
        ("", "it has no line"),
        ("{\"dataset\": \"/d\", \"shape\": [1, 60, 80], \"order\": [0, 1]}", "names each dimension once"),
        ("{\"dataset\": \"/d\", \"shape\": [1, 60, 80], \"order\": \"shuffled\"}", "is not known"),
        (
            "{\"dataset\": \"/d\", \"shape\": [1, 60, 80], \"step\": [1, 0, 2]}",
            "at least 1 for each dimension",
        ),
        ("[1, 2]", "line 1: "),
        ("{\"dataset\": \"/d\", \"shape\": [1, 2]}", "a read of 2 dimensions, but /d has 3"),
        ("{\"dataset\": \"/d\", \"shape\": [0, 60, 80]}", "no read of an element of /d"),
        ("{\"dataset\": \"/e\", \"shape\": [1]}", "/e"),
    ] {
        fs::write(&lines, text).unwrap();
        let ended = ask(&["--reads-from", lines.to_str().unwrap()]);
        assert_eq!(ended.code, 2, "{text}: {}", ended.err);
        assert!(ended.err.contains(says), "{text}: {}", ended.err);
    }
}

#[test]
fn wrong_requests_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(
        folder.path(),
        "few.h5",
        "f['d'] = np.arange(6.).reshape(2, 3); f['s'] = 1.; f['v'] = ['a', 'bc']; f['n'] = h5py.Empty('f4')"
    ));
    for (options, says) in [
        (&["/d", "--readers", "hdf4"][..], "unknown reader \"hdf4\""),
        (&["/d", "--read", "1x1x1"], "--read 1x1x1 has 3 dimensions, but /d has 2"),
        (&["/d", "--write", "4"], "--write 4 has 1 dimension, but /d has 2"),
        (&["/d", "--read", "1x9999"], "--read 1x9999 wants 9999 elements along axis 1, but /d has 3"),
        (&["/d", "--max-error", "0%"], "percentage"),
        (&["/n"], "FILE: /n: it has no values: its dataspace is null"),
        (&["/d", "--size-bound", "huge"], "cannot understand the size bound"),
        (&["/d", "--place", "moon"], "cannot understand the place"),
        (&["/d", "--seconds", "0"], "number of seconds"),
        (&["/s"], "/s: it is a scalar"),
        (&["/v"], "/v: its values are of variable length"),
        (&["/nothing"], "FILE"),
        (&["/nothing"], "nothing"),
    ] {
        let ended = run(&[&["advise", "{}"], options].concat(), &path);
        assert_eq!(ended.code, 2, "{options:?}: {}", ended.err);
        assert!(ended.err.contains(says), "{options:?}: {}", ended.err);
    }
}

#[test]
fn a_reader_that_is_named_twice_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let told = advice(&path, &["--read", "1x60x80", "--readers", "h5py,h5py"]);
    assert_eq!(told["readers"], serde_json::json!(["h5py"]));
    assert_eq!(told["recommendations"].as_array().unwrap().len(), 1);
}

#[test]
fn the_lines_are_about_what_a_soft_link_leads_to() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!("{}; f.move('d', 'g/data'); f['link'] = h5py.SoftLink('/g/data')", MAPS);
    let path = require!(written(folder.path(), "maps.h5", &line));
    let told = run(&["advise", "--json", "--seconds", "5", "{}", "/link", "--read", ":x1x1"], &path);
    assert_eq!((told.code, told.err.as_str()), (0, "note: /link is a soft link to /g/data\n"));
    let document: Value = serde_json::from_str(&told.out).unwrap();
    let one = &document["datasets"][0];
    assert_eq!((&one["path"], &recommended(one)["verdict"]), (&"/g/data".into(), &"rewrite".into()));
    let lines = recommended(one)["lines"].as_array().unwrap();
    for line in lines
        .iter()
        .filter(|line| ["hyperslab", "h5repack", "h5py"].contains(&line["tool"].as_str().unwrap()))
    {
        let line = line["line"].as_str().unwrap();
        assert!(line.contains("g/data") && !line.contains("link"), "{line}");
    }
}

#[test]
fn names_cannot_control_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let name = "'new\\nline\\x1b[31m\\x07'";
    let line = format!("{}; f.move('d', {name})", MAPS);
    let path = require!(written(folder.path(), "maps.h5", &line));
    let page = folder.path().join("page.html");
    let page = page.to_str().unwrap();
    for command in [
        &["advise", "{}", "--seconds", "3", "--read", ":x1x1", "--html", page][..],
        &["advise", "{}", "--seconds", "3", "--place", "s3"],
        &["doctor", "{}", "--html", page],
        &["doctor", "--all", "--cloud", "{}"],
        &["doctor", "--summary", "{}"],
        &["doctor", "{}", folder.path().to_str().unwrap()],
    ] {
        let told = run(command, &path);
        assert_eq!(told.code, 0, "{command:?}: {}", told.err);
        for text in [&told.out, &told.err] {
            let is_odd = |c: char| c.is_control() && c != '\n';
            assert!(!text.contains(is_odd), "{command:?}: {text:?}");
            assert!(!text.lines().any(|line| line.starts_with("line")), "{command:?}: {text}");
        }
        assert!(told.out.contains("new\\nline"), "{command:?}: {}", told.out);
    }
}

/// Samples for the user's libhdf5 lie in a folder with the number of the process in its name.
#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_advice_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let mut child = Command::new(env!("CARGO_BIN_EXE_hyperslab"))
        .args(["advise", "--seconds", "30"])
        .arg(&path)
        .env("TMPDIR", folder.path())
        // The libhdf5 of this Python decodes the samples.
        .env("VIRTUAL_ENV", require!(python()).ancestors().nth(2).unwrap())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let prefix = format!("hyperslab-advise-{}-", child.id());
    let has_samples = || {
        let places = [Path::new("/dev/shm"), folder.path()];
        let entries = places.into_iter().filter_map(|place| fs::read_dir(place).ok()).flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
    };
    let mut found = false;
    while !found && child.try_wait().unwrap().is_none() {
        found = has_samples();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let code = child.wait().unwrap().code();
    assert!(interrupted.is_ok_and(|status| status.success()));
    assert_eq!((found, code), (true, Some(130)));
    assert!(!has_samples());
}

#[test]
fn advice_that_fails_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "damaged.h5", MAPS));
    let chunks = run(&["chunks", "--csv", "{}", "/d"], &path).out;
    // The file ends in the middle of its chunks.
    assert!(chunks.lines().count() > 100, "{chunks}");
    let mut bytes = fs::read(&path).unwrap();
    let len = bytes.len();
    bytes.truncate(len / 2);
    fs::write(&path, &bytes).unwrap();
    let told = run(&["advise", "{}", "/d"], &path);
    assert_ne!(told.code, 0);
    assert!(told.err.starts_with("error: FILE: "), "{}", told.err);
}

#[test]
fn the_doctor_counts_random_places_and_strides() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let ask = |options: &[&str]| {
        let told = run(&[&["doctor", "--json", "--all", "{}", "/d"], options].concat(), &path);
        assert_eq!(told.code, 0, "{}", told.err);
        let document: Value = serde_json::from_str(&told.out).unwrap();
        document["datasets"][0]["reads"][0].clone()
    };
    let random = ask(&["--read", "1x1x80", "--random", "300"]);
    assert_eq!(random["name"], "1x1x80 at 300 random places");
    assert_eq!(random["reads"], 300);
    // Of the maps, about one in a cache: nearly every row decodes one.
    let decodes = |read: &Value, at: usize| read["profiles"][at]["decodes"].as_u64().unwrap();
    assert!((1..=300).contains(&decodes(&random, 0)), "{random}");
    let strided = ask(&["--read", "1x60x80", "--stride", "1x2x2"]);
    let plain = ask(&["--read", "1x60x80"]);
    assert_eq!(strided["name"], "1x60x80 every 1x2x2");
    assert_eq!(decodes(&strided, 0), decodes(&plain, 0));
    for wrong in [["--stride", "1x2"], ["--stride", "0x1x1"]] {
        let ended = run(&[&["doctor", "{}", "/d", "--read", "1x60x80"], &wrong[..]].concat(), &path);
        assert_eq!(ended.code, 2, "{}", ended.err);
    }
}

#[test]
fn the_doctor_counts_what_a_program_that_writes_encodes() {
    let folder = tempfile::tempdir().unwrap();
    let path = require!(written(folder.path(), "maps.h5", MAPS));
    let ask = |options: &[&str]| {
        let told =
            run(&[&["doctor", "--json", "--all", "{}", "/d", "--cache", "64KiB"], options].concat(), &path);
        assert_eq!(told.code, 0, "{}", told.err);
        let document: Value = serde_json::from_str(&told.out).unwrap();
        document["datasets"][0].clone()
    };
    // A row of a map is a part of one chunk, and the cache holds three maps.
    let rows = ask(&["--write", "1x1x80"]);
    let write = &rows["writes"][0];
    assert_eq!((&write["name"], &write["writes"]), (&"1x1x80".into(), &14_400.into()));
    let profile = &write["profiles"][0];
    assert_eq!((&profile["encodes"], &profile["decodes"]), (&240.into(), &0.into()), "{profile}");
    // Series by series, each touches every map.
    let series = ask(&["--write", "240x1x1@2", "--write", "1x60x80"]);
    let encodes = |at: usize| series["writes"][at]["profiles"][0]["encodes"].as_u64().unwrap();
    assert_eq!((encodes(0), encodes(1)), (240 * 4_800, 240));
    let codes: Vec<&Value> =
        series["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert!(codes.contains(&&"chunks-encoded-again".into()), "{codes:?}");
    let text = run(&["doctor", "{}", "/d", "--write", "240x1x1", "--cache", "64KiB"], &path).out;
    assert!(text.contains("Writes of /d into a new file"), "{text}");
    assert!(text.contains("encodes 240 chunks 1,152,000 times"), "{text}");
    assert!(text.contains("rdcc_nbytes=5242880"), "the cache that holds all maps: {text}");
    let random = ask(&["--write", "1x60x80", "--random", "30"]);
    assert_eq!(random["writes"][0]["name"], "1x60x80 at 30 random places");
    assert_eq!(run(&["doctor", "{}", "/d", "--write", "1x60"], &path).code, 2);
}

#[test]
fn advice_is_given_before_data_exist() {
    let nowhere = Path::new("/nowhere");
    // 36 TB: more than is made, and more than any disk of a test has.
    let words =
        ["advise", "--synthetic", "87600x7210x14400", "--type", "<f4", "--ratio", "2", "--seconds", "1"];
    let reads = ["--read", "1x7210x14400", "--read", ":x1x1"];
    let told = run(&[&words[..], &reads, &["--json"]].concat(), nowhere);
    assert_eq!(told.code, 0, "{}", told.err);
    let document: Value = serde_json::from_str(&told.out).unwrap();
    let advice = &document["datasets"][0];
    assert_eq!((&advice["path"], &advice["logical_bytes"]), (&"/data".into(), &36_379_929_600_000u64.into()));
    let one = &advice["recommendations"][0];
    assert_eq!((&one["verdict"], &one["payback"]), (&"rewrite".into(), &Value::Null));
    assert!(one["storage"]["chunk"].is_array(), "{one}");
    let tools: Vec<&str> =
        one["lines"].as_array().unwrap().iter().map(|line| line["tool"].as_str().unwrap()).collect();
    assert!(tools.contains(&"h5py") && !tools.contains(&"h5repack"), "{tools:?}");
    let text = run(&[&words[..], &reads].concat(), nowhere).out;
    assert!(text.contains("\nplain values: contiguous") && !text.contains("\nnow: "), "{text}");
    assert!(!text.contains("repack"), "{text}");
    for (wrong, says) in [
        (&["advise", "--synthetic", "10x:x3"][..], "each dimension is a number"),
        (&["advise", "--synthetic", "0x3"], "at least one element"),
        (&["advise", "--synthetic", "10x10", "--type", "{a:<f4,b:<i2}"], "records"),
        (&["advise", "--synthetic", "99999999999x99999999999x9999"], "too many"),
        (&["advise", "--synthetic", "10x10", "file.h5"], "cannot be used with"),
        (&["advise", "--type", "<f4"], "--synthetic"),
        (&["advise"], "<FILE>"),
    ] {
        let ended = run(wrong, nowhere);
        assert_eq!(ended.code, 2, "{wrong:?}: {}", ended.err);
        assert!(ended.err.contains(says), "{wrong:?}: {}", ended.err);
    }
}
