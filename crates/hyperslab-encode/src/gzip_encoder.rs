//! Decides which encoder writes the `gzip` filter of a dataset.
//!
//! Three chunks are encoded by both, and the sums of their sizes decide: the first, the middle and the last in row-major order
//! whose elements are not all the same; of data that arrives, the first three. The choice depends on the data and the options alone, so that the same data gives the
//! same file on every machine.

use hyperslab_filters::{DeflateEncoder, FilterError, Pipeline, Scratch};
use hyperslab_format::message::Filter;
use hyperslab_storage::GzipEncoder;
use hyperslab_storage::filter::number::DEFLATE;
use std::ops::Range;

/// Chunks that are encoded by both.
const SAMPLES: usize = 3;
/// Chunks that are looked at for each of the three, until one has different elements. Those of distant files are read twice.
const TRIES: usize = 4;

/// What decides whether the fast encoder may write chunks: the most by which they may be larger, in percent; `None` where it is
/// not a question of their size.
pub(crate) fn percent_larger_max(filters: &[Filter]) -> Option<u32> {
    let mut gzip = filters.iter().filter(|filter| filter.id == DEFLATE);
    // Two would be compared together.
    let only = gzip.next().filter(|_| gzip.next().is_none())?;
    only.parameters.first().and_then(|level| GzipEncoder::percent_larger_max(*level))
}

/// The rows of chunks that are in the memory together first.
pub(crate) fn first(count: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..count).map(|row| vec![row])
}

/// The rows of a dataset's chunks in which the three are looked for.
pub(crate) fn spread(count: usize) -> [Vec<usize>; SAMPLES] {
    let thirds: [Range<usize>; SAMPLES] = match count {
        0..=3 => std::array::from_fn(|row| row..(row + 1).min(count).max(row)),
        _ => [0..count / 3, count / 3..count - count / 3, count - count / 3..count],
    };
    let [first, middle, last] = thirds;
    let half = (middle.len() / 2).min(middle.len().saturating_sub(TRIES));
    let middle = middle.skip(half);
    [first.take(TRIES).collect(), middle.take(TRIES).collect(), last.rev().take(TRIES).collect()]
}

/// The encoder for a dataset, by the first chunk of each group of rows that can be read and whose elements are not all the same.
/// `read` puts the chunk of a row into the memory; false if it cannot be read.
///
/// # Errors
/// Those of the filters.
pub(crate) fn choose(
    pipeline: &Pipeline,
    percent_larger_max: u32,
    element_bytes: usize,
    groups: impl IntoIterator<Item = Vec<usize>>,
    (scratch, chunk): (&mut Scratch, &mut Vec<u8>),
    mut read: impl FnMut(usize, &mut Vec<u8>) -> bool,
) -> Result<DeflateEncoder, FilterError> {
    let (mut small, mut fast, mut samples) = (0, 0, 0);
    for rows in groups {
        let found = rows.into_iter().find(|row| read(*row, chunk) && !is_constant(chunk, element_bytes));
        if found.is_none() {
            continue;
        }
        samples += 1;
        for (bytes, encoder) in [(&mut small, DeflateEncoder::Small), (&mut fast, DeflateEncoder::Fast)] {
            *bytes += pipeline.with_deflate_encoder(encoder).encode(chunk, scratch)?.bytes.len() as u64;
        }
        if samples == SAMPLES {
            break;
        }
    }
    let is_small_enough = fast * 100 <= small * u64::from(100 + percent_larger_max);
    Ok(if fast > 0 && is_small_enough { DeflateEncoder::Fast } else { DeflateEncoder::Small })
}

fn is_constant(chunk: &[u8], element_bytes: usize) -> bool {
    let size = element_bytes.max(1);
    chunk.len() <= size || chunk[size..] == chunk[..chunk.len() - size]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_from_the_beginning_the_middle_and_the_end_are_looked_at() {
        let first = |count| super::spread(count).map(|rows| rows.first().copied());
        assert_eq!(first(0), [None; 3]);
        assert_eq!(first(1), [Some(0), None, None]);
        assert_eq!(first(3), [Some(0), Some(1), Some(2)]);
        assert_eq!(first(4), [Some(0), Some(1), Some(3)]);
        assert_eq!(first(1000), [Some(0), Some(500), Some(999)]);
        assert_eq!(spread(1000).map(|rows| rows.len()), [TRIES; 3]);
        for count in 0..200 {
            let mut all = spread(count).concat();
            all.sort_unstable();
            let len = all.len();
            all.dedup();
            assert_eq!(all.len(), len, "{count}: none twice");
            assert!(all.iter().all(|row| *row < count), "{count}");
        }
    }

    #[test]
    fn the_sums_of_sizes_decide_and_constant_chunks_do_not() {
        let filter = Filter { id: DEFLATE, name: None, flags: 0, parameters: [4].into() };
        assert_eq!(percent_larger_max(std::slice::from_ref(&filter)), Some(5));
        assert_eq!(percent_larger_max(&[filter.clone(), filter.clone()]), None);
        let specs = [crate::new_filters::spec(&filter)];
        let pipeline = Pipeline::new(&specs, 4, 4000).unwrap();
        let choose = |read: &mut dyn FnMut(usize, &mut Vec<u8>) -> bool, percent| {
            choose(&pipeline, percent, 4, spread(100), (&mut Scratch::new(), &mut Vec::new()), read).unwrap()
        };
        let noise = |row: usize, chunk: &mut Vec<u8>| {
            let mut state = row as u32;
            chunk.clear();
            chunk.resize_with(4000, || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            });
            true
        };
        assert_eq!(choose(&mut { noise }, 5), DeflateEncoder::Fast, "noise is as large by both");
        // Text, of which libdeflate finds more.
        let text = |row: usize, chunk: &mut Vec<u8>| {
            let words = ["chunk", "filter", "dataspace", "hyperslab", "page", "buffer", "object", "header"];
            let mut state = row as u32;
            chunk.clear();
            while chunk.len() < 4000 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                chunk.extend(words[(state >> 29) as usize].as_bytes());
            }
            chunk.truncate(4000);
            true
        };
        assert_eq!(choose(&mut { text }, 0), DeflateEncoder::Small);
        // Only one of the chunks is not constant.
        let mut looked_at = Vec::new();
        let mut one = |row: usize, chunk: &mut Vec<u8>| {
            looked_at.push(row);
            if row == 3 {
                noise(row, chunk)
            } else {
                chunk.clear();
                chunk.resize(4000, 0);
                true
            }
        };
        assert_eq!(choose(&mut one, 5), DeflateEncoder::Fast);
        assert_eq!(looked_at[..5], [0, 1, 2, 3, 50]);
        assert_eq!(choose(&mut |_, _| false, 5), DeflateEncoder::Small);
    }
}
