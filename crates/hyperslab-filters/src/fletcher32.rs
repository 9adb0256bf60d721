//! Filter 3, "fletcher32": a four-byte checksum after the data.
//!
//! ```text
//! | data … | checksum, little-endian |
//! ```
//!
//! The checksum is Fletcher's, over 16-bit *big-endian* words (an odd last byte is the high half of a word); each sum
//! is in 1 to 65535 unless all words are zero. libhdf5 before 1.6.3 used the machine's byte order; on little-endian
//! machines that swaps the bytes of both halves of the result. Like libhdf5, this filter accepts such checksums too.

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Growth, Setup, Stage};
use std::ops::Range;

const NAME: &str = "fletcher32";
const CHECKSUM_BYTES: usize = 4;

struct Fletcher32;

/// The filter has no parameters; if there are any, they are ignored, as in libhdf5.
pub(crate) fn make(_: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    Ok(Box::new(Fletcher32))
}

impl Stage for Fletcher32 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn growth(&self) -> Growth {
        Growth::Plus(CHECKSUM_BYTES)
    }

    fn view(&self, stored: &[u8]) -> Result<Option<Range<usize>>, FilterError> {
        let Some((data, checksum)) = stored.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(FilterError::corrupt(
                NAME,
                format!("{} bytes are too short for a checksum", stored.len()),
            ));
        };
        let stored = u32::from_le_bytes(*checksum);
        let computed = fletcher32(data);
        if stored != computed && stored != swapped_halves(computed) {
            return Err(FilterError::Checksum { filter: NAME, stored, computed });
        }
        Ok(Some(0..data.len()))
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let data = &stored[self.view(stored)?.unwrap_or(0..0)];
        let max = out.len();
        let room = out.get_mut(..data.len()).ok_or(FilterError::TooLong { filter: NAME, max })?;
        room.copy_from_slice(data);
        Ok(data.len())
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        let stored = out.room(raw.len() + CHECKSUM_BYTES)?;
        stored[..raw.len()].copy_from_slice(raw);
        stored[raw.len()..].copy_from_slice(&fletcher32(raw).to_le_bytes());
        Ok(stored.len())
    }
}

/// The checksum as written by libhdf5 before 1.6.3 on a little-endian machine.
fn swapped_halves(checksum: u32) -> u32 {
    checksum.swap_bytes().rotate_left(16)
}

/// Number of words summed in parallel, so that the compiler uses vector registers.
const LANES: usize = 16;
/// Number of rows of [`LANES`] words before the 32-bit sums of a lane could overflow: 65535 · n(n+1)/2 < 2³².
const ROWS: usize = 360;

/// Fletcher's checksum of `data`.
///
/// With words `w(t, l)` in rows of [`LANES`], a lane keeps `a = Σ w` and `b = Σ a` (so a word counts once for each row
/// from its own to the last). A whole block of n words then adds `Σ (LANES·b − l·a)`, and n times the previous first
/// sum, to the second sum. All sums are modulo 65535, where only zero has two representations.
fn fletcher32(data: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { with_avx2(data) };
    }
    portable(data)
}

/// The same, compiled for AVX2 registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(data: &[u8]) -> u32 {
    portable(data)
}

#[inline(always)]
fn portable(data: &[u8]) -> u32 {
    let (mut first, mut second) = (0u64, 0u64);
    let whole = data.len() - data.len() % (2 * LANES);
    for block in data[..whole].chunks(2 * LANES * ROWS) {
        let (mut a, mut b) = ([0u32; LANES], [0u32; LANES]);
        for row in block.as_chunks::<{ 2 * LANES }>().0 {
            for lane in 0..LANES {
                a[lane] += u32::from(u16::from_be_bytes([row[2 * lane], row[2 * lane + 1]]));
                b[lane] += a[lane];
            }
        }
        second += first * (block.len() / 2) as u64;
        for lane in 0..LANES {
            first += u64::from(a[lane]);
            second += LANES as u64 * u64::from(b[lane]) - lane as u64 * u64::from(a[lane]);
        }
        first = folded(first);
        second = folded(second);
    }
    for pair in data[whole..].chunks(2) {
        let low = pair.get(1).copied().unwrap_or(0);
        first += u64::from(u16::from_be_bytes([pair[0], low]));
        second += first;
    }
    (folded(second) as u32) << 16 | folded(first) as u32
}

/// The sum modulo 65535, in 16 bits; zero only if the sum is zero.
fn folded(mut sum: u64) -> u64 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::encoded;
    use proptest::prelude::*;

    /// The definition, word by word.
    fn plain(data: &[u8]) -> u32 {
        let (mut first, mut second) = (0u64, 0u64);
        for pair in data.chunks(2) {
            first += u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0));
            second += folded(first);
            (first, second) = (folded(first), folded(second));
        }
        (second << 16 | first) as u32
    }

    #[test]
    fn known_values() {
        // Values from libhdf5's own test of checksums.
        assert_eq!(fletcher32(&[0; 256]), 0);
        assert_eq!(fletcher32(&[0, 1, 2, 3, 4, 5, 6, 7]), plain(&[0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(fletcher32(&[0xff; 10_000]), 0xffff_ffff);
        assert_eq!(swapped_halves(0x1122_3344), 0x2211_4433);
    }

    #[test]
    fn the_checksum_of_old_libraries_is_accepted() {
        let data = b"twelve bytes";
        let mut stored = data.to_vec();
        stored.extend_from_slice(&swapped_halves(fletcher32(data)).to_le_bytes());
        assert_eq!(Fletcher32.view(&stored).unwrap(), Some(0..12));
        stored[3] ^= 8;
        assert!(matches!(Fletcher32.view(&stored), Err(FilterError::Checksum { .. })));
    }

    #[test]
    fn too_short_for_a_checksum() {
        assert!(matches!(Fletcher32.view(&[1, 2, 3]), Err(FilterError::Corrupt { .. })));
    }

    proptest! {
        #[test]
        fn equals_the_definition(data in proptest::collection::vec(any::<u8>(), 0..40_000), high: bool) {
            let data: Vec<u8> = data.into_iter().map(|byte| if high { byte | 0xf0 } else { byte }).collect();
            prop_assert_eq!(fletcher32(&data), plain(&data));
            prop_assert_eq!(portable(&data), plain(&data));
        }

        #[test]
        fn round_trip(data in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut state = CodecState::default();
            let stored = encoded(&Fletcher32, &data, &mut state).unwrap();
            let mut out = vec![0; data.len()];
            prop_assert_eq!(Fletcher32.decode(&stored, &mut out, &mut state).unwrap(), data.len());
            prop_assert_eq!(out, data);
        }
    }
}
