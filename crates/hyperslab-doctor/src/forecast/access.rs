//! What libhdf5 reads of a file, as the file driver sees it.

use crate::simulate::PageKind;

/// A read of libhdf5 that reaches a file driver without caches of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Metadata, or raw data.
    pub kind: PageKind,
    /// Offset in the file.
    pub address: u64,
    /// Bytes.
    pub len: u64,
}

/// The raw data of a contiguous dataset, which some drivers read through a sieve buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Contiguous {
    /// Offset of the first byte in the file.
    pub start: u64,
    /// Offset behind the last.
    pub end: u64,
}

/// What the policies know of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLayout {
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Size of a page, if the file is allocated in pages.
    pub page_bytes: Option<u64>,
    /// Contiguous raw data, in ascending order.
    pub contiguous: Vec<Contiguous>,
    /// So many reads open the file: those of the superblock and its extension, before libhdf5 makes its page buffer.
    pub opening_reads: usize,
}

/// All that one program reads, from the opening of the file on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// The reads, in order.
    pub accesses: Vec<Access>,
    /// The stored chunks (offset and bytes) of each block that is read, for readers that have the addresses of chunks.
    pub chunks: Vec<Vec<(u64, u64)>>,
}
