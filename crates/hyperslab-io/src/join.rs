//! Joining the responses of long ranges, which are requested in pieces: a single connection has a limited bandwidth.

use crate::{Advice, split};
use bytes::Bytes;
use std::collections::HashMap;
use std::io;
use std::ops::Range;

/// The pieces of the ranges of one fetch, and those that have arrived.
pub struct DividedRanges {
    pieces: Vec<Piece>,
    /// The ranges of several pieces, by their index.
    incomplete: HashMap<usize, Incomplete>,
}

/// A piece of a range.
struct Piece {
    /// The index of the range.
    index: usize,
    range: Range<u64>,
    /// True if it is the whole range.
    is_whole: bool,
}

/// A range of which not all pieces have arrived.
struct Incomplete {
    range: Range<u64>,
    missing: usize,
    bytes: Vec<u8>,
}

impl DividedRanges {
    /// Divides ranges, which have these indexes.
    pub fn of(ranges: impl IntoIterator<Item = (usize, Range<u64>)>, advice: Advice) -> Self {
        let (mut pieces, mut incomplete) = (Vec::new(), HashMap::new());
        for (index, range) in ranges {
            let before = pieces.len();
            pieces.extend(split(range.clone(), advice).map(|range| Piece { index, range, is_whole: false }));
            match pieces.len() - before {
                1 => pieces[before].is_whole = true,
                missing => drop(incomplete.insert(index, Incomplete { range, missing, bytes: Vec::new() })),
            }
        }
        Self { pieces, incomplete }
    }

    /// The requests: one for each piece.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.pieces.iter().map(|piece| piece.range.clone())
    }

    /// Adds the response for a piece. Returns the index of its range and all bytes of it when they are there, or the error
    /// of the first of its pieces that has failed.
    pub fn add(&mut self, number: usize, response: io::Result<Bytes>) -> Option<(usize, io::Result<Bytes>)> {
        let Piece { index, range, is_whole } = &self.pieces[number];
        if *is_whole {
            return Some((*index, response));
        }
        // Nothing is there any more if another piece has failed.
        let incomplete = self.incomplete.get_mut(index)?;
        let added = response.and_then(|bytes| incomplete.add(range, &bytes));
        match added {
            Ok(false) => None,
            Ok(true) => self.incomplete.remove(index).map(|whole| (*index, Ok(Bytes::from(whole.bytes)))),
            Err(error) => {
                self.incomplete.remove(index);
                Some((*index, Err(error)))
            }
        }
    }
}

impl Incomplete {
    /// Adds a piece; true if it was the last one.
    fn add(&mut self, piece: &Range<u64>, bytes: &[u8]) -> io::Result<bool> {
        if self.bytes.is_empty() {
            // The range lies in the file, whose length was checked.
            let len =
                usize::try_from(self.range.end - self.range.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
            self.bytes.try_reserve_exact(len)?;
            self.bytes.resize(len, 0);
        }
        let start = (piece.start - self.range.start) as usize;
        let place = self.bytes.get_mut(start..start + bytes.len()).ok_or(io::ErrorKind::InvalidData)?;
        place.copy_from_slice(bytes);
        self.missing -= 1;
        Ok(self.missing == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADVICE: Advice = Advice { request_bytes_max: 10, in_flight_max: 8, ..Advice::LOCAL };

    fn bytes(range: Range<u64>) -> Bytes {
        range.map(|at| at as u8).collect()
    }

    #[test]
    fn long_ranges_are_joined_from_their_pieces_in_any_order() {
        let mut pieces = DividedRanges::of([(7, 0..20), (9, 100..135)], ADVICE);
        let ranges: Vec<_> = pieces.ranges().collect();
        assert_eq!(ranges, [0..20, 100..110, 110..120, 120..130, 130..135]);
        assert_eq!(pieces.add(3, Ok(bytes(120..130))).map(|(index, _)| index), None);
        let (index, whole) = pieces.add(0, Ok(bytes(0..20))).unwrap();
        assert_eq!((index, whole.unwrap()), (7, bytes(0..20)));
        assert!(pieces.add(1, Ok(bytes(100..110))).is_none() && pieces.add(4, Ok(bytes(130..135))).is_none());
        let (index, whole) = pieces.add(2, Ok(bytes(110..120))).unwrap();
        assert_eq!((index, whole.unwrap()), (9, bytes(100..135)));
    }

    #[test]
    fn a_range_fails_once() {
        let mut pieces = DividedRanges::of([(0, 0..100)], ADVICE);
        assert!(pieces.add(4, Ok(bytes(40..50))).is_none());
        let (index, failed) = pieces.add(5, Err(io::ErrorKind::TimedOut.into())).unwrap();
        assert_eq!((index, failed.unwrap_err().kind()), (0, io::ErrorKind::TimedOut));
        assert!(pieces.add(6, Err(io::ErrorKind::TimedOut.into())).is_none());
        assert!(pieces.add(7, Ok(bytes(70..80))).is_none());
    }
}
