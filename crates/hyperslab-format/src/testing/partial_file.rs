//! Files of which only those bytes are there that a parser has asked for.

use crate::{Bytes, Fetched, FormatError, Need, Parse, Stop, View};
use std::cell::RefCell;
use std::collections::HashSet;

/// More rounds of requests than any parser needs: deeper than the deepest B-tree.
const ROUNDS_MAX: usize = 1000;

/// A file that is fetched in blocks, of which none is there at first.
pub struct PartialFile {
    bytes: Bytes,
    block: u64,
    /// Numbers of the blocks that have been fetched.
    blocks: RefCell<HashSet<u64>>,
}

impl PartialFile {
    /// A file of which exactly the bytes are fetched that are asked for.
    pub fn new(bytes: Bytes) -> Self {
        Self::in_blocks(bytes, 1)
    }

    /// A file that is fetched in blocks of so many bytes.
    pub fn in_blocks(bytes: Bytes, block: u64) -> Self {
        Self { bytes, block, blocks: RefCell::default() }
    }

    /// Fetches what a parser needs.
    ///
    /// # Panics
    ///
    /// If that is nothing new, or not inside the file.
    pub fn fetch(&self, needs: &[Need]) {
        let mut blocks = self.blocks.borrow_mut();
        let before = blocks.len();
        for need in needs {
            assert!(need.range.end <= self.file_len(), "{need:?} is not inside the file");
            blocks.extend(need.range.start / self.block..need.range.end.div_ceil(self.block));
        }
        assert!(blocks.len() > before, "the parser asks again for what it has got: {needs:?}");
    }

    /// Runs a parser of this file again and again, fetching what it asks for. Returns its result, and how many
    /// ranges it asked for in each round.
    ///
    /// # Errors
    ///
    /// That of the parser.
    ///
    /// # Panics
    ///
    /// If the parser asks for what it has got, for nothing, for what is not inside the file, or too often.
    pub fn drive<T>(&self, mut parse: impl FnMut() -> Parse<T>) -> (Result<T, FormatError>, Vec<usize>) {
        let mut rounds = Vec::new();
        loop {
            match parse() {
                Ok(value) => return (Ok(value), rounds),
                Err(Stop::Bad(error)) => return (Err(error), rounds),
                Err(Stop::Need(needs)) => {
                    rounds.push(needs.len());
                    assert!(rounds.len() <= ROUNDS_MAX, "{ROUNDS_MAX} rounds of requests were not enough");
                    self.fetch(&needs);
                }
            }
        }
    }
}

impl Fetched for PartialFile {
    fn file_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn get(&self, at: u64, len: u64) -> Option<Bytes> {
        let blocks = self.blocks.borrow();
        let end = at.checked_add(len)?;
        let is_there = (at / self.block..end.div_ceil(self.block)).all(|block| blocks.contains(&block));
        is_there.then(|| Fetched::get(&self.bytes, at, len)).flatten()
    }
}

/// [`PartialFile::drive`] over a file that is fetched byte by byte.
///
/// # Errors
///
/// That of the parser.
///
/// # Panics
///
/// As [`PartialFile::drive`].
pub fn drive<T>(
    file: Bytes,
    mut parse: impl FnMut(View<'_>) -> Parse<T>,
) -> (Result<T, FormatError>, Vec<usize>) {
    let file = PartialFile::new(file);
    file.drive(|| parse(View::new(&file)))
}
