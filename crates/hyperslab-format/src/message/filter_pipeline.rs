use crate::Name;

/// The filters of a dataset, in the order in which they are applied when writing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilterPipeline {
    /// The filters.
    pub filters: Vec<Filter>,
}

/// One filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Registered identification: 1 is deflate.
    pub id: u16,
    /// The name that the writer gave it, if any.
    pub name: Option<Name>,
    /// The raw flags field; bit 0 set means that chunks it fails on are stored without it.
    pub flags: u16,
    /// Client data ("cd_values").
    pub parameters: Vec<u32>,
}

impl Filter {
    /// True where a chunk may be stored without this filter.
    pub fn is_optional(&self) -> bool {
        self.flags & 1 != 0
    }
}
