//! BloscLZ, Blosc's own codec, after FastLZ.
//!
//! ```text
//! 000LLLLL                         L + 1 bytes follow as they are (the first byte of all is always taken so)
//! LLLooooo [L …] oooooooo          copy L + 2 bytes from o + 1 bytes back; L is 7 if bytes to add to it follow, up
//!                                  to one that is not 255
//! LLL11111 [L …] 11111111 o o      copy from o + 8192 bytes back, o big-endian
//! ```

use crate::FilterError;
use crate::copy_back::copy_back;

/// The offset from which on two more bytes tell it.
const FAR: usize = 8191;

/// Decodes to the front of `out`; how many bytes.
pub(super) fn decode(filter: &'static str, stored: &[u8], out: &mut [u8]) -> Result<usize, FilterError> {
    let max = out.len();
    let too_long = || FilterError::TooLong { filter, max };
    let early = || FilterError::corrupt(filter, "the stored bytes end inside a code");
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
            return Err(FilterError::corrupt(filter, "a copy from before the beginning"));
        }
        if len > max - to {
            return Err(too_long());
        }
        copy_back(out, to, back, len);
        to += len;
    }
    Ok(to)
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
        // One byte, repeated 8198 + 9 times, another, and a copy from 8192 + 3 bytes back.
        let mut stored = vec![0xe0, b'a', 0xe0];
        stored.extend([255; 32]);
        stored.extend([38, 0, 0, b'b', 0x3f, 255, 0, 3, 0x20, 3]);
        let len = decode("blosc", &stored, &mut out).unwrap();
        assert_eq!(len, 1 + 9 + 32 * 255 + 38 + 1 + 3 + 3);
        assert!(out[..8208].iter().all(|&byte| byte == b'a'));
        assert_eq!(&out[8208..len], b"baaabaa");
    }

    proptest! {
        #[test]
        fn any_bytes(stored in proptest::collection::vec(any::<u8>(), 0..300), room in 0usize..3000) {
            let _ = decode("blosc", &stored, &mut vec![0; room]);
        }
    }
}
