//! The floor of records: bytes at equal distances of a file, read on all cores, without any library.

use serde_json::{Value, json};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Instant;

/// Where all bytes are read, they are in blocks of this size: they stay in a processor's cache.
const BLOCK_BYTES: u64 = 64 << 10;
/// How often each way is tried; the least time counts.
const RUNS: usize = 9;

/// `count` ranges of `bytes` bytes, `stride` apart, the first at `begin`.
pub struct Records {
    pub begin: u64,
    pub stride: u64,
    pub bytes: u64,
    pub count: u64,
}

/// The seconds of one request for each range into memory of its own, and those of reading everything from the first to the last into
/// a buffer, from which nothing is taken.
///
/// # Errors
/// Those of the file system.
pub fn measure(path: &str, records: &Records) -> io::Result<Value> {
    let file = File::open(path)?;
    let Records { begin, stride, bytes, count } = *records;
    let range = |out: &mut [u8], number: u64| file.read_exact_at(out, begin + number * stride);
    let (mut ranges, mut blocks) = (f64::MAX, f64::MAX);
    for _ in 0..RUNS {
        let began = Instant::now();
        let mut target = vec![0; (bytes * count) as usize];
        hyperslab::memory::advise_huge_pages(&mut target);
        on_all_cores(&mut target, bytes as usize, count, range)?;
        ranges = ranges.min(began.elapsed().as_secs_f64());
        drop(target);
        let whole = (count - 1) * stride + bytes;
        let began = Instant::now();
        // A byte for each block stands for its place: nothing is kept.
        let mut places = vec![0; whole.div_ceil(BLOCK_BYTES) as usize];
        let number = places.len() as u64;
        on_all_cores(&mut places, 1, number, |_, block| {
            thread_local! { static BUFFER: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) }; }
            let len = BLOCK_BYTES.min(whole - block * BLOCK_BYTES);
            BUFFER.with_borrow_mut(|buffer| {
                buffer.resize(BLOCK_BYTES as usize, 0);
                file.read_exact_at(&mut buffer[..len as usize], begin + block * BLOCK_BYTES)
            })
        })?;
        blocks = blocks.min(began.elapsed().as_secs_f64());
    }
    Ok(json!({ "ranges": ranges, "blocks": blocks }))
}

/// Runs `work` for each of `count` parts of `target` of `bytes` bytes.
fn on_all_cores(
    target: &mut [u8],
    bytes: usize,
    count: u64,
    work: impl Fn(&mut [u8], u64) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = (count as usize).div_ceil(cores);
    std::thread::scope(|scope| {
        let threads: Vec<_> = target
            .chunks_mut(share * bytes)
            .enumerate()
            .map(|(core, parts)| {
                let work = &work;
                scope.spawn(move || {
                    let first = (core * share) as u64;
                    let mut numbered = parts.chunks_mut(bytes).zip(first..);
                    numbered.try_for_each(|(part, number)| work(part, number))
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no worker panics"))
    })
}
