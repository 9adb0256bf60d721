//! A file in which the entries of its metadata cache image replace the bytes at their addresses.

use super::CacheImage;
use crate::{Bytes, Fetched, View};
use std::collections::BTreeMap;

/// The fetched bytes, except where a metadata cache image replaces them.
pub struct Overlay<'a> {
    under: &'a dyn Fetched,
    /// The bytes of the entries, by absolute offset. They do not overlap.
    entries: &'a OverlayEntries,
}

/// The entries of an image, prepared for lookups by offset.
#[derive(Debug, Clone, Default)]
pub struct OverlayEntries {
    by_start: BTreeMap<u64, Bytes>,
}

impl OverlayEntries {
    /// The entries of `image` in the file of `view`. If two entries contain the same byte, the later one counts.
    pub fn new(view: View<'_>, image: &CacheImage) -> Self {
        let mut entries = Self::default();
        for (address, bytes) in &image.entries {
            let start = view.absolute(*address);
            // Offsets that overflow can never be requested.
            if start.checked_add(bytes.len() as u64).is_some() {
                entries.insert(start, bytes.clone());
            }
        }
        entries
    }

    fn insert(&mut self, start: u64, bytes: Bytes) {
        let end = start + bytes.len() as u64;
        while let Some((other_start, other)) =
            self.last_before(end).filter(|(at, b)| at + b.len() as u64 > start)
        {
            self.by_start.remove(&other_start);
            if other_start < start {
                self.by_start.insert(other_start, other.slice(..(start - other_start) as usize));
            }
            if other_start + other.len() as u64 > end {
                self.by_start.insert(end, other.slice((end - other_start) as usize..));
            }
        }
        self.by_start.insert(start, bytes);
    }

    fn last_before(&self, end: u64) -> Option<(u64, Bytes)> {
        self.by_start.range(..end).next_back().map(|(start, bytes)| (*start, bytes.clone()))
    }
}

impl<'a> Overlay<'a> {
    /// The bytes of `under`, with those of `entries` in their place where there are any.
    pub fn new(under: &'a dyn Fetched, entries: &'a OverlayEntries) -> Self {
        Self { under, entries }
    }
}

impl Fetched for Overlay<'_> {
    fn file_len(&self) -> u64 {
        self.under.file_len()
    }

    fn held_from(&self, at: u64) -> u64 {
        self.under.held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        self.under.stored_bytes()
    }

    fn parsed(&self, structure: &'static str, at: u64, len: u64) {
        self.under.parsed(structure, at, len);
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        let end = at.checked_add(len)?;
        let before = self.entries.last_before(at.saturating_add(1));
        let first =
            before.filter(|(start, bytes)| start + bytes.len() as u64 > at).map_or(at, |(start, _)| start);
        let mut over = self.entries.by_start.range(first..end).peekable();
        let (&start, bytes) = match over.peek() {
            None => return self.under.get(at, len),
            Some(entry) => *entry,
        };
        if start <= at && end <= start + bytes.len() as u64 {
            return Some(bytes.slice((at - start) as usize..(end - start) as usize));
        }
        let mut seen = self.under.get(at, len)?.to_vec();
        for (&start, bytes) in over {
            let (from, to) = (start.max(at), end.min(start + bytes.len() as u64));
            let source = &bytes[(from - start) as usize..(to - start) as usize];
            seen[(from - at) as usize..(to - at) as usize].copy_from_slice(source);
        }
        Some(seen.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shows_each_byte_as_the_last_entry_has_it(
            entries in prop::collection::vec((0u64..40, 1usize..12), 0..8),
            at in 0u64..60,
            len in 0u64..60,
        ) {
            let file = Bytes::from(vec![0u8; 64]);
            let mut expected = [0u8; 64];
            let mut over = OverlayEntries::default();
            for (number, &(start, len)) in entries.iter().enumerate() {
                let value = number as u8 + 1;
                over.insert(start, vec![value; len].into());
                expected[start as usize..start as usize + len].fill(value);
            }
            let seen = Overlay::new(&file, &over).get(at, len);
            let inside = at + len <= 64;
            prop_assert_eq!(seen.is_some(), inside);
            if let Some(seen) = seen {
                prop_assert_eq!(&seen[..], &expected[at as usize..(at + len) as usize]);
            }
        }
    }
}
