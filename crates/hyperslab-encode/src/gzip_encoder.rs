//! Decides which encoder writes the `gzip` filter of a dataset.
//!
//! Three chunks are encoded by both, and the sums of their sizes decide: the first, the middle and the last in row-major order
//! whose elements are not all the same; of data that arrives, the first three. The choice depends on the data and the options
//! alone, so that the same data gives the same file on every machine.

use hyperslab_filters::{DeflateEncoder, FilterError, Pipeline, Scratch};
use hyperslab_storage::GzipEncoder;
use std::ops::Range;

/// Chunks that are encoded by both.
pub(crate) const SAMPLES: usize = 3;
/// Chunks that are looked at for each of the three, until one has different elements. Those of distant files are read twice.
const TRIES: usize = 4;

/// The bytes of a chunk by both encoders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub small: u64,
    pub fast: u64,
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

/// The sizes of one of the three, by both encoders: the first chunk of these rows that can be read and whose elements are not all
/// the same. `read` puts the chunk of a row into the memory; false if it cannot be read. `None` if there is no such chunk.
///
/// # Errors
/// Those of the filters.
pub(crate) fn measure(
    [small, fast]: [&Pipeline; 2],
    element_bytes: usize,
    rows: &[usize],
    (scratch, chunk): (&mut Scratch, &mut Vec<u8>),
    read: impl Fn(usize, &mut Vec<u8>) -> bool,
) -> Result<Option<Sizes>, FilterError> {
    if !rows.iter().any(|row| read(*row, chunk) && !is_constant(chunk, element_bytes)) {
        return Ok(None);
    }
    let mut bytes = |pipeline: &Pipeline| -> Result<u64, FilterError> {
        Ok(pipeline.encode(chunk, scratch)?.bytes.len() as u64)
    };
    Ok(Some(Sizes { small: bytes(small)?, fast: bytes(fast)? }))
}

/// The encoder by the sizes of some chunks.
pub(crate) fn choose(sizes: &[Sizes], percent_larger_max: u32) -> DeflateEncoder {
    let (small, fast) =
        sizes.iter().fold((0, 0), |(small, fast), sizes| (small + sizes.small, fast + sizes.fast));
    let is_small_enough = GzipEncoder::is_small_enough(fast, small, percent_larger_max);
    if fast > 0 && is_small_enough { DeflateEncoder::Fast } else { DeflateEncoder::Small }
}

fn is_constant(chunk: &[u8], element_bytes: usize) -> bool {
    let size = element_bytes.max(1);
    chunk.len() <= size || chunk[size..] == chunk[..chunk.len() - size]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_filters::FilterSpec;
    use hyperslab_storage::filter::number::DEFLATE;
    use std::cell::RefCell;

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
        let filter = FilterSpec { id: DEFLATE, optional: false, parameters: &[4] };
        let pipeline = Pipeline::new(&[filter], 4, 4000).unwrap();
        let fast = pipeline.with_deflate_encoder(DeflateEncoder::Fast);
        let choose = |read: &dyn Fn(usize, &mut Vec<u8>) -> bool, percent| {
            let measure = |rows: Vec<usize>| {
                measure([&pipeline, &fast], 4, &rows, (&mut Scratch::new(), &mut Vec::new()), read).unwrap()
            };
            choose(&spread(100).into_iter().filter_map(measure).collect::<Vec<_>>(), percent)
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
        assert_eq!(choose(&noise, 5), DeflateEncoder::Fast, "noise is as large by both");
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
        assert_eq!(choose(&text, 0), DeflateEncoder::Small);
        // Only one of the chunks is not constant.
        let looked_at = RefCell::new(Vec::new());
        let one = |row: usize, chunk: &mut Vec<u8>| {
            looked_at.borrow_mut().push(row);
            if row == 3 {
                noise(row, chunk)
            } else {
                chunk.clear();
                chunk.resize(4000, 0);
                true
            }
        };
        assert_eq!(choose(&one, 5), DeflateEncoder::Fast);
        assert_eq!(looked_at.borrow()[..5], [0, 1, 2, 3, 50]);
        assert_eq!(choose(&|_, _| false, 5), DeflateEncoder::Small);
    }
}
