//! Filter 6, "scaleoffset": numbers as their difference from the minimum, in as few bits as needed.
//!
//! ```text
//! stored   | bits per number, 4 bytes | 8 | smallest, 8 bytes | 8 bytes unused | packed numbers, highest bit first |
//! ```
//!
//! Little-endian. Integers: value = minimum + number. Floating point: value = number / 10^digits + minimum, where the
//! minimum is stored as a number of that type. If there is a fill value, it is represented by all ones. If the number
//! of bits is that of the type, the numbers are the values themselves.
//!
//! Parameters: kind of scaling (0 decimal digits, 2 integer), digits or bits, elements, class (0 integer, 1 float),
//! size, signed, order (1 big-endian), fill value defined, then the fill value in up to two of twelve numbers.

use crate::FilterError;
use crate::bits::{BitWriter, Bits};
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Growth, Setup, Stage};
use std::ops::Range;

const NAME: &str = "scaleoffset";
const PARAMETERS: usize = 20;
const HEADER_BYTES: usize = 21;
const DECIMAL: u32 = 0;
const INTEGER: u32 = 2;

struct ScaleOffset {
    elements: usize,
    size: usize,
    kind: Kind,
    signed: bool,
    big_endian: bool,
    fill: Option<u64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The numbers already have all bits, as configured by the writer: chunks pass through unchanged.
    Whole,
    /// With this number of bits; if it is 0, as many as are needed.
    Integer {
        bits: u32,
    },
    Float {
        digits: i32,
    },
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let invalid = |what: String| Err(FilterError::parameters(NAME, what));
    if setup.parameters.len() != PARAMETERS {
        return invalid(format!("{} parameters, but {PARAMETERS} are required", setup.parameters.len()));
    }
    let &[scaling, factor, elements, class, size, signed, order, has_fill, fill_low, fill_high, ..] =
        setup.parameters
    else {
        return invalid("too few parameters".to_string());
    };
    let kind = match (class, scaling) {
        (0, INTEGER) if i64::from(factor as i32) > 8 * i64::from(size) => {
            return invalid(format!(
                "{} is not a valid number of bits for numbers of {size} bytes",
                factor as i32
            ));
        }
        (0, INTEGER) if factor as i32 > 0 && i64::from(factor) == 8 * i64::from(size) => Kind::Whole,
        (0, INTEGER) if matches!(size, 1 | 2 | 4 | 8) => {
            Kind::Integer { bits: (factor as i32).max(0) as u32 }
        }
        (1, DECIMAL) if matches!(size, 4 | 8) => Kind::Float { digits: factor as i32 },
        _ => return invalid(format!("unknown scaling {scaling} for class {class} in {size} bytes")),
    };
    let fill = (has_fill != 0).then_some(u64::from(fill_low) | u64::from(fill_high) << 32);
    Ok(Box::new(ScaleOffset {
        elements: elements as usize,
        size: size as usize,
        kind,
        signed: signed != 0,
        big_endian: order == 1,
        fill,
    }))
}

impl Stage for ScaleOffset {
    fn name(&self) -> &'static str {
        NAME
    }

    fn growth(&self) -> Growth {
        if self.kind == Kind::Whole { Growth::Same } else { Growth::Varies }
    }

    fn view(&self, stored: &[u8]) -> Result<Option<Range<usize>>, FilterError> {
        Ok((self.kind == Kind::Whole).then_some(0..stored.len()))
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        let bytes = (self.elements as u64).saturating_mul(self.size as u64);
        Some(if self.kind == Kind::Whole { stored.len() as u64 } else { bytes })
    }

    /// If all numbers are equal they take no space.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        if self.kind == Kind::Whole {
            return stored_bytes;
        }
        self.elements.saturating_mul(self.size).max(stored_bytes)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let too_long = FilterError::TooLong { filter: NAME, max };
        if self.kind == Kind::Whole {
            out.get_mut(..stored.len()).ok_or(too_long)?.copy_from_slice(stored);
            return Ok(stored.len());
        }
        let bytes = self.elements.checked_mul(self.size).filter(|&bytes| bytes <= max).ok_or(too_long)?;
        let out = &mut out[..bytes];
        let header = Header::read(stored, self.size)?;
        match (self.kind, self.size) {
            _ if header.bits as usize == 8 * self.size => return Ok(self.whole(header.packed, out)),
            (Kind::Float { digits }, 4) => self.floats_4(&header, digits, out)?,
            (Kind::Float { digits }, _) => self.floats_8(&header, digits, out)?,
            (_, 1) => self.integers::<1>(&header, out)?,
            (_, 2) => self.integers::<2>(&header, out)?,
            (_, 4) => self.integers::<4>(&header, out)?,
            _ => self.integers::<8>(&header, out)?,
        }
        if self.big_endian {
            out.chunks_exact_mut(self.size).for_each(<[u8]>::reverse);
        }
        Ok(bytes)
    }

    /// The same bytes as libhdf5 writes, except where it would lose values: numbers that do not fit the given number of
    /// bits are an error, and a chunk with a NaN is stored with all bits.
    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        if self.kind == Kind::Whole {
            out.room(raw.len())?.copy_from_slice(raw);
            return Ok(raw.len());
        }
        let expected = self.elements.saturating_mul(self.size);
        if raw.len() != expected {
            return Err(FilterError::Length { filter: NAME, expected, found: raw.len() });
        }
        match self.size {
            1 => self.pack::<1>(raw, out),
            2 => self.pack::<2>(raw, out),
            4 => self.pack::<4>(raw, out),
            _ => self.pack::<8>(raw, out),
        }
    }
}

/// The numbers of a chunk as they are stored: bits per number and what is subtracted from the values.
struct Packing {
    bits: u32,
    smallest: u64,
}

impl ScaleOffset {
    fn pack<const N: usize>(&self, raw: &[u8], out: &mut Buffer) -> Result<usize, FilterError> {
        let values = raw.as_chunks::<N>().0.iter().map(|bytes| self.value(bytes));
        let full = 8 * N as u32;
        match self.kind {
            Kind::Float { digits } if N == 4 => {
                let float = |bits: u64| f32::from_bits(bits as u32);
                let scale = std::hint::black_box(10f32).powf(digits as f32);
                // libhdf5 recognises the fill value in double precision while it looks for the smallest value, and in
                // single precision while it computes the numbers.
                let near = std::hint::black_box(10f64).powf(-f64::from(digits));
                let near_single = std::hint::black_box(10f32).powf(-digits as f32);
                let fill = self.fill.map(float);
                let packing = self.float_packing(
                    values.clone().map(|bits| f64::from(float(bits))),
                    |value| fill.is_some_and(|fill| f64::from((value as f32 - fill).abs()) < near),
                    |largest, smallest| f64::from(largest as f32 * scale - smallest as f32 * scale),
                    full,
                    |smallest| u64::from((smallest as f32).to_bits()),
                );
                let smallest = float(packing.smallest) * scale;
                let ones = (1u64 << packing.bits) - 1;
                let number = |bits: u64| {
                    let value = float(bits);
                    match fill {
                        Some(fill) if (value - fill).abs() < near_single => ones,
                        _ => (value * scale - smallest).round() as i64 as u64,
                    }
                };
                self.store(packing, values, number, full, raw, out)
            }
            Kind::Float { digits } => {
                let scale = std::hint::black_box(10f64).powf(f64::from(digits));
                let near = std::hint::black_box(10f64).powf(-f64::from(digits));
                let fill = self.fill.map(f64::from_bits);
                let is_fill = |value: f64| fill.is_some_and(|fill| (value - fill).abs() < near);
                let packing = self.float_packing(
                    values.clone().map(f64::from_bits),
                    is_fill,
                    |largest, smallest| largest * scale - smallest * scale,
                    full,
                    f64::to_bits,
                );
                let smallest = f64::from_bits(packing.smallest) * scale;
                let ones = 1u64.checked_shl(packing.bits).unwrap_or(0).wrapping_sub(1);
                let number = |bits: u64| match f64::from_bits(bits) {
                    value if is_fill(value) => ones,
                    value => (value * scale - smallest).round() as i64 as u64,
                };
                self.store(packing, values, number, full, raw, out)
            }
            Kind::Integer { bits } => {
                let fill = self.fill.map(|fill| fill & mask(full));
                let packing = self.integer_packing(values.clone(), fill, bits, full)?;
                let ones = mask(packing.bits);
                let smallest = packing.smallest;
                let number = |value: u64| match fill {
                    Some(fill) if value == fill => ones,
                    _ => value.wrapping_sub(smallest) & mask(full),
                };
                self.store(packing, values, number, full, raw, out)
            }
            Kind::Whole => Err(FilterError::unsupported(NAME, "packing of whole numbers")),
        }
    }

    /// The bits of a value, as an unsigned number.
    #[inline]
    fn value<const N: usize>(&self, bytes: &[u8; N]) -> u64 {
        let mut value = [0; 8];
        value[..N].copy_from_slice(bytes);
        if self.big_endian {
            value[..N].reverse();
        }
        u64::from_le_bytes(value)
    }

    fn integer_packing(
        &self,
        values: impl Iterator<Item = u64>,
        fill: Option<u64>,
        bits: u32,
        full: u32,
    ) -> Result<Packing, FilterError> {
        // With the sign bit inverted, signed values are ordered like unsigned ones.
        let sign = if self.signed { 1 << (full - 1) } else { 0 };
        let mut range: Option<(u64, u64)> = None;
        for value in values.filter(|&value| Some(value) != fill) {
            let value = value ^ sign;
            let (least, most) = range.unwrap_or((value, value));
            range = Some((least.min(value), most.max(value)));
        }
        let (least, most) = range.unwrap_or((sign, sign));
        let smallest = if self.signed {
            // libhdf5 stores it as a number of 64 bits.
            ((least ^ sign) << (64 - full)).cast_signed().wrapping_shr(64 - full).cast_unsigned()
        } else {
            least
        };
        let difference = most - least;
        if bits > 0 {
            let largest = if self.fill.is_some() { mask(bits) - 1 } else { mask(bits) };
            if difference > largest {
                let what = format!("values that differ by {difference} do not fit in {bits} bits");
                return Err(FilterError::parameters(NAME, what));
            }
            return Ok(Packing { bits, smallest });
        }
        if difference > mask(full) - 2 {
            return Ok(Packing { bits: full, smallest: 0 });
        }
        let numbers = difference + 1 + u64::from(self.fill.is_some());
        Ok(Packing { bits: ceil_log2(numbers), smallest })
    }

    /// `difference` of the largest and the smallest value is in units of the last digit.
    fn float_packing(
        &self,
        values: impl Iterator<Item = f64>,
        is_fill: impl Fn(f64) -> bool,
        difference: impl Fn(f64, f64) -> f64,
        full: u32,
        bits_of: impl Fn(f64) -> u64,
    ) -> Packing {
        let whole = Packing { bits: full, smallest: 0 };
        let mut range: Option<(f64, f64)> = None;
        for value in values.filter(|&value| !is_fill(value)) {
            if value.is_nan() {
                return whole;
            }
            let (least, most) = range.unwrap_or((value, value));
            range =
                Some((if value < least { value } else { least }, if value > most { value } else { most }));
        }
        let (least, most) = range.unwrap_or((0.0, 0.0));
        let difference = difference(most, least).round();
        // The difference of two infinite values is not a number.
        if difference.is_nan() || difference > 2f64.powi(full as i32 - 1) {
            return whole;
        }
        let numbers = (difference as i64 as u64).saturating_add(1 + u64::from(self.fill.is_some()));
        Packing { bits: ceil_log2(numbers), smallest: bits_of(least) }
    }

    /// Writes the header and the numbers.
    fn store(
        &self,
        packing: Packing,
        values: impl Iterator<Item = u64>,
        number: impl Fn(u64) -> u64,
        full: u32,
        raw: &[u8],
        out: &mut Buffer,
    ) -> Result<usize, FilterError> {
        let Packing { bits, smallest } = packing;
        let is_whole = bits == full;
        let packed =
            if is_whole { raw.len() } else { (self.elements as u64 * u64::from(bits) / 8 + 1) as usize };
        let out = out.room(HEADER_BYTES + packed)?;
        out[..HEADER_BYTES].fill(0);
        out[..4].copy_from_slice(&bits.to_le_bytes());
        out[4] = 8;
        out[5..13].copy_from_slice(&smallest.to_le_bytes());
        let packed = &mut out[HEADER_BYTES..];
        if is_whole {
            packed.copy_from_slice(raw);
            if self.big_endian {
                packed.chunks_exact_mut(self.size).for_each(<[u8]>::reverse);
            }
            return Ok(out.len());
        }
        *packed.last_mut().expect("at least one byte") = 0;
        let mut writer = BitWriter::new(packed);
        let (high, low) = (bits.saturating_sub(32), bits.min(32));
        for value in values {
            let number = number(value);
            writer.put(number >> 32, high);
            writer.put(number, low);
        }
        writer.finish().ok_or(FilterError::TooLong { filter: NAME, max: raw.len() })?;
        Ok(out.len())
    }

    /// The output of an earlier filter may be shorter than this number of elements; that filter checks whether it is
    /// complete.
    fn whole(&self, packed: &[u8], out: &mut [u8]) -> usize {
        let bytes = out.len().min(packed.len()) / self.size * self.size;
        out[..bytes].copy_from_slice(&packed[..bytes]);
        if self.big_endian {
            out[..bytes].chunks_exact_mut(self.size).for_each(<[u8]>::reverse);
        }
        bytes
    }

    fn integers<const N: usize>(&self, header: &Header<'_>, out: &mut [u8]) -> Result<(), FilterError> {
        let smallest = header.smallest;
        // The sum wraps around in the width of the type.
        self.values::<N>(header, out, |number| number.wrapping_add(smallest))
    }

    fn floats_4(&self, header: &Header<'_>, digits: i32, out: &mut [u8]) -> Result<(), FilterError> {
        let smallest = f32::from_bits(header.smallest as u32);
        // The same function of the same mathematical library as in libhdf5. The compiler must not replace it with
        // another, for example a power of ten.
        let scale = std::hint::black_box(10f32).powf(digits as f32);
        let value = |number: u64| (number as u32 as i32) as f32 / scale + smallest;
        self.values::<4>(header, out, |number| u64::from(value(number).to_bits()))
    }

    fn floats_8(&self, header: &Header<'_>, digits: i32, out: &mut [u8]) -> Result<(), FilterError> {
        let smallest = f64::from_bits(header.smallest);
        let scale = std::hint::black_box(10f64).powf(f64::from(digits));
        let value = |number: u64| (number as i64) as f64 / scale + smallest;
        self.values::<8>(header, out, |number| value(number).to_bits())
    }

    /// Unpacks all numbers. `value` computes the bits of the value for each number, except for those that represent the
    /// fill value.
    fn values<const N: usize>(
        &self,
        header: &Header<'_>,
        out: &mut [u8],
        value: impl Fn(u64) -> u64,
    ) -> Result<(), FilterError> {
        let mut bits = Bits::new(header.packed);
        let (high, low) = (header.bits.saturating_sub(32), header.bits.min(32));
        let ones = (1u64 << header.bits) - 1;
        for element in out.as_chunks_mut::<N>().0 {
            let number = bits.get(high) << low | bits.get(low);
            let bits_of_value = match self.fill {
                Some(fill) if number == ones => fill,
                _ => value(number),
            };
            element.copy_from_slice(&bits_of_value.to_le_bytes()[..N]);
        }
        if bits.is_overrun() { Err(short()) } else { Ok(()) }
    }
}

struct Header<'a> {
    bits: u32,
    smallest: u64,
    packed: &'a [u8],
}

impl<'a> Header<'a> {
    fn read(stored: &'a [u8], size: usize) -> Result<Self, FilterError> {
        let (bits, rest) = stored.split_first_chunk().ok_or_else(short)?;
        let (width, rest) = rest.split_first().ok_or_else(short)?;
        let bits = u32::from_le_bytes(*bits);
        if bits as usize > 8 * size {
            return Err(FilterError::corrupt(
                NAME,
                format!("{bits} is not a valid number of bits for numbers of {size} bytes"),
            ));
        }
        let mut smallest = [0; 8];
        let width = usize::from(*width).min(8);
        smallest[..width].copy_from_slice(rest.get(..width).ok_or_else(short)?);
        // A chunk of equal values needs no numbers and no space for them.
        let packed = stored.get(HEADER_BYTES..).unwrap_or(&[]);
        Ok(Self { bits, smallest: u64::from_le_bytes(smallest), packed })
    }
}

/// So many ones.
fn mask(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

/// The number of bits that can represent so many numbers.
fn ceil_log2(numbers: u64) -> u32 {
    64 - numbers.saturating_sub(1).leading_zeros()
}

fn short() -> FilterError {
    FilterError::corrupt(NAME, "the stored bytes are truncated")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(first: [u32; 8]) -> Vec<u32> {
        first.into_iter().chain([0; 12]).collect()
    }

    #[test]
    fn impossible_parameters_are_refused() {
        for first in [
            [1, 3, 10, 1, 4, 0, 0, 0],
            [2, 33, 10, 0, 4, 0, 0, 0],
            [2, 0, 10, 0, 3, 0, 0, 0],
            [0, 3, 10, 0, 4, 0, 0, 0],
            [0, 3, 10, 1, 2, 0, 0, 0],
            [2, 0, 10, 2, 4, 0, 0, 0],
        ] {
            assert!(make(Setup { id: 6, parameters: &parameters(first) }).is_err(), "{first:?}");
        }
        assert!(make(Setup { id: 6, parameters: &[2, 0, 10, 0, 4, 0, 0, 0] }).is_err());
    }

    #[test]
    fn a_negative_number_of_bits_means_as_many_as_needed() {
        let stage =
            make(Setup { id: 6, parameters: &parameters([2, -5i32 as u32, 3, 0, 2, 1, 0, 0]) }).unwrap();
        let mut stored = vec![4, 0, 0, 0, 8];
        stored.extend_from_slice(&(-3i64).to_le_bytes());
        stored.resize(HEADER_BYTES, 0);
        stored.extend_from_slice(&[0x19, 0xf0]);
        let mut out = [0; 6];
        assert_eq!(stage.decode(&stored, &mut out, &mut CodecState::default()).unwrap(), 6);
        assert_eq!(out, [-2i16, 6, 12].map(i16::to_le_bytes).concat()[..]);
        assert!(stage.decode(&stored[..22], &mut out, &mut CodecState::default()).is_err());
        stored[0] = 17;
        assert!(stage.decode(&stored, &mut out, &mut CodecState::default()).is_err());
    }

    #[test]
    fn numbers_of_all_bits_may_be_cut_off() {
        let stage = make(Setup { id: 6, parameters: &parameters([2, 0, 10, 0, 2, 0, 1, 0]) }).unwrap();
        let mut stored = vec![16, 0, 0, 0, 8];
        stored.resize(HEADER_BYTES, 0);
        stored.extend_from_slice(&[1, 2, 3, 4, 5]);
        let mut out = [0; 20];
        let length = stage.decode(&stored, &mut out, &mut CodecState::default()).unwrap();
        assert_eq!(out[..length], [2, 1, 4, 3]);
    }
}
