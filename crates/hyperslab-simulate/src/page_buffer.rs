//! libhdf5's page buffer: which reads of a paged file it answers, and which reach the file driver.
//!
//! The simulation follows `H5PB_read` and `H5PB__make_space` of libhdf5 1.10 to 2.2 (`src/H5PB.c`), for files that are
//! only read. Its input are the reads that libhdf5 makes without a page buffer, each with its kind. Its counts are those of
//! `H5Fget_page_buffering_stats`; `tests/page_buffer.rs` compares them with h5py's.
//!
//! ```text
//!   a page or more ──► bypass; raw data also counts as an access
//!   less           ──► access; for each page that it touches (metadata: one)
//!                        in the buffer            ──► hit, becomes the most recent
//!                        room, or one to evict    ──► miss: the page is read and kept
//!                        neither (minimum of the other kind) ──► the read goes to the driver as it is, uncounted
//! ```
//!
//! The minimum for metadata protects nothing but pages of the superblock, since libhdf5 compares the kind of a page with
//! that of the superblock; the minimum for raw data works.

use std::collections::{BTreeMap, HashMap};

/// The kinds of data that the page buffer tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageKind {
    /// Everything but raw data and global heaps.
    Metadata,
    /// Raw data, and global heaps.
    Raw,
}

/// Counts of one kind, as `H5Fget_page_buffering_stats` gives them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageBufferCounts {
    /// Reads that asked the buffer.
    pub accesses: u64,
    /// Pages that were in the buffer.
    pub hits: u64,
    /// Pages that were read into it.
    pub misses: u64,
    /// Pages that had to leave it.
    pub evictions: u64,
    /// Reads of a page or more, which go to the file driver.
    pub bypasses: u64,
}

/// The three settings of `H5Pset_page_buffer_size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageBufferSettings {
    /// Bytes of the buffer.
    pub bytes: u64,
    /// Least share of pages for metadata, in percent.
    pub metadata_percent: u64,
    /// Least share of pages for raw data, in percent.
    pub raw_percent: u64,
}

/// The page buffer of one open file.
#[derive(Debug)]
pub struct PageBufferSim {
    page_bytes: u64,
    file_bytes: u64,
    pages_max: usize,
    metadata_min: usize,
    raw_min: usize,
    /// The kind of each page that is held, and when it was used last.
    held: HashMap<u64, (PageKind, u64)>,
    /// The pages by their last use.
    by_use: BTreeMap<u64, u64>,
    clock: u64,
    raw_held: usize,
    counts: [PageBufferCounts; 2],
    requests: u64,
    requested_bytes: u64,
}

impl PageBufferSim {
    /// An empty buffer for a file of `file_bytes` in pages of `page_bytes`. `None` without room for a page, or if the
    /// percentages exceed 100: libhdf5 refuses such settings.
    pub fn new(settings: PageBufferSettings, page_bytes: u64, file_bytes: u64) -> Option<Self> {
        let PageBufferSettings { bytes, metadata_percent, raw_percent } = settings;
        if page_bytes == 0 || bytes < page_bytes || metadata_percent.checked_add(raw_percent)? > 100 {
            return None;
        }
        let pages = bytes / page_bytes;
        // As libhdf5 computes it: of the bytes that are whole pages.
        let share = |percent: u64| {
            usize::try_from(u128::from(pages) * u128::from(percent) / 100).unwrap_or(usize::MAX)
        };
        Some(Self {
            page_bytes,
            file_bytes,
            pages_max: usize::try_from(pages).unwrap_or(usize::MAX),
            metadata_min: share(metadata_percent),
            raw_min: share(raw_percent),
            held: HashMap::new(),
            by_use: BTreeMap::new(),
            clock: 0,
            raw_held: 0,
            counts: [PageBufferCounts::default(); 2],
            requests: 0,
            requested_bytes: 0,
        })
    }

    /// A read of `len` bytes.
    pub fn read(&mut self, kind: PageKind, address: u64, len: u64) {
        self.read_through(kind, address, len, &mut |_, _| {});
    }

    /// A read of `len` bytes. Calls `below` with the address and the length of each read that reaches the file driver.
    pub fn read_through(&mut self, kind: PageKind, address: u64, len: u64, below: &mut dyn FnMut(u64, u64)) {
        if len == 0 {
            return;
        }
        if len >= self.page_bytes {
            self.counts[kind as usize].bypasses += 1;
            self.request(address, len, below);
            if kind == PageKind::Raw {
                self.counts[kind as usize].accesses += 1;
            }
            return;
        }
        self.counts[kind as usize].accesses += 1;
        let first = address / self.page_bytes;
        let last = match kind {
            PageKind::Metadata => first,
            PageKind::Raw => address.saturating_add(len - 1) / self.page_bytes,
        };
        for page in first..=last {
            if let Some((_, used)) = self.held.get_mut(&page) {
                self.by_use.remove(used);
                self.clock += 1;
                *used = self.clock;
                self.by_use.insert(self.clock, page);
                self.counts[kind as usize].hits += 1;
            } else if self.held.len() >= self.pages_max && !self.make_space(kind) {
                self.request(address, len, below);
                return;
            } else {
                self.insert(kind, page, below);
            }
        }
    }

    /// The counts of one kind.
    pub fn counts(&self, kind: PageKind) -> PageBufferCounts {
        self.counts[kind as usize]
    }

    /// Reads that reached the file driver, and their bytes.
    pub fn requests(&self) -> (u64, u64) {
        (self.requests, self.requested_bytes)
    }

    fn request(&mut self, address: u64, bytes: u64, below: &mut dyn FnMut(u64, u64)) {
        below(address, bytes);
        self.requests += 1;
        self.requested_bytes = self.requested_bytes.saturating_add(bytes);
    }

    fn insert(&mut self, kind: PageKind, page: u64, below: &mut dyn FnMut(u64, u64)) {
        self.clock += 1;
        self.held.insert(page, (kind, self.clock));
        self.by_use.insert(self.clock, page);
        self.raw_held += usize::from(kind == PageKind::Raw);
        self.counts[kind as usize].misses += 1;
        let start = page.saturating_mul(self.page_bytes);
        self.request(start, self.page_bytes.min(self.file_bytes.saturating_sub(start)), below);
    }

    /// Evicts the page that was used least recently. False if the minimum of the other kind forbids it.
    fn make_space(&mut self, inserting: PageKind) -> bool {
        let metadata_held = self.held.len() - self.raw_held;
        let is_protected = match inserting {
            PageKind::Raw if self.raw_held == 0 && metadata_held == self.metadata_min => return false,
            PageKind::Metadata if metadata_held == 0 && self.raw_held == self.raw_min => return false,
            PageKind::Raw => None,
            PageKind::Metadata => (self.raw_held <= self.raw_min).then_some(PageKind::Raw),
        };
        let mut oldest = self.by_use.iter().map(|(used, page)| (*used, *page));
        // If all are protected, the most recent one goes: libhdf5 stops at the head of its list.
        let unprotected = oldest.find(|(_, page)| Some(self.held[page].0) != is_protected);
        let chosen =
            unprotected.or_else(|| self.by_use.iter().next_back().map(|(used, page)| (*used, *page)));
        let Some((used, page)) = chosen else { return false };
        self.by_use.remove(&used);
        if let Some((kind, _)) = self.held.remove(&page) {
            self.raw_held -= usize::from(kind == PageKind::Raw);
            self.counts[kind as usize].evictions += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sim(pages: u64, raw_percent: u64) -> PageBufferSim {
        let settings = PageBufferSettings { bytes: pages * 100, metadata_percent: 0, raw_percent };
        PageBufferSim::new(settings, 100, 1_000).unwrap()
    }

    #[test]
    fn pages_are_kept_by_their_last_use() {
        let mut buffer = sim(2, 0);
        for address in [0, 100, 10, 200, 50, 100] {
            buffer.read(PageKind::Raw, address, 10);
        }
        let counts = buffer.counts(PageKind::Raw);
        assert_eq!((counts.accesses, counts.hits, counts.misses, counts.evictions), (6, 2, 4, 2));
        assert_eq!(buffer.requests(), (4, 400));
    }

    #[test]
    fn large_reads_bypass_and_small_ones_touch_two_pages() {
        let mut buffer = sim(4, 0);
        buffer.read(PageKind::Raw, 50, 100);
        buffer.read(PageKind::Metadata, 0, 150);
        assert_eq!(
            buffer.counts(PageKind::Raw),
            PageBufferCounts { accesses: 1, bypasses: 1, ..Default::default() }
        );
        assert_eq!(buffer.counts(PageKind::Metadata), PageBufferCounts { bypasses: 1, ..Default::default() });
        buffer.read(PageKind::Raw, 95, 10);
        assert_eq!(buffer.counts(PageKind::Raw).misses, 2);
        buffer.read(PageKind::Metadata, 999, 5);
        assert_eq!(buffer.requests(), (5, 100 + 150 + 200 + 100), "the last page ends with the file");
    }

    #[test]
    fn a_buffer_for_raw_data_alone_holds_no_metadata() {
        let mut buffer = sim(2, 100);
        for address in [0, 100] {
            buffer.read(PageKind::Raw, address, 10);
        }
        buffer.read(PageKind::Metadata, 200, 10);
        let counts = buffer.counts(PageKind::Metadata);
        assert_eq!((counts.accesses, counts.hits + counts.misses), (1, 0), "in no other statistic");
        assert_eq!(buffer.requests(), (3, 210));
    }

    #[test]
    fn settings_that_libhdf5_refuses_make_no_buffer() {
        let new = |bytes, metadata_percent, raw_percent, page| {
            PageBufferSim::new(PageBufferSettings { bytes, metadata_percent, raw_percent }, page, 10)
                .is_some()
        };
        assert!(new(100, 50, 50, 100));
        assert!(
            !new(99, 0, 0, 100) && !new(100, 60, 50, 100) && !new(100, u64::MAX, 1, 100) && !new(1, 0, 0, 0)
        );
    }
}
