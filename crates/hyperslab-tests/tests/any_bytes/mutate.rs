//! Changes of bytes that are likely to break parsers.

use super::structure_ranges::StructureRange;
use std::ops::Range;

/// xorshift64*: the same changes in every run.
pub struct Random(u64);

impl Random {
    /// The random numbers of one change of one structure.
    pub fn new(structure: &str, number: usize) -> Self {
        let hash = |state: u64, byte: u64| (state ^ byte).wrapping_mul(0x0100_0000_01b3);
        let seed = structure.bytes().map(u64::from).fold(0xcbf2_9ce4_8422_2325, hash);
        Self(hash(seed, number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound.max(1)
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// Changes one to three fields in the range and returns the changed bytes.
pub fn mutate(
    bytes: &mut [u8],
    range: &StructureRange,
    others: &[StructureRange],
    random: &mut Random,
) -> Range<usize> {
    let mut changed = change(bytes, &range.bytes, others, random);
    for _ in 0..random.below(3) {
        let one = change(bytes, &range.bytes, others, random);
        changed = changed.start.min(one.start)..changed.end.max(one.end);
    }
    changed
}

fn change(
    bytes: &mut [u8],
    within: &Range<usize>,
    others: &[StructureRange],
    random: &mut Random,
) -> Range<usize> {
    let mut at = within.start + random.below(within.len());
    if bytes[at] == 0 && random.below(2) == 0 {
        // Most zeros are padding: continue to a byte that is not zero.
        at = (at..within.end).find(|&at| bytes[at] != 0).unwrap_or(at);
    }
    let wide = random.one(&[1, 2, 4, 8]).min(within.end - at);
    match random.below(8) {
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = random.one(&[0, 1, 2, 4, 8, 16, 0x7f, 0x80, 0xfe, 0xff]),
        2 => bytes[at] = random.below(256) as u8,
        3 => add(&mut bytes[at..at + wide], random.one(&[1, -1])),
        4 => bytes[at..at + wide].fill(random.one(&[0, 0x7f, 0x80, 0xff])),
        5 => {
            let len = bytes.len() as u64;
            let boundaries =
                [len, len - 1, len + 1, len / 2, 1 << 15, 1 << 31, 1 << 32, 1 << 40, i64::MAX as u64];
            put(&mut bytes[at..at + wide], random.one(&boundaries));
        }
        6 => {
            // The address of another structure: cycles, and structures taken for others.
            let other = random.below(others.len());
            put(&mut bytes[at..at + wide], others[other].bytes.start as u64);
        }
        _ => {
            let from = within.start + random.below(within.len());
            let len = (1 + random.below(16)).min(within.end - from.max(at));
            bytes.copy_within(from..from + len, at);
            return at..at + len;
        }
    }
    at..at + wide
}

fn add(field: &mut [u8], difference: i64) {
    let mut wide = [0; 8];
    wide[..field.len()].copy_from_slice(field);
    put(field, i64::from_le_bytes(wide).wrapping_add(difference) as u64);
}

fn put(field: &mut [u8], value: u64) {
    field.copy_from_slice(&value.to_le_bytes()[..field.len()]);
}
