//! The search for repeated bytes that the encoders of LZF, BloscLZ and LZO share.
//!
//! A table holds, for each hash of three bytes, the last position where they were seen. The search is greedy: it takes a
//! copy as soon as one is found, and goes on behind it.

/// The shortest copy.
const COPY_MIN: usize = 3;
const HASH_BITS: u32 = 14;
/// After 2⁶ literal bytes without a copy, every second position is tried, then every third: incompressible data is passed
/// over quickly.
const SKIP_SHIFT: usize = 6;

/// A piece of the encoded bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    Literals(&'a [u8]),
    /// Copy `len` bytes from `back` bytes back.
    Copy {
        back: usize,
        len: usize,
    },
}

/// The last positions of three bytes, by their hash; reused for other bytes.
#[derive(Default)]
pub(crate) struct Positions {
    /// Positions plus one; 0 if there is none.
    table: Vec<u32>,
}

impl Positions {
    /// Splits `raw`, which must be shorter than 4 GiB, into literals and copies from at most `back_max` bytes back, of at
    /// most `len_max` bytes. Stops as soon as `take` returns false; returns whether it did not.
    pub fn split<'a>(
        &mut self,
        raw: &'a [u8],
        back_max: usize,
        len_max: usize,
        mut take: impl FnMut(Token<'a>) -> bool,
    ) -> bool {
        self.table.clear();
        self.table.resize(1 << HASH_BITS, 0);
        let (mut at, mut literals) = (0, 0);
        while at + COPY_MIN < raw.len() {
            let key = u32::from_le_bytes([raw[at], raw[at + 1], raw[at + 2], 0]);
            let place = &mut self.table[(key.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize];
            let before = std::mem::replace(place, at as u32 + 1) as usize;
            let is_copy = before > 0
                && at + 1 - before <= back_max
                && raw[before - 1..before - 1 + COPY_MIN] == raw[at..at + COPY_MIN];
            if !is_copy {
                at += 1 + ((at - literals) >> SKIP_SHIFT);
                continue;
            }
            let from = before - 1;
            let limit = len_max.min(raw.len() - at);
            let len = COPY_MIN + equal_bytes(&raw[from + COPY_MIN..], &raw[at + COPY_MIN..at + limit]);
            if (literals < at && !take(Token::Literals(&raw[literals..at])))
                || !take(Token::Copy { back: at - from, len })
            {
                return false;
            }
            at += len;
            literals = at;
        }
        literals == raw.len() || take(Token::Literals(&raw[literals..]))
    }
}

/// How many bytes at the start of both are equal; at most the length of the second.
fn equal_bytes(a: &[u8], b: &[u8]) -> usize {
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let mut len = 0;
    for (a, b) in words {
        let difference = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if difference != 0 {
            return len + difference.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + a[len..].iter().zip(&b[len..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy_back::copy_back;
    use proptest::prelude::*;

    #[test]
    fn stops_when_there_is_no_more_room() {
        let mut seen = 0;
        let whole = Positions::default().split(&[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3], 100, 100, |_| {
            seen += 1;
            false
        });
        assert_eq!((whole, seen), (false, 1));
    }

    proptest! {
        #[test]
        fn tokens_make_up_the_bytes(
            raw in proptest::collection::vec(0u8..4, 0..600), back_max in 1usize..300, len_max in 3usize..70,
        ) {
            let mut out = vec![0; raw.len()];
            let mut to = 0;
            let whole = Positions::default().split(&raw, back_max, len_max, |token| {
                match token {
                    Token::Literals(bytes) => {
                        out[to..to + bytes.len()].copy_from_slice(bytes);
                        to += bytes.len();
                    }
                    Token::Copy { back, len } => {
                        assert!(back <= back_max && len <= len_max && len >= COPY_MIN);
                        copy_back(&mut out, to, back, len);
                        to += len;
                    }
                }
                true
            });
            prop_assert!(whole && to == raw.len());
            prop_assert_eq!(out, raw);
        }
    }
}
