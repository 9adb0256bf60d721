//! Encodes fast: one pass that compares each place with a single other one, and Huffman codes for each block.
//!
//! ```text
//!   chunk ──sample──► where a block ends ──matches──► matches and literals, counted ──block──► codes, bits
//! ```
//!
//! The output depends on the bytes alone: not on the machine, nor on what was encoded before. Why this encoder, with figures:
//! `docs/design/010-encoding.md`.

use super::bits::Bits;
use super::block::{Codes, store};
use super::matches::Matches;
use super::sample::sample;

/// The header of a zlib stream (RFC 1950): a window of 32 KiB, a fast encoder.
const HEADER: [u8; 2] = [0x78, 0x5E];
/// Blocks have 2 KiB at least, but for the last one, and are at most 6 bytes longer than what they hold. Bits are written eight
/// bytes at a time.
const BYTES_PER_BLOCK: usize = 1 << 11;
const BLOCK_OVERHEAD: usize = 6;
const SLACK: usize = 32;

/// An encoder of zlib streams, with the memory that it uses again for each.
pub(crate) struct Encoder {
    matches: Matches,
    codes: Codes,
}

impl Encoder {
    pub(crate) fn new() -> Self {
        Self { matches: Matches::new(), codes: Codes::new() }
    }

    /// The bytes that [`Self::encode`] needs for its output.
    pub(crate) fn room(bytes: usize) -> usize {
        bytes + BLOCK_OVERHEAD * (bytes / BYTES_PER_BLOCK) + SLACK
    }

    /// Encodes bytes; returns how many the output has. `out` has [`Self::room`] for them. No output is longer than with stored
    /// blocks alone.
    pub(crate) fn encode(&mut self, bytes: &[u8], out: &mut [u8]) -> usize {
        let mut bits = Bits::new(out);
        bits.bytes(&HEADER);
        self.write_blocks(bytes, &mut bits);
        if bits.len() > HEADER.len() + bytes.len() + 5 * bytes.len().div_ceil(65_535).max(1) {
            bits = Bits::new(out);
            bits.bytes(&HEADER);
            store(bytes, true, &mut bits);
        }
        bits.bytes(&libdeflater::adler32(bytes).to_be_bytes());
        bits.len()
    }

    fn write_blocks(&mut self, bytes: &[u8], bits: &mut Bits<'_>) {
        self.matches.forget();
        let mut at = 0;
        loop {
            let end = self.matches.find(bytes, at, &sample(bytes, at));
            self.codes.write(&bytes[at..end], &self.matches, end == bytes.len(), bits);
            at = end;
            if at == bytes.len() {
                break;
            }
        }
        // The last bits are in a byte of their own.
        bits.bytes(&[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoded(encoder: &mut Encoder, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![0xA5; Encoder::room(bytes.len())];
        let len = encoder.encode(bytes, &mut out);
        out.truncate(len);
        out
    }

    /// Encodes, decodes, and checks the length of what was stored.
    fn check(encoder: &mut Encoder, bytes: &[u8]) -> usize {
        let stored = encoded(encoder, bytes);
        assert!(stored.len() <= bytes.len() + 5 * bytes.len().div_ceil(65_535).max(1) + 6, "{}", bytes.len());
        let mut back = vec![0; bytes.len()];
        let mut inflater = libdeflater::Decompressor::new();
        assert_eq!(inflater.zlib_decompress(&stored, &mut back), Ok(bytes.len()));
        assert!(back == bytes);
        stored.len()
    }

    fn noise(seed: u32) -> impl Iterator<Item = u32> + Clone {
        std::iter::successors(Some(seed), |state| {
            Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
        })
    }

    #[test]
    fn bytes_of_every_short_length_come_back() {
        let mut encoder = Encoder::new();
        for len in (0..600).chain([8191, 8192, 8193, 65_535, 65_536, 65_560, 65_561, 131_072, 131_095]) {
            check(&mut encoder, &vec![7; len]);
            check(&mut encoder, &(0..len as u32).map(|i| (i % 251) as u8).collect::<Vec<_>>());
            check(&mut encoder, &noise(len as u32).take(len).map(|x| (x >> 24) as u8).collect::<Vec<_>>());
            check(&mut encoder, &noise(len as u32).take(len).map(|x| (x >> 30) as u8).collect::<Vec<_>>());
        }
    }

    #[test]
    fn runs_and_periods_come_back_and_are_short() {
        let mut encoder = Encoder::new();
        for period in [1, 2, 3, 4, 7, 8, 255, 258, 259, 4096, 32_767, 32_768] {
            let bytes: Vec<u8> =
                noise(1).take(period).map(|x| (x >> 24) as u8).cycle().take(3 << 20).collect();
            let len = check(&mut encoder, &bytes);
            assert!(len < period + period / 50 + (3 << 20) / 100, "{period}: {len}");
        }
        // What repeats begins behind noise.
        let bytes: Vec<u8> = noise(2)
            .take(200_000)
            .chain(noise(1).take(30_000).cycle().take(1 << 20))
            .map(|x| (x >> 24) as u8)
            .collect();
        let len = check(&mut encoder, &bytes);
        assert!(len < 200_000 + 3 * 65_536, "{len}");
        // A match lies 32 KiB back at most.
        let bytes: Vec<u8> = noise(1).take(32_769).map(|x| (x >> 24) as u8).cycle().take(1 << 18).collect();
        assert!(check(&mut encoder, &bytes) > 1 << 18);
    }

    #[test]
    fn the_output_does_not_depend_on_what_was_encoded_before() {
        let bytes: Vec<u8> = noise(9).take(200_000).map(|x| (x >> 29) as u8).collect();
        let first = encoded(&mut Encoder::new(), &bytes);
        let mut used = Encoder::new();
        check(&mut used, &bytes[1000..]);
        assert!(encoded(&mut used, &bytes) == first);
    }

    /// Bytes of an alphabet of their own for each stretch: blocks end in many places, and hardly become shorter.
    #[test]
    fn what_changes_often_is_not_longer_than_stored() {
        let alphabet = |i: usize, x: u32| {
            if (i / 8192).is_multiple_of(2) { (x >> 24) as u8 } else { (x >> 25) as u8 | (x >> 31) as u8 }
        };
        let bytes: Vec<u8> = noise(4).take(1 << 20).enumerate().map(|(i, x)| alphabet(i, x)).collect();
        check(&mut Encoder::new(), &bytes);
    }

    proptest! {
        #[test]
        fn pieces_that_are_repeated_come_back(
            pieces in prop::collection::vec(
                (prop::collection::vec(any::<u8>(), 1..40), 1usize..400, 0u8..3), 1..60,
            ),
        ) {
            let mut bytes = Vec::new();
            for (piece, times, kind) in &pieces {
                for time in 0..*times {
                    match kind {
                        0 => bytes.extend(piece),
                        1 => bytes.extend(piece.iter().map(|byte| byte.wrapping_add(time as u8))),
                        _ => bytes.extend(piece.iter().map(|byte| byte.wrapping_mul(time as u8 | 1) >> 5)),
                    }
                }
            }
            check(&mut Encoder::new(), &bytes);
        }
    }
}
