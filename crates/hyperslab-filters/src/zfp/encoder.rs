//! One block, the other direction: values to coefficients, and coefficients to bit planes. Each step reverses one of
//! [`Decoder`](super::decoder::Decoder), and writes the bits that zfp's own encoder writes.

use super::order::order;
use super::stream::StreamWriter;
use super::transform::{forward, forward_reversible};
use super::word::Word;
use super::{Mode, NAME, VALUES_MAX};
use crate::FilterError;

/// Encodes blocks one after the other.
pub(super) struct Encoder<'a, W> {
    stream: StreamWriter<'a>,
    dimensions: usize,
    /// The number of values in a block.
    len: usize,
    mode: Mode,
    is_float: bool,
    /// The values of the block, as their bits; then its coefficients.
    pub values: [W; VALUES_MAX],
    planes: [u64; VALUES_MAX],
}

impl<'a, W: Word> Encoder<'a, W> {
    pub fn new(out: &'a mut [u8], dimensions: usize, mode: Mode, is_float: bool) -> Self {
        let (planes, values) = ([0; VALUES_MAX], [W::default(); VALUES_MAX]);
        Self {
            stream: StreamWriter::new(out),
            dimensions,
            len: 1 << (2 * dimensions),
            mode,
            is_float,
            values,
            planes,
        }
    }

    /// Encodes the block that is in `values`.
    ///
    /// # Errors
    ///
    /// Infinite values and NaN, which only reversible mode can code.
    pub fn block(&mut self) -> Result<(), FilterError> {
        let used = match (self.is_float, self.mode.is_reversible()) {
            (false, false) => self.integers(0, self.mode.planes_max),
            (false, true) => self.integers_reversibly(0),
            (true, false) => self.floats()?,
            (true, true) => self.floats_reversibly(),
        };
        self.stream.zeros(self.mode.bits_min.saturating_sub(used));
        Ok(())
    }

    /// The number of bytes, or `None` if they did not fit.
    pub fn finish(self) -> Option<usize> {
        self.stream.finish()
    }

    /// Each of the following functions returns how many bits of the block have been written; `used` is the number before
    /// the call.
    fn integers(&mut self, used: u32, planes_max: u32) -> u32 {
        forward(&mut self.values[..self.len], self.dimensions);
        self.reorder();
        self.write_planes(used, planes_max)
    }

    fn integers_reversibly(&mut self, used: u32) -> u32 {
        forward_reversible(&mut self.values[..self.len], self.dimensions);
        self.reorder();
        let all = self.planes[..self.len].iter().fold(0, |all, bits| all | bits);
        // Planes below the lowest one bit are left out.
        let planes = if all == 0 { 1 } else { W::BITS - all.trailing_zeros() };
        self.stream.put(u64::from(planes - 1), W::COUNT_BITS);
        self.write_planes(used + W::COUNT_BITS, planes)
    }

    fn floats(&mut self) -> Result<u32, FilterError> {
        let values = &self.values[..self.len];
        if !values.iter().all(|value| value.is_finite()) {
            let what = "the chunk has infinite values or NaN, which only reversible mode can code".into();
            return Err(FilterError::Inapplicable { filter: NAME, what });
        }
        let exponent = self.exponent_max();
        let planes = exponent.map_or(0, |exponent| self.mode.planes(exponent, self.dimensions));
        let Some(exponent) = exponent.filter(|_| planes > 0) else {
            self.stream.put(0, 1);
            return Ok(1);
        };
        self.stream.put(1, 1);
        self.put_exponent(exponent);
        self.values[..self.len].iter_mut().for_each(|value| *value = value.quantized(exponent));
        Ok(self.integers(1 + W::EXPONENT_BITS, planes))
    }

    fn floats_reversibly(&mut self) -> u32 {
        let len = self.len;
        let is_zero = self.values[..len].iter().all(|value| *value == W::default());
        if is_zero {
            self.stream.put(0, 1);
            return 1;
        }
        // Scaled integers, if they are the same values.
        let is_finite = self.values[..len].iter().all(|value| value.is_finite());
        if let Some(exponent) = self.exponent_max().filter(|_| is_finite) {
            let scaled = self.values.map(|value| value.quantized(exponent));
            if scaled[..len].iter().zip(&self.values).all(|(scaled, value)| scaled.scaled(exponent) == *value)
            {
                self.stream.put(0b01, 2);
                self.put_exponent(exponent);
                self.values = scaled;
                return self.integers_reversibly(2 + W::EXPONENT_BITS);
            }
        }
        self.stream.put(0b11, 2);
        self.values[..self.len].iter_mut().for_each(|value| *value = value.ranked());
        self.integers_reversibly(2)
    }

    /// The smallest exponent e such that all values are less than 2^e; `None` if all are zero.
    fn exponent_max(&self) -> Option<i32> {
        self.values[..self.len].iter().filter_map(|value| value.exponent()).max()
    }

    fn put_exponent(&mut self, exponent: i32) {
        self.stream.put((exponent + W::EXPONENT_BIAS) as u64, W::EXPONENT_BITS);
    }

    /// Writes bit planes until the block's bits or planes are used up, as [`Decoder`](super::decoder::Decoder) reads them.
    fn write_planes(&mut self, used: u32, planes_max: u32) -> u32 {
        let len = self.len;
        let lowest = W::BITS.saturating_sub(planes_max);
        let budget = self.mode.bits_max.saturating_sub(used);
        let mut bits = budget;
        let mut shown = 0;
        for plane in (lowest..W::BITS).rev() {
            if bits == 0 {
                break;
            }
            let known = shown.min(bits as usize);
            bits -= known as u32;
            for place in 0..known {
                self.stream.put(self.planes[place] >> plane & 1, 1);
            }
            while shown < len && bits > 0 {
                bits -= 1;
                let next = (shown..len).find(|&place| self.planes[place] >> plane & 1 == 1);
                self.stream.put(u64::from(next.is_some()), 1);
                let Some(next) = next else { break };
                while shown < len - 1 && bits > 0 {
                    bits -= 1;
                    self.stream.put(u64::from(shown == next), 1);
                    if shown == next {
                        break;
                    }
                    shown += 1;
                }
                shown += 1;
            }
        }
        used + budget - bits
    }

    fn reorder(&mut self) {
        for (&place, bits) in order(self.dimensions).iter().zip(&mut self.planes) {
            *bits = self.values[usize::from(place)].to_negabinary();
        }
    }
}
