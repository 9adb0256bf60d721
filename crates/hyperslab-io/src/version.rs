//! What tells whether an object is still the one that was opened.

use std::fmt;
use std::io;
use std::time::SystemTime;

/// One state of an object: its length, and whatever else the place where it lies tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Length in bytes.
    pub len: u64,
    /// When it was written last, where a file system tells.
    pub modified: Option<SystemTime>,
    /// What a server calls this state: its entity tag, or else when it was written last.
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

/// The error of a read whose object is no longer the one that was opened: what was read before and what would be read
/// now do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} changed after it was opened ({opened}, now {found}); open it again")]
pub struct Changed {
    /// Path or URL.
    pub name: String,
    /// What was opened.
    pub opened: Version,
    /// What is there now, in words, because a server may not tell all of it.
    pub found: String,
}

impl From<Changed> for io::Error {
    fn from(changed: Changed) -> Self {
        io::Error::other(changed)
    }
}
