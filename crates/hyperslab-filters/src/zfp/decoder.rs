//! One block: decodes bit planes to coefficients, and coefficients to values.

use super::order::order;
use super::stream::Stream;
use super::transform::{inverse, inverse_reversible};
use super::word::Word;
use super::{Mode, NAME, VALUES_MAX};
use crate::FilterError;

/// Decodes the blocks of a stream one after the other.
pub(super) struct Decoder<'a, W> {
    stream: Stream<'a>,
    dimensions: usize,
    /// The number of values in a block.
    len: usize,
    mode: Mode,
    is_float: bool,
    planes: [u64; VALUES_MAX],
    values: [W; VALUES_MAX],
}

impl<'a, W: Word> Decoder<'a, W> {
    pub fn new(stored: &'a [u8], dimensions: usize, mode: Mode, is_float: bool) -> Self {
        let (planes, values) = ([0; VALUES_MAX], [W::default(); VALUES_MAX]);
        Self {
            stream: Stream::new(stored),
            dimensions,
            len: 1 << (2 * dimensions),
            mode,
            is_float,
            planes,
            values,
        }
    }

    /// The values of the next block; for floats, their bits.
    pub fn block(&mut self) -> Result<&[W], FilterError> {
        let used = match (self.is_float, self.mode.is_reversible()) {
            (false, false) => self.integers(0, self.mode.planes_max),
            (false, true) => self.integers_reversibly(0),
            (true, false) => self.floats(),
            (true, true) => self.floats_reversibly(),
        };
        self.stream.skip(self.mode.bits_min.saturating_sub(used));
        if self.stream.is_overrun() {
            return Err(FilterError::corrupt(NAME, "the stored bytes end too early"));
        }
        Ok(&self.values[..self.len])
    }

    /// Each of the following functions returns how many bits of the block have been read; `used` is the number before
    /// the call.
    fn integers(&mut self, used: u32, planes_max: u32) -> u32 {
        let used = self.read_planes(used, planes_max);
        self.reorder();
        inverse(&mut self.values[..self.len], self.dimensions);
        used
    }

    fn integers_reversibly(&mut self, used: u32) -> u32 {
        let planes = self.stream.get(W::COUNT_BITS) as u32 + 1;
        let used = self.read_planes(used + W::COUNT_BITS, planes);
        self.reorder();
        inverse_reversible(&mut self.values[..self.len], self.dimensions);
        used
    }

    fn floats(&mut self) -> u32 {
        if !self.stream.bit() {
            self.values[..self.len].fill(W::default());
            return 1;
        }
        let exponent = self.exponent();
        let planes = self.mode.planes(exponent, self.dimensions);
        let used = self.integers(1 + W::EXPONENT_BITS, planes);
        self.values[..self.len].iter_mut().for_each(|value| *value = value.scaled(exponent));
        used
    }

    fn floats_reversibly(&mut self) -> u32 {
        if !self.stream.bit() {
            self.values[..self.len].fill(W::default());
            return 1;
        }
        if self.stream.bit() {
            let used = self.integers_reversibly(2);
            self.values[..self.len].iter_mut().for_each(|value| *value = value.ranked());
            return used;
        }
        let exponent = self.exponent();
        let used = self.integers_reversibly(2 + W::EXPONENT_BITS);
        self.values[..self.len].iter_mut().for_each(|value| *value = value.scaled(exponent));
        used
    }

    fn exponent(&mut self) -> i32 {
        self.stream.get(W::EXPONENT_BITS) as i32 - W::EXPONENT_BIAS
    }

    /// Reads bit planes until the block's bits or planes are used up. In each plane, coefficients up to the last one
    /// that was nonzero in an earlier plane have a bit each; for the others, a bit says whether any of them is set,
    /// followed by its position.
    fn read_planes(&mut self, used: u32, planes_max: u32) -> u32 {
        let len = self.len;
        self.planes[..len].fill(0);
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
            self.read_known(known, plane);
            while shown < len && bits > 0 {
                bits -= 1;
                if !self.stream.bit() {
                    break;
                }
                while shown < len - 1 && bits > 0 {
                    bits -= 1;
                    if self.stream.bit() {
                        break;
                    }
                    shown += 1;
                }
                self.planes[shown] |= 1 << plane;
                shown += 1;
            }
        }
        used + budget - bits
    }

    fn read_known(&mut self, known: usize, plane: u32) {
        for first in (0..known).step_by(64) {
            let count = (known - first).min(64);
            let mut ones = self.stream.get(count as u32);
            while ones != 0 {
                self.planes[first + ones.trailing_zeros() as usize] |= 1 << plane;
                ones &= ones - 1;
            }
        }
    }

    fn reorder(&mut self) {
        for (&place, &bits) in order(self.dimensions).iter().zip(&self.planes) {
            self.values[usize::from(place)] = W::from_negabinary(bits);
        }
    }
}
