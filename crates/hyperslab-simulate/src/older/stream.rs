//! Reads of values in one compressed stream.
//!
//! The decoder stands at a place of the stream. For a read that begins behind it, libhdf4 decodes what lies between; for one that
//! begins before it, it starts again at the beginning of the stream (`HCPcdeflate_seek` in `hdf/src/cdeflate.c`; run lengths and
//! skipping Huffman the same). A block is read run by run, and the runs of a block follow each other in the stream.

use super::Hdf4Counts;
use super::progress::Progress;
use super::runs::{last, linear};
use hyperslab_storage::pattern::Sweep;

/// Simulates the reads of a sweep over a stream of elements of `element_bytes` bytes, at most about `reads_max` of them.
pub fn simulate_stream(element_bytes: u64, sweep: &Sweep, reads_max: u64) -> Hdf4Counts {
    let (shape, reads) = (sweep.shape(), sweep.reads());
    let mut progress = Progress::<2>::new(reads, reads_max);
    let mut at = None;
    for (start, count) in sweep.blocks() {
        let first = linear(shape, &start) * element_bytes;
        let end = (linear(shape, &last(&start, &count, sweep.step())) + 1) * element_bytes;
        let from = match at {
            Some(at) if at <= first => at,
            _ => {
                progress.now[0] += 1;
                0
            }
        };
        progress.now[1] = progress.now[1].saturating_add(end - from);
        at = Some(end);
        progress.cost += 1;
        if !progress.next() {
            break;
        }
    }
    let [decodes, decoded_bytes] = progress.total();
    let reads_simulated = progress.simulated();
    Hdf4Counts { reads, chunks_touched: reads.min(1), decodes, decoded_bytes, reads_simulated }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_behind_starts_again_and_what_lies_ahead_goes_on() {
        let rows = simulate_stream(4, &Sweep::row_major(&[10, 100], &[1, 100]), 1000);
        assert_eq!(
            (rows.reads, rows.decodes, rows.decoded_bytes),
            (10, 1, 4000),
            "in the order of the stream"
        );
        let columns = simulate_stream(4, &Sweep::row_major(&[10, 100], &[10, 1]), 1000);
        let each: u64 = (0..100).map(|column| (900 + column + 1) * 4).sum();
        assert_eq!((columns.decodes, columns.decoded_bytes), (100, each));
        let backwards = simulate_stream(4, &Sweep::new(&[2, 6], &[1, 2], &[1, 0]), 1000);
        // Blocks at 0, 6, 2, 8, 4, 10.
        assert_eq!((backwards.decodes, backwards.decoded_bytes), (3, 4 * (8 + 10 + 12)));
        assert!(backwards.is_exact());
    }

    #[test]
    fn a_part_of_the_reads_is_continued() {
        let all = simulate_stream(1, &Sweep::row_major(&[100, 1000], &[100, 1]), 10_000);
        let some = simulate_stream(1, &Sweep::row_major(&[100, 1000], &[100, 1]), 500);
        assert!(all.is_exact() && !some.is_exact());
        assert_eq!(some.decodes, all.decodes);
        assert!(some.decoded_bytes.abs_diff(all.decoded_bytes) < all.decoded_bytes / 100);
    }
}
