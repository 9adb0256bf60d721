//! The same reads with the engine in its default settings, with a newly opened file and an empty cache.
//!
//! Short reads are done twice, and the second is measured, to exclude the start of threads and the allocation of their
//! buffers, which happen once per process.

use hyperslab::{Dataset, Endianness, File, Result, Selection};
use std::time::Instant;

/// The measured cost of some reads.
pub struct Cost {
    pub seconds: f64,
    pub decodes: u64,
}

/// Longer reads are measured once: the start of threads does not matter in them.
const SHORT_SECONDS: f64 = 0.2;

/// Measures reads into new memory, as in a user's program. The time to open the file is excluded.
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
            let values = dataset.read_bytes(selection, Endianness::Native)?;
            let seconds = began.elapsed().as_secs_f64();
            drop(values);
            seconds
        }
        many => one_after_the_other(&dataset, many)?,
    };
    Ok(Cost { seconds, decodes: file.decodes() - before })
}

/// Measures many small reads into the same buffer, as in a program that processes one after the other.
fn one_after_the_other(dataset: &Dataset, selections: &[Selection]) -> Result<f64> {
    let mut buffer = Vec::new();
    let began = Instant::now();
    for selection in selections {
        buffer.resize(bytes_of(dataset, selection)? as usize, 0);
        dataset.read_into(selection, Endianness::Native, &mut buffer)?;
    }
    Ok(began.elapsed().as_secs_f64())
}

/// Measures one read into memory that was written before, as the floor does.
pub fn touched(path: &str, name: &str, selection: &Selection) -> Result<f64> {
    let (_file, dataset) = opened(path, name)?;
    let bytes = bytes_of(&dataset, selection)? as usize;
    let mut buffer: Vec<u8> = Vec::with_capacity(bytes);
    hyperslab::memory::advise_huge_pages(buffer.spare_capacity_mut());
    buffer.resize(bytes, 1);
    let began = Instant::now();
    dataset.read_into(selection, Endianness::Native, &mut buffer)?;
    Ok(began.elapsed().as_secs_f64())
}

/// The bytes of the selected elements.
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
