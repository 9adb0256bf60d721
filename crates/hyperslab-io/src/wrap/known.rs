//! A source of which some bytes are known already, such as those that an index of a file contains.

use crate::{Cancel, Deliver, ExtentMap, Source, forward_source, read_into_zeros};
use bytes::Bytes;
use std::io;
use std::mem::MaybeUninit;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// Reads what is known without a request, and all else from the source beneath. Nobody compares both.
pub struct KnownBytes {
    inner: Arc<dyn Source>,
    extents: ExtentMap,
}

impl KnownBytes {
    /// Wraps `inner`, of which these extents are known: an offset and the bytes from there on.
    pub fn new(inner: Arc<dyn Source>, known: impl IntoIterator<Item = (u64, Bytes)>) -> Self {
        let mut extents = ExtentMap::default();
        known.into_iter().for_each(|(at, bytes)| extents.insert(at, &bytes, 0));
        Self { inner, extents }
    }
}

#[deny(clippy::missing_trait_methods)]
impl Source for KnownBytes {
    forward_source!(self => self.inner; len, is_empty, epoch, held_from, stored_bytes, check_unchanged);
    forward_source!(self => self.inner; lock_shared, unlock, version, advice, metadata_gap_bytes, name, path);

    fn beginning(&self) -> Bytes {
        let (known, found) = (self.extents.from_start(), self.inner.beginning());
        if known.len() > found.len() { known } else { found }
    }

    fn known(&self, at: u64, len: u64) -> Option<Bytes> {
        self.extents.get(at, len, 0).or_else(|| self.inner.known(at, len))
    }

    fn knows_structures(&self) -> bool {
        true
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        match self.extents.get(at, out.len() as u64, 0) {
            Some(bytes) => {
                out.copy_from_slice(&bytes);
                Ok(())
            }
            None => self.inner.read_into(at, out),
        }
    }

    fn read_unwritten<'o>(&self, at: u64, out: &'o mut [MaybeUninit<u8>]) -> io::Result<&'o mut [u8]> {
        match self.extents.get(at, out.len() as u64, 0) {
            Some(_) => read_into_zeros(self, at, out),
            None => self.inner.read_unwritten(at, out),
        }
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        let mut missing = Vec::new();
        for (index, range) in ranges.iter().enumerate() {
            match self.extents.get(range.start, range.end.saturating_sub(range.start), 0) {
                None => missing.push(index),
                Some(bytes) => {
                    if deliver(index, Ok(bytes)).is_break() {
                        return;
                    }
                }
            }
        }
        if missing.is_empty() {
            return;
        }
        let wanted: Vec<_> = missing.iter().map(|&index| ranges[index].clone()).collect();
        self.inner.fetch(&wanted, cancel, &mut |number, bytes| match missing.get(number) {
            Some(&index) => deliver(index, bytes),
            None => ControlFlow::Continue(()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrap::Recorder;
    use crate::{Memory, fetch_all};

    #[test]
    fn what_is_known_needs_no_request() {
        let (source, recording) = Recorder::new(Memory::new("t", (0..100).collect::<Vec<u8>>()));
        let of = |range: Range<u8>| Bytes::from(range.collect::<Vec<u8>>());
        let known = KnownBytes::new(Arc::new(source), [(0, of(0..10)), (40, of(40..60))]);
        let mut out = [0; 4];
        for at in [0, 6, 40, 56, 8, 70] {
            known.read_into(at, &mut out).unwrap();
            assert_eq!(out.map(u64::from), [at, at + 1, at + 2, at + 3]);
        }
        assert_eq!(recording.take(), [8..12, 70..74]);
        let ranges = [2..4, 20..22, 41..42, 59..61];
        let found = fetch_all(&known, &ranges, &Cancel::never()).unwrap();
        assert_eq!(found, [of(2..4), of(20..22), of(41..42), of(59..61)]);
        assert_eq!(recording.take(), [20..22, 59..61]);
        assert_eq!((known.beginning(), known.known(50, 10)), (of(0..10), Some(of(50..60))));
        let mut unwritten = [MaybeUninit::uninit(); 3];
        assert_eq!(known.read_unwritten(41, &mut unwritten).unwrap(), [41, 42, 43]);
    }
}
