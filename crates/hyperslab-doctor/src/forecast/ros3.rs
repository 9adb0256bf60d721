//! libhdf5's own driver for object stores, ROS3 (`src/H5FDros3.c`). Its reads are made one after the other. Since 2.0, the
//! library aws-c-s3 makes the requests: of a read of more than 8 MiB it requests the first 8 MiB, and then the rest.
//!
//! | libhdf5 | what the driver keeps | page buffer of paged files |
//! |---|---|---|
//! | 1.10.6 to 1.14.2 | nothing | if the program sets one |
//! | 1.14.3 to 1.14.x | the first 16 MiB, from the opening on | if the program sets one |
//! | 2.0, 2.1 | the same | 64 MiB |
//! | 2.2 | blocks of 16 MiB, up to 128 MiB; the first one always. Of paged files only the first one | 64 MiB |

use super::access::{Access, FileLayout};
use super::block_cache::BlockCache;
use super::page_buffer::{page_buffer, through};
use super::policy::Policy;
use super::requests::Requests;
use super::sieve::Sieve;
use crate::simulate::PageBufferSim;

/// What is kept of the beginning of a file, and the size of a block.
const BLOCK_BYTES: u64 = 16 << 20;
/// What aws-c-s3 requests first of a longer read.
const PART_BYTES: u64 = 8 << 20;
/// Blocks in the cache of 2.2, apart from the first one of the file, which stays.
const BLOCKS_BESIDE_FIRST: usize = (128 << 20) / (16 << 20) - 1;
/// The page buffer that the driver sets since 2.0.
const PAGE_BUFFER_BYTES: u64 = 64 << 20;

/// What the driver keeps.
enum Kept {
    Nothing,
    Beginning,
    /// The blocks behind the first one, if the file is not paged.
    Blocks {
        first_is_held: bool,
        others: Option<BlockCache>,
    },
}

/// The driver below one open file.
pub(super) struct Ros3 {
    file_bytes: u64,
    kept: Kept,
    /// True if aws-c-s3 makes the requests.
    has_parts: bool,
    sieve: Sieve,
    buffer: Option<PageBufferSim>,
    /// The page buffer is made when the file is open.
    has_buffer: bool,
}

impl Ros3 {
    fn new(layout: &FileLayout, kept: Kept, page_buffer_bytes: Option<u64>) -> Self {
        let has_parts = page_buffer_bytes.is_some();
        let buffer = page_buffer_bytes.and_then(|bytes| page_buffer(layout, bytes));
        let sieve = Sieve::new(layout.contiguous.clone());
        Self { file_bytes: layout.file_bytes, kept, has_parts, sieve, buffer, has_buffer: false }
    }

    /// That of 1.10.6 to 1.14.2.
    pub(super) fn without_cache(layout: &FileLayout) -> Self {
        Self::new(layout, Kept::Nothing, None)
    }

    /// That of 1.14.3 and later 1.14.
    pub(super) fn with_beginning(layout: &FileLayout) -> Self {
        Self::new(layout, Kept::Beginning, None)
    }

    /// That of 2.0 and 2.1.
    pub(super) fn with_page_buffer(layout: &FileLayout) -> Self {
        Self::new(layout, Kept::Beginning, Some(PAGE_BUFFER_BYTES))
    }

    /// That of 2.2.
    pub(super) fn with_blocks(layout: &FileLayout) -> Self {
        let blocks =
            || BlockCache::new(layout.file_bytes, BLOCK_BYTES, BLOCKS_BESIDE_FIRST).in_parts(PART_BYTES);
        let others = layout.page_bytes.is_none().then(blocks);
        Self::new(layout, Kept::Blocks { first_is_held: false, others }, Some(PAGE_BUFFER_BYTES))
    }

    /// A read of the driver.
    fn request(&mut self, address: u64, len: u64, requests: &mut Requests) {
        let end = address.saturating_add(len).min(self.file_bytes);
        if address >= end {
            return;
        }
        let (first_end, has_parts) = (BLOCK_BYTES.min(self.file_bytes), self.has_parts);
        match &mut self.kept {
            Kept::Beginning if end <= first_end => {}
            Kept::Nothing | Kept::Beginning => fetch(has_parts, address, end, requests),
            Kept::Blocks { first_is_held, others } => {
                if !*first_is_held {
                    *first_is_held = true;
                    fetch(has_parts, 0, first_end, requests);
                }
                match others {
                    _ if end <= BLOCK_BYTES => {}
                    Some(others) => others.touch(address.max(BLOCK_BYTES), end, requests),
                    None => fetch(has_parts, address, end, requests),
                }
            }
        }
    }
}

/// The requests for the bytes from `start` to `end`.
fn fetch(has_parts: bool, start: u64, end: u64, requests: &mut Requests) {
    requests.in_parts(end - start, if has_parts { PART_BYTES } else { u64::MAX });
}

impl Policy for Ros3 {
    fn open(&mut self, requests: &mut Requests) {
        requests.one(0);
        if let Kept::Beginning = self.kept {
            fetch(self.has_parts, 0, BLOCK_BYTES.min(self.file_bytes).max(1), requests);
        }
    }

    fn read(&mut self, access: Access, requests: &mut Requests) {
        let Some(access) = self.sieve.read(access) else { return };
        match self.buffer.as_mut().filter(|_| self.has_buffer) {
            None => self.request(access.address, access.len, requests),
            Some(buffer) => {
                for below in through(buffer, access) {
                    self.request(below.address, below.len, requests);
                }
            }
        }
    }

    fn file_is_open(&mut self) {
        self.has_buffer = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::PageKind;

    const MIB: u64 = 1 << 20;

    fn replayed(mut driver: Ros3, reads: &[(u64, u64)]) -> (u64, u64) {
        let mut requests = Requests::default();
        driver.open(&mut requests);
        driver.file_is_open();
        for &(address, len) in reads {
            driver.read(Access { kind: PageKind::Metadata, address, len }, &mut requests);
        }
        (requests.count(), requests.bytes())
    }

    const READS: [(u64, u64); 5] =
        [(0, 100), (10 * MIB, 512), (20 * MIB, 512), (21 * MIB, 512), (15 * MIB, 2 * MIB)];

    #[test]
    fn the_first_driver_requests_each_read() {
        let layout = FileLayout { file_bytes: 100 * MIB, ..FileLayout::default() };
        assert_eq!(replayed(Ros3::without_cache(&layout), &READS), (6, 100 + 3 * 512 + 2 * MIB));
    }

    #[test]
    fn the_beginning_is_requested_once() {
        let layout = FileLayout { file_bytes: 100 * MIB, ..FileLayout::default() };
        let bytes = 16 * MIB + 2 * 512 + 2 * MIB;
        assert_eq!(replayed(Ros3::with_beginning(&layout), &READS), (5, bytes));
        // The first 16 MiB come in two parts. A long read is divided, too.
        assert_eq!(replayed(Ros3::with_page_buffer(&layout), &READS), (6, bytes));
        let long = [(15 * MIB, 18 * MIB)];
        assert_eq!(replayed(Ros3::with_page_buffer(&layout), &long), (3 + 2, 34 * MIB));
        let small = FileLayout { file_bytes: 1_000, ..FileLayout::default() };
        assert_eq!(replayed(Ros3::with_beginning(&small), &[(900, 100), (0, 9)]), (2, 1_000));
    }

    #[test]
    fn blocks_are_kept_and_the_first_one_always() {
        let layout = FileLayout { file_bytes: 200 * MIB, ..FileLayout::default() };
        assert_eq!(replayed(Ros3::with_blocks(&layout), &READS), (5, 32 * MIB));
        // Eight blocks are held, the first among them; the ninth takes the place of the second.
        let walk: Vec<(u64, u64)> = (0..9).chain([0, 2, 1]).map(|block| (block * 16 * MIB, 512)).collect();
        assert_eq!(replayed(Ros3::with_blocks(&layout), &walk).0, 1 + 2 * (9 + 1));
    }

    #[test]
    fn paged_files_are_read_page_by_page() {
        let layout = FileLayout { file_bytes: 100 * MIB, page_bytes: Some(4 * MIB), ..FileLayout::default() };
        // The first 16 MiB are there; two pages behind them.
        let reads = [(0, 100), (20 * MIB, 512), (21 * MIB, 512), (24 * MIB, 512)];
        assert_eq!(replayed(Ros3::with_page_buffer(&layout), &reads), (5, 24 * MIB));
        assert_eq!(replayed(Ros3::with_blocks(&layout), &reads), (5, 24 * MIB));
    }
}
