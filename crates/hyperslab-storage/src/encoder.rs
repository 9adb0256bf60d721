//! Which encoder writes the `gzip` filter: a word for users.

use crate::WordError;
use crate::filter::number::DEFLATE;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Which encoder writes chunks with the `gzip` filter. Every reader of gzip reads what either writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GzipEncoder {
    /// For each dataset the fast one where it keeps about the size of the level, as a few chunks show.
    #[default]
    Auto,
    /// The fast one, whatever the level.
    Fast,
    /// The one that makes the smallest chunks at the level.
    Small,
}

impl GzipEncoder {
    /// All, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Fast, Self::Small];

    /// `auto`, `fast` or `small`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fast => "fast",
            Self::Small => "small",
        }
    }

    /// The most by which chunks of the fast one may be larger than those of the small one at a level of gzip, in percent; `None`
    /// where only the small one will do.
    pub fn percent_larger_max(level: u32) -> Option<u32> {
        match level {
            1..=3 => Some(10),
            4..=6 => Some(5),
            _ => None,
        }
    }

    /// The same of a pipeline, by the numbers and parameters of its filters. `None` without gzip, and with two, whose sizes could
    /// only be compared together.
    pub fn percent_larger_max_of<'p>(filters: impl IntoIterator<Item = (u16, &'p [u32])>) -> Option<u32> {
        let mut gzip = filters.into_iter().filter(|(id, _)| *id == DEFLATE);
        let (_, parameters) = gzip.next()?;
        let level = parameters.first().filter(|_| gzip.next().is_none())?;
        Self::percent_larger_max(*level)
    }

    /// True if chunks of the fast one are small enough, by the bytes of some that were encoded by both.
    pub fn is_small_enough(fast_bytes: u64, small_bytes: u64, percent_larger_max: u32) -> bool {
        fast_bytes.saturating_mul(100) <= small_bytes.saturating_mul(u64::from(100 + percent_larger_max))
    }
}

impl fmt::Display for GzipEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GzipEncoder {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let found = Self::ALL.into_iter().find(|one| one.name() == text);
        found.ok_or_else(|| WordError::Encoder { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoders_are_read_as_they_are_printed() {
        for one in GzipEncoder::ALL {
            assert_eq!(one.to_string().parse::<GzipEncoder>().unwrap(), one);
        }
        assert!("quick".parse::<GzipEncoder>().unwrap_err().to_string().contains("auto, fast, small"));
        assert_eq!(
            [0, 1, 3, 4, 6, 7].map(GzipEncoder::percent_larger_max),
            [None, Some(10), Some(10), Some(5), Some(5), None]
        );
    }

    #[test]
    fn a_pipeline_with_one_gzip_has_a_bound() {
        let of = |filters: &[(u16, &[u32])]| GzipEncoder::percent_larger_max_of(filters.iter().copied());
        assert_eq!(of(&[(2, &[4]), (DEFLATE, &[4])]), Some(5));
        assert_eq!(of(&[(DEFLATE, &[4]), (DEFLATE, &[4])]), None);
        assert_eq!(of(&[(2, &[4])]), None);
        assert!(GzipEncoder::is_small_enough(105, 100, 5) && !GzipEncoder::is_small_enough(106, 100, 5));
    }
}
