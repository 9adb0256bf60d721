//! Filter 32020, "VBZ": Oxford Nanopore's encoding of raw signal. Differences of neighbours are mapped to small
//! positive numbers, which are packed by size (StreamVByte) and compressed with Zstandard.
//!
//! ```text
//! stored   | decoded length, 4 bytes, little-endian | one Zstandard frame, or its content uncompressed |
//! content  | keys, 2 bits a value, lowest bits first | values, little-endian                       |
//! ```
//!
//! A key gives the length of its value: 1 to 4 bytes; in version 1, for integers of one byte, 0, 1, 2 or 4 half bytes,
//! the lower half of a byte first. Parameters: version, bytes of an integer (0: not packed), 1 if differences are
//! stored, level of Zstandard (0: not compressed; 1 if absent).

use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};
use crate::{FilterError, zstd};

const NAME: &str = "VBZ";

struct Vbz {
    /// The number of bytes of an integer; 0 if values are not packed.
    width: usize,
    /// True if lengths are in half bytes.
    halves: bool,
    differences: bool,
    level: u32,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let wrong = |what: String| Err(FilterError::Parameters { filter: NAME, what });
    let [version, width, differences, ref rest @ ..] = *setup.parameters else {
        return wrong(format!("{} parameters, but at least 3 are required", setup.parameters.len()));
    };
    if version > 1 {
        return wrong(format!("unknown version {version}; the known versions are 0 and 1"));
    }
    if !matches!(width, 0 | 1 | 2 | 4) {
        return wrong(format!("{width} is not a valid integer size"));
    }
    let (width, level) = (width as usize, rest.first().copied().unwrap_or(1));
    Ok(Box::new(Vbz { width, halves: version == 1 && width == 1, differences: differences != 0, level }))
}

impl Stage for Vbz {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> String {
        format!("{NAME} {}", self.level)
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        stored.first_chunk().map(|length| u32::from_le_bytes(*length).into())
    }

    /// A key without a value takes a quarter of a byte and represents at least a byte.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        let content = if self.level == 0 { stored_bytes } else { zstd::max_decoded_len(stored_bytes) };
        content.saturating_mul(4)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let (length, content) = stored.split_first_chunk().ok_or_else(early)?;
        let length = u32::from_le_bytes(*length) as usize;
        let out = out.get_mut(..length).ok_or(FilterError::TooLong { filter: NAME, max })?;
        let found = match (self.width, self.level) {
            (0, 0) => {
                let room = out.get_mut(..content.len()).ok_or_else(too_much)?;
                room.copy_from_slice(content);
                content.len()
            }
            (0, _) => zstd::frames(NAME, content, out, state)?,
            (_, 0) => self.unpack(content, out)?,
            _ => {
                let count = length / self.width;
                let mut spare = std::mem::take(&mut state.spare);
                let room = spare.room(count.div_ceil(4) + 4 * count)?;
                let unpacked = match zstd::frames(NAME, content, room, state) {
                    Ok(found) => self.unpack(&room[..found], out),
                    Err(FilterError::TooLong { .. }) => Err(too_much()),
                    Err(error) => Err(error),
                };
                state.spare = spare;
                unpacked?
            }
        };
        if found == length {
            Ok(length)
        } else {
            Err(FilterError::Length { filter: NAME, expected: length, found })
        }
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        let length = u32::try_from(raw.len())
            .map_err(|_| FilterError::unsupported(NAME, "a chunk of 4 GiB or more"))?;
        let mut spare = std::mem::take(&mut state.spare);
        let encoded = self.pack(raw, &mut spare).and_then(|content| {
            let bound = if self.level == 0 { content.len() } else { zstd::encoded_bound(content.len()) };
            let (header, room) = out.room(4 + bound)?.split_at_mut(4);
            header.copy_from_slice(&length.to_le_bytes());
            if self.level == 0 {
                room.copy_from_slice(content);
                return Ok(4 + content.len());
            }
            Ok(4 + zstd::encode_frame(NAME, content, room, self.level as i32, state)?)
        });
        state.spare = spare;
        encoded
    }
}

impl Vbz {
    /// Fills `out` with the values of `packed`; returns the number of bytes used.
    fn unpack(&self, packed: &[u8], out: &mut [u8]) -> Result<usize, FilterError> {
        if !out.len().is_multiple_of(self.width) {
            return Err(FilterError::corrupt(
                NAME,
                format!("{} bytes are not a whole number of integers", out.len()),
            ));
        }
        let count = out.len() / self.width;
        let (keys, values) = packed.split_at_checked(count.div_ceil(4)).ok_or_else(early)?;
        let left = match (self.width, self.halves) {
            (1, true) => fill::<1>(keys, Halves { values, upper: false }, self.differences, out),
            (1, false) => fill::<1>(keys, Bytes(values), self.differences, out),
            (2, _) => fill::<2>(keys, Bytes(values), self.differences, out),
            _ => fill::<4>(keys, Bytes(values), self.differences, out),
        };
        if left.ok_or_else(early)? == 0 { Ok(out.len()) } else { Err(too_much()) }
    }

    /// Keys and values of `raw`, or `raw` itself if values are not packed.
    fn pack<'a>(&self, raw: &'a [u8], spare: &'a mut Buffer) -> Result<&'a [u8], FilterError> {
        if self.width == 0 {
            return Ok(raw);
        }
        if !raw.len().is_multiple_of(self.width) {
            let what = format!("{} bytes in integers of {}", raw.len(), self.width);
            return Err(FilterError::unsupported(NAME, what));
        }
        let count = raw.len() / self.width;
        let keys = count.div_ceil(4);
        let room = spare.room(keys + 4 * count)?;
        room[..keys].fill(0);
        let (keys, values) = room.split_at_mut(keys);
        let mut last = 0i32;
        let mut len = HalfBytes { out: values, count: 0 };
        for (number, bytes) in raw.chunks_exact(self.width).enumerate() {
            let value = match *bytes {
                [a] => i32::from(a as i8),
                [a, b] => i32::from(i16::from_le_bytes([a, b])),
                _ => i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            };
            // As in the reference, values keep their sign, and only differences of 16-bit integers wrap around.
            let difference = value.wrapping_sub(last);
            let stored = match (self.differences, self.width) {
                (false, _) => value.cast_unsigned(),
                (true, 2) => fold((difference as i16).into()),
                (true, _) => fold(difference),
            };
            last = value;
            let key = if self.halves {
                // A difference of two bytes may take nine bits.
                let halves = (32 - stored.leading_zeros()).div_ceil(4);
                [0, 1, 2, 3, 3][halves.min(4) as usize]
            } else {
                (32 - stored.leading_zeros()).div_ceil(8).max(1) as u8 - 1
            };
            keys[number / 4] |= key << (2 * (number % 4));
            len.put(
                stored,
                if self.halves { [0, 1, 2, 4][usize::from(key)] } else { 2 * (usize::from(key) + 1) },
            );
        }
        let used = keys.len() + len.count.div_ceil(2);
        Ok(spare.get(0..used))
    }
}

/// Writes numbers in half bytes, the lower half of a byte first.
struct HalfBytes<'a> {
    out: &'a mut [u8],
    count: usize,
}

impl HalfBytes<'_> {
    #[inline]
    fn put(&mut self, value: u32, halves: usize) {
        for half in 0..halves {
            let bits = (value >> (4 * half)) as u8 & 0x0f;
            let place = &mut self.out[self.count / 2];
            *place = if self.count.is_multiple_of(2) { bits } else { *place | bits << 4 };
            self.count += 1;
        }
    }
}

/// Maps 0, -1, 1, -2, 2 … to 0, 1, 2, 3, 4 …
fn fold(value: i32) -> u32 {
    (value.cast_unsigned() << 1) ^ (value >> 31).cast_unsigned()
}

/// A sequence of values of different lengths.
trait Packed {
    /// The next value, whose length is given by its key; `None` if the bytes are truncated.
    fn next(&mut self, key: u8) -> Option<u32>;

    /// The number of unused bytes.
    fn left(&self) -> usize;
}

struct Bytes<'a>(&'a [u8]);

impl Packed for Bytes<'_> {
    #[inline]
    fn next(&mut self, key: u8) -> Option<u32> {
        let len = usize::from(key) + 1;
        // Four bytes are available, except near the end.
        let word = match self.0.first_chunk() {
            Some(word) => u32::from_le_bytes(*word),
            None => {
                let mut word = [0; 4];
                word[..self.0.len()].copy_from_slice(self.0);
                u32::from_le_bytes(word)
            }
        };
        self.0 = self.0.get(len..)?;
        Some(word & (u32::MAX >> (8 * (3 - u32::from(key)))))
    }

    fn left(&self) -> usize {
        self.0.len()
    }
}

struct Halves<'a> {
    values: &'a [u8],
    /// True if the lower half of the first byte has been used.
    upper: bool,
}

impl Packed for Halves<'_> {
    fn next(&mut self, key: u8) -> Option<u32> {
        let count = [0, 1, 2, 4][usize::from(key)];
        let mut value = 0;
        for place in 0..count {
            let byte = *self.values.first()?;
            let half = if self.upper { byte >> 4 } else { byte & 0x0f };
            value |= u32::from(half) << (4 * place);
            if self.upper {
                self.values = &self.values[1..];
            }
            self.upper = !self.upper;
        }
        Some(value)
    }

    fn left(&self) -> usize {
        self.values.len() - usize::from(self.upper)
    }
}

/// Writes integers of `WIDTH` bytes; returns the remaining bytes, or `None` if there were too few.
fn fill<const WIDTH: usize>(
    keys: &[u8],
    mut values: impl Packed,
    differences: bool,
    out: &mut [u8],
) -> Option<usize> {
    let mut last = 0u32;
    for (keys, out) in keys.iter().zip(out.chunks_mut(4 * WIDTH)) {
        for (place, out) in out.chunks_exact_mut(WIDTH).enumerate() {
            let value = values.next(keys >> (2 * place) & 3)?;
            let value = if differences {
                last = last.wrapping_add(unfold(value));
                last
            } else {
                value
            };
            out.copy_from_slice(&value.to_le_bytes()[..WIDTH]);
        }
    }
    Some(values.left())
}

/// Maps 0, 1, 2, 3, 4 … to 0, -1, 1, -2, 2 …
fn unfold(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

fn early() -> FilterError {
    FilterError::corrupt(NAME, "the stored bytes are truncated")
}

fn too_much() -> FilterError {
    FilterError::corrupt(NAME, "there are more bytes than the values need")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(parameters: &[u32], stored: &[u8], room: usize) -> Result<Vec<u8>, FilterError> {
        let mut out = vec![0xAA; room];
        let len =
            make(Setup { id: 32020, parameters })?.decode(stored, &mut out, &mut CodecState::default())?;
        out.truncate(len);
        Ok(out)
    }

    /// A stored chunk without Zstandard.
    fn plain(length: u32, keys: &[u8], values: &[u8]) -> Vec<u8> {
        [&length.to_le_bytes(), keys, values].concat()
    }

    #[test]
    fn lengths_of_values_in_bytes() {
        let stored = plain(16, &[0b11_10_01_00], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        let words: Vec<u8> =
            [1u32, 0x0302, 0x060504, 0x0a090807].iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(decode(&[0, 4, 0, 0], &stored, 16).unwrap(), words);
        assert_eq!(decode(&[1, 4, 0, 0], &stored, 16).unwrap(), words);
    }

    #[test]
    fn lengths_of_values_in_half_bytes() {
        // 0, 5, 0xab, then the lowest byte of 0x1234.
        let stored = plain(4, &[0b11_10_01_00], &[0xb5, 0x4a, 0x23, 0x01]);
        assert_eq!(decode(&[1, 1, 0, 0], &stored, 4).unwrap(), [0, 5, 0xab, 0x34]);
    }

    #[test]
    fn differences_run_through_the_whole_chunk() {
        // +1, -1, +2, -2, +300 in two bytes; five values need two bytes of keys.
        let stored = plain(10, &[0, 0b01], &[2, 1, 4, 3, 0x58, 0x02]);
        let values: Vec<u8> = [1i16, 0, 2, 0, 300].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(decode(&[0, 2, 1, 0], &stored, 10).unwrap(), values);
    }

    #[test]
    fn each_part_can_be_left_out() {
        assert_eq!(decode(&[0, 0, 0, 0], &plain(3, &[], &[7, 8, 9]), 10).unwrap(), [7, 8, 9]);
        let frame = ::zstd::bulk::compress(&[7, 8, 9], 1).unwrap();
        assert_eq!(decode(&[0, 0, 1], &plain(3, &[], &frame), 10).unwrap(), [7, 8, 9]);
        let frame = ::zstd::bulk::compress(&[0, 7, 8, 9], 1).unwrap();
        assert_eq!(decode(&[0, 1, 0, 1], &plain(3, &[], &frame), 10).unwrap(), [7, 8, 9]);
    }

    #[test]
    fn what_cannot_be() {
        let is_parameters = |found| matches!(found, Err(FilterError::Parameters { .. }));
        for parameters in [&[0, 2][..], &[2, 2, 1, 1], &[0, 3, 1, 1], &[0, 8, 1, 1]] {
            assert!(is_parameters(decode(parameters, &plain(0, &[], &[]), 8)), "{parameters:?}");
        }
        let corrupt = |width, stored: &[u8]| {
            let found = decode(&[0, width, 1, 0], stored, 64);
            assert!(matches!(found, Err(FilterError::Corrupt { .. })), "{stored:?} {found:?}");
        };
        corrupt(2, &[1, 0, 0]);
        corrupt(2, &plain(3, &[0], &[1, 2]));
        corrupt(2, &plain(4, &[], &[]));
        corrupt(2, &plain(4, &[0], &[1]));
        corrupt(2, &plain(4, &[0b01], &[1, 2]));
        corrupt(2, &plain(4, &[0], &[1, 2, 3]));
        assert!(matches!(decode(&[0, 2, 1, 0], &plain(66, &[], &[]), 64), Err(FilterError::TooLong { .. })));
        let frame = ::zstd::bulk::compress(&[9; 4000], 1).unwrap();
        assert!(matches!(decode(&[0, 1, 0], &plain(3, &[], &frame), 64), Err(FilterError::Corrupt { .. })));
    }

    proptest! {
        #[test]
        fn any_bytes(
            parameters in (0u32..2, prop_oneof![Just(0u32), Just(1), Just(2), Just(4)], 0u32..2, 0u32..2),
            length in 0u32..300,
            content in prop::collection::vec(any::<u8>(), 0..400),
            compressed: bool,
        ) {
            let (version, width, differences, level) = parameters;
            let content = if compressed { ::zstd::bulk::compress(&content, 1).unwrap() } else { content };
            let stored = plain(length, &[], &content);
            let stage = make(Setup { id: 32020, parameters: &[version, width, differences, level] }).unwrap();
            let mut out = vec![0; 256];
            if let Ok(len) = stage.decode(&stored, &mut out, &mut CodecState::default()) {
                prop_assert!(len == length as usize && len <= stage.max_decoded_len(stored.len()));
            }
        }

        #[test]
        fn what_was_packed_comes_back(values in prop::collection::vec(any::<u32>(), 0..50)) {
            let mut keys = vec![0u8; values.len().div_ceil(4)];
            let mut bytes = Vec::new();
            for (at, value) in values.iter().enumerate() {
                let len = (4 - value.leading_zeros() / 8).max(1) as usize;
                keys[at / 4] |= (len as u8 - 1) << (2 * (at % 4));
                bytes.extend_from_slice(&value.to_le_bytes()[..len]);
            }
            let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            let stored = plain(raw.len() as u32, &keys, &bytes);
            prop_assert_eq!(decode(&[0, 4, 0, 0], &stored, raw.len()).unwrap(), raw);
            for end in 0..stored.len() {
                prop_assert!(decode(&[0, 4, 0, 0], &stored[..end], 4 * values.len()).is_err());
            }
        }
    }
}
