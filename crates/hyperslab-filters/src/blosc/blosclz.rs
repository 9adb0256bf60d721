//! BloscLZ, Blosc's own codec, derived from FastLZ.
//!
//! ```text
//! 000LLLLL                         L + 1 literal bytes follow (the first code of the stream is always of this form)
//! LLLooooo [L …] oooooooo          copy L + 2 bytes from o + 1 bytes back; L is 7 if bytes to add to it follow, up
//!                                  to one that is not 255
//! LLL11111 [L …] 11111111 o o      copy from o + 8192 bytes back, o big-endian
//! ```

use crate::FilterError;
use crate::byte_writer::ByteWriter;
use crate::copy_back::copy_back;
use crate::lz_search::{Positions, Token};

/// Offsets from here on are encoded in two more bytes.
const FAR: usize = 8191;

/// Decodes to the start of `out`; returns the number of bytes.
pub(super) fn decode(filter: &'static str, stored: &[u8], out: &mut [u8]) -> Result<usize, FilterError> {
    let max = out.len();
    let too_long = || FilterError::TooLong { filter, max };
    let early = || FilterError::corrupt(filter, "the stored bytes are truncated inside a code");
    let mut from = Bytes { rest: stored };
    let mut to = 0;
    let mut first = true;
    while !from.rest.is_empty() {
        let mut control = usize::from(from.next().ok_or_else(early)?);
        if std::mem::take(&mut first) {
            control &= 0x1f;
        }
        if control < 0x20 {
            let len = control + 1;
            let (literal, rest) = from.rest.split_at_checked(len).ok_or_else(early)?;
            out.get_mut(to..to + len).ok_or_else(too_long)?.copy_from_slice(literal);
            from.rest = rest;
            to += len;
            continue;
        }
        let mut len = (control >> 5) + 2;
        if len == 9 {
            loop {
                let more = from.next().ok_or_else(early)?;
                len += usize::from(more);
                if more != 255 {
                    break;
                }
            }
        }
        let mut back = (control & 0x1f) << 8 | usize::from(from.next().ok_or_else(early)?);
        if back == FAR {
            back += usize::from(from.next().ok_or_else(early)?) << 8;
            back += usize::from(from.next().ok_or_else(early)?);
        }
        back += 1;
        if back > to {
            return Err(FilterError::corrupt(filter, "a copy refers to bytes before the start"));
        }
        if len > max - to {
            return Err(too_long());
        }
        copy_back(out, to, back, len);
        to += len;
    }
    Ok(to)
}

/// The farthest copy.
const BACK_MAX: usize = FAR + 0xffff;
/// The most literal bytes after one code.
const LITERALS_MAX: usize = 32;
/// A far copy takes two more bytes than a near one; shorter ones than this gain nothing.
const FAR_COPY_MIN: usize = 6;

/// Encodes to the start of `out`; returns the number of bytes, or `None` if they do not fit. The last code has literals,
/// because Blosc's decoder takes a copy at the very end for truncated bytes.
pub(super) fn encode(raw: &[u8], out: &mut [u8], positions: &mut Positions) -> Option<usize> {
    let mut codes = Codes { raw, done: 0, literals: 0, out: ByteWriter::new(out) };
    let (first, last) = raw.split_at(raw.len().saturating_sub(1));
    let fits = positions.split(first, BACK_MAX, usize::MAX, |token| codes.put(token).is_some())
        && codes.put(Token::Literals(last)).is_some();
    (fits && codes.flush().is_some()).then_some(codes.out.len())
}

/// Codes written one after the other; `None` where there is no more room.
struct Codes<'a> {
    raw: &'a [u8],
    /// The number of raw bytes that were seen; the last `literals` of them were not written yet.
    done: usize,
    literals: usize,
    out: ByteWriter<'a>,
}

impl Codes<'_> {
    fn put(&mut self, token: Token<'_>) -> Option<()> {
        match token {
            Token::Literals(bytes) => {
                self.literals += bytes.len();
                self.done += bytes.len();
            }
            Token::Copy { back, len } if back > FAR && len < FAR_COPY_MIN => {
                self.literals += len;
                self.done += len;
            }
            Token::Copy { back, len } => {
                self.flush()?;
                self.copy(back - 1, len)?;
                self.done += len;
            }
        }
        Some(())
    }

    fn flush(&mut self) -> Option<()> {
        let raw = self.raw;
        for bytes in raw[self.done - self.literals..self.done].chunks(LITERALS_MAX) {
            self.out.bytes(&[bytes.len() as u8 - 1])?;
            self.out.bytes(bytes)?;
        }
        self.literals = 0;
        Some(())
    }

    fn copy(&mut self, back: usize, len: usize) -> Option<()> {
        let near = back.min(FAR);
        let short = (len - 2).min(7);
        self.out.bytes(&[(short << 5) as u8 | (near >> 8) as u8])?;
        if short == 7 {
            let mut more = len - 9;
            while more >= 255 {
                self.out.bytes(&[255])?;
                more -= 255;
            }
            self.out.bytes(&[more as u8])?;
        }
        self.out.bytes(&[near as u8])?;
        if near == FAR { self.out.bytes(&((back - FAR) as u16).to_be_bytes()) } else { Some(()) }
    }
}

struct Bytes<'a> {
    rest: &'a [u8],
}

impl Bytes<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn near_and_far_copies() {
        let mut out = vec![0; 20_000];
        // One byte, repeated 8198 + 9 times, another byte, and a copy from 8192 + 3 bytes back.
        let mut stored = vec![0xe0, b'a', 0xe0];
        stored.extend([255; 32]);
        stored.extend([38, 0, 0, b'b', 0x3f, 255, 0, 3, 0x20, 3]);
        let len = decode("blosc", &stored, &mut out).unwrap();
        assert_eq!(len, 1 + 9 + 32 * 255 + 38 + 1 + 3 + 3);
        assert!(out[..8208].iter().all(|&byte| byte == b'a'));
        assert_eq!(&out[8208..len], b"baaabaa");
    }

    #[test]
    fn far_copies_are_encoded() {
        let noise: Vec<u8> = (0..20_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let raw = [&noise[..], &noise[..9000], &[7; 5000], &noise[..1]].concat();
        let mut stored = vec![0; raw.len()];
        let len = encode(&raw, &mut stored, &mut Positions::default()).unwrap();
        assert!(len < noise.len() * 34 / 32, "{len}");
        let mut out = vec![0; raw.len()];
        assert_eq!(decode("blosc", &stored[..len], &mut out).unwrap(), raw.len());
        assert!(out == raw);
        assert_eq!(encode(&raw, &mut stored[..len - 1], &mut Positions::default()), None);
    }

    proptest! {
        #[test]
        fn what_was_encoded_comes_back(raw in proptest::collection::vec(0u8..5, 0..3000)) {
            let mut stored = vec![0; 2 * raw.len()];
            let len = encode(&raw, &mut stored, &mut Positions::default()).unwrap();
            let mut out = vec![0; raw.len()];
            prop_assert_eq!(decode("blosc", &stored[..len], &mut out).unwrap(), raw.len());
            prop_assert_eq!(out, raw);
        }

        #[test]
        fn any_bytes(stored in proptest::collection::vec(any::<u8>(), 0..300), room in 0usize..3000) {
            let _ = decode("blosc", &stored, &mut vec![0; room]);
        }
    }
}
