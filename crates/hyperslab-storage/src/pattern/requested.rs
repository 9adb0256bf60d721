//! A read that the user requests: a block, and how much it counts.

use super::{BlockShape, RandomPlaces, Sweep};
use crate::WordError;
use std::fmt;
use std::str::FromStr;

/// A block and its weight, written `SHAPE` or `SHAPE@WEIGHT`: `1x361x720@10` is ten times as important as `:x1x1`.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedRead {
    /// The block.
    pub shape: BlockShape,
    /// How often this read is made for each time that a read of weight 1 is made. Finite and greater than 0.
    pub weight: f64,
    /// Where the blocks lie, and which of their elements are wanted.
    pub placement: Placement,
}

/// Where blocks lie, and which of their elements are wanted: by default all of them, swept in row-major order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Placement {
    /// Order of the sweep, slowest dimension first.
    pub order: Option<Vec<usize>>,
    /// Only every so-many-th element of a block along each dimension.
    pub step: Option<Vec<u64>>,
    /// Random places instead of a sweep.
    pub random: Option<RandomPlaces>,
}

impl Placement {
    /// The pattern of blocks that are placed like this over an extent; `order` is that of a sweep that names none.
    ///
    /// # Panics
    /// As [`Sweep::new`] and [`Sweep::every`].
    pub fn sweep(&self, shape: &[u64], block: &[u64], order: &[usize]) -> Sweep {
        let mut sweep = Sweep::new(shape, block, self.order.as_deref().unwrap_or(order));
        if let Some(step) = &self.step {
            sweep = sweep.every(step);
        }
        match self.random {
            Some(places) => sweep.at_random(places),
            None => sweep,
        }
    }
}

impl RequestedRead {
    /// Blocks of this shape, swept in row-major order.
    pub fn new(shape: BlockShape, weight: f64) -> Self {
        Self { shape, weight, placement: Placement::default() }
    }
}

impl FromStr for RequestedRead {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Self, WordError> {
        let Some((shape, weight)) = text.rsplit_once('@') else {
            return Ok(Self::new(text.parse()?, 1.0));
        };
        let parsed: Option<f64> = weight.trim().parse().ok();
        let weight = parsed.filter(|weight| weight.is_finite() && *weight > 0.0).ok_or_else(|| {
            let problem = format!("the weight {weight:?} is not a number greater than 0");
            WordError::ReadShape { text: text.to_owned(), problem }
        })?;
        Ok(Self::new(shape.parse()?, weight))
    }
}

impl fmt::Display for RequestedRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape.fmt(f)?;
        if self.weight == 1.0 { Ok(()) } else { write!(f, "@{}", self.weight) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_may_follow_the_shape() {
        let parse = |text: &str| text.parse::<RequestedRead>();
        assert_eq!(parse("1x4").unwrap().weight, 1.0);
        assert_eq!(parse("1x4@2.5").unwrap().to_string(), "1x4@2.5");
        for text in ["1x4@", "1x4@0", "1x4@-1", "1x4@inf", "1x4@NaN", "@2"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("1@x").unwrap_err().to_string().contains("the weight \"x\""));
    }
}
