//! Parts of a source, one after the other, as a source of their own. Where nothing was written, a value is repeated.

use super::{Advice, Source};
use crate::Epoch;
use std::io;
use std::sync::Arc;

/// A part of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The offset of its first byte in the source; `None` for a part that was never written.
    pub at: Option<u64>,
    /// Its bytes.
    pub len: u64,
}

impl Stretch {
    /// Adds a part; one that follows the last one directly becomes part of it.
    pub fn push(parts: &mut Vec<Self>, next: Self) {
        if next.len == 0 {
            return;
        }
        let follows = |last: &Self| match (last.at, next.at) {
            (Some(at), Some(next)) => at + last.len == next,
            (None, None) => true,
            _ => false,
        };
        match parts.last_mut() {
            Some(last) if follows(last) => last.len += next.len,
            _ => parts.push(next),
        }
    }
}

/// The joined parts.
pub struct Joined {
    source: Arc<dyn Source>,
    /// Each with the offset at which it begins.
    parts: Vec<(u64, Stretch)>,
    len: u64,
    /// One value, as it would be stored.
    fill: Vec<u8>,
}

impl Joined {
    /// Parts of `source`; `fill` is one value.
    pub fn new(source: Arc<dyn Source>, extents: &[Stretch], fill: Vec<u8>) -> Self {
        let mut len = 0;
        let place = |extent: &Stretch| {
            let start = len;
            len += extent.len;
            (start, *extent)
        };
        let parts = extents.iter().map(place).collect();
        Self { source, parts, len, fill }
    }
}

impl Source for Joined {
    fn len(&self) -> u64 {
        self.len
    }

    fn epoch(&self) -> Epoch {
        self.source.epoch()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let end = at.checked_add(out.len() as u64).filter(|end| *end <= self.len);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let first = self.parts.partition_point(|(start, extent)| start + extent.len <= at);
        for (start, extent) in self.parts[first..].iter().take_while(|(start, _)| *start < end) {
            let (from, to) = (at.max(*start), end.min(start + extent.len));
            let out = &mut out[(from - at) as usize..(to - at) as usize];
            match extent.at {
                Some(place) => self.source.read_into(place + (from - start), out)?,
                None => fill(out, &self.fill, from),
            }
        }
        Ok(())
    }

    fn check_unchanged(&self) -> io::Result<()> {
        self.source.check_unchanged()
    }

    fn advice(&self) -> Advice {
        self.source.advice()
    }

    fn name(&self) -> String {
        self.source.name()
    }
}

/// Repeats a value in bytes that begin at this offset of all values.
fn fill(out: &mut [u8], value: &[u8], at: u64) {
    match value.len() {
        0 => out.fill(0),
        len => {
            let start = (at % len as u64) as usize;
            out.iter_mut().zip(value.iter().cycle().skip(start)).for_each(|(out, byte)| *out = *byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn parts_follow_one_another_and_holes_have_the_value() {
        let file = Arc::new(Memory::new("file", (0..100).collect::<Vec<u8>>()));
        let extents = [
            Stretch { at: Some(90), len: 3 },
            Stretch { at: None, len: 4 },
            Stretch { at: Some(10), len: 2 },
        ];
        let joined = Joined::new(file, &extents, vec![7, 8]);
        let whole = [90, 91, 92, 8, 7, 8, 7, 10, 11];
        for from in 0..=9 {
            for to in from..=9 {
                let mut out = vec![0; to - from];
                joined.read_into(from as u64, &mut out).unwrap();
                assert_eq!(out, whole[from..to]);
            }
        }
        joined.read_into(5, &mut [0; 5]).unwrap_err();
    }

    #[test]
    fn neighbours_become_one() {
        let mut extents = Vec::new();
        for (at, len) in [(Some(10), 5), (Some(15), 5), (None, 3), (None, 0), (None, 4), (Some(20), 1)] {
            Stretch::push(&mut extents, Stretch { at, len });
        }
        let found: Vec<_> = extents.iter().map(|part| (part.at, part.len)).collect();
        assert_eq!(found, [(Some(10), 10), (None, 7), (Some(20), 1)]);
    }
}
