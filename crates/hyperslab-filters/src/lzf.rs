//! Filter 32000, "lzf": LibLZF, as h5py brings it.
//!
//! ```text
//! 000LLLLL                     L + 1 bytes follow as they are
//! LLLooooo oooooooo            copy L + 2 bytes from o + 1 bytes back        (L from 1 to 6)
//! 111ooooo LLLLLLLL oooooooo   copy L + 9 bytes from o + 1 bytes back
//! ```
//!
//! Parameters: versions of the filter and of the library, then the length of a chunk, none of which is needed.

use crate::FilterError;
use crate::copy_back::copy_back;
use crate::scratch::Tools;
use crate::stage::{Setup, Stage};

const NAME: &str = "lzf";

struct Lzf;

pub(crate) fn make(_: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    Ok(Box::new(Lzf))
}

impl Stage for Lzf {
    fn name(&self) -> &'static str {
        NAME
    }

    /// Three bytes make 264 at best.
    fn most(&self, stored_bytes: usize) -> usize {
        stored_bytes.saturating_mul(88)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut Tools) -> Result<usize, FilterError> {
        let early = || FilterError::corrupt(NAME, "the stored bytes end inside a code");
        let max = out.len();
        let too_long = || FilterError::TooLong { filter: NAME, max };
        let (mut from, mut to) = (0, 0);
        while let Some(&control) = stored.get(from) {
            from += 1;
            if control < 0x20 {
                let len = usize::from(control) + 1;
                let literal = stored.get(from..from + len).ok_or_else(early)?;
                out.get_mut(to..to + len).ok_or_else(too_long)?.copy_from_slice(literal);
                from += len;
                to += len;
                continue;
            }
            let mut len = usize::from(control >> 5) + 2;
            if len == 9 {
                len += usize::from(*stored.get(from).ok_or_else(early)?);
                from += 1;
            }
            let low = *stored.get(from).ok_or_else(early)?;
            from += 1;
            let back = (usize::from(control & 0x1f) << 8 | usize::from(low)) + 1;
            if back > to {
                return Err(FilterError::corrupt(NAME, "a copy from before the beginning"));
            }
            if len > max - to {
                return Err(too_long());
            }
            copy_back(out, to, back, len);
            to += len;
        }
        Ok(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(stored: &[u8], room: usize) -> Result<Vec<u8>, FilterError> {
        let mut out = vec![0; room];
        let len = Lzf.decode(stored, &mut out, &mut Tools::default())?;
        out.truncate(len);
        Ok(out)
    }

    #[test]
    fn literals_copies_and_overlaps() {
        assert_eq!(
            decode(&[2, b'a', b'b', b'c', 0x20, 2, 0xe0, 1, 0], 100).unwrap(),
            b"abcabccccccccccc"[..].to_vec()
        );
        assert_eq!(decode(&[1, b'x', b'y', 0xa0, 1], 9).unwrap(), b"xyxyxyxyx");
        assert!(matches!(decode(&[1, b'x', b'y', 0xa0, 1], 8), Err(FilterError::TooLong { .. })));
    }

    #[test]
    fn what_cannot_be() {
        for stored in [&[0x20, 0][..], &[0, b'a', 0x20, 1], &[5, 1, 2], &[0, 1, 0xe0, 3], &[0, 1, 0x20]] {
            assert!(matches!(decode(stored, 100), Err(FilterError::Corrupt { .. })), "{stored:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes(stored in proptest::collection::vec(any::<u8>(), 0..300), room in 0usize..2000) {
            if let Ok(out) = decode(&stored, room) {
                prop_assert!(out.len() <= room && out.len() <= Lzf.most(stored.len()));
            }
        }
    }
}
