//! What the specification does not allow, and what readers take all the same.

/// A place of the header that the specification does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The structure, such as `attribute`.
    pub structure: &'static str,
    /// Its offset.
    pub at: u64,
    /// What it is.
    pub kind: RemarkKind,
}

/// The kinds of remarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkKind {
    /// What pads a name or values is not zero.
    Padding,
    /// A type of CDF-5 in an older version, by its name.
    NewType(&'static str),
    /// A name has NULs at its end, which belong to its length.
    NulInName,
}
