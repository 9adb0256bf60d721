//! From a chunk's coordinates to its slot in the cache, for each version of libhdf5.
//!
//! 1.10 replaced the linear index with packed coordinates: each dimension gets the bits of the next power of two of its
//! chunk count, and the packed word is taken modulo the number of slots. If that number shares a factor with a power of
//! two (1000, 1024), whole planes of chunks collide.

use super::version::HashRule;

/// The slot numbers of one dataset in one cache.
#[derive(Debug, Clone)]
pub(super) struct SlotHash {
    rule: Rule,
    nslots: u64,
}

#[derive(Debug, Clone)]
enum Rule {
    Linear,
    Packed { bits: Vec<u32> },
    Last,
}

impl SlotHash {
    pub(super) fn new(rule: HashRule, shape: &[u64], chunk: &[u64], nslots: u64) -> Self {
        let bits = |count: fn(u64, u64) -> u64| -> Vec<u32> {
            shape.iter().zip(chunk).map(|(dim, chunk)| bits_for(count(*dim, *chunk))).collect()
        };
        let rule = match rule {
            HashRule::Linear => Rule::Linear,
            HashRule::Packed => Rule::Packed { bits: bits(u64::div_ceil) },
            HashRule::PackedFloor => {
                let last_chunks = shape.last().zip(chunk.last()).map_or(0, |(dim, chunk)| dim / chunk);
                if shape.len() > 1 && last_chunks <= nslots {
                    Rule::Packed { bits: bits(|dim, chunk| dim / chunk) }
                } else {
                    Rule::Last
                }
            }
        };
        Self { rule, nslots }
    }

    /// The slot of a chunk. Called only if there are slots.
    #[inline]
    pub(super) fn slot(&self, linear: u64, scaled: &[u64]) -> u64 {
        let value = match &self.rule {
            Rule::Linear => linear,
            Rule::Packed { bits } => {
                let mut value = scaled[0];
                for (coordinate, bits) in scaled[1..].iter().zip(&bits[1..]) {
                    // As in the library, high bits that do not fit are silently lost.
                    value = value.checked_shl(*bits).unwrap_or(0) ^ coordinate;
                }
                value
            }
            Rule::Last => scaled[scaled.len() - 1],
        };
        value % self.nslots
    }
}

/// Bits that libhdf5 gives a dimension of `count` chunks: log2 of the next power of two, 0 for one chunk or none.
fn bits_for(count: u64) -> u32 {
    if count <= 1 { 0 } else { 64 - (count - 1).leading_zeros() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_round_up_to_powers_of_two() {
        let bits: Vec<u32> = [0, 1, 2, 3, 4, 5, 8, 9].map(bits_for).to_vec();
        assert_eq!(bits, [0, 0, 1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn each_rule_packs_as_its_version_did() {
        let (shape, chunk) = ([9, 10], [3, 4]); // 3 × 3 chunks, the last column partial
        let packed = SlotHash::new(HashRule::Packed, &shape, &chunk, 521);
        assert_eq!(packed.slot(5, &[1, 2]), 1 << 2 | 2);
        let floor = SlotHash::new(HashRule::PackedFloor, &shape, &chunk, 521);
        assert_eq!(floor.slot(5, &[1, 2]), (1 << 1) ^ 2, "floor(10/4) = 2 chunks: one bit");
        let floor_few_slots = SlotHash::new(HashRule::PackedFloor, &shape, &chunk, 1);
        assert_eq!(floor_few_slots.slot(5, &[1, 2]), 0);
        let linear = SlotHash::new(HashRule::Linear, &shape, &chunk, 4);
        assert_eq!(linear.slot(5, &[1, 2]), 1);
    }

    #[test]
    fn slots_that_share_a_power_of_two_collide_where_a_prime_does_not() {
        let (shape, chunk) = ([64, 1024], [1, 1]);
        let distinct = |nslots| {
            let hash = SlotHash::new(HashRule::Packed, &shape, &chunk, nslots);
            let slots: std::collections::HashSet<u64> =
                (0..64).map(|t| hash.slot(t * 1024, &[t, 0])).collect();
            slots.len()
        };
        assert_eq!(distinct(1024), 1);
        assert_eq!(distinct(96), 3, "1024 t mod 96 takes three values");
        assert_eq!(distinct(521), 64);
    }
}
