//! How a parser without I/O requests the bytes that it needs.
//!
//! A parser is a plain function over a [`View`](crate::View): the bytes of a file that have been fetched so far. If it
//! needs other bytes, it returns [`Stop::Need`]; the caller fetches them from wherever the file is, and calls the
//! parser again. Repeating a parser is cheap because structures are small. Traversals of many nodes (B-trees, heaps)
//! are values that keep their state, and request all nodes of a level at once.

use crate::FormatError;
use std::ops::Range;

/// The result of a parser.
pub type Parse<T> = Result<T, Stop>;

/// The reason why a parser did not return its structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// These ranges must be fetched; then call the parser again.
    Need(Vec<Need>),
    /// The bytes are available, and they are invalid.
    Bad(FormatError),
}

/// A range of the file that a parser needs, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The range in bytes, from the first byte of the file. Always inside the file.
    pub range: Range<u64>,
    /// The structure at this range, for traces.
    pub reason: &'static str,
}

impl From<FormatError> for Stop {
    fn from(error: FormatError) -> Self {
        Stop::Bad(error)
    }
}

/// Collects the ranges that several children need, so that they can be fetched together.
#[derive(Debug, Default)]
pub struct Gather {
    needs: Vec<Need>,
}

impl Gather {
    /// Returns a value or an error. If ranges are missing, records them and returns `Ok(None)`.
    pub fn take<T>(&mut self, parsed: Parse<T>) -> Result<Option<T>, FormatError> {
        match parsed {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Bad(error)) => Err(error),
            Err(Stop::Need(needs)) => {
                self.needs.extend(needs);
                Ok(None)
            }
        }
    }

    /// True if nothing was missing.
    pub fn is_complete(&self) -> bool {
        self.needs.is_empty()
    }

    /// Returns [`Stop::Need`] with all ranges that were missing, if there are any.
    pub fn finish(self) -> Parse<()> {
        if self.needs.is_empty() { Ok(()) } else { Err(Stop::Need(self.needs)) }
    }
}
