//! `hyperslab-floor`: measures the lowest possible time of a read and the time of the engine, one after the other on the
//! same machine.
//!
//! ```text
//! hyperslab-floor read FILE DATASET SELECTION...    these selections, one after the other
//! hyperslab-floor rows FILE DATASET                 every row along the last axis, one after the other
//! hyperslab-floor open FILE PATH                    opening one object of a file
//! hyperslab-floor list FILE                         opening a file and describing every object in it
//! hyperslab-floor task TASK FILE PATH               the task of this name in `perf/tasks.py`
//! hyperslab-floor decode FILE DATASET               decoding each chunk of a dataset once, on all cores
//! hyperslab-floor records FILE BEGIN STRIDE BYTES COUNT   bytes at equal distances, without any library
//! hyperslab-floor encode FILE DATASET [fast]        encoding each chunk of a dataset once, on all cores; gzip by the fast encoder
//! ```
//!
//! Each prints one JSON object with seconds and counts. The process does one measurement and ends, so only the system's
//! page cache is warm: an unmeasured first pass over the file fills it. The caller (`perf/ratios.py`) repeats the
//! measurement, and alternates with other readers.

mod codec_floor;
mod engine;
mod floor;
mod records_floor;
mod tasks;

use codec_floor::Codec;
use hyperslab::{Axis, Error, File, Object, Result, Selection};
use hyperslab_filters::DeflateEncoder;
use records_floor::Records;
use serde_json::{Value, json};
use std::time::Instant;

const USAGE: &str = "usage: hyperslab-floor read FILE DATASET SELECTION... | rows FILE DATASET | open FILE PATH \
                     | list FILE | records FILE BEGIN STRIDE BYTES COUNT | task TASK FILE PATH | decode FILE DATASET | encode FILE DATASET [fast]";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let measured = match words.as_slice() {
        ["read", path, dataset, selections @ ..] if !selections.is_empty() => {
            read(path, dataset, Some(selections))
        }
        ["rows", path, dataset] => read(path, dataset, None),
        ["open", path, object] => open(path, object),
        ["list", path] => list(path),
        ["task", task, path, object] => tasks::run(task, path, object),
        ["decode", path, dataset] => codec_floor::measure(path, dataset, Codec::Decode),
        ["records", path, numbers @ ..] => records(path, numbers),
        ["encode", path, dataset] => {
            codec_floor::measure(path, dataset, Codec::Encode(DeflateEncoder::Small))
        }
        ["encode", path, dataset, "fast"] => {
            codec_floor::measure(path, dataset, Codec::Encode(DeflateEncoder::Fast))
        }
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2);
        }
    };
    match measured {
        Ok(value) => println!("{value}"),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(1);
        }
    }
}

/// Measures the floor of some reads, the reads with the engine into new memory and, for a single read, also into memory
/// that was written before.
fn read(path: &str, name: &str, selections: Option<&[&str]>) -> Result<Value> {
    let file = File::open(path)?;
    let dataset = file.dataset(name)?;
    let selections: Vec<Selection> = match selections {
        Some(texts) => {
            texts.iter().map(|text| Selection::parse(text, dataset.shape())).collect::<Result<_>>()?
        }
        None => rows(dataset.shape()),
    };
    let work = floor::Work::new(path, &dataset, &selections)?;
    work.warm();
    let mut target = work.target();
    let floor = work.run(&mut target);
    drop(target);
    let fresh = engine::fresh(path, name, &selections)?;
    let mut measured = json!({
        "rust": fresh.seconds,
        "reads": selections.len(),
        "chunks": work.chunks(),
        "decodes": fresh.decodes,
    });
    let wanted_bytes: Result<u64> = selections.iter().map(|one| engine::bytes_of(&dataset, one)).sum();
    let wanted_bytes = wanted_bytes?;
    if work.is_least(wanted_bytes) {
        measured["floor"] = json!(floor);
    }
    // The engine caches all decoded chunks in new memory, so the floor is also measured with new memory.
    if work.decoded_bytes() == wanted_bytes && selections.len() == 1 {
        measured["floor_new"] = json!(work.run(&mut work.new_target()));
    }
    if let [selection] = selections.as_slice() {
        measured["rust_touched"] = json!(engine::touched(path, name, selection)?);
    }
    Ok(measured)
}

/// One selection for each row along the last axis.
fn rows(shape: &[u64]) -> Vec<Selection> {
    let Some((&last, slow)) = shape.split_last() else { return vec![Selection::All] };
    let count: u64 = slow.iter().product();
    let row = |number: u64| {
        let mut rest = number;
        let mut axes = vec![Axis::all(last)];
        for &size in slow.iter().rev() {
            axes.push(Axis::span(rest % size, rest % size + 1));
            rest /= size;
        }
        axes.reverse();
        Selection::Slab(axes)
    };
    (0..count).map(row).collect()
}

fn records(path: &str, numbers: &[&str]) -> Result<Value> {
    let numbers: Option<Vec<u64>> = numbers.iter().map(|number| number.parse().ok()).collect();
    let Some(&[begin, stride, bytes, count]) = numbers.as_deref().filter(|numbers| numbers.last() > Some(&0))
    else {
        return Err(Error::from(std::io::Error::other(USAGE)));
    };
    Ok(records_floor::measure(path, &Records { begin, stride, bytes, count })?)
}

fn open(path: &str, object: &str) -> Result<Value> {
    let began = Instant::now();
    let file = File::open(path)?;
    let found = file.get(object)?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(json!({ "rust": seconds, "object": found.path() }))
}

fn list(path: &str) -> Result<Value> {
    let began = Instant::now();
    let file = File::open(path)?;
    let opened = began.elapsed().as_secs_f64();
    let mut waiting = vec![file.root()?];
    let (mut objects, mut described) = (1u64, 0usize);
    while let Some(group) = waiting.pop() {
        for link in group.links()? {
            objects += 1;
            match group.open(&link?)? {
                Object::Group(inner) => waiting.push(inner),
                Object::Dataset(dataset) => {
                    let chunks = dataset.chunk_shape().map(<[u64]>::len).unwrap_or_default();
                    described += dataset.shape().len() + chunks + dataset.filters().len();
                    described += dataset.attributes().list()?.len();
                }
                Object::Datatype(_) => {}
            }
        }
    }
    let listed = began.elapsed().as_secs_f64();
    Ok(json!({ "open": opened, "rust": listed, "objects": objects, "described": described }))
}
