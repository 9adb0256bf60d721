//! Filter 32000, "lzf": LibLZF, as bundled with h5py.
//!
//! ```text
//! 000LLLLL                     L + 1 literal bytes follow
//! LLLooooo oooooooo            copy L + 2 bytes from o + 1 bytes back        (L from 1 to 6)
//! 111ooooo LLLLLLLL oooooooo   copy L + 9 bytes from o + 1 bytes back
//! ```
//!
//! Parameters: versions of the filter and of the library, then the chunk size. None of them is needed.

use crate::FilterError;
use crate::byte_writer::ByteWriter;
use crate::copy_back::copy_back;
use crate::lz_search::Token;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};

const NAME: &str = "lzf";

/// The farthest and the longest copy.
const BACK_MAX: usize = 1 << 13;
const COPY_MAX: usize = 264;
/// The most literal bytes after one code.
const LITERALS_MAX: usize = 32;

struct Lzf;

pub(crate) fn make(_: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    Ok(Box::new(Lzf))
}

impl Stage for Lzf {
    fn name(&self) -> &'static str {
        NAME
    }

    /// At best three bytes encode 264.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        stored_bytes.saturating_mul(88)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let early = || FilterError::corrupt(NAME, "the stored bytes are truncated inside a code");
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
                return Err(FilterError::corrupt(NAME, "a copy refers to bytes before the start"));
            }
            if len > max - to {
                return Err(too_long());
            }
            copy_back(out, to, back, len);
            to += len;
        }
        Ok(to)
    }

    /// Like h5py's filter, gives up where the codes would be longer than the raw bytes.
    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        let incompressible = FilterError::Incompressible { filter: NAME, bytes: raw.len() };
        if raw.is_empty() || u32::try_from(raw.len()).is_err() {
            return Err(incompressible);
        }
        let mut codes = Codes { out: ByteWriter::new(out.room(raw.len())?) };
        let fits = state.positions.split(raw, BACK_MAX, COPY_MAX, |token| codes.put(token).is_some());
        if fits { Ok(codes.out.len()) } else { Err(incompressible) }
    }
}

/// Codes written one after the other; `None` where there is no more room.
struct Codes<'a> {
    out: ByteWriter<'a>,
}

impl Codes<'_> {
    fn put(&mut self, token: Token<'_>) -> Option<()> {
        match token {
            Token::Literals(bytes) => {
                for bytes in bytes.chunks(LITERALS_MAX) {
                    self.out.bytes(&[bytes.len() as u8 - 1])?;
                    self.out.bytes(bytes)?;
                }
                Some(())
            }
            Token::Copy { back, len } => {
                let (back, len) = (back - 1, len - 2);
                let high = (back >> 8) as u8;
                if len < 7 {
                    self.out.bytes(&[(len << 5) as u8 | high, back as u8])
                } else {
                    self.out.bytes(&[0xe0 | high, (len - 7) as u8, back as u8])
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(stored: &[u8], room: usize) -> Result<Vec<u8>, FilterError> {
        let mut out = vec![0; room];
        let len = Lzf.decode(stored, &mut out, &mut CodecState::default())?;
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
        fn what_was_encoded_comes_back(raw in proptest::collection::vec(0u8..6, 1..3000)) {
            if let Ok(stored) = crate::stage::encoded(&Lzf, &raw, &mut CodecState::default()) {
                prop_assert!(stored.len() <= raw.len());
                prop_assert_eq!(decode(&stored, raw.len()).unwrap(), raw);
            }
        }

        #[test]
        fn any_bytes(stored in proptest::collection::vec(any::<u8>(), 0..300), room in 0usize..2000) {
            if let Ok(out) = decode(&stored, room) {
                prop_assert!(out.len() <= room && out.len() <= Lzf.max_decoded_len(stored.len()));
            }
        }
    }
}
