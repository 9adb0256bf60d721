//! What can be chosen for a new file.

use crate::error::WriteError;
use crate::versions::LowBound;
use hyperslab_format::Widths;
use hyperslab_format::message::BtreeK;
use std::ops::RangeInclusive;

/// The widths of offsets and lengths in new files, as in libhdf5.
pub(crate) const WIDTHS: Widths = Widths { offset: 8, length: 8 };

/// Options of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// The oldest library that is to read the file.
    pub low: LowBound,
    /// The size of a page in bytes, from 512 to 1 GiB, if the file is to be managed in pages: metadata and data are in
    /// different pages, and readers may cache whole pages.
    pub page_bytes: Option<u64>,
    /// Bytes before the superblock, for the application: 0, or a power of two from 512 on.
    pub user_block_bytes: u64,
    /// The sizes of the nodes of version 1 B-trees.
    pub btree_k: BtreeK,
}

const USER_BLOCK_MIN: u64 = 512;
/// The sizes that `H5Pset_file_space_page_size` accepts.
const PAGE_BYTES: RangeInclusive<u64> = 512..=1 << 30;

impl WriteOptions {
    /// Checks that a file can have these options.
    ///
    /// # Errors
    ///
    /// [`WriteError::Invalid`] for sizes that libhdf5 does not accept.
    pub fn check(&self) -> Result<(), WriteError> {
        let block = self.user_block_bytes;
        if block != 0 && (block < USER_BLOCK_MIN || !block.is_power_of_two()) {
            let what =
                format!("a user block of {block} bytes; it has 0 bytes, or a power of two from 512 on");
            return Err(WriteError::Invalid(what));
        }
        if let Some(page) = self.page_bytes.filter(|page| !PAGE_BYTES.contains(page)) {
            let what = format!("pages of {page} bytes; they have from 512 bytes to 1 GiB");
            return Err(WriteError::Invalid(what));
        }
        if !self.btree_k.is_valid() {
            return Err(WriteError::Invalid(format!("nodes of B-trees with the sizes {:?}", self.btree_k)));
        }
        Ok(())
    }
}
