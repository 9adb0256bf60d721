//! What can be wrong with the bytes of a file, said exactly: which structure, which field, at which byte.

use std::fmt;

/// A structure of the file that does not follow the specification, or that this crate cannot interpret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    /// The structure being read, in the words of the specification: `"object header"`.
    pub structure: &'static str,
    /// The field inside it: `"version"`.
    pub field: &'static str,
    /// Byte offset in the file, counted from its first byte (user block included).
    pub at: u64,
    /// What is wrong there.
    pub problem: Problem,
}

/// The kinds of wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The structure reaches beyond the end of the file.
    PastEnd {
        /// Bytes that the structure needs from `at`.
        needed: u64,
        /// Length of the file.
        file_len: u64,
    },
    /// The structure reaches beyond the one that contains it.
    Short {
        /// Bytes that the field needs.
        needed: u64,
        /// Bytes that are left in the containing structure.
        left: u64,
    },
    /// The four bytes that name a structure are others.
    Signature {
        /// What the specification asks for.
        expected: [u8; 4],
        /// What is there.
        found: [u8; 4],
    },
    /// The stored checksum is not that of the bytes.
    Checksum {
        /// As stored in the file.
        stored: u32,
        /// As computed from the bytes.
        computed: u32,
    },
    /// A valid file may hold this, but this version of hyperslab does not read it.
    Unsupported(String),
    /// No valid file holds this.
    Invalid(String),
    /// A ceiling for untrusted files, see [`crate::limits`].
    Limit {
        /// Name of the ceiling.
        limit: &'static str,
        /// Its value.
        max: u64,
        /// What the file asks for.
        found: u64,
    },
}

impl FormatError {
    /// An error for a value that no valid file holds.
    pub fn invalid(structure: &'static str, field: &'static str, at: u64, what: impl Into<String>) -> Self {
        Self { structure, field, at, problem: Problem::Invalid(what.into()) }
    }

    /// An error for a valid value that is not read (yet).
    pub fn unsupported(
        structure: &'static str,
        field: &'static str,
        at: u64,
        what: impl Into<String>,
    ) -> Self {
        Self { structure, field, at, problem: Problem::Unsupported(what.into()) }
    }

    /// An error for a value above one of the [`crate::limits`].
    pub fn limit(
        structure: &'static str,
        field: &'static str,
        at: u64,
        limit: &'static str,
        max: u64,
        found: u64,
    ) -> Self {
        Self { structure, field, at, problem: Problem::Limit { limit, max, found } }
    }

    /// True where the file may be valid but is beyond this version.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.problem, Problem::Unsupported(_))
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} at byte {:#x}: {}", self.structure, self.field, self.at, self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::PastEnd { needed, file_len } => {
                write!(f, "needs {needed} bytes, beyond the end of the file ({file_len} bytes)")
            }
            Problem::Short { needed, left } => {
                write!(f, "needs {needed} bytes, only {left} are left in the structure")
            }
            Problem::Signature { expected, found } => write!(
                f,
                "expected the signature {:?}, found {:?}",
                String::from_utf8_lossy(expected),
                found.escape_ascii().to_string()
            ),
            Problem::Checksum { stored, computed } => {
                write!(f, "checksum is {stored:#010x} in the file, {computed:#010x} by the bytes")
            }
            Problem::Unsupported(what) | Problem::Invalid(what) => f.write_str(what),
            Problem::Limit { limit, max, found } => write!(f, "{found} is above the limit {limit} = {max}"),
        }
    }
}

impl std::error::Error for FormatError {}
