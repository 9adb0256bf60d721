//! `doctor --cloud`: what it forecasts, and what real readers then request of a server.

use super::{NAME, serve};
use hyperslab::{Endianness, File, Prefetch, Selection};
use hyperslab_remote::{Files, RemoteOptions};
use hyperslab_testkit::files::{fixture, python};
use hyperslab_testkit::{Missing, RangeServer, require, skipped};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

const DATASET: &str = "/gt1l/heights/h_ph";
/// The read of all its elements, as the doctor names it.
const WHOLE: &str = "57600";
/// Elements of a block: chunks have others.
const BLOCK: u64 = 7_000;
/// fsspec's caches, their blocks, and the codes of the readers in the forecast.
const CACHES: [(&str, u64, &str); 5] = [
    ("none", 5 << 20, "fsspec-none"),
    ("first", 5 << 20, "fsspec-first"),
    ("readahead", 5 << 20, "fsspec-readahead"),
    ("blockcache", 4 << 20, "fsspec-blockcache-4MiB"),
    ("blockcache", 8 << 20, "fsspec-blockcache-8MiB"),
];

/// A command that finds no Python, and predicts seconds by built-in constants.
fn without_python(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hyperslab"));
    command.args(words).env("HYPERSLAB_CALIBRATION", "0").env("PATH", "/nowhere");
    command.env_remove("VIRTUAL_ENV").env_remove("CONDA_PREFIX");
    command
}

/// The document of the doctor.
fn doctor(file: &str, options: &[&str], python: Option<&Path>) -> Value {
    let mut command = without_python(&["doctor", "--cloud", "--json", file]);
    command.args(options);
    if let Some(python) = python {
        command.env("HYPERSLAB_INTERPRETER", python);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn step<'a>(document: &'a Value, name: &str) -> &'a Value {
    let mut steps = document["forecast"]["steps"].as_array().unwrap().iter();
    steps.find(|step| step["name"] == name).unwrap_or_else(|| panic!("{name}: {document}"))
}

fn readers<'a>(document: &'a Value, name: &str) -> &'a Vec<Value> {
    step(document, name)["readers"].as_array().unwrap()
}

/// Requests and bytes of a reader.
fn forecast(document: &Value, name: &str, reader: &str) -> (u64, u64) {
    let mut readers = readers(document, name).iter();
    let found = readers.find(|found| found["reader"] == reader).unwrap_or_else(|| panic!("{reader}"));
    (found["requests"].as_u64().unwrap(), found["bytes"].as_u64().unwrap())
}

fn took(server: &RangeServer) -> (u64, u64) {
    let counts = server.take_counts();
    (counts.requests, counts.bytes)
}

/// A Python that reads a served file over caches of fsspec, as it is told.
struct Reader {
    process: Child,
    jobs: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Reader {
    fn start(python: &Path, url: &str) -> Result<Self, Missing> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut process = Command::new(python)
            .arg(folder.join("tests/remote/readers.py"))
            .arg(folder.join("../hyperslab-apps/src/forecast/record.py"))
            .arg(url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (jobs, answers) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut reader = Self { process, jobs, answers: BufReader::new(answers).lines() };
        match reader.answer()["skip"].as_str() {
            Some(why) => Err(Missing::new(why.to_owned())),
            None => Ok(reader),
        }
    }

    fn answer(&mut self) -> Value {
        serde_json::from_str(&self.answers.next().expect("an answer").unwrap()).unwrap()
    }

    fn run(&mut self, job: &Value) -> Result<(), Missing> {
        writeln!(self.jobs, "{job}").unwrap();
        let answer = self.answer();
        if let Some(why) = answer["skip"].as_str() {
            return Err(Missing::new(why.to_owned()));
        }
        assert!(answer["seconds"].is_number(), "{answer}");
        Ok(())
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn granules() -> Result<[PathBuf; 2], Missing> {
    Ok([fixture("granule/granule.h5")?, fixture("granule/granule_paged.h5")?])
}

/// Start and count of the blocks of so many elements.
fn blocks(document: &Value, block: u64) -> Vec<Value> {
    let extent = document["datasets"][0]["shape"][0].as_u64().unwrap();
    let starts = (0..extent).step_by(block as usize);
    starts.map(|start| json!([[start], [block.min(extent - start)]])).collect()
}

#[test]
fn h5py_makes_the_requests_that_are_forecast_for_each_cache_of_fsspec() {
    let python = require!(python());
    for path in require!(granules()) {
        let sweep = BLOCK.to_string();
        let document = doctor(path.to_str().unwrap(), &[DATASET, "--read", &sweep], Some(&python));
        let blocks = blocks(&document, BLOCK);
        let reading = step(&document, &sweep);
        assert_eq!(reading["blocks"], blocks.len() as u64);
        assert_eq!(reading["blocks_replayed"], reading["blocks"]);
        let server = serve(&path, 0);
        let mut h5py = match Reader::start(&python, &server.url(NAME)) {
            Ok(reader) => reader,
            Err(missing) => return skipped(&missing),
        };
        for (cache, block_bytes, reader) in CACHES {
            for (name, step) in [("opening", "opening"), ("listing", "listing"), (&*sweep, "reading")] {
                // Hundreds of requests, which other caches make, too.
                if name == "listing" && matches!(cache, "none" | "first") {
                    continue;
                }
                let job = json!({ "reader": cache, "block": block_bytes, "step": step, "dataset": DATASET, "blocks": blocks });
                require!(h5py.run(&job));
                let real = took(&server);
                assert_eq!(forecast(&document, name, reader), real, "{reader}, {name}: {}", path.display());
            }
        }
    }
}

/// More blocks than are recorded: the reads of the others follow from the chunk cache. Which nodes of the chunk index they need
/// is taken from the plan, which in files with pages fetches nodes of other datasets, too: within 2 %.
#[test]
fn blocks_that_were_not_recorded_make_the_requests_that_are_forecast() {
    let python = require!(python());
    for path in require!(granules()) {
        let document = doctor(path.to_str().unwrap(), &[DATASET, "--read", "40"], Some(&python));
        let blocks = blocks(&document, 40);
        assert!(blocks.len() > 1_000);
        assert_eq!(step(&document, "40")["blocks_replayed"], blocks.len());
        let server = serve(&path, 0);
        let mut h5py = require!(Reader::start(&python, &server.url(NAME)));
        let (cache, block_bytes, reader) = CACHES[0];
        let job = json!({ "reader": cache, "block": block_bytes, "step": "reading", "dataset": DATASET, "blocks": blocks });
        require!(h5py.run(&job));
        let (told, real) = (forecast(&document, "40", reader), took(&server));
        for (told, real) in [(told.0, real.0), (told.1, real.1)] {
            assert!(told.abs_diff(real) * 50 <= real, "{told}, really {real}: {}", path.display());
        }
    }
}

#[test]
fn zarr_makes_the_requests_that_are_forecast_over_the_references_of_kerchunk() {
    let python = require!(python());
    let path = &require!(granules())[0];
    let sweep = BLOCK.to_string();
    let document = doctor(path.to_str().unwrap(), &[DATASET, "--read", &sweep], Some(&python));
    let server = serve(path, 0);
    let mut zarr = require!(Reader::start(&python, &server.url(NAME)));
    let blocks = blocks(&document, BLOCK);
    let job = json!({ "reader": "kerchunk", "step": "reading", "dataset": DATASET, "blocks": blocks, "local": path });
    require!(zarr.run(&job));
    let (requests, bytes) = forecast(&document, &sweep, "kerchunk");
    // The references are a request of their own, which was not made of this server.
    let (index_requests, index_bytes) = forecast(&document, "opening", "kerchunk");
    assert_eq!((requests - index_requests, bytes - index_bytes), took(&server));
}

#[test]
fn explain_and_advise_forecast_what_the_doctor_does() {
    let path = &require!(granules())[0];
    let file = path.to_str().unwrap();
    let told = doctor(file, &[DATASET, "--read", ":"], None);
    let told_by = |words: &[&str]| -> Value {
        let output = without_python(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let explained = told_by(&["explain", "--cloud", "--json", file, DATASET]);
    let advised = told_by(&["advise", "--cloud", "--json", "--seconds", "1", file, DATASET, "--read", ":"]);
    for (document, name) in [(&explained, ":"), (&advised, WHOLE)] {
        for (own, of_doctor) in [("opening", "opening"), ("listing", "listing"), (name, WHOLE)] {
            assert_eq!(readers(document, own), readers(&told, of_doctor), "{own}");
        }
    }
    assert!(told_by(&["advise", "--json", "--seconds", "1", file, DATASET])["forecast"].is_null());
    let text = without_python(&["explain", "--cloud", file, DATASET, "0:100"]).output().unwrap();
    assert!(String::from_utf8_lossy(&text.stdout).contains("In an object store (s3:"), "{text:?}");
    let steps = without_python(&["explain", "--cloud", file, DATASET, "::2"]).output().unwrap();
    assert_eq!(steps.status.code(), Some(2), "{steps:?}");
}

#[test]
fn hyperslab_makes_the_requests_that_are_forecast_for_it() {
    for path in require!(granules()) {
        let document = doctor(path.to_str().unwrap(), &[DATASET, "--read", ":"], None);
        assert_eq!(document["forecast"]["recorded_with"], Value::Null);
        let server = serve(&path, 0);
        let open = || {
            let files = Arc::new(Files::new(RemoteOptions::default()));
            File::open_with(files, server.url(NAME).as_str()).unwrap()
        };
        let file = open();
        assert_eq!(forecast(&document, "opening", "hyperslab"), took(&server));
        let rounds = || hyperslab_remote::traffic().rounds;
        let before = rounds();
        file.root().unwrap().prefetch(&Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: true });
        // How many structures share a request depends on the latency that is measured meanwhile.
        let listing =
            readers(&document, "listing").iter().find(|found| found["reader"] == "hyperslab").unwrap();
        assert_eq!(listing["rounds"], rounds() - before + 1, "{}", path.display());
        took(&server);
        drop(file);
        let file = open();
        let dataset = file.dataset(DATASET).unwrap();
        dataset.read_bytes(&Selection::parse("", dataset.shape()).unwrap(), Endianness::File).unwrap();
        assert_eq!(forecast(&document, WHOLE, "hyperslab"), took(&server), "{}", path.display());
    }
}

#[test]
fn a_url_has_a_forecast_too() {
    let path = &require!(granules())[0];
    let server = serve(path, 0);
    let document = doctor(&server.url(NAME), &[DATASET, "--read", ":", "--place", "s3,egress=0"], None);
    assert_eq!(document["forecast"]["place"], "s3,egress=0");
    let (requests, bytes) = forecast(&document, WHOLE, "fsspec-blockcache-4MiB");
    assert!((2..=5).contains(&requests) && bytes <= 12_886_912, "{requests} {bytes}");
    let money = step(&document, "opening")["readers"][0]["dollars"].as_f64().unwrap();
    let asked = step(&document, "opening")["readers"][0]["requests"].as_f64().unwrap();
    assert!((money - asked * 4e-7).abs() < 1e-12, "{money}");
}
