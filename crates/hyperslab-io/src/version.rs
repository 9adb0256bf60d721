//! Detecting that an object has changed since it was opened.

use std::time::SystemTime;
use std::{fmt, io};

/// One state of an object: its length, and what the file system or the server reports about its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The length in bytes.
    pub len: u64,
    /// The time of the last modification, if a file system reports it.
    pub modified: Option<SystemTime>,
    /// The entity tag that a server reports or, without one, its time of the last modification.
    pub tag: Option<String>,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len)?;
        if let Some(modified) = self.modified {
            let since = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            write!(f, " modified {}.{:09} s after 1970", since.as_secs(), since.subsec_nanos())?;
        }
        if let Some(tag) = &self.tag {
            write!(f, " tagged {tag}")?;
        }
        Ok(())
    }
}

/// The error of a read of an object that has changed since it was opened. Bytes read before and after the change must
/// not be combined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} changed after it was opened ({opened}, now {found}); open it again")]
pub struct Changed {
    /// The path or the URL.
    pub name: String,
    /// The state that was opened.
    pub opened: Version,
    /// The present state, as text, because a server may report only a part of it.
    pub found: String,
}

impl From<Changed> for io::Error {
    fn from(changed: Changed) -> Self {
        io::Error::other(changed)
    }
}
