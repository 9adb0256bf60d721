//! How fast this machine is beside the one that the built-in terms were measured on.
//!
//! Where the user has no libhdf5 that could be timed, its terms are the built-in ones, each scaled by the kind of work that
//! it consists of: calls that allocate and look up, reads of what the operating system has in memory, from the processor's
//! cache and from farther away, pages of memory that are new, and requests to the operating system. Each kind is timed by a
//! small piece of such work, in this process and in processor time; the least of some passes counts, and all of them together
//! take less than 0.3 s.

use super::inflate::zlib_to_libdeflate;
use super::scratch_folder;
use crate::thread_seconds;
use hyperslab_storage::cost::Terms;
use memmap2::MmapMut;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

/// Passes over all kinds of work, and the time after which no other begins.
const PASSES: usize = 6;
const SECONDS_MAX: Duration = Duration::from_millis(200);
/// Entries that are made and taken away again, each of them allocated.
const CALLS: u64 = 8_000;
/// Entries that are there at a time.
const ENTRIES: u64 = 512;
/// Bytes of a block that is read again and again, and how often.
const NEAR_BYTES: usize = 128 << 10;
const NEAR_READS: usize = 64;
/// Bytes of blocks that follow each other in a file, which no cache of a processor holds.
const FAR_BYTES: usize = 32 << 20;
const FAR_BLOCK: usize = 1 << 20;
/// Bytes of memory that is used for the first time.
const NEW_BYTES: usize = 8 << 20;
const PAGE_BYTES: usize = 4096;
/// Reads of a file, and the bytes of each.
const REQUESTS: usize = 1_000;
const REQUEST_BYTES: usize = 256;
/// What was timed is believed within these factors of the reference.
const FACTOR: (f64, f64) = (0.1, 10.0);

/// Seconds of each kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MachineSeconds {
    /// An entry made, looked up and taken away.
    call: f64,
    /// A byte read from a part of a file that the processor's cache holds.
    near_byte: f64,
    /// A byte read from a part of a file that is in memory.
    far_byte: f64,
    /// A page of memory used for the first time, and given back.
    page: f64,
    /// A read of a few bytes of a file that the operating system has in memory.
    request: f64,
    /// How many times as long the system's zlib takes to inflate as libdeflate: not seconds.
    zlib: f64,
}

impl MachineSeconds {
    /// The machine of the built-in terms, by way of two on which both these and the terms of libhdf5 2.0 were measured: calls
    /// and pages lie between what each of them says, the bytes are from the second.
    pub const REFERENCE: Self = Self {
        call: 0.100e-6,
        near_byte: 0.0524e-9,
        far_byte: 0.1485e-9,
        page: 1.90e-6,
        request: 0.50e-6,
        zlib: Terms::BUILT_IN.zlib,
    };

    /// Times this machine.
    pub fn measure() -> Self {
        let began = Instant::now();
        let zlib = zlib_to_libdeflate().unwrap_or(Self::REFERENCE.zlib);
        let file = file_in_memory().ok();
        let mut least = Self { zlib, ..Self::pass(file.as_ref()) };
        for _ in 1..PASSES {
            if began.elapsed() > SECONDS_MAX {
                break;
            }
            least = least.least(&Self::pass(file.as_ref()));
        }
        least
    }

    fn pass(file: Option<&File>) -> Self {
        // Memory that is new is timed before anything else is freed, and could be used again.
        let page = seconds_of_new_pages();
        Self {
            call: seconds_of_calls(),
            near_byte: file
                .and_then(|file| seconds_of_reads(file, NEAR_BYTES, NEAR_BYTES, NEAR_READS))
                .unwrap_or(Self::REFERENCE.near_byte),
            far_byte: file
                .and_then(|file| seconds_of_reads(file, FAR_BYTES, FAR_BLOCK, FAR_BYTES / FAR_BLOCK))
                .unwrap_or(Self::REFERENCE.far_byte),
            page,
            request: seconds_of_requests().unwrap_or(Self::REFERENCE.request),
            zlib: f64::INFINITY,
        }
    }

    fn least(&self, other: &Self) -> Self {
        Self {
            call: self.call.min(other.call),
            near_byte: self.near_byte.min(other.near_byte),
            far_byte: self.far_byte.min(other.far_byte),
            page: self.page.min(other.page),
            request: self.request.min(other.request),
            zlib: self.zlib.min(other.zlib),
        }
    }

    /// The built-in terms at the speed of this machine.
    pub fn terms(&self) -> Terms {
        let (usual, reference) = (Terms::BUILT_IN, Self::REFERENCE);
        let pace = |own: f64, reference: f64| (own / reference).clamp(FACTOR.0, FACTOR.1);
        let call = pace(self.call, reference.call);
        let near = pace(self.near_byte, reference.near_byte);
        let far = pace(self.far_byte, reference.far_byte);
        let page = pace(self.page, reference.page);
        let request = pace(self.request, reference.request);
        Terms {
            call: usual.call * call,
            several_elements: usual.several_elements * call,
            several_chunks: usual.several_chunks * call,
            visit: usual.visit * call,
            visit_far: usual.visit_far * far,
            run: usual.run * call,
            copied_byte: usual.copied_byte * near,
            far_line: usual.far_line * far,
            lookup: usual.lookup * call,
            load: usual.load * request,
            near_byte: usual.near_byte * near,
            far_byte: usual.far_byte * far,
            direct_read: usual.direct_read * request,
            direct_chunk: usual.direct_chunk * call,
            page: usual.page * page,
            step: usual.step * call,
            eviction: usual.eviction * call,
            inflate: usual.inflate * call,
            zlib: self.zlib,
        }
    }
}

/// Seconds of making, finding and taking away one entry.
fn seconds_of_calls() -> f64 {
    let mut entries: BTreeMap<u64, Box<[u64; 8]>> = BTreeMap::new();
    let key = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let began = thread_seconds();
    for number in 0..CALLS {
        entries.insert(key(number), Box::new([number; 8]));
        if let Some(entry) = entries.get(&key(number / 2)) {
            black_box(entry[7]);
        }
        if number >= ENTRIES {
            entries.remove(&key(number - ENTRIES));
        }
    }
    (thread_seconds() - began) / CALLS as f64
}

/// A file of [`FAR_BYTES`] that has no name, and that the operating system has in memory.
fn file_in_memory() -> std::io::Result<File> {
    let mut file = tempfile::tempfile_in(scratch_folder()?.path())?;
    let block = vec![1; FAR_BLOCK];
    for _ in 0..FAR_BYTES / FAR_BLOCK {
        file.write_all(&block)?;
    }
    Ok(file)
}

/// Seconds of one byte of blocks of `block` bytes, one after the other in the first `bytes` of a file. `None` if it cannot be
/// read.
fn seconds_of_reads(file: &File, bytes: usize, block: usize, reads: usize) -> Option<f64> {
    let mut buffer = vec![1; block];
    let began = thread_seconds();
    for number in 0..reads {
        file.read_exact_at(&mut buffer, (number * block % bytes) as u64).ok()?;
        black_box(&mut buffer);
    }
    Some((thread_seconds() - began) / (reads * block) as f64)
}

/// Seconds of one page of memory that is used for the first time, and given back.
fn seconds_of_new_pages() -> f64 {
    let Ok(mut memory) = MmapMut::map_anon(NEW_BYTES) else {
        return MachineSeconds::REFERENCE.page;
    };
    let began = thread_seconds();
    for page in memory.chunks_mut(PAGE_BYTES) {
        page[0] = 1;
    }
    drop(memory);
    (thread_seconds() - began) / (NEW_BYTES / PAGE_BYTES) as f64
}

/// Seconds of one read of a few bytes of this program, which the operating system has in memory. `None` if it cannot
/// be read.
fn seconds_of_requests() -> Option<f64> {
    let file = File::open(std::env::current_exe().ok()?).ok()?;
    let mut buffer = [0u8; REQUEST_BYTES];
    let began = thread_seconds();
    for request in 0..REQUESTS {
        file.read_exact_at(&mut buffer, ((request % 16) * REQUEST_BYTES) as u64).ok()?;
    }
    Some((thread_seconds() - began) / REQUESTS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_of_the_built_in_terms_has_those_terms() {
        assert_eq!(MachineSeconds::REFERENCE.terms(), Terms::BUILT_IN);
    }

    #[test]
    fn what_a_machine_is_slow_at_costs_more_there() {
        let reference = MachineSeconds::REFERENCE;
        let slow = MachineSeconds { call: 2.0 * reference.call, page: 1e9, ..reference }.terms();
        let usual = Terms::BUILT_IN;
        assert_eq!((slow.visit, slow.eviction), (2.0 * usual.visit, 2.0 * usual.eviction));
        assert_eq!((slow.load, slow.far_byte), (usual.load, usual.far_byte));
        assert_eq!(slow.page, usual.page * FACTOR.1, "an absurd time is not believed");
    }

    #[test]
    fn every_kind_of_work_takes_time() {
        let MachineSeconds { call, near_byte, far_byte, page, request, zlib } = MachineSeconds::measure();
        assert!(
            [call, near_byte, far_byte, page, request, zlib]
                .iter()
                .all(|time| *time > 0.0 && time.is_finite())
        );
    }
}
