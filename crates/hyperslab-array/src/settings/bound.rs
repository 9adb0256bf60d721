//! A bound on the memory that this process may use.

/// A bound on memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    /// Bytes that may be used at most.
    pub(super) limit: u64,
    /// Bytes of those that nobody uses now; pages of files, which the system gives back when asked, count as free.
    pub(super) free: u64,
}
