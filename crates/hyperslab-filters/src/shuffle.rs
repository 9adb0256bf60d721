//! Filter 2, "shuffle": the bytes of all elements sorted by their position in the element.
//!
//! ```text
//! elements   a0 a1 a2 a3  b0 b1 b2 b3  c0 c1 c2 c3  x     (element size 4, one byte left over)
//! shuffled   a0 b0 c0  a1 b1 c1  a2 b2 c2  a3 b3 c3  x
//!            └ plane ┘
//! ```
//!
//! The only parameter is the element size in bytes. Data with one-byte elements, or with fewer than two elements, is
//! not changed; bytes after the last whole element stay where they are.
//!
//! With vector registers, both directions are limited by memory bandwidth: [`x86`] unshuffles sizes 2, 4, 8 and above
//! and shuffles sizes 2, 4, 8 and 16; [`portable`] handles every size.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Growth, Setup, Stage};
use std::ops::Range;

const NAME: &str = "shuffle";

struct Shuffle {
    element_bytes: usize,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    match setup.parameters {
        &[element_bytes] if element_bytes > 0 => {
            Ok(Box::new(Shuffle { element_bytes: element_bytes as usize }))
        }
        other => Err(FilterError::parameters(NAME, format!("expected one element size, found {other:?}"))),
    }
}

impl Shuffle {
    fn changes(&self, len: usize) -> bool {
        self.element_bytes > 1 && len / self.element_bytes > 1
    }
}

impl Stage for Shuffle {
    fn name(&self) -> &'static str {
        NAME
    }

    fn growth(&self) -> Growth {
        Growth::Same
    }

    fn view(&self, stored: &[u8]) -> Result<Option<Range<usize>>, FilterError> {
        Ok((!self.changes(stored.len())).then_some(0..stored.len()))
    }

    fn shuffles(&self) -> Option<usize> {
        Some(self.element_bytes)
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        Some(stored.len() as u64)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let out = out.get_mut(..stored.len()).ok_or(FilterError::TooLong { filter: NAME, max })?;
        unshuffle(stored, self.element_bytes, out);
        Ok(stored.len())
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        shuffle(raw, self.element_bytes, out.room(raw.len())?);
        Ok(raw.len())
    }
}

/// Shuffles all of `raw`; bytes after the last whole element stay where they are.
///
/// # Panics
/// If `out` is not as long as `raw`.
pub(crate) fn shuffle(raw: &[u8], element_bytes: usize, out: &mut [u8]) {
    assert_eq!(raw.len(), out.len());
    if element_bytes < 2 {
        return out.copy_from_slice(raw);
    }
    let whole = raw.len() - raw.len() % element_bytes;
    let done = fast_shuffle(&raw[..whole], element_bytes, out);
    portable::shuffle(&raw[..whole], element_bytes, done, out);
    out[whole..].copy_from_slice(&raw[whole..]);
}

/// Shuffles as many elements as fill whole vector registers; returns their number.
fn fast_shuffle(raw: &[u8], element_bytes: usize, out: &mut [u8]) -> usize {
    #[cfg(target_arch = "x86_64")]
    return x86::shuffle(raw, element_bytes, out);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (raw, element_bytes, out);
        0
    }
}

/// Reverses the shuffle of all of `shuffled`, including remaining bytes.
///
/// # Panics
/// If `out` is not as long as `shuffled`.
pub(crate) fn unshuffle(shuffled: &[u8], element_bytes: usize, out: &mut [u8]) {
    assert_eq!(shuffled.len(), out.len());
    if element_bytes < 2 {
        return out.copy_from_slice(shuffled);
    }
    let whole = out.len() - out.len() % element_bytes;
    unshuffle_elements(shuffled, element_bytes, 0, &mut out[..whole]);
    out[whole..].copy_from_slice(&shuffled[whole..]);
}

/// Reverses the shuffle for some elements only: writes whole elements, starting with number `first`, to `out`. Used to
/// write rows of a chunk directly to their destination, see [`Staged::Shuffled`](crate::Staged::Shuffled).
///
/// # Panics
/// If `out` is not a whole number of elements, or extends beyond those in `shuffled`.
pub fn unshuffle_elements(shuffled: &[u8], element_bytes: usize, first: usize, out: &mut [u8]) {
    assert!(element_bytes > 0 && out.len().is_multiple_of(element_bytes), "not whole elements");
    let planes = Planes::new(shuffled, element_bytes, first, out.len() / element_bytes);
    let done = fast(&planes, out);
    portable::unshuffle(&planes.after(done), &mut out[done * element_bytes..]);
}

/// Unshuffles as many elements as fill whole vector registers; returns their number.
fn fast(planes: &Planes<'_>, out: &mut [u8]) -> usize {
    #[cfg(target_arch = "x86_64")]
    return x86::unshuffle(planes, out);
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (planes, out);
        0
    }
}

/// The part of each plane that belongs to a range of elements.
struct Planes<'a> {
    shuffled: &'a [u8],
    /// The size of a plane in bytes, which is the total number of elements.
    stride: usize,
    /// The number of planes.
    element_bytes: usize,
    first: usize,
    count: usize,
}

impl<'a> Planes<'a> {
    fn new(shuffled: &'a [u8], element_bytes: usize, first: usize, count: usize) -> Self {
        let stride = shuffled.len() / element_bytes;
        assert!(first <= stride && count <= stride - first, "elements beyond the shuffled ones");
        Self { shuffled, stride, element_bytes, first, count }
    }

    fn plane(&self, number: usize) -> &'a [u8] {
        &self.shuffled[number * self.stride + self.first..][..self.count]
    }

    fn after(&self, done: usize) -> Self {
        Self { first: self.first + done, count: self.count - done, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::encoded;
    use proptest::prelude::*;

    /// The definition.
    fn plain(raw: &[u8], element_bytes: usize) -> Vec<u8> {
        let elements = raw.len() / element_bytes;
        let mut shuffled: Vec<u8> =
            (0..element_bytes).flat_map(|k| (0..elements).map(move |i| raw[i * element_bytes + k])).collect();
        shuffled.extend_from_slice(&raw[elements * element_bytes..]);
        shuffled
    }

    fn sample(len: usize) -> Vec<u8> {
        (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    #[test]
    fn every_size_and_every_tail() {
        for element_bytes in (1..=40).chain([48, 64, 100, 129]) {
            for elements in [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 95, 200] {
                for left_over in [0, 1, element_bytes - 1] {
                    let raw = sample(elements * element_bytes + left_over);
                    let stage = Shuffle { element_bytes };
                    let shuffled = encoded(&stage, &raw, &mut CodecState::default()).unwrap();
                    assert_eq!(
                        shuffled,
                        plain(&raw, element_bytes),
                        "{element_bytes} × {elements} + {left_over}"
                    );
                    let mut out = vec![0xAA; raw.len()];
                    unshuffle(&shuffled, element_bytes, &mut out);
                    assert_eq!(out, raw, "{element_bytes} × {elements} + {left_over}");
                }
            }
        }
    }

    #[test]
    fn no_parameter_and_size_zero_are_refused() {
        for parameters in [&[][..], &[0], &[4, 4]] {
            assert!(make(Setup { id: 2, parameters }).is_err());
        }
    }

    #[test]
    fn an_element_larger_than_the_data_changes_nothing() {
        let stage = Shuffle { element_bytes: u32::MAX as usize };
        assert_eq!(stage.view(&[1, 2, 3]).unwrap(), Some(0..3));
    }

    proptest! {
        #[test]
        fn runs_of_elements(
            element_bytes in 1usize..20, elements in 1usize..300, first in 0usize..300, count in 0usize..300,
        ) {
            let first = first.min(elements);
            let count = count.min(elements - first);
            let raw = sample(elements * element_bytes);
            let mut out = vec![0; count * element_bytes];
            unshuffle_elements(&plain(&raw, element_bytes), element_bytes, first, &mut out);
            prop_assert_eq!(&out[..], &raw[first * element_bytes..][..count * element_bytes]);
        }
    }
}
