//! Filter 5, "nbit": only the significant bits of each number, one number after the other, the highest bit first.
//!
//! ```text
//! parameters   count of parameters | nothing to do | elements | type
//! type         1 atomic:    size | order (0 little, 1 big) | precision | offset
//!              2 array:     size | type of an element
//!              3 compound:  size | members | offset of member, its type; …
//!              4 no-op:     size
//! ```
//!
//! A no-op type (for example text, references, or numbers without padding bits) is stored whole. Padding bits and the
//! gaps of a compound are not stored, and decoded as zero. If the type has no bits to leave out, chunks pass through unchanged.

use crate::FilterError;
use crate::bits::{BitWriter, Bits};
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Growth, Setup, Stage};
use std::ops::Range;

const NAME: &str = "nbit";
/// Maximum depth of nested types. Each level needs two parameters, and HDF5 allows 4096.
const DEPTH_MAX: usize = 32;

struct Nbit {
    /// `None` if chunks pass through unchanged.
    elements: Option<(usize, Type)>,
}

/// A type and its size in bytes.
struct Type {
    size: usize,
    class: Class,
}

enum Class {
    Atomic { big_endian: bool, precision: u32, offset: u32 },
    Array(Box<Type>),
    Compound(Vec<(usize, Type)>),
    Whole,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let &[count, nothing_to_do, ref rest @ ..] = setup.parameters else {
        return Err(invalid("fewer than two parameters"));
    };
    if count as usize != setup.parameters.len() {
        return Err(invalid(format!(
            "{} parameters, but the first one says {count}",
            setup.parameters.len()
        )));
    }
    if nothing_to_do != 0 {
        return Ok(Box::new(Nbit { elements: None }));
    }
    let mut parameters = Parameters { values: rest };
    let elements = parameters.next()?;
    let kind = parameters.kind(0)?;
    if matches!(kind.class, Class::Whole) {
        return Err(invalid("the type is a no-op"));
    }
    Ok(Box::new(Nbit { elements: Some((elements as usize, kind)) }))
}

fn invalid(what: impl Into<String>) -> FilterError {
    FilterError::parameters(NAME, what)
}

/// The parameters that have not been parsed yet.
struct Parameters<'a> {
    values: &'a [u32],
}

impl Parameters<'_> {
    fn next(&mut self) -> Result<u32, FilterError> {
        let (&first, rest) =
            self.values.split_first().ok_or_else(|| invalid("the parameters are truncated inside a type"))?;
        self.values = rest;
        Ok(first)
    }

    fn kind(&mut self, depth: usize) -> Result<Type, FilterError> {
        if depth > DEPTH_MAX {
            return Err(invalid(format!("types nested more than {DEPTH_MAX} deep")));
        }
        let class = self.next()?;
        let size = self.next()?;
        if size == 0 {
            return Err(invalid("a type has no bytes"));
        }
        let class = match class {
            1 => self.atomic(size)?,
            2 => {
                let element = self.kind(depth + 1)?;
                if element.size > size as usize {
                    return Err(invalid("an array is smaller than its element"));
                }
                Class::Array(Box::new(element))
            }
            3 => self.compound(size as usize, depth)?,
            4 => Class::Whole,
            other => return Err(invalid(format!("unknown type class {other}"))),
        };
        Ok(Type { size: size as usize, class })
    }

    fn atomic(&mut self, size: u32) -> Result<Class, FilterError> {
        let (order, precision, offset) = (self.next()?, self.next()?, self.next()?);
        if order > 1 {
            return Err(invalid(format!("unknown byte order {order}")));
        }
        if u64::from(precision) + u64::from(offset) > 8 * u64::from(size) {
            return Err(invalid(format!("{precision} bits at bit {offset} do not fit in {size} bytes")));
        }
        Ok(Class::Atomic { big_endian: order == 1, precision, offset })
    }

    fn compound(&mut self, size: usize, depth: usize) -> Result<Class, FilterError> {
        let count = self.next()?;
        let mut used = 0;
        let mut members = Vec::new();
        for _ in 0..count {
            let offset = self.next()? as usize;
            let kind = self.kind(depth + 1)?;
            used += kind.size;
            if used > size || offset.saturating_add(kind.size) > size {
                return Err(invalid("a member is outside of its compound"));
            }
            members.push((offset, kind));
        }
        Ok(Class::Compound(members))
    }
}

impl Stage for Nbit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn growth(&self) -> Growth {
        if self.elements.is_none() { Growth::Same } else { Growth::Varies }
    }

    fn view(&self, stored: &[u8]) -> Result<Option<Range<usize>>, FilterError> {
        Ok(self.elements.is_none().then_some(0..stored.len()))
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        let bytes =
            self.elements.as_ref().map(|(count, kind)| (*count as u64).saturating_mul(kind.size as u64));
        bytes.or(Some(stored.len() as u64))
    }

    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        let Some((count, kind)) = &self.elements else { return stored_bytes };
        // Numbers without bits take no space.
        let stored_bits = (stored_bytes as u64).saturating_mul(8);
        let stored = stored_bits.checked_div(kind.bits()).unwrap_or(u64::MAX);
        usize::try_from(stored).unwrap_or(usize::MAX).min(*count).saturating_mul(kind.size)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let too_long = FilterError::TooLong { filter: NAME, max };
        let Some((count, kind)) = &self.elements else {
            out.get_mut(..stored.len()).ok_or(too_long)?.copy_from_slice(stored);
            return Ok(stored.len());
        };
        let bytes = count.checked_mul(kind.size).filter(|&bytes| bytes <= max).ok_or(too_long)?;
        let out = &mut out[..bytes];
        let mut bits = Bits::new(stored);
        if !kind.covers_all() {
            out.fill(0);
        }
        for element in out.chunks_exact_mut(kind.size) {
            kind.read(&mut bits, element);
            if bits.is_overrun() {
                return Err(FilterError::corrupt(NAME, "the stored bytes are truncated"));
            }
        }
        Ok(bytes)
    }

    /// Like libhdf5, stores one byte more than needed if the last bit is the last of a byte.
    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        let Some((count, kind)) = &self.elements else {
            out.room(raw.len())?.copy_from_slice(raw);
            return Ok(raw.len());
        };
        if count.checked_mul(kind.size) != Some(raw.len()) {
            return Err(FilterError::Length {
                filter: NAME,
                expected: count.saturating_mul(kind.size),
                found: raw.len(),
            });
        }
        let stored_bits = kind.bits().saturating_mul(*count as u64);
        let len = usize::try_from(stored_bits / 8 + 1).unwrap_or(usize::MAX);
        let out = out.room(len)?;
        out[len - 1] = 0;
        let mut bits = BitWriter::new(out);
        raw.chunks_exact(kind.size).for_each(|element| kind.write(&mut bits, element));
        bits.finish().map(|_| len).ok_or(FilterError::TooLong { filter: NAME, max: len })
    }
}

impl Type {
    /// True if decoding writes every byte of an element.
    fn covers_all(&self) -> bool {
        matches!(self.class, Class::Atomic { .. } | Class::Whole)
    }

    /// The number of stored bits of an element.
    fn bits(&self) -> u64 {
        match &self.class {
            Class::Atomic { precision, .. } => (*precision).into(),
            Class::Array(element) => ((self.size / element.size) as u64).saturating_mul(element.bits()),
            Class::Compound(members) => {
                members.iter().fold(0u64, |bits, (_, member)| bits.saturating_add(member.bits()))
            }
            Class::Whole => 8 * self.size as u64,
        }
    }

    fn read(&self, bits: &mut Bits<'_>, out: &mut [u8]) {
        match &self.class {
            Class::Atomic { big_endian, precision, offset } => {
                atomic(bits, out, *precision, *offset);
                if !big_endian {
                    out.reverse();
                }
            }
            Class::Array(element) => {
                out.chunks_exact_mut(element.size).for_each(|out| element.read(bits, out));
            }
            Class::Compound(members) => {
                for (offset, member) in members {
                    member.read(bits, &mut out[*offset..offset + member.size]);
                }
            }
            Class::Whole => out.iter_mut().for_each(|byte| *byte = bits.get(8) as u8),
        }
    }

    fn write(&self, bits: &mut BitWriter<'_>, raw: &[u8]) {
        match &self.class {
            Class::Atomic { big_endian: true, precision, offset } => {
                put_atomic(bits, |i| raw[i], raw.len(), *precision, *offset);
            }
            Class::Atomic { big_endian: false, precision, offset } => {
                put_atomic(bits, |i| raw[raw.len() - 1 - i], raw.len(), *precision, *offset);
            }
            Class::Array(element) => {
                raw.chunks_exact(element.size).for_each(|raw| element.write(bits, raw));
            }
            Class::Compound(members) => {
                for (offset, member) in members {
                    member.write(bits, &raw[*offset..offset + member.size]);
                }
            }
            Class::Whole => raw.iter().for_each(|&byte| bits.put(byte.into(), 8)),
        }
    }
}

/// Encodes the `precision` bits from bit `offset` of a number, whose bytes are given from the highest to the lowest.
fn put_atomic(
    bits: &mut BitWriter<'_>,
    bytes: impl Fn(usize) -> u8,
    size: usize,
    precision: u32,
    offset: u32,
) {
    // From the highest bit down, as many bits at a time as are in one byte.
    let mut left = precision;
    while left > 0 {
        let top = offset + left;
        let width = left.min((top - 1) % 8 + 1);
        let byte = bytes(size - 1 - (top as usize - 1) / 8);
        bits.put(u64::from(byte >> ((top - width) % 8)), width);
        left -= width;
    }
}

/// Decodes a number of `precision` bits to big-endian `out`, its lowest bit at bit `offset`.
fn atomic(bits: &mut Bits<'_>, out: &mut [u8], precision: u32, offset: u32) {
    if out.len() <= 8 && precision <= 56 {
        let value = bits.get(precision) << offset;
        let bytes = value.to_be_bytes();
        return out.copy_from_slice(&bytes[8 - out.len()..]);
    }
    out.fill(0);
    // From the highest bit down, as many bits at a time as are in one byte.
    let mut left = precision;
    while left > 0 {
        let top = offset + left;
        let width = left.min((top - 1) % 8 + 1);
        let byte = out.len() - 1 - (top as usize - 1) / 8;
        let shift = (top - width) % 8;
        out[byte] |= (bits.get(width) << shift) as u8;
        left -= width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(parameters: &[u32]) -> Result<Box<dyn Stage>, FilterError> {
        let all: Vec<u32> = [parameters.len() as u32 + 1].iter().chain(parameters).copied().collect();
        make(Setup { id: 5, parameters: &all })
    }

    #[test]
    fn numbers_wider_than_a_register() {
        let stage = stage(&[0, 1, 1, 16, 0, 80, 3]).unwrap();
        let stored: Vec<u8> = (1..=10).collect();
        let mut out = [0xff; 16];
        assert_eq!(stage.decode(&stored, &mut out, &mut CodecState::default()).unwrap(), 16);
        let value = stored.iter().fold(0u128, |value, &byte| value << 8 | u128::from(byte)) << 3;
        assert_eq!(out, value.to_le_bytes());
        assert!(stage.decode(&stored[..9], &mut out, &mut CodecState::default()).is_err());
    }

    #[test]
    fn impossible_types_are_refused() {
        for parameters in [
            &[0, 1][..],
            &[0, 1, 1, 4, 0, 33, 0],
            &[0, 1, 1, 4, 0, u32::MAX, u32::MAX],
            &[0, 1, 1, 0, 0, 0, 0],
            &[0, 1, 1, 4, 2, 8, 0],
            &[0, 1, 2, 4, 1, 8, 0, 8, 0],
            &[0, 1, 3, 4, u32::MAX],
            &[0, 1, 3, 4, 1, 2, 1, 4, 0, 8, 0],
            &[0, 1, 3, 4, 2, 0, 4, 3, 0, 4, 3],
            &[0, 1, 4, 4],
            &[0, 1, 9, 4],
        ] {
            assert!(matches!(stage(parameters), Err(FilterError::Parameters { .. })), "{parameters:?}");
        }
        let deep: Vec<u32> = [0, 1].into_iter().chain([2, 8].repeat(2000)).chain([1, 8, 0, 4, 0]).collect();
        assert!(matches!(stage(&deep), Err(FilterError::Parameters { .. })));
        assert!(make(Setup { id: 5, parameters: &[7, 0, 1, 1, 1, 0, 4, 0] }).is_err());
    }

    #[test]
    fn more_elements_than_there_is_room_for() {
        let stage = stage(&[0, u32::MAX, 1, u32::MAX, 0, 1, 0]).unwrap();
        let error = stage.decode(&[0; 100], &mut [0; 100], &mut CodecState::default()).unwrap_err();
        assert!(matches!(error, FilterError::TooLong { .. }));
    }
}
