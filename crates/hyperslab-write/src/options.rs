//! What can be chosen for a new file.

use crate::versions::LowBound;
use hyperslab_format::Widths;
use hyperslab_format::message::BtreeK;

/// The widths of offsets and lengths in new files, as in libhdf5.
pub(crate) const WIDTHS: Widths = Widths { offset: 8, length: 8 };

/// Options of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// The oldest library that is to read the file.
    pub low: LowBound,
    /// The size of a page in bytes, at least 512, if the file is to be managed in pages: metadata and data are in
    /// different pages, and readers may cache whole pages.
    pub page_bytes: Option<u64>,
    /// Bytes before the superblock, for the application: 0, or a power of two from 512 on.
    pub user_block_bytes: u64,
    /// The sizes of the nodes of version 1 B-trees.
    pub btree_k: BtreeK,
}
