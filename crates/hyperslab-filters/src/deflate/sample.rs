//! Where the next block ends, and what its literals cost, from a sample of its bytes.
//!
//! A block ends where bytes become others: shuffled chunks have their elements' first bytes, then all second bytes, and so on,
//! each with codes of its own.

use super::matches::{BLOCK, Sampled, length_min};

/// Bytes of a piece.
const PIECE: usize = 1 << 13;
/// The step from a byte of the sample to the next, and that in small data, of which a part says little. No powers of 2, since
/// data repeats after these.
const EVERY: usize = 13;
const EVERY_OF_SMALL: usize = 3;
const SMALL: usize = 1 << 12;
/// Pieces are in one block as long as their distributions have at least 85 percent in common.
const APART_MAX: u64 = 3;
/// What remains of the data is not worth a block of its own.
const REST_MIN: usize = 1 << 11;

/// Looks at the data from `start` on.
pub(super) fn sample(data: &[u8], start: usize) -> Sampled {
    let every = if data.len() < SMALL { EVERY_OF_SMALL } else { EVERY };
    let mut counts = [0u32; 256];
    let mut seen = 0;
    let mut end = start;
    while end < data.len() && end - start < BLOCK {
        let piece = &data[end..data.len().min(end + PIECE)];
        let mut here = [0u32; 256];
        for byte in piece.iter().step_by(every) {
            here[usize::from(*byte)] += 1;
        }
        let in_piece = piece.len().div_ceil(every) as u32;
        if seen > 0 && data.len() - end > REST_MIN && are_apart(&counts, seen, &here, in_piece) {
            break;
        }
        for (count, here) in counts.iter_mut().zip(here) {
            *count += here;
        }
        seen += in_piece;
        end += piece.len();
    }
    let length_min = length_min(entropy(&counts, seen));
    // Far matches are the usual ones. Shorter ones than are worth while need not be found.
    let width = usize::from(length_min[20]).clamp(4, 8);
    Sampled { end, length_min, width }
}

/// True if the distributions differ, in 16 classes of bytes.
fn are_apart(counts: &[u32; 256], seen: u32, here: &[u32; 256], in_piece: u32) -> bool {
    let sum = |counts: &[u32]| counts.iter().copied().map(u64::from).sum::<u64>();
    let classes = counts.chunks_exact(16).zip(here.chunks_exact(16));
    let apart: u64 = classes
        .map(|(all, here)| (sum(all) * u64::from(in_piece)).abs_diff(sum(here) * u64::from(seen)))
        .sum();
    10 * apart > APART_MAX * u64::from(seen) * u64::from(in_piece)
}

/// The entropy of a byte in 16ths of a bit. In integers: what is written must be the same on all machines.
fn entropy(counts: &[u32; 256], seen: u32) -> u32 {
    let whole = log2(seen.max(1));
    let bits: u32 =
        counts.iter().filter(|count| **count > 0).map(|count| count * (whole - log2(*count))).sum();
    bits / seen.max(1)
}

/// The logarithm in 16ths, straight between powers of 2: at most 1.4 of them too small.
fn log2(number: u32) -> u32 {
    let exponent = number.ilog2();
    16 * exponent + ((u64::from(number) << 4 >> exponent) as u32 - 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_where_bytes_become_others() {
        let plane = |low: u8| (0..40_000u32).map(move |i| low + (i * 7 % 64) as u8);
        let data: Vec<u8> = plane(0).chain(plane(128)).collect();
        let first = sample(&data, 0).end;
        assert!((32_768..=40_960).contains(&first), "{first}");
        assert_eq!(sample(&data, first).end, data.len());
        assert_eq!(sample(&vec![3; 1 << 20], 0).end, BLOCK);
    }

    #[test]
    fn cheap_literals_make_short_matches_worthless() {
        let noise: Vec<u8> = (0..BLOCK as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let (noise, zeros) = (sample(&noise, 0), sample(&vec![0; BLOCK], 0));
        assert_eq!((noise.length_min[0], noise.width), (4, 4));
        assert!(zeros.length_min[0] >= 20 && zeros.width == 8);
    }

    #[test]
    fn entropies_are_those_of_shannon() {
        let mut counts = [0; 256];
        counts[..4].fill(100);
        assert_eq!(entropy(&counts, 400), 32);
        assert_eq!(entropy(&[5; 256], 5 * 256), 128);
        assert_eq!(entropy(&[0; 256], 0), 0);
    }
}
