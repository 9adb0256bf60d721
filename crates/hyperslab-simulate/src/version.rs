//! The releases of libhdf5 in which a count changed.

use std::fmt;
use std::str::FromStr;

/// A release of libhdf5, as far as its chunk cache is concerned. Each stands for itself and the releases after it, up
/// to the next in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // the names are the versions
pub enum LibVersion {
    V1_8,
    V1_10_0,
    V1_10_5,
    V1_12,
    V1_14,
    V2_0,
    V2_1,
    V2_2,
}

/// How chunk coordinates are mapped to a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum HashRule {
    /// The linear chunk index.
    Linear,
    /// Coordinates packed by the bits of floor(dim / chunk); or the last coordinate alone, if it has more values than
    /// there are slots.
    PackedFloor,
    /// Coordinates packed by the bits of ceil(dim / chunk).
    Packed,
}

impl LibVersion {
    /// The newest known release.
    pub const NEWEST: Self = Self::V2_2;

    pub(super) fn hash_rule(self) -> HashRule {
        match self {
            Self::V1_8 => HashRule::Linear,
            Self::V1_10_0 => HashRule::PackedFloor,
            _ => HashRule::Packed,
        }
    }

    /// Since 2.1, chunks that bypass the cache use the sieve buffer, as contiguous data always did.
    pub(super) fn sieves_chunks(self) -> bool {
        self >= Self::V2_1
    }

    /// Up to 2.1, a chunk that is not stored occupied an entry in the cache, full of fill values.
    pub(super) fn caches_missing_chunks(self) -> bool {
        self < Self::V2_2
    }
}

impl fmt::Display for LibVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V1_8 => "1.8",
            Self::V1_10_0 => "1.10.0",
            Self::V1_10_5 => "1.10.5",
            Self::V1_12 => "1.12",
            Self::V1_14 => "1.14",
            Self::V2_0 => "2.0",
            Self::V2_1 => "2.1",
            Self::V2_2 => "2.2",
        })
    }
}

impl FromStr for LibVersion {
    type Err = String;

    /// Parses `1.14.6` or `2.0`: any release, mapped to the one whose behaviour it has. `1.10` stands for its last
    /// release.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(['.', '-']).map(|part| part.parse::<u32>());
        let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
            return Err(format!("{text:?} is not a libhdf5 version such as 1.14.6"));
        };
        let patch = parts.next().and_then(Result::ok);
        match (major, minor) {
            (1, 6 | 8) => Ok(Self::V1_8),
            (1, 10) if patch.is_some_and(|p| p < 5) => Ok(Self::V1_10_0),
            (1, 10) => Ok(Self::V1_10_5),
            (1, 12) => Ok(Self::V1_12),
            (1, 14) => Ok(Self::V1_14),
            (2, 0) => Ok(Self::V2_0),
            (2, 1) => Ok(Self::V2_1),
            (2, _) => Ok(Self::V2_2),
            _ => Err(format!("libhdf5 {text} is not one of 1.8 to 2.2")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_map_to_the_behaviour_they_have() {
        let parse = |text: &str| text.parse::<LibVersion>();
        assert_eq!(parse("1.8.23"), Ok(LibVersion::V1_8));
        assert_eq!(parse("1.10.4"), Ok(LibVersion::V1_10_0));
        assert_eq!(parse("1.10.8"), Ok(LibVersion::V1_10_5));
        assert_eq!(parse("1.10"), Ok(LibVersion::V1_10_5));
        assert_eq!(parse("1.14.6"), Ok(LibVersion::V1_14));
        assert_eq!(parse("2.0.0"), Ok(LibVersion::V2_0));
        assert_eq!(parse("2.7.1"), Ok(LibVersion::V2_2));
        assert!(parse("3.0").is_err());
        assert!(parse("two").is_err());
    }
}
