//! Filter 32013, "zfp": blocks of 4 × … × 4 values, transformed and coded by bit planes.
//!
//! ```text
//! parameters   versions | zfp header: "zfp", 5 | 52 bits type and sizes | 12 or 64 bits mode
//! stored       block | block | …           x runs fastest; blocks at the upper edges are padded to 4 in each direction
//! block        whether any value is nonzero | common exponent | bit planes of the coefficients, the highest first
//! ```
//!
//! Bits are counted from the lowest of each byte. Integers have neither the first bit nor an exponent. In reversible
//! mode, another bit indicates that there is no exponent because the bits of the floats are coded as integers. The mode
//! contains the minimum and maximum number of bits of a block, the maximum number of bit planes, and the minimum
//! exponent.
//!
//! Values are identical, bit by bit, to those of zfp built with its default rounding, and so are the encoded bytes. Not
//! supported: streams of codec version 4 and earlier (zfp before 0.5).

mod decoder;
mod encoder;
mod order;
mod stream;
mod transform;
mod word;

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};
use decoder::Decoder;
use encoder::Encoder;
use stream::Stream;
use word::Word;

const NAME: &str = "zfp";
const CODEC: u64 = 5;
const MODE_SHORT_MAX: u64 = 0xffe;
const EXPONENT_MIN: i32 = -1074;
const BLOCK_BITS_MAX: u32 = 16658;
const PLANES_MAX: u32 = 64;
/// The number of values in the largest block, which has four dimensions.
const VALUES_MAX: usize = 256;

struct Zfp {
    kind: Kind,
    /// x first; 1 for missing dimensions.
    sizes: [usize; 4],
    dimensions: usize,
    mode: Mode,
    /// True if the writer had another byte order, which the values must have too.
    swapped: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Int32,
    Int64,
    Float,
    Double,
}

/// The limits of the coding of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mode {
    bits_min: u32,
    bits_max: u32,
    planes_max: u32,
    exponent_min: i32,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let Some((_, header)) = setup.parameters.split_first() else {
        return Err(FilterError::parameters(NAME, "there are none"));
    };
    let plain: Vec<u8> = header.iter().flat_map(|value| value.to_le_bytes()).collect();
    let turned: Vec<u8> = header.iter().flat_map(|value| value.to_be_bytes()).collect();
    let zfp = if turned.starts_with(b"zfp") { Zfp::read(&turned, true) } else { Zfp::read(&plain, false) };
    Ok(Box::new(zfp?))
}

impl Zfp {
    fn read(header: &[u8], swapped: bool) -> Result<Self, FilterError> {
        let mut bits = Stream::new(header);
        let magic: [u64; 3] = std::array::from_fn(|_| bits.get(8));
        let codec = bits.get(8);
        if magic != [b'z', b'f', b'p'].map(u64::from) {
            return Err(FilterError::parameters(NAME, "they contain no zfp header"));
        }
        if codec != CODEC {
            return Err(FilterError::unsupported(NAME, format!("codec version {codec}")));
        }
        let kind = [Kind::Int32, Kind::Int64, Kind::Float, Kind::Double][bits.get(2) as usize];
        let dimensions = bits.get(2) as usize + 1;
        let width = [48, 24, 16, 12][dimensions - 1];
        let mut sizes = [1; 4];
        for size in &mut sizes[..dimensions] {
            *size = bits.get(width) as usize + 1;
        }
        // The rest of the 48 bits for sizes.
        bits.get(48 - width * dimensions as u32);
        let mode = Mode::read(&mut bits);
        if bits.is_overrun() {
            return Err(FilterError::parameters(NAME, "the zfp header is truncated"));
        }
        Ok(Self { kind, sizes, dimensions, mode, swapped })
    }

    fn element_bytes(&self) -> usize {
        if matches!(self.kind, Kind::Int32 | Kind::Float) { 4 } else { 8 }
    }

    fn bytes(&self) -> Option<usize> {
        self.sizes.iter().try_fold(self.element_bytes(), |bytes, &size| bytes.checked_mul(size))
    }
}

impl Mode {
    fn read(bits: &mut Stream<'_>) -> Self {
        let open = Self {
            bits_min: 1,
            bits_max: BLOCK_BITS_MAX,
            planes_max: PLANES_MAX,
            exponent_min: EXPONENT_MIN,
        };
        match bits.get(12) {
            mode @ ..2048 => Self { bits_min: mode as u32 + 1, bits_max: mode as u32 + 1, ..open },
            mode @ 2048..2176 => Self { planes_max: mode as u32 - 2047, ..open },
            // Reversible: less than any possible exponent.
            2176 => Self { exponent_min: EXPONENT_MIN - 1, ..open },
            mode if mode <= MODE_SHORT_MAX => {
                Self { exponent_min: mode as i32 - 2177 + EXPONENT_MIN, ..open }
            }
            _ => Self {
                bits_min: bits.get(15) as u32 + 1,
                bits_max: bits.get(15) as u32 + 1,
                planes_max: bits.get(7) as u32 + 1,
                exponent_min: bits.get(15) as i32 - 16495,
            },
        }
    }

    fn is_reversible(&self) -> bool {
        self.exponent_min < EXPONENT_MIN
    }

    /// The bit planes of a block of floats with this common exponent.
    fn planes(&self, exponent: i32, dimensions: usize) -> u32 {
        let room = i64::from(exponent) - i64::from(self.exponent_min) + 2 * dimensions as i64 + 2;
        self.planes_max.min(room.clamp(0, 1 << 20) as u32)
    }
}

impl Stage for Zfp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> String {
        let Mode { bits_min, bits_max, planes_max, exponent_min } = self.mode;
        let values = 1 << (2 * self.dimensions);
        if self.mode.is_reversible() {
            "zfp reversible".to_string()
        } else if bits_min == bits_max {
            format!("zfp rate {}", f64::from(bits_max) / f64::from(values))
        } else if planes_max < PLANES_MAX {
            format!("zfp precision {planes_max}")
        } else {
            format!("zfp accuracy 2^{exponent_min}")
        }
    }

    fn claimed(&self, _: &[u8]) -> Option<u64> {
        Some(self.bytes().map_or(u64::MAX, |bytes| bytes as u64))
    }

    /// A block of 4 values along each axis takes at least one bit.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        let whole_blocks = stored_bytes.saturating_mul(8) / self.mode.bits_min.max(1) as usize;
        let block_bytes = self.element_bytes() << (2 * self.dimensions);
        self.bytes().unwrap_or(usize::MAX).min(whole_blocks.saturating_add(1).saturating_mul(block_bytes))
    }

    /// Chunks of another size than the header says, and those with values that the mode cannot code, are stored as they
    /// are.
    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        if self.bytes() != Some(raw.len()) {
            let what = format!("the parameters are not those of a chunk of {} bytes", raw.len());
            return Err(FilterError::Inapplicable { filter: NAME, what });
        }
        let raw = if self.swapped {
            let turned = state.spare.room(raw.len())?;
            turned.copy_from_slice(raw);
            turned.chunks_exact_mut(self.element_bytes()).for_each(<[u8]>::reverse);
            &*turned
        } else {
            raw
        };
        let out = out.room(self.encoded_bytes_max(raw.len())?)?;
        let is_float = matches!(self.kind, Kind::Float | Kind::Double);
        let len = if self.element_bytes() == 4 {
            self.encode_blocks::<i32>(Encoder::new(out, self.dimensions, self.mode, is_float), raw)?
        } else {
            self.encode_blocks::<i64>(Encoder::new(out, self.dimensions, self.mode, is_float), raw)?
        };
        len.ok_or(FilterError::TooLong { filter: NAME, max: raw.len() })
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let bytes =
            self.bytes().filter(|&bytes| bytes <= max).ok_or(FilterError::TooLong { filter: NAME, max })?;
        let out = &mut out[..bytes];
        let is_float = matches!(self.kind, Kind::Float | Kind::Double);
        if self.element_bytes() == 4 {
            self.blocks::<i32>(Decoder::new(stored, self.dimensions, self.mode, is_float), out)?;
        } else {
            self.blocks::<i64>(Decoder::new(stored, self.dimensions, self.mode, is_float), out)?;
        }
        if self.swapped {
            out.chunks_exact_mut(self.element_bytes()).for_each(<[u8]>::reverse);
        }
        Ok(bytes)
    }
}

impl Zfp {
    fn blocks<W: Word>(&self, mut decoder: Decoder<'_, W>, out: &mut [u8]) -> Result<(), FilterError> {
        let [nx, ny, nz, nw] = self.sizes;
        for w in (0..nw).step_by(4) {
            for z in (0..nz).step_by(4) {
                for y in (0..ny).step_by(4) {
                    for x in (0..nx).step_by(4) {
                        let block = decoder.block()?;
                        self.place(block, [x, y, z, w], out);
                    }
                }
            }
        }
        Ok(())
    }

    /// The most bytes that an encoder writes. A plane takes at most a bit for each coefficient and for each group of them.
    fn encoded_bytes_max(&self, raw_bytes: usize) -> Result<usize, FilterError> {
        let blocks = self.sizes.iter().map(|size| size.div_ceil(4)).product::<usize>();
        let values = 1usize << (2 * self.dimensions);
        let head = 2 + 11 + 6;
        let block_bits =
            (head + 8 * self.element_bytes() * (2 * values + 1)).min(self.mode.bits_max as usize);
        let block_bits = block_bits.max(self.mode.bits_min as usize);
        let bytes = blocks.checked_mul(block_bits).map(|bits| bits.div_ceil(8));
        bytes.ok_or(FilterError::Memory { bytes: raw_bytes })
    }

    /// The number of encoded bytes; `None` if they did not fit.
    fn encode_blocks<W: Word>(
        &self,
        mut encoder: Encoder<'_, W>,
        raw: &[u8],
    ) -> Result<Option<usize>, FilterError> {
        let [nx, ny, nz, nw] = self.sizes;
        for w in (0..nw).step_by(4) {
            for z in (0..nz).step_by(4) {
                for y in (0..ny).step_by(4) {
                    for x in (0..nx).step_by(4) {
                        self.fill([x, y, z, w], raw, &mut encoder.values);
                        encoder.block()?;
                    }
                }
            }
        }
        Ok(encoder.finish())
    }

    /// Copies the values of a block, and pads it along each axis as zfp does.
    fn fill<W: Word>(&self, start: [usize; 4], raw: &[u8], block: &mut [W]) {
        let [nx, ny, nz, _] = self.sizes;
        let here: [usize; 4] = std::array::from_fn(|axis| (self.sizes[axis] - start[axis]).min(4));
        // Missing values repeat those at the start of the line: the first one, or the first and then the second.
        let at = |axis: usize, i: usize| match (here[axis], i) {
            (has, i) if i < has => start[axis] + i,
            (1, _) => start[axis],
            (2, 2) => start[axis] + 1,
            (_, _) => start[axis],
        };
        let along = |axis: usize| 0..if axis < self.dimensions { 4 } else { 1 };
        for w in along(3) {
            for z in along(2) {
                for y in along(1) {
                    let row = ((at(3, w) * nz + at(2, z)) * ny + at(1, y)) * nx;
                    for x in along(0) {
                        let from = (row + at(0, x)) * W::BYTES;
                        block[64 * w + 16 * z + 4 * y + x] = W::read(&raw[from..from + W::BYTES]);
                    }
                }
            }
        }
    }

    /// Copies the values of a block that are not padding to their positions.
    fn place<W: Word>(&self, block: &[W], start: [usize; 4], out: &mut [u8]) {
        let [nx, ny, nz, _] = self.sizes;
        let here: [usize; 4] = std::array::from_fn(|axis| (self.sizes[axis] - start[axis]).min(4));
        for w in 0..here[3] {
            for z in 0..here[2] {
                for y in 0..here[1] {
                    let row = (((start[3] + w) * nz + start[2] + z) * ny + start[1] + y) * nx + start[0];
                    let values = &block[64 * w + 16 * z + 4 * y..][..here[0]];
                    let out = &mut out[row * W::BYTES..][..here[0] * W::BYTES];
                    for (value, out) in values.iter().zip(out.chunks_exact_mut(W::BYTES)) {
                        value.write(out);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_cannot_be() {
        let zfp = u32::from_le_bytes(*b"zfp\x05");
        for parameters in
            [&[][..], &[0], &[0, 7, 8, 9], &[0, zfp], &[0, zfp, 1], &[0, zfp - (1 << 24), 4083, 49_283_072]]
        {
            assert!(make(Setup { id: 32013, parameters }).is_err(), "{parameters:?}");
        }
    }

    #[test]
    fn sizes_that_no_machine_has() {
        let stage = make(Setup {
            id: 32013,
            parameters: &[0, u32::from_le_bytes(*b"zfp\x05"), u32::MAX, u32::MAX, 0, 0],
        });
        let error = stage.unwrap().decode(&[0; 100], &mut [0; 100], &mut CodecState::default()).unwrap_err();
        assert!(matches!(error, FilterError::TooLong { .. }), "{error}");
    }
}
