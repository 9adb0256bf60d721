//! Filters that keep significant decimal digits, and what they promise.

use hyperslab_storage::filter::number::{BIT_GROOM, GRANULAR_BIT_ROUND};

/// A filter that keeps significant decimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DigitRounding {
    /// As many bits of each value as the digits need at most: the others are cleared and set by turns.
    BitGroom,
    /// As many bits as the digits of each value need, rounded to the nearest.
    GranularBitRound,
}

impl DigitRounding {
    pub(crate) const ALL: [Self; 2] = [Self::BitGroom, Self::GranularBitRound];
    /// The most digits that the filters take.
    const DIGITS_MAX: u32 = 15;

    /// The most by which a value changes, as a share of it.
    ///
    /// BitGroom keeps ⌈digits · log₂ 10⌉ + 1 bits behind the first one, and changes all others. Granular BitRound changes a value
    /// by at most half a unit of its last digit that is kept, and a value is at least one unit of its first digit.
    pub(crate) fn largest_share(self, digits: u32) -> f64 {
        match self {
            Self::BitGroom => 2f64.powi(-((f64::from(digits) * std::f64::consts::LOG2_10).ceil() as i32 + 1)),
            Self::GranularBitRound => 0.5 * 10f64.powi(1 - digits as i32),
        }
    }

    /// The fewest digits with which no value changes by more than this share of it.
    pub(crate) fn digits(self, share: f64) -> Option<u32> {
        (1..=Self::DIGITS_MAX).find(|digits| self.largest_share(*digits) <= share)
    }

    pub(crate) fn id(self) -> u16 {
        match self {
            Self::BitGroom => BIT_GROOM,
            Self::GranularBitRound => GRANULAR_BIT_ROUND,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::BitGroom => "bitgroom",
            Self::GranularBitRound => "granularbitround",
        }
    }
}
