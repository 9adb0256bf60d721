//! How a parser without I/O says what it lacks.
//!
//! A parser is a plain function over a [`View`](crate::View): what has been fetched of a file so far. Where it
//! needs bytes that are not there yet it returns [`Stop::Need`]; whoever drives it fetches them, from wherever,
//! and calls it again. Re-running is cheap because structures are small; walks over many nodes (B-trees, heaps)
//! are values that remember what they have done, and ask for all nodes of a level at once.

use crate::FormatError;
use std::ops::Range;

/// The result of a parser.
pub type Parse<T> = Result<T, Stop>;

/// Why a parser did not return its structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// These ranges must be fetched first; then call again.
    Need(Vec<Need>),
    /// The bytes are there, and they are wrong.
    Bad(FormatError),
}

/// A range of the file that a parser lacks, and what for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// Bytes of the file, counted from its first byte. Always inside the file.
    pub range: Range<u64>,
    /// The structure that lies there, for traces.
    pub reason: &'static str,
}

impl From<FormatError> for Stop {
    fn from(error: FormatError) -> Self {
        Stop::Bad(error)
    }
}

/// Collects what many children lack, so that one round of fetching serves them all.
#[derive(Debug, Default)]
pub struct Gather {
    needs: Vec<Need>,
}

impl Gather {
    /// Passes on a value or an error; keeps a need for later and answers `None`.
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

    /// True when nothing was lacking.
    pub fn is_complete(&self) -> bool {
        self.needs.is_empty()
    }

    /// Stops with everything that was lacking, if anything was.
    pub fn finish(self) -> Parse<()> {
        if self.needs.is_empty() { Ok(()) } else { Err(Stop::Need(self.needs)) }
    }
}
