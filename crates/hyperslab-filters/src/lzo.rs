//! Filter 305, "LZO": one LZO1X stream, as written by PyTables.
//!
//! ```text
//! first byte, from 18 on         this minus 17 literal bytes follow
//! 0000LLLL                       after a copy without literals: L + 3 literal bytes follow
//! 0000ddss DDDDDDDD              after 1 to 3 literal bytes: copy 2 bytes from 4D + d + 1 back
//! 0000ddss DDDDDDDD              after more literal bytes: copy 3 bytes from 4D + d + 2049 back
//! 0001dLLL DDDDDDss DDDDDDDD     copy L + 2 bytes from 16384d + D + 16384 back; the end of the stream if that is 16384
//! 001LLLLL DDDDDDss DDDDDDDD     copy L + 2 bytes from D + 1 back
//! 01Ldddss DDDDDDDD              copy L + 3 bytes from 8D + d + 1 back
//! 1LLdddss DDDDDDDD              copy L + 5 bytes from 8D + d + 1 back
//! ```
//!
//! After a copy, `s` literal bytes follow. An L of zero is continued by the bytes after it: 255 for each zero byte,
//! then the value of the first other byte, plus the largest L. There is no public specification; this follows the Linux
//! kernel's description of the format (`Documentation/staging/lzo.rst`, version 0).
//!
//! The stream is followed by a checksum (Adler-32) and the decoded length, 4 bytes each, little-endian; both are
//! missing in tables of PyTables format versions before 2.0. The stream marks its own end, so the parameters (level; ten
//! times the format version; kind of object, which is 0 for tables) are not needed for reading. Whatever the level, LZO has
//! one kind of compression, and the stream that is written here differs from LZO's own: other copies are found.

use crate::FilterError;
use crate::byte_writer::ByteWriter;
use crate::copy_back::copy_back;
use crate::lz_search::Token;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};

const NAME: &str = "LZO";
/// The minimum number of literal bytes before a code for which that code is a distant copy.
const MANY: usize = 4;

/// The farthest copies by two bytes, by three bytes, and at all; and the longest ones by two bytes.
const NEAR_MAX: usize = 1 << 11;
const MIDDLE_MAX: usize = 1 << 14;
const BACK_MAX: usize = 49_151;
const NEAR_LEN_MAX: usize = 8;
/// The code and the distance that end a stream.
const END: [u8; 3] = [17, 0, 0];

struct Lzo {
    has_trailer: bool,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    const VERSION_WITH_TRAILER: u32 = 20;
    let (version, kind) = (setup.parameters.get(1), setup.parameters.get(2));
    let is_old_table =
        kind.is_none_or(|&kind| kind == 0) && version.is_none_or(|&version| version < VERSION_WITH_TRAILER);
    Ok(Box::new(Lzo { has_trailer: !is_old_table }))
}

impl Stage for Lzo {
    fn name(&self) -> &'static str {
        NAME
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        stored.last_chunk().map(|length| u32::from_le_bytes(*length).into())
    }

    /// A length is extended by bytes that add 255 each.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        stored_bytes.saturating_mul(255)
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        if u32::try_from(raw.len()).is_err() {
            return Err(FilterError::Incompressible { filter: NAME, bytes: raw.len() });
        }
        // Literals grow by a byte in 255 and some at each copy, which is then shorter than what it stands for.
        let max = raw.len() + raw.len() / 16 + 64;
        let mut codes = Codes { out: ByteWriter::new(out.room(max)?), literals: 0..0, state_at: None };
        let mut at = 0;
        let fits = state.positions.split(raw, BACK_MAX, usize::MAX, |token| {
            let (len, copied) = match token {
                Token::Literals(bytes) => (bytes.len(), None),
                // Three bytes far away take as many.
                Token::Copy { back, len } => (len, (len > 3 || back <= NEAR_MAX).then_some(back)),
            };
            let done = match copied {
                Some(back) => codes.copy(raw, back, len),
                None => Some(()),
            };
            at += len;
            match copied {
                Some(_) => codes.literals = at..at,
                None => codes.literals.end = at,
            }
            done.is_some()
        });
        let ended = fits && codes.end(raw).is_some();
        let trailer = [libdeflater::adler32(raw).to_le_bytes(), (raw.len() as u32).to_le_bytes()];
        let ended = ended && (!self.has_trailer || codes.out.bytes(trailer.as_flattened()).is_some());
        if ended { Ok(codes.out.len()) } else { Err(FilterError::TooLong { filter: NAME, max }) }
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let mut stream = Stream { stored, from: 0, out, to: 0 };
        stream.run()?;
        let Stream { from, out, to, .. } = stream;
        match stored[from..] {
            [] => {}
            [a, b, c, d, ref length @ ..] if length.len() == 4 => {
                let (stored, computed) = (u32::from_le_bytes([a, b, c, d]), libdeflater::adler32(&out[..to]));
                if length != (to as u32).to_le_bytes() {
                    return Err(FilterError::corrupt(
                        NAME,
                        format!("the stored length differs from the {to} decoded bytes"),
                    ));
                }
                if stored != computed {
                    return Err(FilterError::Checksum { filter: NAME, stored, computed });
                }
            }
            ref rest => {
                return Err(FilterError::corrupt(
                    NAME,
                    format!("{} bytes after the end of the stream", rest.len()),
                ));
            }
        }
        Ok(to)
    }
}

/// Codes written one after the other; `None` where there is no more room.
struct Codes<'a> {
    out: ByteWriter<'a>,
    /// The range of the raw bytes that were seen since the last copy.
    literals: std::ops::Range<usize>,
    /// The byte of the last copy that has the number of literal bytes after it.
    state_at: Option<usize>,
}

impl Codes<'_> {
    /// Writes the literal bytes, and a copy.
    fn copy(&mut self, raw: &[u8], back: usize, len: usize) -> Option<()> {
        self.put_literals(raw)?;
        let distance = back - 1;
        if back <= NEAR_MAX && len <= NEAR_LEN_MAX {
            self.state_at = Some(self.out.len());
            return self.out.bytes(&[((len - 1) << 5 | (distance & 7) << 2) as u8, (distance >> 3) as u8]);
        }
        let distance = if back <= MIDDLE_MAX {
            self.length(32, 31, len - 2)?;
            distance
        } else {
            let distance = back - MIDDLE_MAX;
            self.length(16 | (distance >> 11 & 8) as u8, 7, len - 2)?;
            distance
        };
        self.state_at = Some(self.out.len());
        self.out.bytes(&[((distance & 63) << 2) as u8, (distance >> 6) as u8])
    }

    /// Writes the literal bytes, and the end of the stream.
    fn end(&mut self, raw: &[u8]) -> Option<()> {
        self.put_literals(raw)?;
        self.out.bytes(&END)
    }

    fn put_literals(&mut self, raw: &[u8]) -> Option<()> {
        const FIRST_MAX: usize = 238;
        let literals = &raw[self.literals.clone()];
        match (literals.len(), self.state_at) {
            (0, _) => {}
            (few @ ..MANY, Some(state)) => *self.out.written(state) |= few as u8,
            (len @ ..=FIRST_MAX, None) => self.out.bytes(&[17 + len as u8])?,
            (len, _) => self.length(0, 15, len - 3)?,
        }
        self.out.bytes(literals)
    }

    /// Writes a code with an L whose bits are those of `largest`.
    fn length(&mut self, code: u8, largest: usize, length: usize) -> Option<()> {
        if length <= largest {
            return self.out.bytes(&[code | length as u8]);
        }
        self.out.bytes(&[code])?;
        let mut rest = length - largest;
        while rest > 255 {
            self.out.bytes(&[0])?;
            rest -= 255;
        }
        self.out.bytes(&[rest as u8])
    }
}

struct Stream<'a> {
    stored: &'a [u8],
    from: usize,
    out: &'a mut [u8],
    to: usize,
}

impl Stream<'_> {
    /// Decodes up to the end marker.
    fn run(&mut self) -> Result<(), FilterError> {
        let mut literals = 0;
        if let Some(&first @ 18..) = self.stored.first() {
            self.from = 1;
            literals = usize::from(first) - 17;
            self.literals(literals)?;
        }
        loop {
            let code = self.byte()?;
            let (len, back, after) = match code {
                0..=15 if literals == 0 => {
                    literals = 3 + self.length(code, 15)?;
                    self.literals(literals)?;
                    continue;
                }
                0..=15 => {
                    let (len, nearest) = if literals < MANY { (2, 1) } else { (3, 2049) };
                    (len, nearest + (code >> 2) + (self.byte()? << 2), code)
                }
                16..=31 => {
                    let len = 2 + self.length(code, 7)?;
                    let (low, high) = (self.byte()?, self.byte()?);
                    let back = 16384 + ((code & 8) << 11) + (high << 6 | low >> 2);
                    if back == 16384 {
                        return Ok(());
                    }
                    (len, back, low)
                }
                32..=63 => {
                    let len = 2 + self.length(code, 31)?;
                    let (low, high) = (self.byte()?, self.byte()?);
                    (len, 1 + (high << 6 | low >> 2), low)
                }
                _ => {
                    let len = if code < 128 { 3 + (code >> 5 & 1) } else { 5 + (code >> 5 & 3) };
                    (len, 1 + (code >> 2 & 7) + (self.byte()? << 3), code)
                }
            };
            self.copy(len, back)?;
            literals = after & 3;
            self.literals(literals)?;
        }
    }

    fn byte(&mut self) -> Result<usize, FilterError> {
        let byte = *self.stored.get(self.from).ok_or_else(early)?;
        self.from += 1;
        Ok(byte.into())
    }

    /// The L of a code, whose bits are those of `largest`.
    fn length(&mut self, code: usize, largest: usize) -> Result<usize, FilterError> {
        let mut length = code & largest;
        if length == 0 {
            length = largest;
            loop {
                match self.byte()? {
                    0 => length += 255,
                    last => break length += last,
                }
            }
        }
        Ok(length)
    }

    /// Copies literal bytes.
    fn literals(&mut self, len: usize) -> Result<(), FilterError> {
        let max = self.out.len();
        let literals = self.stored.get(self.from..self.from + len).ok_or_else(early)?;
        let room =
            self.out.get_mut(self.to..self.to + len).ok_or(FilterError::TooLong { filter: NAME, max })?;
        room.copy_from_slice(literals);
        self.from += len;
        self.to += len;
        Ok(())
    }

    fn copy(&mut self, len: usize, back: usize) -> Result<(), FilterError> {
        let max = self.out.len();
        if back > self.to {
            return Err(FilterError::corrupt(NAME, "a copy refers to bytes before the start"));
        }
        if len > max - self.to {
            return Err(FilterError::TooLong { filter: NAME, max });
        }
        copy_back(self.out, self.to, back, len);
        self.to += len;
        Ok(())
    }
}

fn early() -> FilterError {
    FilterError::corrupt(NAME, "the stored bytes are truncated")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LZO: Lzo = Lzo { has_trailer: true };

    fn decode(stored: &[u8], room: usize) -> Result<Vec<u8>, FilterError> {
        let mut out = vec![0xAA; room];
        let len = LZO.decode(stored, &mut out, &mut CodecState::default())?;
        out.truncate(len);
        Ok(out)
    }

    fn stream(codes: &[&[u8]]) -> Vec<u8> {
        [&codes.concat()[..], &END].concat()
    }

    fn with_trailer(mut stream: Vec<u8>, raw: &[u8]) -> Vec<u8> {
        stream.extend(libdeflater::adler32(raw).to_le_bytes());
        stream.extend((raw.len() as u32).to_le_bytes());
        stream
    }

    #[test]
    fn bytes_as_they_are() {
        let long: Vec<u8> = (0..600u32).map(|i| (i % 251) as u8).collect();
        assert_eq!(decode(&stream(&[&[18 + 2], b"abc"]), 9).unwrap(), b"abc");
        assert_eq!(decode(&stream(&[&[17 + 200], &long[..200]]), 200).unwrap(), long[..200]);
        // A separate code, at the beginning or after a copy without literals.
        assert_eq!(decode(&stream(&[&[4], &long[..7]]), 600).unwrap(), long[..7]);
        assert_eq!(decode(&stream(&[&[0, 0, 0, (600 - 18 - 510) as u8], &long]), 600).unwrap(), long);
    }

    #[test]
    fn copies_of_every_kind() {
        let far: Vec<u8> =
            (0..40_000u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).take(40_000).collect();
        let mut zeros = vec![0; (far.len() - 18) / 255];
        zeros.push(((far.len() - 18) % 255) as u8);
        let head = [&[0][..], &zeros, &far].concat();
        let check = |code: &[u8], back: usize, len: usize, after: &[u8]| {
            let mut expected = far.clone();
            expected.extend_from_slice(&far[far.len() - back..][..len]);
            expected.extend_from_slice(after);
            assert_eq!(decode(&stream(&[&head, code, after]), 41_000).unwrap(), expected, "{code:?}");
        };
        // After many literals, 0000ddss copies three distant bytes.
        check(&[0b0000_1001, 5], 2049 + 2 + 20, 3, b"x");
        check(&[0b0101_0110, 3], 24 + 5 + 1, 3, b"xy");
        check(&[0b0110_0000, 3], 24 + 1, 4, b"");
        check(&[0b1111_1111, 2], 16 + 7 + 1, 8, b"xyz");
        check(&[0b0010_0101, 0b0000_0101, 1], 64 + 1 + 1, 7, b"x");
        check(&[0b0010_0000, 30, 0, 4], 256 + 1, 2 + 31 + 30, b"");
        check(&[0b0001_0010, 0b0000_1000, 0], 16384 + 2, 4, b"");
        check(&[0b0001_1000, 1, 0b0000_0000, 1], 32768 + 64, 2 + 7 + 1, b"");
        // After one to three literals, it copies two nearby bytes.
        assert_eq!(decode(&stream(&[&[18 + 1], b"ab", &[0b0000_0101, 0], b"c"]), 9).unwrap(), b"ababc");
    }

    #[test]
    fn a_copy_may_overlap_itself() {
        assert_eq!(decode(&stream(&[&[18], b"a", &[0b1110_0000, 0]]), 9).unwrap(), b"aaaaaaaaa");
        assert!(matches!(
            decode(&stream(&[&[18], b"a", &[0b1110_0000, 0]]), 8),
            Err(FilterError::TooLong { .. })
        ));
    }

    #[test]
    fn the_trailer_is_checked_where_there_is_one() {
        let chunk = stream(&[&[18 + 2], b"abc"]);
        assert_eq!(decode(&with_trailer(chunk.clone(), b"abc"), 9).unwrap(), b"abc");
        let wrong_sum = decode(&with_trailer(chunk.clone(), b"abd"), 9);
        assert!(matches!(wrong_sum, Err(FilterError::Checksum { .. })));
        let mut wrong_length = with_trailer(chunk.clone(), b"abc");
        *wrong_length.last_mut().unwrap() = 1;
        assert!(matches!(decode(&wrong_length, 9), Err(FilterError::Corrupt { .. })));
        for extra in [1, 4, 7, 9] {
            let found = decode(&[&chunk[..], &vec![0; extra]].concat(), 9);
            assert!(matches!(found, Err(FilterError::Corrupt { .. })), "{extra}");
        }
    }

    #[test]
    fn what_cannot_be() {
        for stored in
            [&[][..], &[17], &[17, 0], &[20, b'a'], &[18, b'a', 0b0100_0000, 0b1], &[0, 0, 0], &[32, 0]]
        {
            assert!(matches!(decode(stored, 100), Err(FilterError::Corrupt { .. })), "{stored:?}");
        }
    }

    #[test]
    fn old_tables_have_no_trailer() {
        let encoded = |parameters: &[u32]| {
            let stage = make(Setup { id: 305, parameters }).unwrap();
            crate::stage::encoded(&*stage, b"abc", &mut CodecState::default()).unwrap()
        };
        let bare = stream(&[&[17 + 3], b"abc"]);
        assert_eq!(encoded(&[1, 10, 0]), bare);
        assert_eq!(encoded(&[1]), bare);
        for parameters in [&[1, 20, 0][..], &[1, 10, 1]] {
            assert_eq!(encoded(parameters), with_trailer(bare.clone(), b"abc"));
        }
    }

    proptest! {
        #[test]
        fn what_was_encoded_comes_back(
            raw in prop::collection::vec(0u8..6, 0..3000),
            far in prop::collection::vec(any::<u8>(), 0..20_000),
            times in 0usize..4,
        ) {
            // The raw bytes again behind others, so that copies are far.
            let raw = [&raw[..], &far.repeat(times), &raw].concat();
            let stored = crate::stage::encoded(&LZO, &raw, &mut CodecState::default()).unwrap();
            prop_assert_eq!(decode(&stored, raw.len()).unwrap(), raw);
        }

        #[test]
        fn any_bytes(stored in prop::collection::vec(any::<u8>(), 0..300), room in 0usize..2000) {
            let ended = stream(&[&stored]);
            for stored in [&stored, &ended] {
                if let Ok(out) = decode(stored, room) {
                    prop_assert!(out.len() <= room && out.len() <= LZO.max_decoded_len(stored.len()));
                }
            }
        }
    }
}
