//! Extents of one source: fetched bytes at any positions, of any lengths.

use bytes::{Bytes, BytesMut};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Extents that do not overlap, by their offsets.
#[derive(Debug, Default)]
pub struct ExtentMap {
    extents: BTreeMap<u64, Extent>,
    bytes: u64,
}

#[derive(Debug)]
struct Extent {
    bytes: Bytes,
    /// When it was last used.
    used: AtomicU64,
}

impl ExtentMap {
    /// The bytes of a range, if all of them are there. Their extents count as used at the time `now`, by the clock of the
    /// caller.
    pub fn get(&self, at: u64, len: u64, now: u64) -> Option<Bytes> {
        let end = at.checked_add(len)?;
        let mut joined: Option<BytesMut> = None;
        let mut next = at;
        // An extent begins at or before the first byte; each of the others begins where the one before it ends.
        let first = self.extents.range(..=at).next_back().map(|(start, _)| *start)?;
        for (&start, extent) in self.extents.range(first..) {
            let extent_end = start + extent.bytes.len() as u64;
            if start > next || extent_end <= next {
                return None;
            }
            extent.used.store(now, Ordering::Relaxed);
            let part = extent.bytes.slice((next - start) as usize..(end.min(extent_end) - start) as usize);
            if extent_end >= end {
                return Some(match joined {
                    None => part,
                    Some(mut joined) => {
                        joined.extend_from_slice(&part);
                        joined.freeze()
                    }
                });
            }
            joined.get_or_insert_default().extend_from_slice(&part);
            next = extent_end;
        }
        None
    }

    /// The bytes of the extent that begins at offset 0; none if there is none.
    pub fn from_start(&self) -> Bytes {
        self.extents.get(&0).map_or_else(Bytes::new, |extent| extent.bytes.clone())
    }

    /// Adds fetched bytes, as used at the time `now`. Bytes that are already there are not replaced.
    pub fn insert(&mut self, start: u64, bytes: &Bytes, now: u64) {
        for missing in self.missing(&(start..start + bytes.len() as u64)) {
            let part = bytes.slice((missing.start - start) as usize..(missing.end - start) as usize);
            self.bytes += part.len() as u64;
            self.extents.insert(missing.start, Extent { bytes: part, used: AtomicU64::new(now) });
        }
    }

    /// The parts of a range that are not there.
    pub fn missing(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut next = range.start;
        let before = self.extents.range(..=range.start).next_back().map(|(start, _)| *start);
        for (&start, extent) in self.extents.range(before.unwrap_or(range.start)..range.end) {
            if start > next {
                missing.push(next..start);
            }
            next = next.max(start + extent.bytes.len() as u64);
        }
        if next < range.end {
            missing.push(next..range.end);
        }
        missing
    }

    /// Drops the extents that were last used before this time.
    pub fn drop_unused_since(&mut self, time: u64) {
        self.extents.retain(|_, extent| extent.used.load(Ordering::Relaxed) >= time);
        self.bytes = self.extents.values().map(|extent| extent.bytes.len() as u64).sum();
    }

    /// The extents: when each was last used, its offset, and its number of bytes.
    pub(crate) fn uses(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let of = |(start, extent): (&u64, &Extent)| {
            (extent.used.load(Ordering::Relaxed), *start, extent.bytes.len() as u64)
        };
        self.extents.iter().map(of)
    }

    /// Drops the extent at this offset, unless it was used at `kept_since` or later. Returns its number of bytes.
    pub(crate) fn drop_unused(&mut self, start: u64, kept_since: u64) -> u64 {
        let is_old = |extent: &Extent| extent.used.load(Ordering::Relaxed) < kept_since;
        if !self.extents.get(&start).is_some_and(is_old) {
            return 0;
        }
        let dropped = self.extents.remove(&start).map_or(0, |extent| extent.bytes.len() as u64);
        self.bytes -= dropped;
        dropped
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_extent_that_is_in_use_is_not_dropped() {
        let mut map = ExtentMap::default();
        map.insert(100, &Bytes::from(vec![1; 10]), 5);
        map.insert(200, &Bytes::from(vec![2; 20]), 6);
        assert_eq!(map.uses().collect::<Vec<_>>(), [(5, 100, 10), (6, 200, 20)]);
        assert_eq!([map.drop_unused(200, 6), map.drop_unused(100, 6), map.drop_unused(100, 6)], [0, 10, 0]);
        assert_eq!((map.bytes(), map.get(100, 1, 7)), (20, None));
    }

    proptest! {
        #[test]
        fn an_extent_map_behaves_like_an_array(
            steps in prop::collection::vec((0u64..200, 1u64..60), 1..20), at in 0u64..200, len in 0u64..100
        ) {
            let mut map = ExtentMap::default();
            let mut known = [false; 300];
            let content = |at: u64| (at * 7) as u8;
            for (start, len) in steps {
                let bytes: Bytes = (start..start + len).map(content).collect();
                map.insert(start, &bytes, 0);
                known[start as usize..(start + len) as usize].fill(true);
            }
            let range = at as usize..(at + len) as usize;
            let expected = (len > 0 && known[range.clone()].iter().all(|known| *known))
                .then(|| (at..at + len).map(content).collect::<Bytes>());
            if len > 0 {
                prop_assert_eq!(map.get(at, len, 1), expected);
            }
            let missing = map.missing(&(at..at + len));
            for (offset, known) in known[range].iter().enumerate() {
                let at = at + offset as u64;
                prop_assert_eq!(missing.iter().any(|missing| missing.contains(&at)), !known);
            }
            prop_assert_eq!(map.bytes(), known.iter().filter(|known| **known).count() as u64);
        }
    }
}
