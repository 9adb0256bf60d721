//! Errors in the bytes of a file: the structure, the field, the byte offset, and what is wrong.

use std::fmt;

/// A structure of the file that does not follow the specification, or that this crate cannot interpret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    /// The structure that was parsed, named as in the specification: `"object header"`.
    pub structure: &'static str,
    /// The field in that structure: `"version"`.
    pub field: &'static str,
    /// The byte offset, from the first byte of the file (user block included).
    pub at: u64,
    /// What is wrong there.
    pub problem: Problem,
}

/// The kinds of errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The structure extends beyond the end of the file.
    PastEnd {
        /// The size of the structure from `at`, in bytes.
        needed: u64,
        /// The length of the file in bytes.
        file_len: u64,
    },
    /// The field extends beyond the end of the structure that contains it.
    Short {
        /// The size of the field in bytes.
        needed: u64,
        /// The bytes left in the containing structure.
        left: u64,
    },
    /// The signature of the structure is wrong.
    Signature {
        /// The signature that the specification requires.
        expected: [u8; 4],
        /// The bytes that were found.
        found: [u8; 4],
    },
    /// The stored checksum differs from that of the bytes.
    Checksum {
        /// The checksum stored in the file.
        stored: u32,
        /// The checksum computed from the bytes.
        computed: u32,
    },
    /// The value may be valid, but this version of hyperslab does not support it.
    Unsupported(String),
    /// The value is invalid: no valid file contains it.
    Invalid(String),
    /// The value exceeds a limit for untrusted files; see [`crate::limits`].
    Limit {
        /// The name of the limit.
        limit: &'static str,
        /// The limit.
        max: u64,
        /// The value in the file.
        found: u64,
    },
}

impl FormatError {
    /// An error for an invalid value.
    pub fn invalid(structure: &'static str, field: &'static str, at: u64, what: impl Into<String>) -> Self {
        Self { structure, field, at, problem: Problem::Invalid(what.into()) }
    }

    /// An error for a valid value that is not supported.
    pub fn unsupported(
        structure: &'static str,
        field: &'static str,
        at: u64,
        what: impl Into<String>,
    ) -> Self {
        Self { structure, field, at, problem: Problem::Unsupported(what.into()) }
    }

    /// An error for a value that exceeds one of the [`crate::limits`].
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

    /// True if the file may be valid but uses a feature that is not supported.
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
                write!(f, "needs {needed} bytes, but only {left} are left in the structure")
            }
            Problem::Signature { expected, found } => write!(
                f,
                "expected the signature {:?}, found {:?}",
                String::from_utf8_lossy(expected),
                found.escape_ascii().to_string()
            ),
            Problem::Checksum { stored, computed } => {
                write!(f, "the stored checksum is {stored:#010x}, but that of the bytes is {computed:#010x}")
            }
            Problem::Unsupported(what) | Problem::Invalid(what) => f.write_str(what),
            Problem::Limit { limit, max, found } => write!(f, "{found} exceeds the limit {limit} = {max}"),
        }
    }
}

impl std::error::Error for FormatError {}
