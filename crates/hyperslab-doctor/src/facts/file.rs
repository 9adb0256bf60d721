//! The facts about a file as a whole.

/// What the bytes of a file belong to, in total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileFacts {
    /// Bytes of the file.
    pub bytes: u64,
    /// Groups, datasets and named datatypes.
    pub objects: u64,
    /// Structures of metadata, each of which libhdf5 reads by itself.
    pub metadata_structures: u64,
    /// Their bytes.
    pub metadata_bytes: u64,
    /// Bytes of raw data.
    pub raw_bytes: u64,
    /// Bytes that the file records as free.
    pub free_bytes: u64,
    /// Bytes that belong to nobody.
    pub unaccounted_bytes: u64,
    /// Size of a page, if the file is allocated in pages.
    pub page_bytes: Option<u64>,
}
