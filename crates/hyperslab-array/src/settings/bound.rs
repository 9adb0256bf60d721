//! A bound on the memory that this process may use.

/// A bound on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    /// The most bytes that may be used.
    pub(super) limit: u64,
    /// The bytes of these that are not in use. Cached pages of files, which the system can reclaim, count as free.
    pub(super) free: u64,
}
