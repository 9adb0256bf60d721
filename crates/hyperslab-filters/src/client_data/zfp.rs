//! Client data of zfp: the version of the plug-in, and zfp's own header, which has the mode and the shape of a chunk.
//!
//! | asked for | mode |
//! | --- | --- |
//! | nothing, or 5 | reversible |
//! | 1, 0, rate as a double | so many bits for each value |
//! | 2, 0, precision | so many bit planes |
//! | 3, 0, tolerance as a double | at most so large an error |
//! | 4, 0, bits of a block from, to, bit planes, exponent | all limits |
//!
//! These are the numbers that programs give to H5Z-ZFP (`H5Pset_zfp_*_cdata`), low halves first.

use super::{ElementKind, Target, inapplicable};
use crate::FilterError;

const NAME: &str = "zfp";
/// zfp 1.0.1, its codec 5, and H5Z-ZFP 1.1.1.
const VERSIONS: u32 = 0x1010_5111;
const MAGIC: u32 = u32::from_le_bytes(*b"zfp\x05");
const BLOCK_BITS_MAX: u32 = 16_658;
const PLANES_MAX: u32 = 64;
const EXPONENT_MIN: i32 = -1074;

/// The limits of the coding of a block (`zfp_stream_params`).
struct Limits {
    bits_min: u32,
    bits_max: u32,
    planes_max: u32,
    exponent_min: i32,
}

pub(super) fn complete(asked: &[u32], target: &Target<'_>) -> Result<Vec<u32>, FilterError> {
    let (kind, exponent_bits, bits) = match (&target.element.kind, target.element.size) {
        (ElementKind::Integer { bits, .. }, 4) => (0, 0, bits),
        (ElementKind::Integer { bits, .. }, 8) => (1, 0, bits),
        (ElementKind::Float(bits), 4) => (2, 8, bits),
        (ElementKind::Float(bits), 8) => (3, 11, bits),
        _ => return Err(inapplicable(NAME, "only integers and floats of 4 and 8 bytes can be coded")),
    };
    if bits.big_endian {
        // The plug-in would code their bytes as if they were little-endian.
        return Err(inapplicable(NAME, "only little-endian numbers can be coded"));
    }
    // The fastest axis first; axes of one element do not count.
    let sizes: Vec<u64> = target.chunk.iter().rev().copied().filter(|size| *size > 1).collect();
    let width = match sizes.len() {
        1 => 48,
        2 => 24,
        3 => 16,
        4 => 12,
        _ => return Err(inapplicable(NAME, "chunks need one to four axes of more than one element")),
    };
    if sizes.iter().any(|size| *size > 1 << width) {
        return Err(inapplicable(NAME, "a chunk is too long along an axis"));
    }
    let shape = sizes.iter().rev().fold(0u64, |shape, size| shape << width | (size - 1));
    let dimensions = sizes.len() as u32;
    let head = kind | u64::from(dimensions - 1) << 2 | shape << 4;
    let (mode, mode_bits) = limits(asked, dimensions, exponent_bits)?.mode();
    // 52 bits of type and shape, then the mode.
    let all = u128::from(head) | u128::from(mode) << 52;
    let words = (52 + mode_bits).div_ceil(32);
    let mut values = vec![MAGIC];
    values.extend((0..words).map(|word| (all >> (32 * word)) as u32));
    values.insert(0, VERSIONS);
    Ok(values)
}

fn limits(asked: &[u32], dimensions: u32, exponent_bits: u32) -> Result<Limits, FilterError> {
    let open =
        Limits { bits_min: 1, bits_max: BLOCK_BITS_MAX, planes_max: PLANES_MAX, exponent_min: EXPONENT_MIN };
    let double = |low: u32, high: u32| f64::from_bits(u64::from(low) | u64::from(high) << 32);
    match *asked {
        [] | [5, ..] => Ok(Limits { exponent_min: EXPONENT_MIN - 1, ..open }),
        [1, _, low, high, ..] if double(low, high) > 0.0 => {
            let values = f64::from(1u32 << (2 * dimensions));
            // A block of floats has at least the common exponent.
            let least = if exponent_bits > 0 { 1 + exponent_bits } else { 1 };
            let bits = (values * double(low, high) + 0.5).floor() as u32;
            let bits = bits.clamp(least, BLOCK_BITS_MAX);
            Ok(Limits { bits_min: bits, bits_max: bits, ..open })
        }
        [2, _, planes, ..] if planes > 0 => Ok(Limits { planes_max: planes.min(PLANES_MAX), ..open }),
        [3, _, low, high, ..] if double(low, high) > 0.0 && double(low, high).is_finite() => {
            Ok(Limits { exponent_min: floor_log2(double(low, high)), ..open })
        }
        [4, _, bits_min, bits_max, planes_max, exponent_min, ..]
            if bits_min <= bits_max && planes_max > 0 =>
        {
            Ok(Limits { bits_min, bits_max, planes_max, exponent_min: exponent_min as i32 })
        }
        _ => Err(inapplicable(NAME, format!("{asked:?} are not a mode and its limits"))),
    }
}

/// What was asked for, of the client data of a file; empty if that is not possible.
pub(super) fn asked(stored: &[u32]) -> Vec<u32> {
    let Some((_, header)) = stored.split_first() else { return Vec::new() };
    let is_big_endian = header.first().is_some_and(|magic| magic.swap_bytes() == MAGIC);
    let word = |place: usize| {
        let word = header.get(place).copied().unwrap_or_default();
        u128::from(if is_big_endian { word.swap_bytes() } else { word })
    };
    let all = (1..5).fold(0, |all, place| all | word(place) << (32 * (place - 1)));
    let dimensions = (all >> 2 & 3) as u32 + 1;
    let mode = (all >> 52) as u64;
    let rate = |bits: u32| {
        let rate = (f64::from(bits) / f64::from(1u32 << (2 * dimensions))).to_bits();
        vec![1, 0, rate as u32, (rate >> 32) as u32]
    };
    let all_limits = |bits_min: u32, bits_max: u32, planes: u32, exponent: i32| {
        vec![4, 0, bits_min, bits_max, planes, exponent as u32]
    };
    match (mode & 0xfff) as u32 {
        mode @ ..2048 => rate(mode + 1),
        mode @ 2048..2176 => vec![2, 0, mode - 2047],
        2176 => vec![5],
        mode @ 2177..0xfff => all_limits(1, BLOCK_BITS_MAX, PLANES_MAX, mode as i32 - 2177 + EXPONENT_MIN),
        _ => {
            let bits = |from: u32| (mode >> from & 0x7fff) as u32;
            all_limits(bits(12) + 1, bits(27) + 1, (mode >> 42 & 0x7f) as u32 + 1, bits(49) as i32 - 16_495)
        }
    }
}

/// The bound of the error that client data in the file promises: a power of two, if nothing else is limited.
pub(super) fn error_max(stored: &[u32]) -> Option<f64> {
    match *asked(stored) {
        [4, _, ..=1, bits, planes, exponent] if bits >= BLOCK_BITS_MAX && planes >= PLANES_MAX => {
            Some(f64::from(exponent as i32).exp2())
        }
        _ => None,
    }
}

/// The largest e such that 2^e is at most this positive number.
fn floor_log2(value: f64) -> i32 {
    let biased = (value.to_bits() >> 52) as i32;
    // The significand of subnormal numbers has no implicit bit.
    if biased > 0 { biased - 1023 } else { EXPONENT_MIN + 63 - value.to_bits().leading_zeros() as i32 }
}

impl Limits {
    /// As the header has them, and the number of bits.
    fn mode(&self) -> (u64, u32) {
        let is_open = self.bits_min <= 1 && self.bits_max >= BLOCK_BITS_MAX;
        let has_all_planes = self.planes_max >= PLANES_MAX;
        let has_all_exponents = self.exponent_min == EXPONENT_MIN;
        if self.exponent_min < EXPONENT_MIN {
            return (2176, 12);
        }
        // No limit at all has no short form.
        let is_short = !(is_open && has_all_planes && has_all_exponents);
        if self.bits_min == self.bits_max && self.bits_max <= 2048 && has_all_planes && has_all_exponents {
            return (u64::from(self.bits_max.max(1) - 1), 12);
        }
        if is_short && is_open && has_all_exponents {
            return (u64::from(self.planes_max - 1) + 2048, 12);
        }
        if is_short && is_open && has_all_planes && self.exponent_min <= 843 {
            return ((self.exponent_min - EXPONENT_MIN + 2177) as u64, 12);
        }
        let bits = |bits: u32| u64::from(bits.clamp(1, 0x8000) - 1);
        let exponent = (self.exponent_min.saturating_add(16_495)).clamp(0, 0x7fff) as u64;
        let planes = u64::from(self.planes_max.clamp(1, 0x80) - 1);
        (0xfff | bits(self.bits_min) << 12 | bits(self.bits_max) << 27 | planes << 42 | exponent << 49, 64)
    }
}
