//! Memory for decoded chunks in the cache.
//!
//! The first write to new memory in pages of 4 KiB takes a tenth to a third of the time of decoding into it. So chunks
//! of similar size share slabs, which request huge pages, and the slot of an evicted chunk is reused for the next one
//! of its size. An empty slab is kept, but the system may reclaim its pages if it is short of memory; when chunks of a
//! different size need slabs, it is freed. With chunks of several sizes, the process may use more memory than the
//! cache's budget, because slabs are not full.

use crate::memory::zeroed;
use crate::{Error, Result};
use hyperslab_io::PerProcess;
use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Chunks outside of these bounds are allocated separately: the allocator handles small ones well, and large ones
/// request huge pages themselves.
const SHARED_BYTES: std::ops::RangeInclusive<usize> = 64 << 10..=8 << 20;
const SLAB_BYTES: usize = 16 << 20;
const HUGE_PAGE: usize = 2 << 20;
/// The number of slot sizes between two powers of two. With few sizes, many sizes of chunks share few slabs, each of
/// which needs at least a huge page; and no slot is more than an eighth larger than its chunk.
const SIZES: usize = 8;

/// The bytes of all slabs, including empty ones: at present, and the maximum since [`mapped_bytes_peak`] was called.
static MAPPED: AtomicUsize = AtomicUsize::new(0);
static MAPPED_MOST: AtomicUsize = AtomicUsize::new(0);

/// The most bytes that this process had mapped for decoded chunks since this was last called. Allocators do not see
/// these bytes. Chunks smaller than 64 KiB or larger than 8 MiB are not included, because they are allocated.
pub fn mapped_bytes_peak() -> usize {
    MAPPED_MOST.swap(MAPPED.load(Ordering::Relaxed), Ordering::Relaxed)
}

/// The bytes of one chunk. Initially they are zeros or those of an earlier chunk.
pub struct ChunkMemory(Memory);

enum Memory {
    Own(Box<[u8]>),
    Slot { slab: Arc<Slab>, number: u32, len: usize },
}

impl ChunkMemory {
    /// Memory for `len` bytes with arbitrary content.
    pub(crate) fn take(len: usize) -> Result<Self> {
        static SLABS: PerProcess<Mutex<Vec<Arc<Slab>>>> = PerProcess::new();
        Self::take_from(SLABS.get(Mutex::default), len)
    }

    fn take_from(slabs: &Mutex<Vec<Arc<Slab>>>, len: usize) -> Result<Self> {
        if !SHARED_BYTES.contains(&len) {
            return Ok(Self(Memory::Own(zeroed(Some(len as u64))?.into_boxed_slice())));
        }
        let mut slabs = slabs.lock().unwrap_or_else(PoisonError::into_inner);
        let slot_bytes = slot_bytes(len);
        // The oldest first, so that the others may become empty.
        let mut same = slabs.iter().filter(|slab| slab.slot_bytes == slot_bytes);
        let found = same.find_map(|slab| Some((slab.take()?, slab.clone())));
        let (number, slab) = match found {
            Some(found) => found,
            None => {
                // Nobody else has an `Arc` of a slab without chunks, and nobody gets one without the lock.
                slabs.retain(|slab| Arc::strong_count(slab) > 1);
                let slab = Arc::new(Slab::new(slot_bytes)?);
                slabs.push(slab.clone());
                (slab.take().expect("a new slab has room"), slab)
            }
        };
        Ok(Self(Memory::Slot { slab, number, len }))
    }
}

/// The size of the slot that a chunk of one of [`SHARED_BYTES`] gets.
fn slot_bytes(len: usize) -> usize {
    len.next_multiple_of((1 << len.ilog2()) / SIZES)
}

impl Deref for ChunkMemory {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Memory::Own(bytes) => bytes,
            // SAFETY: the slot is this value's alone until it is dropped, and all of it is initialised.
            Memory::Slot { slab, number, len } => unsafe {
                std::slice::from_raw_parts(slab.slot(*number).as_ptr(), *len)
            },
        }
    }
}

impl DerefMut for ChunkMemory {
    fn deref_mut(&mut self) -> &mut [u8] {
        match &mut self.0 {
            Memory::Own(bytes) => bytes,
            // SAFETY: as above.
            Memory::Slot { slab, number, len } => unsafe {
                std::slice::from_raw_parts_mut(slab.slot(*number).as_ptr(), *len)
            },
        }
    }
}

impl Drop for ChunkMemory {
    fn drop(&mut self) {
        if let Memory::Slot { slab, number, .. } = &self.0 {
            // SAFETY: this value took the slot, and goes.
            unsafe { slab.give_back(*number) };
        }
    }
}

impl From<Vec<u8>> for ChunkMemory {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Memory::Own(bytes.into_boxed_slice()))
    }
}

/// Slots of one size. No lock: a forked child may drop chunks whose slab another thread of its parent was using.
struct Slab {
    start: NonNull<u8>,
    slot_bytes: usize,
    /// Bit `i` is set while slot `i` is free.
    free: AtomicU64,
    /// The bits that there are.
    all: u64,
    /// Owns the memory that `start` points into.
    map: MmapMut,
}

// SAFETY: `start` points into memory that the slab owns; who may touch which part of it is settled by `free`.
unsafe impl Send for Slab {}
// SAFETY: as above.
unsafe impl Sync for Slab {}

impl Slab {
    fn new(slot_bytes: usize) -> Result<Self> {
        let slots = (SLAB_BYTES / slot_bytes).clamp(1, u64::BITS as usize);
        let bytes = slots * slot_bytes + HUGE_PAGE;
        let no_room = |error| {
            Error::out_of_memory(format!("not enough memory for chunks of {slot_bytes} bytes: {error}"))
        };
        let mut map = MmapMut::map_anon(bytes).map_err(no_room)?;
        // A refusal does no harm.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let start = NonNull::new(map.as_mut_ptr()).expect("a mapping is not at 0");
        let skipped = (start.as_ptr() as usize).next_multiple_of(HUGE_PAGE) - start.as_ptr() as usize;
        // SAFETY: less than `HUGE_PAGE` is skipped, by which the mapping is longer than its slots.
        let start = unsafe { start.add(skipped) };
        let all = u64::MAX >> (u64::BITS as usize - slots);
        let mapped = MAPPED.fetch_add(map.len(), Ordering::Relaxed) + map.len();
        MAPPED_MOST.fetch_max(mapped, Ordering::Relaxed);
        Ok(Self { start, slot_bytes, free: AtomicU64::new(all), all, map })
    }

    /// The start of a slot.
    ///
    /// # Safety
    /// There is a slot of this number.
    unsafe fn slot(&self, number: u32) -> NonNull<u8> {
        // SAFETY: the slot lies inside the mapping (promised).
        unsafe { self.start.add(number as usize * self.slot_bytes) }
    }

    /// Takes a free slot and returns its number.
    fn take(&self) -> Option<u32> {
        let taken = self.free.fetch_update(Ordering::Acquire, Ordering::Relaxed, |free| {
            (free != 0).then(|| free & (free - 1))
        });
        taken.ok().map(u64::trailing_zeros)
    }

    /// Frees a slot.
    ///
    /// # Safety
    /// The slot was taken, and is not used any more.
    unsafe fn give_back(&self, number: u32) {
        let before = self.free.fetch_or(1 << number, Ordering::Release);
        if before | 1 << number == self.all {
            self.lend();
        }
    }

    /// Allows the system to reclaim the pages, unless a slot is in use again. All slots are taken during the call,
    /// because bytes that a chunk wrote before it would be lost.
    fn lend(&self) {
        if self.free.compare_exchange(self.all, 0, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            #[cfg(target_os = "linux")]
            // SAFETY: no slot is anybody's; what comes to lie in the pages is never read before it is written.
            let _ = unsafe { self.map.unchecked_advise(memmap2::UncheckedAdvice::Free) };
            self.free.store(self.all, Ordering::Release);
        }
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        MAPPED.fetch_sub(self.map.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = (1 << 20) + 3;

    #[test]
    fn chunks_do_not_share_bytes_and_places_are_used_again() {
        // Slabs of its own: in those of the process, another test could take the place first.
        let slabs = Mutex::default();
        let take = || ChunkMemory::take_from(&slabs, LEN).unwrap();
        let mut chunks: Vec<ChunkMemory> = (0..40).map(|_| take()).collect();
        for (i, chunk) in chunks.iter_mut().enumerate() {
            assert_eq!(chunk.len(), LEN);
            chunk.fill(i as u8);
        }
        assert!(chunks.iter().enumerate().all(|(i, chunk)| chunk.iter().all(|&byte| byte == i as u8)));
        let place = chunks.remove(7).as_ptr();
        assert!(std::ptr::eq(place, take().as_ptr()));
    }

    #[test]
    fn slabs_are_counted() {
        let chunks: Vec<ChunkMemory> = (0..40).map(|_| ChunkMemory::take(3 << 20).unwrap()).collect();
        assert!(MAPPED.load(Ordering::Relaxed) >= 40 * (3 << 20));
        assert!(mapped_bytes_peak() >= 40 * (3 << 20));
        drop(chunks);
    }

    #[test]
    fn chunks_of_all_sizes_share_few_sizes_of_slots() {
        let sizes: std::collections::BTreeSet<usize> =
            SHARED_BYTES.step_by(1000).chain([*SHARED_BYTES.end()]).map(slot_bytes).collect();
        assert!(sizes.len() <= 7 * SIZES + 1, "{}", sizes.len());
        for len in SHARED_BYTES.step_by(997) {
            assert!((len..=len + len / SIZES).contains(&slot_bytes(len)), "{len}");
        }
    }

    #[test]
    fn small_and_large_chunks_have_their_own() {
        for len in [0, 1, (64 << 10) - 1, (8 << 20) + 1] {
            assert!(matches!(&ChunkMemory::take(len).unwrap().0, Memory::Own(bytes) if bytes.len() == len));
        }
        for len in [64 << 10, 8 << 20] {
            assert_eq!(ChunkMemory::take(len).unwrap().len(), len);
        }
    }

    #[test]
    fn threads_take_and_give_back_at_once() {
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                scope.spawn(move || {
                    for round in 0..200 {
                        let mut chunks: Vec<_> =
                            (0..round % 7).map(|_| ChunkMemory::take(64 << 10).unwrap()).collect();
                        chunks.iter_mut().for_each(|chunk| chunk.fill(thread));
                        assert!(chunks.iter().all(|chunk| chunk.iter().all(|&byte| byte == thread)));
                    }
                });
            }
        });
    }
}
