//! Files of which only those blocks are there that a parser has asked for.

use hyperslab_format::heap::Unfilter;
use hyperslab_format::message::FilterPipeline;
use hyperslab_format::{Bytes, Fetched, FormatError, Need, Parse, Stop};
use std::cell::RefCell;
use std::collections::HashSet;

const BLOCK: u64 = 512;
/// More than the deepest B-tree has levels.
const ROUNDS_MAX: usize = 80;

/// A file of which only some blocks have been fetched.
pub struct Partly {
    bytes: Bytes,
    blocks: RefCell<HashSet<u64>>,
}

impl Partly {
    pub fn new(bytes: Bytes) -> Self {
        Self { bytes, blocks: RefCell::default() }
    }
}

impl Fetched for Partly {
    fn file_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        let blocks = self.blocks.borrow();
        let there = (at / BLOCK..(at + len).div_ceil(BLOCK)).all(|block| blocks.contains(&block));
        there.then(|| self.bytes.slice(at as usize..(at + len) as usize))
    }
}

/// Runs a parser, fetching what it asks for. Fails if it asks for nothing new, or too often.
pub fn drive<T>(partly: &Partly, mut parser: impl FnMut() -> Parse<T>) -> Result<T, FormatError> {
    for _ in 0..ROUNDS_MAX {
        match parser() {
            Ok(value) => return Ok(value),
            Err(Stop::Bad(error)) => return Err(error),
            Err(Stop::Need(needs)) => {
                let mut blocks = partly.blocks.borrow_mut();
                let before = blocks.len();
                for Need { range, .. } in needs {
                    assert!(range.end <= partly.file_len());
                    blocks.extend(range.start / BLOCK..range.end.div_ceil(BLOCK));
                }
                assert!(blocks.len() > before, "the parser asks for what is there");
            }
        }
    }
    panic!("{ROUNDS_MAX} rounds of requests were not enough");
}

/// Decodes heaps whose only filter is deflate.
pub struct Inflate;

impl Unfilter for Inflate {
    fn unfilter(
        &self,
        pipeline: &FilterPipeline,
        mask: u32,
        stored: Bytes,
        expected: u64,
    ) -> Result<Bytes, FormatError> {
        let error = |what| FormatError::unsupported("test", "filters", 0, what);
        match (&pipeline.filters[..], mask) {
            ([_], 1) => return Ok(stored),
            ([filter], 0) if filter.id == 1 => {}
            _ => return Err(error("other filters than deflate")),
        }
        let mut bytes = vec![0; expected as usize];
        match libdeflater::Decompressor::new().zlib_decompress(&stored, &mut bytes) {
            Ok(len) if len == bytes.len() => Ok(bytes.into()),
            _ => Err(error("broken deflate stream")),
        }
    }
}
