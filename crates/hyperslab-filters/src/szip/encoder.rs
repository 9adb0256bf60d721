//! Encodes lines of samples: each block with the option that needs the fewest bits.
//!
//! Like the SZIP library, pads every line to whole blocks: with its last sample if differences are coded, otherwise with
//! zeros. If lines are whole blocks, only the last block of the chunk is padded.

use super::{BLOCK_MAX, REST, RUN_MAX, Szip};
use crate::bits::BitWriter;

/// The largest sum of a pair that one unary number can represent.
const PAIR_SUM_MAX: u32 = 12;

/// Encodes whole samples to the start of `out`; returns the number of bytes, or `None` if they do not fit.
pub(super) fn lines(szip: &Szip, raw: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut encoder = Encoder {
        szip,
        bits: BitWriter::new(out),
        zeros: None,
        samples: [0; BLOCK_MAX],
        codes: [0; BLOCK_MAX],
    };
    let line_bytes = (szip.line_pixels as usize).saturating_mul(szip.sample);
    for line in raw.chunks(line_bytes) {
        match (szip.sample, szip.big_endian) {
            (1, _) => encoder.line(line, |[byte]| u32::from(byte)),
            (2, false) => encoder.line(line, |bytes| u16::from_le_bytes(bytes).into()),
            (2, true) => encoder.line(line, |bytes| u16::from_be_bytes(bytes).into()),
            (_, false) => encoder.line(line, u32::from_le_bytes),
            (_, true) => encoder.line(line, u32::from_be_bytes),
        }
        if encoder.bits.is_overrun() {
            return None;
        }
    }
    encoder.bits.finish()
}

struct Encoder<'a> {
    szip: &'a Szip,
    bits: BitWriter<'a>,
    /// A run of blocks of zeros that was not written yet.
    zeros: Option<ZeroRun>,
    samples: [u32; BLOCK_MAX],
    codes: [u32; BLOCK_MAX],
}

struct ZeroRun {
    blocks: u64,
    /// The reference sample of the first block, if it begins a line.
    reference: Option<u32>,
}

impl Encoder<'_> {
    fn line<const N: usize>(&mut self, line: &[u8], value: impl Fn([u8; N]) -> u32) {
        let Szip { block, line_blocks, line_pixels, differences, bits, .. } = *self.szip;
        let most = u32::MAX >> (32 - bits);
        let samples = line.as_chunks::<N>().0;
        let is_padded = !line_pixels.is_multiple_of(block as u64);
        let blocks = if is_padded { line_blocks } else { samples.len().div_ceil(block) as u64 };
        let mut last = 0;
        for number in 0..blocks {
            let start = (number as usize).saturating_mul(block).min(samples.len());
            let here = &samples[start..samples.len().min(start + block)];
            for (sample, bytes) in self.samples.iter_mut().zip(here) {
                // Bits above the precision are padding.
                *sample = value(*bytes) & most;
            }
            let before = last;
            if differences {
                last = here.last().map_or(before, |_| self.samples[here.len() - 1]);
                self.samples[here.len()..block].fill(last);
            } else {
                self.samples[here.len()..block].fill(0);
            }
            let reference = (differences && number == 0).then_some(self.samples[0]);
            self.map(before, reference.is_some(), most);
            let is_last = number + 1 == line_blocks;
            self.block(number, reference, is_last);
        }
        // A line that was not filled ends with the chunk: how long the rest of the line is, is not to be said.
        self.write_zeros(false);
    }

    /// Maps the samples of a block to codes.
    #[inline]
    fn map(&mut self, before: u32, is_reference: bool, most: u32) {
        let block = self.szip.block;
        if !self.szip.differences {
            self.codes[..block].copy_from_slice(&self.samples[..block]);
            return;
        }
        let mut last = before;
        for (code, &sample) in self.codes[..block].iter_mut().zip(&self.samples) {
            *code = mapped(last, sample, most);
            last = sample;
        }
        if is_reference {
            self.codes[0] = 0;
        }
    }

    /// Writes block `number` of a line, or adds it to the run of zeros.
    fn block(&mut self, number: u64, reference: Option<u32>, is_last: bool) {
        let block = self.szip.block;
        let first = usize::from(reference.is_some());
        if self.codes[first..block].iter().all(|&code| code == 0) {
            let run = self.zeros.get_or_insert(ZeroRun { blocks: 0, reference });
            run.blocks += 1;
            // A run does not extend beyond its line or 64 blocks.
            if is_last || (number + 1).is_multiple_of(RUN_MAX) {
                self.write_zeros(true);
            }
            return;
        }
        self.write_zeros(false);
        let id = self.szip.option_bits();
        let bits = self.szip.bits;
        let (split, low) = self.best_split(first);
        let raw = (block - first) as u64 * u64::from(bits);
        let pairs = self.pairs_len();
        if split.min(raw) >= pairs {
            self.bits.put(1, id + 1);
            self.reference(reference);
            for pair in self.codes[..block].as_chunks::<2>().0 {
                self.bits.unary(pair_number(pair[0], pair[1]));
            }
        } else if raw <= split {
            self.bits.put((1 << id) - 1, id);
            // Uncompressed are the codes, not the samples; the first one of a line is the reference sample.
            self.codes[0] = reference.unwrap_or(self.codes[0]);
            for &code in &self.codes[..block] {
                self.bits.put(code.into(), bits);
            }
        } else {
            self.bits.put(u64::from(low) + 1, id);
            self.reference(reference);
            for &code in &self.codes[first..block] {
                self.bits.unary(u64::from(code >> low));
            }
            for &code in &self.codes[first..block] {
                self.bits.put(code.into(), low);
            }
        }
    }

    fn reference(&mut self, reference: Option<u32>) {
        if let Some(sample) = reference {
            self.bits.put(sample.into(), self.szip.bits);
        }
    }

    /// The length of the best split and its number of lower bits, which are stored as they are.
    fn best_split(&self, first: usize) -> (u64, u32) {
        let codes = &self.codes[first..self.szip.block];
        let low_max = ((1 << self.szip.option_bits()) - 3).min(self.szip.bits - 1);
        let len = |low: u32| {
            codes.iter().map(|&code| u64::from(code >> low) + 1).sum::<u64>()
                + codes.len() as u64 * u64::from(low)
        };
        (0..=low_max).map(|low| (len(low), low)).min().unwrap_or((u64::MAX, 0))
    }

    /// The length as pairs, with the bit that distinguishes them from zeros.
    fn pairs_len(&self) -> u64 {
        let mut len = 1u64;
        for pair in self.codes[..self.szip.block].as_chunks::<2>().0 {
            if pair[0].saturating_add(pair[1]) > PAIR_SUM_MAX {
                return u64::MAX;
            }
            len += pair_number(pair[0], pair[1]) + 1;
        }
        len
    }

    /// Writes the run of zeros. `to_the_end` says that it extends to the end of the line or of 64 blocks.
    fn write_zeros(&mut self, to_the_end: bool) {
        let Some(run) = self.zeros.take() else { return };
        self.bits.put(0, self.szip.option_bits() + 1);
        self.reference(run.reference);
        let rest = u64::from(REST);
        self.bits.unary(match run.blocks {
            blocks if blocks < rest => blocks - 1,
            _ if to_the_end => rest - 1,
            blocks => blocks,
        });
    }
}

/// The unary number that represents a pair of codes.
fn pair_number(first: u32, second: u32) -> u64 {
    let sum = u64::from(first) + u64::from(second);
    sum * (sum + 1) / 2 + u64::from(second)
}

/// The code of a sample after `last`; the inverse of the decoder's `next`.
#[inline]
fn mapped(last: u32, sample: u32, most: u32) -> u32 {
    let nearer = last.min(most - last);
    if sample >= last {
        let up = sample - last;
        if up <= nearer { up << 1 } else { nearer + up }
    } else {
        let down = last - sample;
        if down <= nearer { (down << 1) - 1 } else { nearer + down }
    }
}

#[cfg(test)]
mod tests {
    use super::super::next;
    use super::mapped;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_lead_back_to_their_samples(last: u32, sample: u32, bits in 1u32..=32) {
            let most = u32::MAX >> (32 - bits);
            let (last, sample) = (last & most, sample & most);
            let code = mapped(last, sample, most);
            prop_assert!(code <= most);
            prop_assert_eq!(next(last, code, most), sample);
        }
    }
}
