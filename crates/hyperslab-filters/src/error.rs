//! Errors of filters and of the bytes that they decode.

use std::error::Error;
use std::sync::Arc;

/// The error of a filter that the program provides.
pub type Failure = Box<dyn Error + Send + Sync>;

/// A [`Failure`], kept in the error that it caused. Equal only to itself.
#[derive(Debug, Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// The failure that the filter returned.
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

/// The reason why a chunk could not be decoded or encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// There is no decoder for this filter.
    #[error("filter {id} ({name}) is not available here; it is provided by {provider}")]
    Unknown {
        /// The registered identifier.
        id: u16,
        /// Its registered name, or "unregistered".
        name: &'static str,
        /// The provider of the filter.
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
    /// The filter's parameters ("client data") are invalid.
    #[error("filter {filter} has invalid parameters: {what}")]
    Parameters {
        /// Name of the filter.
        filter: &'static str,
        /// What is wrong with them.
        what: String,
    },
    /// There are more filters than a pipeline can have.
    #[error("a pipeline has {found} filters, but at most {max} are possible")]
    TooMany {
        /// The number of filters found.
        found: usize,
        /// The maximum.
        max: usize,
    },
    /// The stored bytes are invalid for this filter.
    #[error("{filter}: {what}")]
    Corrupt {
        /// Name of the filter.
        filter: &'static str,
        /// What is wrong.
        what: String,
    },
    /// The stored checksum differs from that of the bytes.
    #[error("{filter}: the stored checksum is {stored:#010x}, but that of the bytes is {computed:#010x}")]
    Checksum {
        /// Name of the filter.
        filter: &'static str,
        /// The checksum stored in the file.
        stored: u32,
        /// The checksum computed from the bytes.
        computed: u32,
    },
    /// The decoded length differs from the length of the chunk.
    #[error("{filter}: decoded to {found} bytes instead of {expected}")]
    Length {
        /// Name of the filter.
        filter: &'static str,
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes that were decoded.
        found: usize,
    },
    /// The decoded bytes exceed the caller's limit.
    #[error("{filter}: decodes to more than {max} bytes")]
    TooLong {
        /// Name of the filter.
        filter: &'static str,
        /// The limit in bytes.
        max: usize,
    },
    /// The encoded bytes would not be fewer than the raw ones. If the filter is optional, chunks are stored without it.
    #[error("{filter}: {bytes} bytes do not become smaller")]
    Incompressible {
        /// Name of the filter.
        filter: &'static str,
        /// The number of raw bytes.
        bytes: usize,
    },
    /// The memory could not be allocated.
    #[error("cannot allocate a buffer of {bytes} bytes")]
    Memory {
        /// The requested size in bytes.
        bytes: usize,
    },
    /// The bytes may be valid, but need a feature that is not supported.
    #[error("{filter}: {what} is not supported")]
    Unsupported {
        /// Name of the filter.
        filter: &'static str,
        /// The feature.
        what: String,
    },
    /// A filter that the program provides failed.
    #[error("filter {id} ({name}): {}", cause.error())]
    Custom {
        /// The filter's identifier.
        id: u16,
        /// The filter's own name.
        name: String,
        /// The error that the filter returned.
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

    /// True if the file may be valid but needs a filter or a feature that is not supported.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::LeftOut { .. } | Self::Unsupported { .. })
    }
}
