//! What is asked: a dataset, its reads and readers, and the bounds of an answer.

use crate::error::AdviseError;
use crate::error_bound::ErrorBound;
use crate::lines::Target;
use crate::place::Place;
use crate::reader::Reader;
use crate::usual::UsualRead;
use hyperslab_doctor::{DatasetFacts, Layout};
use hyperslab_storage::cost::Terms;
use hyperslab_storage::pattern::shape_text;
use std::str::FromStr;
use std::time::Duration;

/// A question about one dataset.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The dataset as it is stored.
    pub facts: &'a DatasetFacts,
    /// The file that the lines to paste are about.
    pub target: Target,
    /// The reads, at least one.
    pub reads: Vec<UsualRead>,
    /// The block in which the data is written; `None` for whole chunks.
    pub write: Option<Vec<u64>>,
    /// The programs that read, at least one.
    pub readers: Vec<Reader>,
    /// The most bytes that the data may take.
    pub size_bound: SizeBound,
    /// The most that a value may change; `None` if nothing may be lost. Only for datasets of floats.
    pub max_error: Option<ErrorBound>,
    /// Where the file will lie.
    pub place: Place,
    /// What the parts of a read cost on this machine.
    pub terms: Terms,
    /// Threads that hyperslab uses.
    pub threads: usize,
    /// Bytes of decoded chunks that hyperslab keeps.
    pub engine_cache_bytes: u64,
    /// How many times as long the user's libhdf5 takes as hyperslab to inflate the dataset as it is stored now, if known. Used for
    /// trials without a factor of their own.
    pub inflate_factor: Option<f64>,
    /// The time that measuring may take.
    pub time: Duration,
}

/// How large the data may become.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SizeBound {
    /// As many bytes.
    Bytes(u64),
    /// So many times the present size.
    TimesPresent(f64),
    /// Any size.
    None,
}

/// What the data may grow if the user says nothing: less than samples can distinguish.
const GROWTH_DEFAULT: f64 = 1.05;

impl Default for SizeBound {
    fn default() -> Self {
        Self::TimesPresent(GROWTH_DEFAULT)
    }
}

impl SizeBound {
    /// The bound in bytes for data that takes `present` bytes.
    pub fn bytes(self, present: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::TimesPresent(times) => (present as f64 * times) as u64,
            Self::None => u64::MAX,
        }
    }
}

impl FromStr for SizeBound {
    type Err = AdviseError;

    fn from_str(text: &str) -> Result<Self, AdviseError> {
        let wrong = || AdviseError::SizeBound { text: text.to_owned() };
        match text.trim().strip_suffix('x') {
            _ if text.trim() == "none" => Ok(Self::None),
            Some(times) => {
                let times: Option<f64> = times.trim().parse().ok();
                let times = times.filter(|times| times.is_finite() && *times > 0.0);
                times.map(Self::TimesPresent).ok_or_else(wrong)
            }
            None => {
                let bytes = hyperslab_units::parse_bytes(text).ok().filter(|bytes| *bytes > 0);
                bytes.map(Self::Bytes).ok_or_else(wrong)
            }
        }
    }
}

impl Question<'_> {
    /// False for data that has no chunks to choose: scalars, empty and compact datasets, virtual and external ones, and data
    /// of variable length, whose values lie elsewhere.
    pub(crate) fn has_answer(&self) -> bool {
        let facts = self.facts;
        let is_stored_here = matches!(facts.layout, Layout::Chunked { .. } | Layout::Contiguous { .. });
        let has_values =
            !facts.shape.is_empty() && !facts.shape.contains(&0) && facts.variable_length.is_none();
        is_stored_here && has_values && !self.reads.is_empty() && !self.readers.is_empty()
    }

    /// # Errors
    /// [`AdviseError::Rank`] if a block has another rank than the dataset.
    pub(crate) fn check(&self) -> Result<(), AdviseError> {
        let rank = self.facts.shape.len();
        let blocks = self.reads.iter().map(|read| &read.block).chain(&self.write);
        for block in blocks {
            if block.len() != rank {
                let (block, given) = (shape_text(block), block.len());
                return Err(AdviseError::Rank { block, given, path: self.facts.path.clone(), rank });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_bytes_or_times_the_present_size() {
        let bound = |text: &str| text.parse::<SizeBound>().map(|bound| bound.bytes(1000));
        assert_eq!(bound("2KiB"), Ok(2048));
        assert_eq!(bound("1.5x"), Ok(1500));
        assert_eq!(bound("none"), Ok(u64::MAX));
        assert_eq!(SizeBound::default().bytes(1000), 1050);
        for text in ["", "x", "-1x", "0x", "huge", "0", "0KiB"] {
            assert!(bound(text).is_err(), "{text}");
        }
    }
}
