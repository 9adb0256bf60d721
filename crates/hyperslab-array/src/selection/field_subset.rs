//! The wanted bytes of each element: some members of a compound.
//!
//! For placement, they are an additional innermost axis: an element is an array of units, some of which are copied to
//! the result. Units are as large as the offsets and sizes of all wanted ranges allow.

use super::Run;
use crate::{Error, Result};
use std::ops::Range;

/// The byte ranges that are wanted of every element, in order.
#[derive(Debug, Clone)]
pub struct FieldSubset {
    /// The bytes of a unit.
    pub(crate) unit: usize,
    /// The wanted units of an element, and their positions in the result. `None` if there are too many to be copied one
    /// by one.
    pub(crate) run: Option<Run>,
    /// The number of units of a whole element.
    pub(crate) source: u64,
    /// The number of wanted units.
    pub(crate) target: u64,
    ranges: Vec<Range<usize>>,
}

/// Units up to this size are copied by one load and one store.
const UNIT_MAX: usize = 8;
/// If there are more units, whole elements are read, and the wanted bytes are gathered from them: a few bytes of a file
/// can claim members of any size, and nothing may be allocated for all of their units.
const UNITS_MAX: usize = 4096;

impl FieldSubset {
    /// The bytes `ranges` of elements of `element_bytes`, in this order.
    pub fn new(ranges: Vec<Range<usize>>, element_bytes: usize) -> Result<Self> {
        if let Some(range) = ranges.iter().find(|range| range.start > range.end || range.end > element_bytes)
        {
            return Err(Error::invalid(format!("bytes {range:?} of elements of {element_bytes} bytes")));
        }
        let ranges: Vec<_> = ranges.into_iter().filter(|range| !range.is_empty()).collect();
        let ends = ranges.iter().flat_map(|range| [range.start, range.end]);
        let common = ends.fold(element_bytes, gcd).max(1);
        // A single range is copied at once, so it is one unit.
        let unit = if ranges.len() > 1 { gcd(common, UNIT_MAX) } else { common };
        let target = ranges.iter().fold(0usize, |sum, range| sum.saturating_add(range.len() / unit));
        let run = match ranges.as_slice() {
            [] => None,
            [only] => {
                let (inner, count) = ((only.start / unit) as u64, target as u64);
                Some(Run::Strided { inner, step: 1, count, out: 0 })
            }
            _ if target > UNITS_MAX => None,
            many => {
                let units = many.iter().flat_map(|range| range.start / unit..range.end / unit);
                Some(Run::listed(units.zip(0..).map(|(from, to)| (from as u64, to)).collect()))
            }
        };
        Ok(Self { unit, run, source: (element_bytes / unit) as u64, target: target as u64, ranges })
    }

    /// The number of wanted bytes of each element.
    pub(crate) fn bytes(&self) -> usize {
        self.target as usize * self.unit
    }

    /// Copies the wanted bytes of whole elements.
    pub(crate) fn gather(&self, elements: &[u8], out: &mut [u8]) {
        let element_bytes = self.source as usize * self.unit;
        let places = out.chunks_exact_mut(self.bytes().max(1));
        for (element, mut place) in elements.chunks_exact(element_bytes.max(1)).zip(places) {
            for range in &self.ranges {
                let (part, rest) = place.split_at_mut(range.len());
                part.copy_from_slice(&element[range.clone()]);
                place = rest;
            }
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one part")]
    fn units_are_as_large_as_the_places_allow() {
        let parts = |ranges: &[Range<usize>]| FieldSubset::new(ranges.to_vec(), 24).unwrap();
        let one = parts(&[8..16]);
        assert_eq!((one.unit, one.source, one.bytes()), (8, 3, 8));
        assert_eq!(one.run, Some(Run::Strided { inner: 1, step: 1, count: 1, out: 0 }));
        let two = parts(&[20..24, 0..8]);
        assert_eq!((two.unit, two.bytes()), (4, 12));
        assert_eq!(two.run, Some(Run::Scattered(vec![(5, 0), (0, 1), (1, 2)])));
        assert_eq!(parts(&[3..4, 4..5]).run, Some(Run::Strided { inner: 3, step: 1, count: 2, out: 0 }));
        assert_eq!(parts(&[0..0]).bytes(), 0);
        let large = FieldSubset::new(vec![0..1 << 30, 1 << 30..(1 << 31) + 1], 1 << 32).unwrap();
        assert!(large.run.is_none() && large.bytes() == (1 << 31) + 1);
        assert!(FieldSubset::new(vec![20..25], 24).is_err());
    }

    #[test]
    fn gathers_parts_of_elements() {
        let parts = FieldSubset::new(vec![4..6, 0..1], 6).unwrap();
        let mut out = [0; 6];
        parts.gather(&[1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16], &mut out);
        assert_eq!(out, [5, 6, 1, 15, 16, 11]);
    }
}
