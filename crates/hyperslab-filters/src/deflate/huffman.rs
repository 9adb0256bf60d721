//! Huffman codes of limited length (RFC 1951, section 3.2.2).
//!
//! Lengths are those of Moffat and Katajainen ("In-place calculation of minimum-redundancy codes", 1995): over sorted frequencies,
//! the same memory holds weights, then parents, then depths. Codes that are too long are shortened at the expense of others.

/// A code as it is written: its bits, the first in the lowest place, above 8 bits with their number.
pub(super) type Code = u32;

const SYMBOLS_MAX: usize = super::symbols::LITERALS;

/// The length of each symbol's code, at most `max`; 0 of symbols that do not occur. Two symbols have codes at least, since some
/// readers refuse a code of one.
pub(super) fn lengths(frequencies: &[u32], max: usize, lengths: &mut [u8]) {
    lengths.fill(0);
    let mut leaves = [0u64; SYMBOLS_MAX];
    let mut count = 0;
    for (symbol, &frequency) in frequencies.iter().enumerate().filter(|(_, frequency)| **frequency > 0) {
        leaves[count] = u64::from(frequency) << 16 | symbol as u64;
        count += 1;
    }
    let leaves = &mut leaves[..count];
    if count < 2 {
        let only = leaves.first().map_or(0, |leaf| symbol(*leaf));
        lengths[only] = 1;
        lengths[usize::from(only == 0)] = 1;
        return;
    }
    leaves.sort_unstable();
    let mut counts = limited(&depths(leaves), max);
    // The rarest symbols have the longest codes.
    let mut length = max;
    for leaf in leaves.iter() {
        while counts[length] == 0 {
            length -= 1;
        }
        counts[length] -= 1;
        lengths[symbol(*leaf)] = length as u8;
    }
}

fn symbol(leaf: u64) -> usize {
    (leaf & 0xFFFF) as usize
}

/// How many leaves lie at each depth of the tree. Frequencies are of at most 2^32 symbols in all: no depth is beyond 47.
fn depths(leaves: &[u64]) -> [u32; 64] {
    let count = leaves.len();
    let mut nodes = [0u32; SYMBOLS_MAX];
    for (node, leaf) in nodes.iter_mut().zip(leaves) {
        *node = (leaf >> 16) as u32;
    }
    // Weights of inner nodes replace those of leaves that were taken, and parents those weights.
    let (mut leaf, mut inner) = (0, 0);
    for next in 0..count - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            if leaf < count && (inner >= next || nodes[leaf] <= nodes[inner]) {
                weight += nodes[leaf];
                leaf += 1;
            } else {
                weight += nodes[inner];
                nodes[inner] = next as u32;
                inner += 1;
            }
        }
        nodes[next] = weight;
    }
    // The last inner node is the root; depths of the others follow from their parents'.
    nodes[count - 2] = 0;
    for node in (0..count - 2).rev() {
        nodes[node] = nodes[nodes[node] as usize] + 1;
    }
    let mut inner_at = [0u32; 64];
    for depth in &nodes[..count - 1] {
        inner_at[*depth as usize & 63] += 1;
    }
    let mut leaves_at = [0u32; 64];
    let mut places = 1;
    for (leaves, inner) in leaves_at.iter_mut().zip(inner_at) {
        *leaves = places - inner;
        places = 2 * inner;
    }
    leaves_at
}

/// How many codes have each length if none is longer than `max`.
fn limited(depths: &[u32; 64], max: usize) -> [u32; 16] {
    let mut counts = [0; 16];
    counts[..=max].copy_from_slice(&depths[..=max]);
    counts[max] += depths[max + 1..].iter().sum::<u32>();
    // Parts of all codes, of which there are 2^max.
    let all = 1u32 << max;
    let mut used: u32 = (1..=max).map(|length| counts[length] << (max - length)).sum();
    while used > all {
        // The longest of the shorter codes becomes one bit longer.
        let Some(length) = (1..max).rev().find(|length| counts[*length] > 0) else { break };
        counts[length] -= 1;
        counts[length + 1] += 1;
        used -= 1 << (max - length - 1);
    }
    // What that left over shortens others.
    while used < all {
        let fits = |length: &usize| counts[*length] > 0 && 1 << (max - length) <= all - used;
        let Some(length) = (2..=max).find(fits) else { break };
        counts[length] -= 1;
        counts[length - 1] += 1;
        used += 1 << (max - length);
    }
    counts
}

/// The codes of these lengths, of at most 15 bits.
pub(super) fn codes(lengths: &[u8], codes: &mut [Code]) {
    let mut counts = [0u16; 16];
    for length in lengths {
        counts[*length as usize & 15] += 1;
    }
    counts[0] = 0;
    let mut next = [0u16; 16];
    for length in 1..16 {
        next[length] = (next[length - 1] + counts[length - 1]) << 1;
    }
    for (code, &length) in codes.iter_mut().zip(lengths) {
        let of_length = &mut next[length as usize & 15];
        *code = match length {
            0 => 0,
            _ => u32::from(of_length.reverse_bits() >> (16 - length)) << 8 | u32::from(length),
        };
        *of_length = of_length.wrapping_add(1);
    }
}

/// A code's bits, and how many.
#[inline(always)]
pub(super) fn parts(code: Code) -> (u64, u32) {
    (u64::from(code >> 8), code & 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kraft(lengths: &[u8]) -> f64 {
        lengths.iter().filter(|length| **length > 0).map(|length| 0.5f64.powi(i32::from(*length))).sum()
    }

    #[test]
    fn codes_are_those_of_the_rfc() {
        // The example of section 3.2.2, with the bits of each code reversed.
        let mut found = [0; 8];
        codes(&[3, 3, 3, 3, 3, 2, 4, 4], &mut found);
        let bits = [0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111];
        assert_eq!(found.map(|code| code >> 8), bits);
    }

    #[test]
    fn frequencies_of_fibonacci_are_limited() {
        let (mut frequencies, mut next) = ([0; 40], (1, 1));
        for frequency in &mut frequencies {
            *frequency = next.0;
            next = (next.1, next.0 + next.1);
        }
        let mut found = [0; 40];
        for max in [6, 7, 14, 15] {
            lengths(&frequencies, max, &mut found);
            assert_eq!(kraft(&found), 1.0, "{max}");
            assert_eq!(*found.iter().max().unwrap() as usize, max);
        }
    }

    #[test]
    fn no_symbol_and_one_symbol_are_two_codes() {
        for at in 0..3 {
            let mut frequencies = [0; 3];
            frequencies[at] = 5;
            let mut found = [0; 3];
            lengths(&frequencies, 15, &mut found);
            assert_eq!((kraft(&found), found[at]), (1.0, 1));
        }
        let mut found = [9; 3];
        lengths(&[0; 3], 15, &mut found);
        assert_eq!(found, [1, 1, 0]);
    }

    proptest! {
        #[test]
        fn codes_are_complete_and_shorter_for_what_is_more_frequent(
            frequencies in prop::collection::vec(prop_oneof![Just(0u32), 0u32..9, 0u32..100_000], 2..=286),
            max in 9usize..=15,
        ) {
            let mut found = vec![0; frequencies.len()];
            lengths(&frequencies, max, &mut found);
            prop_assert_eq!(kraft(&found), 1.0);
            prop_assert!(found.iter().all(|length| *length as usize <= max));
            for (one, a) in frequencies.iter().enumerate() {
                prop_assert!(*a == 0 || found[one] > 0);
                for (other, b) in frequencies.iter().enumerate() {
                    prop_assert!(!(a > b && *b > 0) || found[one] <= found[other]);
                }
            }
        }
    }
}
