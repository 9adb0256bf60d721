//! Filter 4, "szip": extended Rice coding (CCSDS 121.0-B) with the options of the SZIP library.
//!
//! ```text
//! stored    | decoded length, 4 bytes little-endian | bits, the highest of each byte first |
//! bits      line, line, …: each of ⌈pixels per line / block⌉ blocks
//! block     | option | reference sample (first of a line, if differences are coded) | codes |
//! ```
//!
//! | option, in n bits | codes |
//! | --- | --- |
//! | 0, then bit 0 | a run of blocks of zeros: its length in unary (5 means "to the end of the line or of 64 blocks") |
//! | 0, then bit 1 | pairs of small numbers in one unary number ("second extension") |
//! | 2ⁿ−1 | the uncompressed samples |
//! | k+1 | each sample's upper bits in unary, then each one's lower k bits |
//!
//! n is 3 for samples of up to 8 bits, 4 for up to 16, otherwise 5. With the option NN, samples are differences from
//! their predecessors, mapped to non-negative numbers such that the range of values is never exceeded. Samples of 32
//! and 64 bits are coded as bytes, sorted as by the filter shuffle. A line whose length is not a multiple of the block
//! is padded in the stream.
//!
//! Parameters: options mask, pixels per block, bits per pixel, pixels per line.

mod encoder;

use crate::bits::Bits;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};
use crate::{FilterError, shuffle};

const NAME: &str = "szip";
const MSB: u32 = 16;
const NN: u32 = 32;
/// Far above the 32 that HDF5 allows, and small enough for the stack.
const BLOCK_MAX: usize = 256;
/// `SZ_MAX_PIXELS_PER_SCANLINE`, a limit of the writer.
const LINE_PIXELS_MAX: u64 = 4096;
/// The largest unary number that represents a pair: 0 to 12, split in any way.
const PAIR_MAX: u32 = 90;
/// The run length of zero blocks that means "the rest".
const REST: u32 = 5;
/// The longest run of zero blocks that a short code can represent.
const RUN_MAX: u64 = 64;

struct Szip {
    /// The number of samples in a block.
    block: usize,
    /// The number of blocks in a line, and the number of samples in a line that are not padding.
    line_blocks: u64,
    line_pixels: u64,
    /// The number of bits of a coded sample.
    bits: u32,
    /// The number of bytes of a decoded sample.
    sample: usize,
    /// Greater than 1 if samples are the sorted bytes of larger pixels.
    sorted: usize,
    differences: bool,
    big_endian: bool,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let &[options, block, bits, line] = setup.parameters else {
        return Err(FilterError::parameters(NAME, format!("expected four, found {:?}", setup.parameters)));
    };
    if !(2..=BLOCK_MAX as u32).contains(&block) || block % 2 != 0 || line == 0 {
        return Err(FilterError::parameters(
            NAME,
            format!("blocks of {block} pixels are not possible in lines of {line}"),
        ));
    }
    let sorted = if matches!(bits, 32 | 64) { bits as usize / 8 } else { 1 };
    let bits = if sorted > 1 { 8 } else { bits };
    let sample = match bits {
        1..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        _ => {
            return Err(FilterError::parameters(
                NAME,
                format!("{bits} is not a valid number of bits per pixel"),
            ));
        }
    };
    Ok(Box::new(Szip {
        block: block as usize,
        line_blocks: u64::from(line.div_ceil(block)),
        line_pixels: u64::from(line),
        bits,
        sample,
        sorted,
        differences: options & NN != 0,
        big_endian: options & MSB != 0,
    }))
}

impl Stage for Szip {
    fn name(&self) -> &'static str {
        NAME
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        stored.first_chunk().map(|length| u64::from(u32::from_le_bytes(*length)))
    }

    /// A code of at least one byte represents at most 64 blocks of zeros.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        stored_bytes.saturating_mul(RUN_MAX as usize * self.block * self.sample)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        let Some((length, codes)) = stored.split_first_chunk() else {
            return Err(FilterError::corrupt(NAME, "the stored bytes are shorter than the header"));
        };
        let length = u32::from_le_bytes(*length) as usize;
        let max = out.len();
        let out = out.get_mut(..length).ok_or(FilterError::TooLong { filter: NAME, max })?;
        if self.sorted > 1 {
            // Nothing is coded for a pixel that is cut off.
            let length = length - length % self.sorted;
            let bytes = state.spare.room(length)?;
            self.lines(codes, bytes)?;
            shuffle::unshuffle(bytes, self.sorted, &mut out[..length]);
            Ok(length)
        } else if !length.is_multiple_of(self.sample) {
            self.broken_off(codes, out, state)
        } else {
            self.lines(codes, out)?;
            Ok(length)
        }
    }

    /// Like libhdf5, gives up where the codes would not be shorter than the raw bytes.
    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        let pixel = if self.sorted > 1 { self.sorted } else { self.sample };
        if !raw.len().is_multiple_of(pixel) {
            let what = format!("{} bytes in pixels of {pixel}", raw.len());
            return Err(FilterError::unsupported(NAME, what));
        }
        if self.line_pixels > LINE_PIXELS_MAX {
            let what =
                format!("{} pixels in a line, but at most {LINE_PIXELS_MAX} are possible", self.line_pixels);
            return Err(FilterError::parameters(NAME, what));
        }
        let length = u32::try_from(raw.len())
            .map_err(|_| FilterError::unsupported(NAME, "a chunk of 4 GiB or more"))?;
        let out = out.room(4 + raw.len())?;
        let (header, codes) = out.split_at_mut(4);
        header.copy_from_slice(&length.to_le_bytes());
        let coded = if self.sorted > 1 {
            let bytes = state.spare.room(raw.len())?;
            shuffle::shuffle(raw, self.sorted, bytes);
            encoder::lines(self, bytes, codes)
        } else {
            encoder::lines(self, raw, codes)
        };
        coded.map(|len| 4 + len).ok_or(FilterError::Incompressible { filter: NAME, bytes: raw.len() })
    }
}

impl Szip {
    /// The width of a block's option.
    fn option_bits(&self) -> u32 {
        match self.bits {
            0..=8 => 3,
            9..=16 => 4,
            _ => 5,
        }
    }

    /// The output of an earlier filter may end within a sample. If lines are padded, the rest is coded in a sample with
    /// padding; otherwise it is lost, as in libaec's replacement for the SZIP library.
    fn broken_off(&self, codes: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        let is_padded = !self.line_pixels.is_multiple_of(self.block as u64);
        let samples = if is_padded { out.len().div_ceil(self.sample) } else { out.len() / self.sample };
        let whole = state.spare.room(samples * self.sample)?;
        self.lines(codes, whole)?;
        let length = out.len().min(whole.len());
        out[..length].copy_from_slice(&whole[..length]);
        Ok(length)
    }

    fn lines(&self, codes: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
        let mut decoder =
            Decoder { szip: self, bits: Bits::new(codes), zero_blocks: 0, codes: [0; BLOCK_MAX] };
        for line in out.chunks_mut((self.line_pixels as usize).saturating_mul(self.sample)) {
            match (self.sample, self.big_endian) {
                (1, _) => decoder.line(line, |value| [value as u8])?,
                (2, false) => decoder.line(line, |value| (value as u16).to_le_bytes())?,
                (2, true) => decoder.line(line, |value| (value as u16).to_be_bytes())?,
                (_, false) => decoder.line(line, u32::to_le_bytes)?,
                (_, true) => decoder.line(line, u32::to_be_bytes)?,
            }
        }
        Ok(())
    }
}

struct Decoder<'a> {
    szip: &'a Szip,
    bits: Bits<'a>,
    /// The number of zero blocks left in this line.
    zero_blocks: u64,
    codes: [u32; BLOCK_MAX],
}

impl Decoder<'_> {
    /// Decodes one line. The last line and its stream may be truncated.
    #[inline]
    fn line<const N: usize>(
        &mut self,
        out: &mut [u8],
        put: impl Fn(u32) -> [u8; N],
    ) -> Result<(), FilterError> {
        let Szip { block, line_blocks, differences, bits, .. } = *self.szip;
        let most = u32::MAX >> (32 - bits);
        let mut last = 0;
        let mut samples = out.as_chunks_mut::<N>().0;
        for number in 0..line_blocks {
            if samples.is_empty() {
                break;
            }
            let wanted = samples.len().min(block);
            let reference = differences && number == 0;
            self.block(number, reference, wanted)?;
            let (here, rest) = samples.split_at_mut(wanted);
            samples = rest;
            if !differences {
                for (sample, &code) in here.iter_mut().zip(&self.codes) {
                    *sample = put(code);
                }
                continue;
            }
            for (i, (sample, &code)) in here.iter_mut().zip(&self.codes).enumerate() {
                last = if reference && i == 0 { code } else { next(last, code, most) };
                *sample = put(last);
            }
        }
        // The rest of the last block was padding; a run of zero blocks does not continue in the next line.
        Ok(())
    }

    /// Decodes block `number` of a line to `self.codes`, of which `wanted` codes will be used.
    #[inline]
    fn block(&mut self, number: u64, reference: bool, wanted: usize) -> Result<(), FilterError> {
        let Szip { block, bits, line_blocks, .. } = *self.szip;
        if self.zero_blocks > 0 {
            self.zero_blocks -= 1;
            self.codes[..block].fill(0);
            return Ok(());
        }
        let option_bits = self.szip.option_bits();
        let option = self.bits.get(option_bits) as u32;
        let pairs = option == 0 && self.bits.get(1) == 1;
        let first = usize::from(reference);
        let raw = option == (1 << option_bits) - 1;
        if reference && !raw {
            self.codes[0] = self.bits.get(bits) as u32;
        }
        let codes = &mut self.codes[first..block];
        // The bits of padding samples, which may be missing at the end of the stream.
        let mut padding = 0;
        if raw {
            self.codes[..wanted].iter_mut().for_each(|code| *code = self.bits.get(bits) as u32);
            padding = bits;
        } else if pairs {
            self.pairs(first)?;
        } else if option == 0 {
            codes.fill(0);
            let run = match self.bits.zeros() + 1 {
                REST => (line_blocks - number).min(RUN_MAX - number % RUN_MAX),
                longer if longer > REST => u64::from(longer - 1),
                run => u64::from(run),
            };
            if run > line_blocks - number {
                return Err(FilterError::corrupt(NAME, "a run of zeros extends beyond its line"));
            }
            self.zero_blocks = run - 1;
        } else {
            let low = option - 1;
            codes.iter_mut().for_each(|code| *code = self.bits.zeros() << low);
            if low > 0 {
                let codes = &mut self.codes[first..wanted.max(first)];
                codes.iter_mut().for_each(|code| *code = code.wrapping_add(self.bits.get(low) as u32));
                padding = low;
            }
        }
        if self.bits.is_overrun() {
            return Err(FilterError::corrupt(NAME, "the stored bytes are truncated"));
        }
        for _ in wanted..block {
            self.bits.get(padding);
        }
        Ok(())
    }

    /// A unary number m represents two codes a and b: m = (a + b)(a + b + 1)/2 + b. The reference sample replaces the
    /// first a.
    fn pairs(&mut self, first: usize) -> Result<(), FilterError> {
        for i in (0..self.szip.block).step_by(2) {
            let number = self.bits.zeros();
            if number > PAIR_MAX {
                return Err(FilterError::corrupt(NAME, "a pair of numbers is too large"));
            }
            let mut sum = 0;
            while (sum + 1) * (sum + 2) / 2 <= number {
                sum += 1;
            }
            let second = number - sum * (sum + 1) / 2;
            if i >= first {
                self.codes[i] = sum - second;
            }
            self.codes[i + 1] = second;
        }
        Ok(())
    }
}

/// The sample whose mapped difference from the previous sample is `code`. Small codes alternate around `last`; if one
/// side would leave the range 0 to `most`, codes continue on the other side.
#[inline]
fn next(last: u32, code: u32, most: u32) -> u32 {
    let nearer = if last > most / 2 { most - last.min(most) } else { last };
    if u64::from(code) <= 2 * u64::from(nearer) {
        let half = code >> 1;
        if code & 1 == 0 { last.wrapping_add(half) } else { last.wrapping_sub(half + 1) }
    } else if last > most / 2 {
        most.wrapping_sub(code)
    } else {
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes 16-bit uncompressed samples in blocks of 2, for a chunk of this many bytes.
    fn decoded(line: u32, bytes: u8, bits: &str) -> Vec<u8> {
        let stage = make(Setup { id: 4, parameters: &[0, 2, 16, line] }).unwrap();
        let bits: Vec<char> = bits.chars().filter(|bit| *bit != ' ').collect();
        let byte = |bits: &[char]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit == '1'));
        let stored: Vec<u8> = [bytes, 0, 0, 0].into_iter().chain(bits.chunks(8).map(byte)).collect();
        let mut out = vec![0; bytes.into()];
        let length = stage.decode(&stored, &mut out, &mut CodecState::default()).unwrap();
        out.truncate(length);
        out
    }

    const THREE_SAMPLES: &str =
        "1111 0000000000000001 0000000000000010 1111 0000000000000011 0000000000000011";

    #[test]
    fn half_a_sample_is_kept_by_the_padding_of_its_line() {
        assert_eq!(decoded(3, 5, THREE_SAMPLES), [1, 0, 2, 0, 3]);
    }

    #[test]
    fn half_a_sample_is_lost_where_lines_have_no_padding() {
        assert_eq!(decoded(4, 5, THREE_SAMPLES), [1, 0, 2, 0]);
    }
}
