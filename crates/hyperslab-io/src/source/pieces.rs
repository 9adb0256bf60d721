//! Several sources joined to one, for files of HDF5's family, split and multi drivers.
//!
//! There may be gaps between the pieces. Some are enormous: the split driver places raw data in the middle of the 64-bit
//! address space. Gaps read as zeros; [`Source::held_from`] reports where they begin.

use super::{Advice, Source, read_range};
use crate::{Cancel, Deliver};
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;

/// One of several sources that are joined.
pub struct Piece {
    /// The offset of its first byte in the joined source.
    pub start: u64,
    /// The most bytes of its source that are used.
    pub len: u64,
    /// The source, or the error that reading any of its bytes returns.
    pub source: Result<Arc<dyn Source>, String>,
}

/// Several sources joined to one.
pub struct Pieces {
    /// Sorted by `start`, disjoint, not empty.
    pieces: Vec<Piece>,
    advice: Advice,
}

impl Pieces {
    /// Joins pieces. The first piece gives the joined source its name. `None` if pieces overlap, or if there are no
    /// bytes.
    pub fn new(mut pieces: Vec<Piece>) -> Option<Self> {
        for piece in &mut pieces {
            piece.len = piece.source.as_ref().map_or(piece.len, |source| source.len().min(piece.len));
        }
        pieces.retain(|piece| piece.len > 0);
        pieces.sort_by_key(|piece| piece.start);
        let apart = pieces.windows(2).all(|pair| pair[1].start - pair[0].start >= pair[0].len);
        let ends = pieces.last()?.start.checked_add(pieces.last()?.len).is_some();
        let advice = pieces.first()?.source.as_ref().ok()?.advice();
        (apart && ends).then_some(Self { pieces, advice })
    }

    fn first(&self) -> Option<&Arc<dyn Source>> {
        self.pieces.first()?.source.as_ref().ok()
    }

    /// The pieces that overlap a range.
    fn within(&self, range: &Range<u64>) -> impl Iterator<Item = &Piece> {
        let first = self.pieces.partition_point(|piece| piece.end() <= range.start);
        let end = range.end;
        self.pieces[first..].iter().take_while(move |piece| piece.start < end)
    }
}

impl Piece {
    fn end(&self) -> u64 {
        self.start + self.len
    }

    fn contains(&self, range: &Range<u64>) -> bool {
        self.start <= range.start && range.start <= range.end && range.end <= self.end()
    }

    /// A range of the joined source as a range of this piece.
    fn inside(&self, range: &Range<u64>) -> Range<u64> {
        range.start - self.start..range.end - self.start
    }

    fn read_into(&self, within: u64, out: &mut [u8]) -> io::Result<()> {
        match &self.source {
            Ok(source) => source.read_into(within, out),
            Err(why) => Err(io::Error::other(why.clone())),
        }
    }
}

impl Source for Pieces {
    fn len(&self) -> u64 {
        self.pieces.last().map_or(0, Piece::end)
    }

    fn held_from(&self, at: u64) -> u64 {
        let mut next = at;
        for piece in self.within(&(at..u64::MAX)) {
            if piece.start > next {
                break;
            }
            next = piece.end();
        }
        next - at
    }

    fn stored_bytes(&self) -> u64 {
        let there = self.pieces.iter().filter(|piece| piece.source.is_ok());
        there.fold(0, |bytes, piece| bytes.saturating_add(piece.len))
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let end = at.checked_add(out.len() as u64).filter(|&end| end <= self.len());
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        if self.held_from(at) < end - at {
            out.fill(0);
        }
        for piece in self.within(&(at..end)) {
            let (from, to) = (at.max(piece.start), end.min(piece.end()));
            piece.read_into(from - piece.start, &mut out[(from - at) as usize..(to - at) as usize])?;
        }
        Ok(())
    }

    /// Piece by piece, so that each source has as many requests in flight as suits it.
    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        // The ranges of each piece. Ranges that overlap several pieces or gaps are read here.
        let mut by_piece: Vec<Vec<usize>> = vec![Vec::new(); self.pieces.len()];
        for (index, range) in ranges.iter().enumerate() {
            let number = self.pieces.partition_point(|piece| piece.end() <= range.start);
            let within = self.pieces.get(number).filter(|piece| piece.contains(range));
            match within.map(|piece| &piece.source) {
                Some(Ok(_)) => by_piece[number].push(index),
                _ if cancel.is_cancelled() || deliver(index, read_range(self, range)).is_break() => return,
                _ => {}
            }
        }
        let mut flow = ControlFlow::Continue(());
        for (piece, indexes) in self.pieces.iter().zip(by_piece) {
            let (Ok(source), false) = (&piece.source, indexes.is_empty()) else { continue };
            let inside = indexes.iter().map(|&index| piece.inside(&ranges[index]));
            source.fetch(&inside.collect::<Vec<_>>(), cancel, &mut |number, result| {
                flow = deliver(indexes[number], result);
                flow
            });
            if flow.is_break() || cancel.is_cancelled() {
                return;
            }
        }
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.pieces
            .iter()
            .filter_map(|piece| piece.source.as_ref().ok())
            .try_for_each(|source| source.check_unchanged())
    }

    fn advice(&self) -> Advice {
        self.advice
    }

    fn metadata_gap_bytes(&self) -> u64 {
        self.first().map_or(Advice::METADATA_GAP_BYTES, |source| source.metadata_gap_bytes())
    }

    fn name(&self) -> String {
        self.first().map_or_else(String::new, |source| source.name())
    }

    fn path(&self) -> Option<&Path> {
        self.first().and_then(|source| source.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    fn piece(start: u64, len: u64, bytes: &'static [u8]) -> Piece {
        let source: Arc<dyn Source> = Arc::new(Memory::new(format!("piece at {start}"), bytes));
        Piece { start, len, source: Ok(source) }
    }

    fn read(pieces: &Pieces, at: u64, len: usize) -> Result<Vec<u8>, io::ErrorKind> {
        let mut out = vec![b'?'; len];
        pieces.read_into(at, &mut out).map_err(|error| error.kind()).map(|()| out)
    }

    #[test]
    fn neighbours_are_read_as_one_and_gaps_as_zeros() {
        let far = 1 << 62;
        let pieces =
            Pieces::new(vec![piece(far, 2, b"89"), piece(0, 3, b"012"), piece(3, 4, b"3456")]).unwrap();
        assert_eq!((pieces.len(), pieces.stored_bytes()), (far + 2, 9));
        assert_eq!(read(&pieces, 1, 5).unwrap(), b"12345");
        assert_eq!(read(&pieces, far - 1, 3).unwrap(), b"\089");
        assert_eq!(read(&pieces, 6, 3).unwrap(), b"6\0\0");
        assert_eq!(pieces.name(), "piece at 0");
        for (at, len) in [(far + 1, 2), (u64::MAX, 1)] {
            assert_eq!(read(&pieces, at, len), Err(io::ErrorKind::UnexpectedEof), "{at} {len}");
        }
        let held = [0, 2, 7, far - 1, far, far + 2, u64::MAX].map(|at| pieces.held_from(at));
        assert_eq!(held, [7, 5, 0, 0, 2, 0, 0]);
    }

    #[test]
    fn a_missing_piece_returns_its_error_and_a_short_one_leaves_a_gap() {
        let mut pieces = vec![piece(0, 4, b"01"), piece(4, 2, b"4567")];
        pieces.push(Piece { start: 6, len: 2, source: Err("it is gone".into()) });
        let pieces = Pieces::new(pieces).unwrap();
        assert_eq!(read(&pieces, 1, 4).unwrap(), b"1\0\x004");
        assert_eq!((pieces.held_from(0), pieces.held_from(4), pieces.stored_bytes()), (2, 4, 4));
        let mut out = [0; 3];
        assert_eq!(pieces.read_into(5, &mut out).unwrap_err().to_string(), "it is gone");
    }

    #[test]
    fn ranges_of_all_pieces_are_fetched_and_each_has_its_own_error() {
        let mut pieces = vec![piece(0, 3, b"012"), piece(3, 4, b"3456"), piece(10, 2, b"ab")];
        pieces.push(Piece { start: 20, len: 5, source: Err("it is gone".into()) });
        let pieces = Pieces::new(pieces).unwrap();
        let ranges = [10..12, 1..6, 4..5, 6..11, 21..22, 0..3, 24..26];
        let mut results = vec![None; ranges.len()];
        pieces.fetch(&ranges, &Cancel::never(), &mut |index, result| {
            let text = result.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', "."));
            assert!(results[index].replace(text.map_err(|error| error.to_string())).is_none());
            ControlFlow::Continue(())
        });
        let told: Vec<_> = results.iter().map(|result| result.as_ref().unwrap().as_deref()).collect();
        assert_eq!(told[..4], [Ok("ab"), Ok("12345"), Ok("4"), Ok("6...a")]);
        assert_eq!((told[4].unwrap_err().as_str(), told[5]), ("it is gone", Ok("012")));
        assert!(told[6].is_err());
    }

    #[test]
    fn pieces_that_overlap_are_refused() {
        assert!(Pieces::new(vec![piece(0, 3, b"012"), piece(2, 1, b"2")]).is_none());
        assert!(Pieces::new(vec![piece(u64::MAX, 1, b"2")]).is_none());
        assert!(Pieces::new(vec![piece(0, 0, b"")]).is_none());
    }
}
