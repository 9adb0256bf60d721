//! What the findings assume of object stores and of files in pages.

/// The time that an object store takes to answer.
pub(super) const REQUEST_SECONDS: f64 = 0.040;
/// The smallest page that is proposed.
pub(super) const PAGE_BYTES_MIN: u64 = 4 << 10;

/// The page that holds all of this metadata.
pub(super) fn page_for(metadata_bytes: u64) -> u64 {
    metadata_bytes.max(PAGE_BYTES_MIN).checked_next_power_of_two().unwrap_or(u64::MAX)
}
