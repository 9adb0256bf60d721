//! Values that compress as much as requested, anywhere in an array, in any order.
//!
//! An element is a smooth field of its coordinates, of which the lowest bits are replaced by random ones. The more of
//! them, the less a compressor can do: the number of random bits is what a requested ratio is turned into
//! ([`Synthetic::with_ratio`]). Random bits come from the element's position alone, so that blocks may be written in any
//! order, and twice.

use hyperslab_engines::{Block, Element, Kind, Scalar};
use serde::{Deserialize, Serialize};

/// Values without a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Synthetic {
    /// Extent.
    pub shape: Vec<u64>,
    /// Type of the elements.
    pub element: Element,
    /// Random bits of an element; the fraction is the share of elements that have one more.
    pub noise_bits: f64,
    /// The same seed gives the same values.
    pub seed: u64,
}

/// Bytes of values that a ratio is tried on.
const SAMPLE_BYTES: u64 = 1 << 20;
/// Deflate level at which a ratio is meant.
const SAMPLE_LEVEL: i32 = 6;
/// How often the number of bits is halved in on.
const STEPS: usize = 16;

impl Synthetic {
    /// Values that gzip (level 6, no shuffle) makes smaller by about this ratio, or by as near to it as this type allows.
    pub fn with_ratio(shape: &[u64], element: Element, ratio: f64, seed: u64) -> Self {
        let (mut low, mut high) = (0.0, f64::from(random_bits_max(element)));
        let made = |noise_bits| Self { shape: shape.to_vec(), element, noise_bits, seed };
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            if made(middle).sample_ratio() > ratio { low = middle } else { high = middle }
        }
        made(f64::midpoint(low, high))
    }

    /// What gzip makes of a sample of the values.
    pub fn sample_ratio(&self) -> f64 {
        let bytes = self.sample();
        let level = libdeflater::CompressionLvl::new(SAMPLE_LEVEL).expect("a level that there is");
        let mut compressor = libdeflater::Compressor::new(level);
        let mut out = vec![0; compressor.zlib_compress_bound(bytes.len())];
        let compressed = compressor.zlib_compress(&bytes, &mut out).unwrap_or(bytes.len());
        bytes.len() as f64 / compressed.max(1) as f64
    }

    /// The first elements, in row-major order.
    fn sample(&self) -> Vec<u8> {
        let elements: u64 = self.shape.iter().fold(1, |n, dim| n.saturating_mul(*dim));
        let size = self.element.packed_bytes();
        let wanted = elements.min(SAMPLE_BYTES / size as u64).max(1) as usize;
        let mut bytes = vec![0; wanted * size];
        self.fill_from(0, &mut bytes);
        bytes
    }

    /// Fills `out` with whole elements in row-major order, from that of this number on, in the machine's byte order.
    pub(crate) fn fill_from(&self, first: u64, out: &mut [u8]) {
        let mut rest = first;
        let mut at = vec![0; self.shape.len()];
        for (coordinate, dim) in at.iter_mut().zip(&self.shape).rev() {
            (rest, *coordinate) = (rest / (*dim).max(1), rest % (*dim).max(1));
        }
        for (number, place) in (first..).zip(out.chunks_exact_mut(self.element.packed_bytes())) {
            self.put(number, &at, place);
            for (coordinate, dim) in at.iter_mut().zip(&self.shape).rev() {
                *coordinate += 1;
                if *coordinate < *dim {
                    break;
                }
                *coordinate = 0;
            }
        }
    }

    /// Puts the values of a block into `out`, in the machine's byte order.
    pub fn fill(&self, block: &Block, out: &mut [u8]) {
        let size = self.element.packed_bytes();
        let mut inside = vec![0u64; block.count.len()];
        let mut at = block.start.clone();
        for place in out.chunks_exact_mut(size) {
            let number = at
                .iter()
                .zip(&self.shape)
                .fold(0u64, |number, (at, dim)| number.wrapping_mul(*dim).wrapping_add(*at));
            self.put(number, &at, place);
            for axis in (0..inside.len()).rev() {
                inside[axis] += 1;
                at[axis] += block.step[axis];
                if inside[axis] < block.count[axis] {
                    break;
                }
                inside[axis] = 0;
                at[axis] = block.start[axis];
            }
        }
    }

    /// Fills `out` with the bytes from `at` on of all values in row-major order, as they are stored. Of records without gaps.
    pub(super) fn fill_stored(&self, at: u64, out: &mut [u8]) {
        let size = self.element.packed_bytes();
        let before = (at % size as u64) as usize;
        let mut values = vec![0; (before + out.len()).next_multiple_of(size)];
        self.fill_from(at / size as u64, &mut values);
        if matches!(self.element, Element::Scalar(scalar) if scalar.is_swapped()) {
            values.chunks_exact_mut(size).for_each(<[u8]>::reverse);
        }
        out.copy_from_slice(&values[before..before + out.len()]);
    }

    fn put(&self, number: u64, at: &[u64], place: &mut [u8]) {
        let random = mixed(self.seed ^ mixed(number));
        let fraction = self.noise_bits.fract();
        let one_more = ((mixed(random) >> 11) as f64) < fraction * (1u64 << 53) as f64;
        let noise = self.noise_bits as u32 + u32::from(one_more);
        let smooth = smooth(at, &self.shape);
        let record = match self.element {
            Element::Scalar(scalar) => return value(scalar, smooth, random, noise, place),
            Element::Record(record) => record,
        };
        // Records come without gaps. Each number in them has random bits of its own.
        let (mut rest, mut random) = (place, random);
        for field in &record.fields {
            let (here, after) = rest.split_at_mut(field.bytes());
            rest = after;
            for place in here.chunks_exact_mut(field.scalar.bytes as usize) {
                random = mixed(random);
                value(field.scalar, smooth, random, noise.min(random_bits(field.scalar)), place);
            }
        }
    }
}

/// One number or text.
fn value(scalar: Scalar, smooth: f64, random: u64, noise: u32, place: &mut [u8]) {
    if scalar.kind == Kind::Text {
        return text(random, noise, place);
    }
    let bits = match (scalar.kind, scalar.bytes) {
        (Kind::Float, 4) => {
            let value = (200.0 + 100.0 * smooth) as f32;
            let keep = mask(noise);
            // An exponent that begins with 01 is that of a finite number, whatever follows.
            u64::from(value.to_bits()) & !keep & !0x6000_0000 | random & keep & !0x6000_0000 | 0x2000_0000
        }
        (Kind::Float, _) => {
            let value = 200.0 + 100.0 * smooth;
            let keep = mask(noise);
            let exponent = 0x6000_0000_0000_0000;
            value.to_bits() & !keep & !exponent | random & keep & !exponent | 0x2000_0000_0000_0000
        }
        (_, bytes) => {
            let top = mask(8 * bytes) >> 1;
            let value = (smooth.mul_add(0.25, 0.5) * top as f64) as u64;
            value & !mask(noise) | random & mask(noise)
        }
    };
    let bytes = bits.to_le_bytes();
    place.copy_from_slice(&bytes[..place.len()]);
    if cfg!(target_endian = "big") {
        place.reverse();
    }
}

/// Letters, of which a share is random.
fn text(random: u64, noise: u32, place: &mut [u8]) {
    let mut state = random;
    let total = 8 * place.len() as u64;
    for (i, letter) in place.iter_mut().enumerate() {
        state = mixed(state);
        let is_random = (state >> 32) % total.max(1) < u64::from(noise);
        *letter = if is_random { b'!' + (state % 94) as u8 } else { b'a' + (i % 26) as u8 };
    }
}

/// Random bits that an element can have.
fn random_bits_max(element: Element) -> u32 {
    match element {
        Element::Scalar(scalar) => random_bits(scalar),
        Element::Record(record) => {
            record.fields.iter().map(|field| random_bits(field.scalar)).max().unwrap_or(0)
        }
    }
}

/// Random bits that a number or text can have. Two bits of a float's exponent are kept, so that every value is finite.
fn random_bits(scalar: Scalar) -> u32 {
    8 * scalar.bytes - u32::from(scalar.kind == Kind::Float)
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// From -1 to 1 in steps of a 64th, with a few waves over each axis. Without steps, the last bits of a float would be as
/// good as random.
fn smooth(at: &[u64], shape: &[u64]) -> f64 {
    let waves = at.iter().zip(shape).enumerate().map(|(axis, (at, dim))| {
        let turns = *at as f64 / (*dim).max(1) as f64 * (axis + 1) as f64;
        (std::f64::consts::TAU * turns).sin()
    });
    (waves.sum::<f64>() / at.len().max(1) as f64 * 64.0).round() / 64.0
}

/// The finaliser of SplitMix64: every bit of the result depends on every bit of the number.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Access;

    fn made(element: &str, ratio: f64) -> Synthetic {
        Synthetic::with_ratio(&[40, 30, 64], element.parse().unwrap(), ratio, 1)
    }

    #[test]
    fn the_requested_ratio_results() {
        for element in ["<f4", "<f8", "<i2", "<i4", "u1", "S16"] {
            for ratio in [1.2, 2.0, 4.0] {
                let reached = made(element, ratio).sample_ratio();
                assert!((reached / ratio - 1.0).abs() < 0.1, "{element}: {reached} for {ratio}");
            }
        }
        assert!(made("<f4", 1.0).sample_ratio() < 1.1);
    }

    #[test]
    fn records_have_values_in_every_field() {
        let values = made("struct{a:<f4,b:<i2,c:<f8[2],d:S3}", 1.5);
        let sample = values.sample();
        let records: Vec<&[u8]> = sample.chunks_exact(4 + 2 + 16 + 3).collect();
        for range in [0..4, 4..6, 6..14, 14..22, 22..25] {
            let distinct: std::collections::BTreeSet<&[u8]> =
                records.iter().map(|record| &record[range.clone()]).collect();
            assert!(distinct.len() > 100, "{range:?}: {}", distinct.len());
        }
    }

    #[test]
    fn blocks_agree_with_the_whole() {
        let values = made("<i4", 2.0);
        let whole = values.sample();
        let access = Access { step: vec![1, 2, 3], ..Access::sweep(vec![7, 30, 10]) };
        for block in access.blocks(&values.shape) {
            let mut out = vec![0; block.elements() as usize * 4];
            values.fill(&block, &mut out);
            let last: Vec<u64> =
                (0..3).map(|axis| block.start[axis] + (block.count[axis] - 1) * block.step[axis]).collect();
            let number = ((last[0] * 30 + last[1]) * 64 + last[2]) as usize * 4;
            assert_eq!(out[out.len() - 4..], whole[number..number + 4]);
        }
    }

    #[test]
    fn floats_are_finite_however_random() {
        let values = Synthetic { noise_bits: 31.0, ..made("<f4", 1.0) };
        let finite = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap()).is_finite();
        assert!(values.sample().chunks_exact(4).all(finite));
    }
}
