//! Reads of chunks through libhdf4's cache.
//!
//! The cache holds a number of chunks, by default as many as lie side by side along all axes but the first (`HMCIstaccess` in
//! `hdf/src/hchunks.c`), and gives up the one that was used longest ago (`hdf/src/mcache.c`). It has an entry for a chunk that is
//! not stored, too, which costs no decoding. A block is read row by row, but the rows of a block lie in as many chunks as the cache
//! holds, so that it visits each of them once.

use super::Hdf4Counts;
use super::progress::Progress;
use hyperslab_storage::pattern::Sweep;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The chunks of a data set.
#[derive(Clone, Copy)]
pub struct Hdf4Chunks<'a> {
    /// Elements along each axis of a chunk.
    pub chunk: &'a [u64],
    /// Bytes of a decoded chunk.
    pub chunk_bytes: u64,
    /// Chunks that the cache holds.
    pub cached: u64,
    /// True for the number of a chunk, in row-major order, that is stored.
    pub is_stored: &'a dyn Fn(u64) -> bool,
}

impl Hdf4Chunks<'_> {
    /// The chunks that libhdf4's cache holds by default.
    pub fn default_cache(shape: &[u64], chunk: &[u64]) -> u64 {
        let behind = shape.iter().zip(chunk).skip(1);
        behind.fold(1u64, |count, (len, chunk)| count.saturating_mul(len.div_ceil(*chunk))).max(1)
    }
}

/// Chunks by the time of their last use.
#[derive(Default)]
struct LeastRecent {
    last_use: HashMap<u64, u64>,
    by_use: BTreeMap<u64, u64>,
    uses: u64,
}

impl LeastRecent {
    /// Uses a chunk. True if the cache did not hold it.
    fn is_new(&mut self, chunk: u64, held: u64) -> bool {
        self.uses += 1;
        self.by_use.insert(self.uses, chunk);
        if let Some(before) = self.last_use.insert(chunk, self.uses) {
            self.by_use.remove(&before);
            return false;
        }
        if self.last_use.len() as u64 > held
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.last_use.remove(&oldest);
        }
        true
    }
}

/// Simulates the reads of a sweep, up to about `visits_max` visits of chunks.
pub fn simulate_hdf4_chunks(chunks: &Hdf4Chunks<'_>, sweep: &Sweep, visits_max: u64) -> Hdf4Counts {
    let (shape, reads) = (sweep.shape(), sweep.reads());
    let counts: Vec<u64> = shape.iter().zip(chunks.chunk).map(|(len, chunk)| len.div_ceil(*chunk)).collect();
    let mut progress = Progress::<2>::new(reads, visits_max);
    let (mut cache, mut touched) = (LeastRecent::default(), HashSet::new());
    for (start, count) in sweep.blocks() {
        let along = (0..shape.len())
            .map(|axis| numbers((start[axis], count[axis], sweep.step()[axis]), chunks.chunk[axis]))
            .collect::<Vec<_>>();
        each_place(&along, &counts, |number| {
            progress.cost += 1;
            let is_new = cache.is_new(number, chunks.cached);
            if (chunks.is_stored)(number) {
                progress.now[0] += u64::from(is_new);
                progress.now[1] += u64::from(touched.insert(number));
            }
        });
        if !progress.next() {
            break;
        }
    }
    let [decodes, chunks_touched] = progress.total();
    let all = counts.iter().fold(1u64, |all, count| all.saturating_mul(*count));
    Hdf4Counts {
        reads,
        chunks_touched: chunks_touched.min(all),
        decodes,
        decoded_bytes: decodes.saturating_mul(chunks.chunk_bytes),
        reads_simulated: progress.simulated(),
    }
}

/// The numbers of the chunks along an axis in which wanted elements lie.
fn numbers((start, count, step): (u64, u64, u64), chunk: u64) -> Vec<u64> {
    if step <= chunk {
        let last = start + count.saturating_sub(1) / step * step;
        return (start / chunk..=last / chunk).collect();
    }
    (0..count.div_ceil(step)).map(|number| (start + number * step) / chunk).collect()
}

/// Calls `each` with the numbers of all chunks whose places along the axes are these, in row-major order.
fn each_place(along: &[Vec<u64>], counts: &[u64], mut each: impl FnMut(u64)) {
    let mut at = vec![0; along.len()];
    loop {
        let places = along.iter().zip(&at).map(|(places, at)| places[*at]);
        each(counts.iter().zip(places).fold(0, |number, (count, place)| number * count + place));
        let mut axis = at.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            at[axis] += 1;
            if at[axis] < along[axis].len() {
                break;
            }
            at[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(cached: u64, sweep: &Sweep) -> (u64, u64) {
        let chunks = Hdf4Chunks { chunk: &[1, 30, 30], chunk_bytes: 3600, cached, is_stored: &|_| true };
        let counts = simulate_hdf4_chunks(&chunks, sweep, 100_000);
        assert!(counts.is_exact());
        (counts.decodes, counts.chunks_touched)
    }

    #[test]
    fn the_default_holds_the_chunks_of_one_index_of_the_first_axis() {
        let shape = [24, 120, 180];
        assert_eq!(Hdf4Chunks::default_cache(&shape, &[1, 30, 30]), 24);
        let maps = Sweep::row_major(&shape, &[1, 120, 180]);
        assert_eq!(counts(24, &maps), (24 * 24, 24 * 24));
        // A series goes through 24 chunks, all of which stay for the next one that lies in them.
        let series = Sweep::row_major(&[24, 120, 30], &[24, 1, 1]);
        assert_eq!(counts(24, &series), (24 * 4, 24 * 4));
        // A row in all 24 levels goes through 144, none of which is there for the next one.
        let rows = Sweep::row_major(&shape, &[24, 1, 180]);
        assert_eq!(counts(24, &rows), (120 * 144, 24 * 24));
        assert_eq!(counts(144, &rows), (24 * 24, 24 * 24));
    }

    #[test]
    fn chunks_that_are_not_stored_take_room_and_cost_nothing() {
        let chunks =
            Hdf4Chunks { chunk: &[10], chunk_bytes: 10, cached: 1, is_stored: &|number| number != 1 };
        let sweep = Sweep::row_major(&[30], &[30]);
        let counts = simulate_hdf4_chunks(&chunks, &sweep, 100);
        assert_eq!((counts.decodes, counts.chunks_touched, counts.decoded_bytes), (2, 2, 20));
    }

    #[test]
    fn steps_pass_over_chunks() {
        assert_eq!(numbers((3, 30, 20), 10), [0, 2]);
        assert_eq!(numbers((3, 30, 3), 10), [0, 1, 2, 3]);
        assert_eq!(numbers((9, 1, 1), 10), [0]);
    }
}
