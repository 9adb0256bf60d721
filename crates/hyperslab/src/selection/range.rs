//! The indexes wanted along one axis.

use super::out_of_range;
use crate::{Error, Result};

/// Indexes along one axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Axis {
    /// Evenly spaced.
    Range(Range),
    /// Any indexes, in the order in which they are wanted.
    List(Vec<u64>),
}

/// Evenly spaced indexes: `start`, `start + step`, … (`count` of them).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first index.
    pub start: u64,
    /// How many.
    pub count: u64,
    /// Distance, at least 1.
    pub step: u64,
}

impl Axis {
    /// Every index of an axis of `dim` elements.
    pub fn all(dim: u64) -> Self {
        Axis::Range(Range { start: 0, count: dim, step: 1 })
    }

    /// `start..end`.
    pub fn span(start: u64, end: u64) -> Self {
        Axis::Range(Range { start, count: end.saturating_sub(start), step: 1 })
    }

    /// How many indexes.
    pub fn len(&self) -> u64 {
        match self {
            Axis::Range(range) => range.count,
            Axis::List(list) => list.len() as u64,
        }
    }

    /// True without an index.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn check(&self, axis: usize, dim: u64) -> Result<()> {
        match self {
            Axis::Range(range) if range.count == 0 => Ok(()),
            Axis::Range(range) => {
                if range.step == 0 {
                    return Err(Error::invalid(format!("the step along axis {axis} is 0")));
                }
                let last = range.last().unwrap_or(u64::MAX);
                if last < dim { Ok(()) } else { Err(out_of_range(last, axis, dim)) }
            }
            Axis::List(list) => match list.iter().find(|&&index| index >= dim) {
                Some(&index) => Err(out_of_range(index, axis, dim)),
                None => Ok(()),
            },
        }
    }
}

impl Range {
    /// The last index; `None` if there is none or it overflows.
    pub fn last(&self) -> Option<u64> {
        self.count.checked_sub(1)?.checked_mul(self.step)?.checked_add(self.start)
    }
}
