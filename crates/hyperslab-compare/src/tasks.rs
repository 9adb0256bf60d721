//! Tasks other than reading slices: text, members of records, points, names. `perf/tasks.py` does the same tasks in
//! Python, with the same names.

use crate::engine;
use hyperslab::{Axis, Dataset, Endianness, Error, File, Members, Points, Result, Selection};
use hyperslab_format::message::Class;
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

/// The sizes of the tasks, which must be those in `perf/tasks.py`.
const POINTS: u64 = 100_000;
const STRIDE: u64 = 11_400_714_819;
const ROWS: u64 = 400;
const COLUMNS: u64 = 100;
const MEMBER: &str = "member 054321";
const ATTRIBUTE: &str = "attribute 054321";

/// Does a task twice, each time with a newly opened file, and returns the time of the second. The first one includes the
/// start of threads.
pub fn run(task: &str, path: &str, name: &str) -> Result<Value> {
    once(task, path, name)?;
    hyperslab::clear_cache();
    once(task, path, name)
}

fn once(task: &str, path: &str, name: &str) -> Result<Value> {
    let file = File::open(path)?;
    match task {
        "names" => {
            let group = file.group(name)?;
            timed(|| group.links().map(|links| links.len()))
        }
        "count" => {
            let group = file.group(name)?;
            timed(|| group.len())
        }
        "member" => {
            let group = file.group(name)?;
            timed(|| group.dataset(MEMBER)?.read::<i32>(&Selection::All))
        }
        "attribute names" => {
            let object = file.get(name)?;
            timed(|| object.attributes().list().map(|attributes| attributes.len()))
        }
        "attribute" => {
            let object = file.get(name)?;
            timed(|| object.attributes().get(ATTRIBUTE))
        }
        "text" => {
            let dataset = file.dataset(name)?;
            timed(|| text(&dataset))
        }
        "field" => {
            let dataset = file.dataset(name)?;
            timed(|| members(&dataset, &["energy"]))
        }
        "fields" => {
            let dataset = file.dataset(name)?;
            timed(|| members(&dataset, &["id", "energy"]))
        }
        other => {
            let dataset = file.dataset(name)?;
            let selection = selection(other, dataset.shape())?;
            let measured = match dataset.datatype().class {
                Class::VlenString { .. } => timed(|| text(&dataset)),
                _ => {
                    // Python's readers get memory that was written before, too: new memory is measured separately.
                    let mut out = vec![1; engine::bytes_of(&dataset, &selection)? as usize];
                    timed(|| dataset.read_into(&selection, Endianness::File, &mut out))
                }
            };
            let mut measured = measured?;
            if !dataset.filters().is_empty() {
                measured["decodes"] = json!(file.decodes());
                measured["chunks"] = json!(dataset.explain(&selection)?.chunks_touched);
            }
            Ok(measured)
        }
    }
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<Value> {
    let began = Instant::now();
    let done = work()?;
    let seconds = began.elapsed().as_secs_f64();
    black_box(done);
    Ok(json!({ "rust": seconds }))
}

fn selection(task: &str, shape: &[u64]) -> Result<Selection> {
    let list = |count: u64, step: u64, size: u64| {
        let mut indexes: Vec<u64> = (0..count).map(|i| i * step % size).collect();
        indexes.sort_unstable();
        Axis::List(indexes)
    };
    Ok(match (task, shape) {
        ("whole", _) => Selection::All,
        ("first chunk", _) => Selection::block(&[0, 0], &[2, 2]),
        ("block", _) => Selection::block(&[1000, 1000], &[100, 100]),
        ("rows", &[rows, columns]) => Selection::Slab(vec![list(ROWS, 37, rows), Axis::all(columns)]),
        ("columns", &[rows, columns]) => Selection::Slab(vec![Axis::all(rows), list(COLUMNS, 40, columns)]),
        ("mask", &[rows, columns]) => {
            let mut flat: Vec<u64> = (0..POINTS).map(|i| i * STRIDE % (rows * columns)).collect();
            flat.sort_unstable();
            let coordinates = flat.iter().flat_map(|place| [place / columns, place % columns]).collect();
            Selection::Points(Points { rank: 2, coordinates })
        }
        _ => return Err(Error::from(std::io::Error::other(format!("no task {task:?} for this dataset")))),
    })
}

/// Reads all text of a dataset.
fn text(dataset: &Dataset) -> Result<Vec<String>> {
    let bytes = dataset.read_bytes(&Selection::All, Endianness::File)?;
    let string = |bytes: &[u8]| {
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    };
    let Class::VlenString { .. } = dataset.datatype().class else {
        return Ok(bytes.chunks_exact(dataset.datatype().size as usize).map(string).collect());
    };
    let mut found: Vec<String> = Vec::with_capacity(bytes.len() / 16);
    dataset.file().heap().each_sequence(&bytes, 1, |text| {
        let text = match text {
            Some(text) => string(text),
            None => found.last().cloned().unwrap_or_default(),
        };
        found.push(text);
        Ok(())
    })?;
    Ok(found)
}

/// Reads some members of all records.
fn members(dataset: &Dataset, names: &[&str]) -> Result<Vec<u8>> {
    dataset.read_members(&Selection::All, &Members::new(dataset.datatype(), names)?)
}
