//! What to fetch in advance of a file with latency.

/// What to fetch of the objects below a group, in addition to their headers and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefetch {
    /// How many groups deep: with 1, the members of the group itself.
    pub depth: usize,
    /// The chunk indexes of datasets.
    pub chunk_indexes: bool,
    /// Attributes, as far as they are not in the object headers. Values of variable length are not included.
    pub attributes: bool,
}
