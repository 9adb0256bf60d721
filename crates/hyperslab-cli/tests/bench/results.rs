//! What `hyperslab bench` leaves: a document with the command of every cell, a page, and a journal from which an
//! interrupted bench goes on. On made-up values where there is a libhdf5 to write them, on a fixture everywhere.

use super::{bench, json};
use hyperslab_testkit::files::fixture;
use hyperslab_testkit::{Missing, require, skip};
use serde_json::Value;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const DATASET: &str = "/All_Data/CrIS-SDR_All/ES_ImaginaryLW";

/// A folder of this test's own, where everything is remembered and written.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn bench(&self, arguments: &[&str]) -> Command {
        let mut command = bench(arguments);
        command.env("XDG_CACHE_HOME", self.0.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.bench(arguments).output().unwrap()
    }

    fn document(&self, arguments: &[&str]) -> Value {
        json(&self.run(&[arguments, &["--json"]].concat()))
    }
}

/// The granule of the case study, where the fixtures have been made.
fn granule() -> Result<String, Missing> {
    let path = fixture("case_study/cris_small.h5")?;
    Ok(path.canonicalize().unwrap().to_str().unwrap().to_owned())
}

/// What makes a row what it is, without what was measured.
fn identity(row: &Value) -> Value {
    let keys = [
        "storage",
        "access",
        "engine",
        "version",
        "cache",
        "is_default_cache",
        "page_buffer",
        "metadata_cache",
    ];
    // Where several types are measured, each is named with what is stored.
    let stored_as = row["stored_as"].as_str().unwrap();
    let element = format!("{} in ", row["storage"]["element"].as_str().unwrap_or_default());
    let stored_as = stored_as.strip_prefix(&element).unwrap_or(stored_as);
    keys.iter()
        .map(|key| row[key].clone())
        .chain([stored_as.into(), row["write"]["access"].clone()])
        .collect()
}

#[test]
fn every_row_has_the_command_that_measures_it_again() {
    let place = Place::new();
    let subject = ["--synthetic", "24x20x6", "--type", "<i2", "--type", ">f8", "--ratio", "3", "--seed", "5"];
    let stored = ["--chunks", "6x20x6", "--chunks", "contiguous", "--filter", "none", "--libver", "latest"];
    let write =
        ["--write", "1x20x6", "--write-order", "1,0,2", "--write-cache", "0,7,0.5", "--write-repeats", "1"];
    let ways: [&[&str]; 3] = [
        &["--order", "2,0,1", "--stride", "1x2x1", "--metadata-cache", "65536"],
        &["--moved"],
        &["--random", "9", "--unlimited", "--chunks", "5x5x5"],
    ];
    for (number, way) in ways.iter().enumerate() {
        let stored = if number == 2 { &stored[..0] } else { &stored[..] };
        let read = ["--read", "2x10x3", "--cache", "default", "--cache", "5000,11,0.25", "--repeats", "1"];
        let all = [&subject[..], stored, &write, way, &read].concat();
        let found = place.document(&all);
        let rows = found["rows"].as_array().unwrap();
        if rows.is_empty() {
            skip!("no libhdf5 writes here: {}", found["skipped"]);
        }
        let types = ["<i2 in ", ">f8 in "];
        let of_type =
            |name| rows.iter().filter(move |row| row["stored_as"].as_str().unwrap().starts_with(name));
        assert_eq!(types.map(|name| of_type(name).count()), [rows.len() / 2; 2], "both are distinguished");
        // Each kind of row once: many differ in nothing that is new.
        for row in rows.iter().step_by(if number == 0 { 3 } else { 5 }) {
            let command = row["command"].as_str().unwrap();
            let words = shlex::split(command).unwrap();
            assert_eq!(words[..2], ["hyperslab", "bench"]);
            let words: Vec<&str> = words[2..].iter().map(String::as_str).collect();
            let again = place.document(&words);
            let again = again["rows"].as_array().unwrap();
            assert_eq!(again.len(), 1, "{command}");
            assert_eq!(identity(&again[0]), identity(row), "{command}");
        }
    }
}

#[test]
fn a_document_says_what_was_asked_where_and_of_whom_and_is_drawn_again() {
    let (file, place) = (require!(granule()), Place::new());
    let (page, again, results) =
        (place.path("page.html"), place.path("again.html"), place.path("results.json"));
    let asked =
        [&file, DATASET, "--read", "1x1x9x717", "--reads", "40", "--engine", "hyperslab", "--engine", "null"];
    let output = place.run(&[&asked[..], &["--repeats", "2", "--json", "--html", &page]].concat());
    let found = json(&output);
    assert_eq!(found["format"], 1);
    for (key, says) in [
        ("hyperslab", env!("CARGO_PKG_VERSION")),
        ("date", "UTC"),
        ("command", "--reads 40"),
        ("page_cache", "warm"),
    ] {
        assert!(found[key].as_str().unwrap().contains(says), "{key}: {}", found[key]);
    }
    assert!(found["machine"]["cores"].as_u64().unwrap() > 0);
    assert!(found["machine"]["memory_bytes"].as_u64().unwrap() > 0);
    assert_eq!(found["data"]["chunks"], serde_json::json!([1, 30, 9, 717]));
    assert_eq!(found["engines"][0]["name"], "hyperslab");
    assert_eq!(found["rows"].as_array().unwrap().len(), 2);

    std::fs::write(&results, &output.stdout).unwrap();
    let drawn = place.run(&["--from", &results, "--html", &again, "--csv", &place.path("rows.csv")]);
    assert_eq!(drawn.status.code(), Some(0), "{drawn:?}");
    let drawn = String::from_utf8(drawn.stdout).unwrap();
    assert_eq!(std::fs::read_to_string(&page).unwrap(), std::fs::read_to_string(&again).unwrap());
    assert_eq!(std::fs::read_to_string(place.path("rows.csv")).unwrap().lines().count(), 3);
    // The engine that does nothing does not win; it says what the harness costs.
    let last: Vec<&str> = drawn.lines().rev().take(2).collect();
    assert!(last[0].starts_with("The harness itself takes "), "{drawn}");
    assert!(last[1].starts_with("Read 1x1x9x717: hyperslab is fastest"), "{drawn}");
    assert!(place.run(&["--from", &file]).status.code() == Some(2));
}

#[test]
fn an_interrupted_bench_goes_on_where_it_was() {
    let (file, place) = (require!(granule()), Place::new());
    let orders =
        ["--order", "all", "--read", "1x1x9x717", "--engine", "hyperslab", "--repeats", "2", "--json"];
    let asked = [&[file.as_str(), DATASET], &orders[..]].concat();
    let mut command = place.bench(&asked);
    let mut running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn().unwrap();
    // Once two rows are kept, Ctrl-C.
    let began = Instant::now();
    while kept(&place) < 2 {
        assert!(began.elapsed() < Duration::from_secs(120), "nothing is kept");
        assert!(running.try_wait().unwrap().is_none(), "it was done before it could be interrupted");
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: a signal to a child that has not been waited for, and to all that it started, as a terminal does.
    unsafe { libc::kill(-(running.id() as libc::pid_t), libc::SIGINT) };
    let stopped = running.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert_eq!(stopped.status.code(), Some(1), "{said}");
    assert!(said.contains("interrupted") && said.contains("--resume"), "{said}");
    let first = json(&stopped);
    let (done, left) =
        (first["rows"].as_array().unwrap().clone(), first["skipped"].as_array().unwrap().len());
    assert!(done.len() >= 2 && left >= 1, "{} done, {left} left", done.len());

    let resumed = place.run(&[&asked[..], &["--resume"]].concat());
    let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert!(said.contains(&format!("resumed: {} of 24 rows", done.len())), "{said}");
    let whole = json(&resumed);
    assert_eq!(
        (whole["rows"].as_array().unwrap().len(), whole["skipped"].as_array().unwrap().len()),
        (24, 0)
    );
    // What was measured is what it was, to the last digit, and not measured again.
    assert_eq!(whole["rows"].as_array().unwrap()[..done.len()], done[..]);
    assert_eq!(kept(&place), 0, "a bench that came to its end leaves nothing");
}

#[test]
fn what_changed_is_measured_again() {
    let (original, place) = (require!(granule()), Place::new());
    let (file, journal) = (place.path("granule.h5"), place.path("journal"));
    std::fs::copy(original, &file).unwrap();
    let resume = format!("--resume={journal}");
    let recalled = |more: &[&str]| {
        let asked = [&file, DATASET, "--reads", "20", "--engine", "hyperslab", "--repeats", "1", &resume];
        let output = place.run(&[&asked[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let rows = ["--read", "1x1x9x717"];
    assert_eq!(recalled(&rows), "", "nothing is known yet");
    assert!(recalled(&rows).contains("resumed: 1 of 1 rows"));
    assert!(recalled(&["--read", "1x1x9x717", "--read", "1x30x9x1"]).contains("resumed: 1 of 2 rows"));
    assert_eq!(recalled(&["--read", "1x1x9x717", "--cold"]), "", "cold is another question");
    // The same bytes, written anew.
    std::fs::write(&file, std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(recalled(&rows), "", "the file was changed");
}

/// Rows in the journal that has no name.
fn kept(place: &Place) -> usize {
    let Ok(folder) = std::fs::read_dir(place.0.path().join("hyperslab")) else { return 0 };
    let journals = folder.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path()).ok());
    journals.map(|text| text.lines().filter(|line| !line.is_empty()).count()).sum()
}
