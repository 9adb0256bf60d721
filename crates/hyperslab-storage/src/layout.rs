//! How the elements of a dataset lie in a file.

/// A layout that a dataset can be written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// In the object header.
    Compact,
    /// In one block.
    Contiguous,
    /// In chunks of this shape, in elements.
    Chunked(Vec<u64>),
}

impl Layout {
    /// `compact`, `contiguous` or `chunked`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::Contiguous => "contiguous",
            Self::Chunked(_) => "chunked",
        }
    }

    /// The shape of a chunk, where there are some.
    pub fn chunk(&self) -> Option<&[u64]> {
        match self {
            Self::Chunked(chunk) => Some(chunk),
            Self::Compact | Self::Contiguous => None,
        }
    }
}
