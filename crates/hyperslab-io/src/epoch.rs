//! Which state of a file bytes belong to.

/// A state of an open file: how often its content was replaced by a commit since it was opened.
///
/// What is derived from bytes (blocks of metadata, parsed chunk indexes, decoded chunks) is kept under the epoch in which the
/// bytes were read, so that what was read before a commit is never combined with what is read after it. All sources have one
/// epoch today, [`Epoch::FIRST`]: a file that changes otherwise is an error ([`Changed`](crate::Changed)).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(u64);

impl Epoch {
    /// The state of a file that was opened and has not been changed since.
    pub const FIRST: Self = Self(0);

    /// The state after one more commit.
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}
