//! libhdf5's page buffer between its reads and the driver, for files that are allocated in pages.

use super::access::{Access, FileLayout};
use crate::simulate::{PageBufferSettings, PageBufferSim};

/// The page buffer that libhdf5 makes for a file with this layout and a setting of so many bytes: none for files without
/// pages; since 1.14.4 at least a page.
pub(super) fn page_buffer(layout: &FileLayout, bytes: u64) -> Option<PageBufferSim> {
    let page_bytes = layout.page_bytes?;
    let bytes = bytes.max(page_bytes);
    let settings = PageBufferSettings { bytes, metadata_percent: 0, raw_percent: 0 };
    PageBufferSim::new(settings, page_bytes, layout.file_bytes)
}

/// The reads that reach the driver when a buffer gets this read.
pub(super) fn through(buffer: &mut PageBufferSim, access: Access) -> Vec<Access> {
    let mut below = Vec::new();
    buffer.read_through(access.kind, access.address, access.len, &mut |address, len| {
        below.push(Access { address, len, ..access });
    });
    below
}
