//! Errors of filters and of the bytes that they decode.

use std::error::Error;
use std::path::PathBuf;
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

/// What came of the search for a plug-in that has a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PluginSearch {
    /// This program was built without the feature `plugins`.
    NotBuilt,
    /// Plug-ins are switched off by an environment variable.
    Off,
    /// No plug-in has the filter.
    NotFound {
        /// The folders that were searched, in this order. Some may not exist.
        folders: Vec<PathBuf>,
        /// The files that could not be loaded, and why.
        failures: Vec<(PathBuf, String)>,
    },
}

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
        /// What came of the search for a plug-in.
        plugins: PluginSearch,
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
    /// The filter cannot be used for such a dataset.
    #[error("filter {filter} cannot be applied: {what}")]
    Inapplicable {
        /// Name of the filter.
        filter: &'static str,
        /// What stands against it.
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
    /// A plug-in failed. Plug-ins do not say why.
    #[error("filter {id} ({name}): the plug-in {} {what}", path.display())]
    Plugin {
        /// The filter's identifier.
        id: u16,
        /// Its name.
        name: &'static str,
        /// The file of the plug-in.
        path: PathBuf,
        /// What it could not do.
        what: &'static str,
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

    /// What a user can do about it, if there is something.
    pub fn hint(&self) -> Option<String> {
        let Self::Unknown { provider, plugins, .. } = self else { return None };
        Some(match plugins {
            PluginSearch::NotBuilt => {
                "a program can bring its own decoder: filters::register in Rust, register_filter in Python"
                    .to_string()
            }
            PluginSearch::Off => {
                "HDF5 filter plug-ins are switched off: unset HYPERSLAB_PLUGINS (or HDF5_PLUGIN_PRELOAD)"
                    .to_string()
            }
            PluginSearch::NotFound { folders, failures } => not_found(provider, folders, failures),
        })
    }

    /// True if the file may be valid but needs a filter or a feature that is not supported.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unknown { .. } | Self::LeftOut { .. } | Self::Unsupported { .. })
    }
}

fn not_found(provider: &str, folders: &[PathBuf], failures: &[(PathBuf, String)]) -> String {
    let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    let mut hint = format!("no HDF5 filter plug-in for it was found in {}; ", folders.join(", "));
    hint += if provider.contains("hdf5plugin") {
        "`pip install hdf5plugin` brings one"
    } else {
        "set HDF5_PLUGIN_PATH to the folder of one"
    };
    hint += ", or a program can bring its own decoder: filters::register in Rust, register_filter in Python";
    for (path, failure) in failures {
        hint += &format!("; {} could not be used: {failure}", path.display());
    }
    hint
}
