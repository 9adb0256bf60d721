//! What can be wrong with a filter or with the bytes that it is to undo.

use std::error::Error;
use std::sync::Arc;

/// What a filter of the program's own ends with when it fails.
pub type Failure = Box<dyn Error + Send + Sync>;

/// A [`Failure`], kept beside the error that it caused. Equal to none but itself.
#[derive(Debug, Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// The failure as the filter gave it.
    pub fn error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl From<Failure> for Cause {
    fn from(failure: Failure) -> Self {
        Self(failure.into())
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Cause {}

/// Why a chunk could not be decoded (or encoded).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// No decoder is known for this identification.
    #[error("filter {id} ({name}) is not available here; it is provided by {provider}")]
    Unknown {
        /// Registered identification.
        id: u16,
        /// Its registered name, or "unregistered".
        name: &'static str,
        /// Who provides it.
        provider: &'static str,
    },
    /// The decoder was left out when this program was built.
    #[error("filter {id} ({name}) is not in this build: it was built without the feature `{feature}`")]
    LeftOut {
        /// Registered identification.
        id: u16,
        /// Its registered name.
        name: &'static str,
        /// The Cargo feature that it takes.
        feature: &'static str,
    },
    /// The filter's parameters ("client data") are not ones that it can have.
    #[error("filter {filter} has invalid parameters: {what}")]
    Parameters {
        /// Name of the filter.
        filter: &'static str,
        /// What is wrong with them.
        what: String,
    },
    /// More filters than a pipeline can have.
    #[error("a pipeline of {found} filters; at most {max} are possible")]
    TooMany {
        /// Filters asked for.
        found: usize,
        /// The ceiling.
        max: usize,
    },
    /// The stored bytes are not what this filter writes.
    #[error("{filter}: {what}")]
    Corrupt {
        /// Name of the filter.
        filter: &'static str,
        /// What is wrong.
        what: String,
    },
    /// The stored checksum is not that of the bytes.
    #[error("{filter}: checksum is {stored:#010x} in the file, {computed:#010x} by the bytes")]
    Checksum {
        /// Name of the filter.
        filter: &'static str,
        /// As stored.
        stored: u32,
        /// As computed.
        computed: u32,
    },
    /// Decoded well, but to another length than the chunk has.
    #[error("{filter}: decoded to {found} bytes where {expected} were expected")]
    Length {
        /// Name of the filter.
        filter: &'static str,
        /// Bytes that were expected.
        expected: usize,
        /// Bytes that came.
        found: usize,
    },
    /// The decoded bytes do not fit into what the caller allows.
    #[error("{filter}: decodes to more than {max} bytes")]
    TooLong {
        /// Name of the filter.
        filter: &'static str,
        /// The bound.
        max: usize,
    },
    /// The machine could not give the memory.
    #[error("no memory for a buffer of {bytes} bytes")]
    Memory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// Valid, but beyond this version.
    #[error("{filter}: {what} is not supported")]
    Unsupported {
        /// Name of the filter.
        filter: &'static str,
        /// What is not supported.
        what: String,
    },
    /// A filter that was registered by the program failed.
    #[error("filter {id} ({name}): {}", cause.error())]
    Custom {
        /// Identification.
        id: u16,
        /// The name that the filter gives itself.
        name: String,
        /// What it said.
        cause: Cause,
    },
}

impl FilterError {
    pub(crate) fn corrupt(filter: &'static str, what: impl Into<String>) -> Self {
        Self::Corrupt { filter, what: what.into() }
    }

    pub(crate) fn parameters(filter: &'static str, what: impl Into<String>) -> Self {
        Self::Parameters { filter, what: what.into() }
    }

    pub(crate) fn unsupported(filter: &'static str, what: impl Into<String>) -> Self {
        Self::Unsupported { filter, what: what.into() }
    }

    /// True where the file may be valid but needs a filter or a feature that is not here.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::LeftOut { .. } | Self::Unsupported { .. })
    }
}
