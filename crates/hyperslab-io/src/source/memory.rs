//! A file that is completely in memory.

use super::{Advice, Source};
use crate::{Cancel, Deliver};
use bytes::Bytes;
use std::io;
use std::ops::Range;

/// Bytes with a name.
#[derive(Debug, Clone)]
pub struct Memory {
    bytes: Bytes,
    name: String,
}

impl Memory {
    /// A source of these bytes; `name` appears in messages.
    pub fn new(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into(), name: name.into() }
    }
}

impl Source for Memory {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        let found = start.checked_add(out.len()).and_then(|end| self.bytes.get(start..end));
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        for (index, range) in ranges.iter().enumerate() {
            let inside = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
            let inside = inside.filter(|&(start, end)| start <= end && end <= self.bytes.len());
            let result = inside.map(|(start, end)| self.bytes.slice(start..end));
            let result = result.ok_or_else(|| io::ErrorKind::UnexpectedEof.into());
            if cancel.is_cancelled() || deliver(index, result).is_break() {
                return;
            }
        }
    }

    fn advice(&self) -> Advice {
        Advice { gap_bytes: 0, block_bytes: 4 << 10, ..Advice::LOCAL }
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
