use crate::Bytes;

/// What a reader sees where nothing was ever written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FillValue {
    /// The value.
    pub value: Fill,
    /// When it is written to newly allocated storage.
    pub time: FillTime,
    /// When storage is allocated.
    pub allocation: AllocationTime,
}

/// The value itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Fill {
    /// Explicitly none: unwritten elements are undefined.
    Undefined,
    /// The library's default: all bits zero.
    #[default]
    Default,
    /// The bytes of one element, in the dataset's datatype.
    User(Bytes),
}

/// When fill values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FillTime {
    /// When storage is allocated.
    OnAllocation,
    /// Never.
    Never,
    /// When storage is allocated, if the user set a value.
    #[default]
    IfSet,
}

/// When storage is allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AllocationTime {
    /// At creation.
    Early,
    /// At the first write.
    #[default]
    Late,
    /// Chunk by chunk.
    Incremental,
}
