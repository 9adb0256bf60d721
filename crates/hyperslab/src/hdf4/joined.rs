//! Parts of a file, one after the other, as a source of their own. Where nothing was written, a value is repeated.

use super::extents::Extent;
use hyperslab_io::{Advice, Epoch, Source};
use std::io;
use std::sync::Arc;

/// The joined parts.
pub(super) struct Joined {
    source: Arc<dyn Source>,
    /// Each with the offset at which it begins.
    parts: Vec<(u64, Extent)>,
    len: u64,
    /// One value, as it would be stored.
    fill: Vec<u8>,
}

impl Joined {
    /// Parts of `source`; `fill` is one value.
    pub(super) fn new(source: Arc<dyn Source>, extents: &[Extent], fill: Vec<u8>) -> Self {
        let mut len = 0;
        let place = |extent: &Extent| {
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
    use hyperslab_io::Memory;

    #[test]
    fn parts_follow_one_another_and_holes_have_the_value() {
        let file = Arc::new(Memory::new("file", (0..100).collect::<Vec<u8>>()));
        let extents =
            [Extent { at: Some(90), len: 3 }, Extent { at: None, len: 4 }, Extent { at: Some(10), len: 2 }];
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
}
