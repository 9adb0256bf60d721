//! A file that is wholly in memory.

use super::{Advice, Source};
use bytes::Bytes;
use std::io;

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

    fn advice(&self) -> Advice {
        Advice { gap_bytes: 0, request_bytes_max: 1 << 20, block_bytes: 4 << 10 }
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
