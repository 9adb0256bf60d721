//! The same reads through the engine, with nothing set: a newly opened file, an empty cache.
//!
//! What a process pays once (threads, buffers of threads) is paid before: short reads are done twice, and the second
//! counts.

use hyperslab::{Dataset, File, Order, Result, Selection};
use std::time::Instant;

/// What some reads cost.
pub struct Cost {
    pub seconds: f64,
    pub decodes: u64,
}

/// Reads longer than this have paid what a process pays once many times over.
const SHORT_SECONDS: f64 = 0.2;

/// Reads into new memory, as a user's program does. Opening is not counted.
pub fn fresh(path: &str, name: &str, selections: &[Selection]) -> Result<Cost> {
    let first = fresh_once(path, name, selections)?;
    if first.seconds > SHORT_SECONDS { Ok(first) } else { fresh_once(path, name, selections) }
}

fn fresh_once(path: &str, name: &str, selections: &[Selection]) -> Result<Cost> {
    let (file, dataset) = opened(path, name)?;
    let before = file.decodes();
    let seconds = match selections {
        [selection] => {
            let began = Instant::now();
            let values = dataset.read_bytes(selection, Order::Native)?;
            let seconds = began.elapsed().as_secs_f64();
            drop(values);
            seconds
        }
        many => one_after_the_other(&dataset, many)?,
    };
    Ok(Cost { seconds, decodes: file.decodes() - before })
}

/// Many small reads, into one buffer as a program that processes them would.
fn one_after_the_other(dataset: &Dataset, selections: &[Selection]) -> Result<f64> {
    let mut buffer = Vec::new();
    let began = Instant::now();
    for selection in selections {
        buffer.resize(bytes_of(dataset, selection)? as usize, 0);
        dataset.read_into(selection, Order::Native, &mut buffer)?;
    }
    Ok(began.elapsed().as_secs_f64())
}

/// One read into memory that was touched before, as the floor has it.
pub fn touched(path: &str, name: &str, selection: &Selection) -> Result<f64> {
    let (_file, dataset) = opened(path, name)?;
    let bytes = bytes_of(&dataset, selection)? as usize;
    let mut buffer: Vec<u8> = Vec::with_capacity(bytes);
    hyperslab::internal::advise_huge_pages(buffer.spare_capacity_mut());
    buffer.resize(bytes, 1);
    let began = Instant::now();
    dataset.read_into(selection, Order::Native, &mut buffer)?;
    Ok(began.elapsed().as_secs_f64())
}

/// Bytes of the elements that are selected.
pub fn bytes_of(dataset: &Dataset, selection: &Selection) -> Result<u64> {
    let elements: u64 = dataset.selected_shape(selection)?.iter().product();
    Ok(elements * u64::from(dataset.datatype().size))
}

fn opened(path: &str, name: &str) -> Result<(File, Dataset)> {
    hyperslab::clear_cache();
    let file = File::open(path)?;
    let dataset = file.dataset(name)?;
    Ok((file, dataset))
}
