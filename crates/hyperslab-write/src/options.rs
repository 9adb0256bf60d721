//! What can be chosen for a new file.

use hyperslab_format::Widths;
use hyperslab_format::message::attribute::AttributeVersions;

/// The widths of offsets and lengths in new files, as in libhdf5.
pub(crate) const WIDTHS: Widths = Widths { offset: 8, length: 8 };

/// Options of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// The size of a page in bytes, at least 512, if the file is to be managed in pages: metadata and data are in
    /// different pages, and readers may cache whole pages.
    pub page_bytes: Option<u64>,
    /// Bytes before the superblock, for the application: 0, or a power of two from 512 on.
    pub user_block_bytes: u64,
}

/// Versions of structures that libhdf5 1.10 and later read: those that it writes with the low bound `v110`.
pub(crate) mod versions {
    use super::AttributeVersions;

    pub const SUPERBLOCK: u8 = 3;
    pub const OBJECT_HEADER: u8 = 2;
    pub const DATASPACE: u8 = 2;
    /// The lowest version of compounds, enumerations and arrays.
    pub const DATATYPE: u8 = 3;
    pub const FILL_VALUE: u8 = 3;
    pub const LAYOUT: u8 = 4;
    pub const FILTER_PIPELINE: u8 = 2;
    pub const ATTRIBUTE: AttributeVersions =
        AttributeVersions { message: 3, datatype: DATATYPE, dataspace: DATASPACE };
}
