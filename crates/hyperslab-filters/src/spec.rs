//! A filter and its parameters, as a file names them.

/// A filter as specified in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterSpec<'a> {
    /// The registered identifier.
    pub id: u16,
    /// True if a writer may skip the filter when it fails.
    pub optional: bool,
    /// Client data ("cd_values").
    pub parameters: &'a [u32],
}
