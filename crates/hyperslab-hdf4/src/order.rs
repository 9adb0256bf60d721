//! Orders of the bytes of an element that are not those of the axes, and bringing them into that order.

use crate::cursor::Parsed;
use hyperslab_format::{FormatError, Problem};

/// An order of the bytes of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// All values of a field, then those of the next one.
    ByField {
        /// Bytes of a record.
        record: usize,
        /// Where each field begins in a record, and its bytes.
        fields: Vec<(usize, usize)>,
    },
    /// Components of an image by line or by plane.
    Transposed {
        /// Sizes of the axes as they are stored.
        sizes: [usize; 3],
        /// The axis that comes last.
        last: usize,
    },
    /// Run-length encoded, as images are.
    RunLengths,
}

impl Order {
    /// The first `needed` bytes of the values in the order of the axes, of the element that begins at `at`.
    ///
    /// # Errors
    /// An element that is too short.
    pub fn arranged(&self, stored: &[u8], needed: usize, at: u64) -> Result<Vec<u8>, FormatError> {
        let short = |found: usize| FormatError {
            structure: "element",
            field: "values",
            at,
            problem: Problem::Short { needed: needed as u64, left: found as u64 },
        };
        let mut values = Vec::new();
        match self {
            Order::RunLengths => return run_lengths(stored, needed, at),
            _ if stored.len() < needed => return Err(short(stored.len())),
            Order::ByField { record, fields } => {
                let records = needed / (*record).max(1);
                values.resize(needed, 0);
                for (offset, bytes) in fields.iter().filter(|(_, bytes)| *bytes > 0) {
                    let column = stored.get(offset * records..(offset + bytes) * records);
                    let column = column.ok_or_else(|| short(stored.len()))?;
                    for (value, record) in column.chunks_exact(*bytes).zip(values.chunks_exact_mut(*record)) {
                        record[*offset..offset + bytes].copy_from_slice(value);
                    }
                }
            }
            Order::Transposed { sizes, last } => {
                values.reserve(needed);
                let width = needed / sizes.iter().product::<usize>().max(1);
                let steps = [sizes[1] * sizes[2] * width, sizes[2] * width, width];
                let axes: Vec<usize> = (0..3).filter(|axis| axis != last).chain([*last]).collect();
                for a in 0..sizes[axes[0]] {
                    for b in 0..sizes[axes[1]] {
                        for c in 0..sizes[axes[2]] {
                            let at = a * steps[axes[0]] + b * steps[axes[1]] + c * steps[axes[2]];
                            values.extend_from_slice(&stored[at..at + width]);
                        }
                    }
                }
            }
        }
        Ok(values)
    }
}

/// Decodes an image that is run-length encoded: a count with the highest bit set stands before a byte that is repeated, any other
/// before that number of bytes. A run may go on in the next line.
fn run_lengths(stored: &[u8], bytes: usize, at: u64) -> Parsed<Vec<u8>> {
    let cut = || FormatError::invalid("element", "values", at, "a run of an image ends behind its bytes");
    let mut values = Vec::with_capacity(bytes.min(stored.len().saturating_mul(128)));
    let mut from = stored;
    while values.len() < bytes {
        let (control, rest) = from.split_first().ok_or_else(cut)?;
        let count = usize::from(control & 0x7F);
        let left = bytes - values.len();
        if control & 0x80 != 0 {
            let (byte, rest) = rest.split_first().ok_or_else(cut)?;
            values.resize(values.len() + count.min(left), *byte);
            from = rest;
        } else {
            let run = rest.get(..count).ok_or_else(cut)?;
            values.extend_from_slice(&run[..count.min(left)]);
            from = &rest[count..];
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_become_records() {
        // A field without values, one of a byte, one of two.
        let fields = vec![(0, 0), (0, 1), (1, 2)];
        let order = Order::ByField { record: 3, fields };
        assert_eq!(order.arranged(&[1, 4, 2, 3, 5, 6], 6, 0).unwrap(), [1, 2, 3, 4, 5, 6]);
        order.arranged(&[1, 4, 2, 3, 5], 6, 0).unwrap_err();
        // A column that would end behind the element.
        let far = Order::ByField { record: 3, fields: vec![(2, 2)] };
        far.arranged(&[0; 6], 6, 0).unwrap_err();
    }

    #[test]
    fn runs_that_are_cut_are_an_error() {
        let order = Order::RunLengths;
        assert_eq!(order.arranged(&[0x83, 7, 2, 1, 2, 1, 3], 6, 0).unwrap(), [7, 7, 7, 1, 2, 3]);
        // Whatever the lines of the image are.
        assert_eq!(order.arranged(&[0x85, 7, 1, 9], 6, 0).unwrap(), [7, 7, 7, 7, 7, 9]);
        order.arranged(&[0x83], 6, 0).unwrap_err();
        order.arranged(&[2, 1], 6, 0).unwrap_err();
        Order::RunLengths.arranged(&[], 6, 0).unwrap_err();
    }
}
