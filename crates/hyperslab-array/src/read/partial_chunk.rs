//! Partial chunks: edge chunks that were stored without the elements outside of the dataset.
//!
//! libhdf5 always filters whole chunks. Programs that filter chunks themselves sometimes omit the elements outside of
//! the extent. libhdf5 can read such chunks, because it does not use these elements.

use crate::array::Chunked;
use crate::chunk::grid::ChunkNumber;
use crate::{Error, Result};
use hyperslab_filters::{FilterError, Pipeline, Scratch};

/// Decodes chunk `number`. The omitted elements of a partial chunk become zeros. `out` is shorter than a chunk if the
/// stored bytes cannot contain a whole one.
pub(crate) fn decode_into(
    chunked: &Chunked,
    pipeline: &Pipeline,
    number: ChunkNumber,
    stored: &[u8],
    mask: u32,
    scratch: &mut Scratch,
    out: &mut [u8],
) -> Result<()> {
    if out.len() < chunked.bytes && out.len() < used_bytes(chunked, number) {
        return Err(too_short(chunked, out.len()));
    }
    match pipeline.decode_into(stored, mask, scratch, out) {
        Err(FilterError::Length { found, .. })
            if found < out.len() && found >= used_bytes(chunked, number) =>
        {
            let decoded = pipeline.decode(stored, mask, scratch, out.len())?;
            // The length from the first attempt may have been a bound instead of the actual length.
            if decoded.len() < used_bytes(chunked, number) {
                return Err(too_short(chunked, decoded.len()));
            }
            let (used, unused) = out.split_at_mut(decoded.len().min(out.len()));
            used.copy_from_slice(&decoded[..used.len()]);
            unused.fill(0);
            Ok(())
        }
        outcome => Ok(outcome?),
    }
}

fn too_short(chunked: &Chunked, found: usize) -> Error {
    let expected = chunked.bytes;
    Error::damaged(format!("decoded to {found} bytes instead of {expected}"))
}

/// The bytes of a chunk up to its last element inside of the extent.
fn used_bytes(chunked: &Chunked, number: ChunkNumber) -> usize {
    let coordinates = chunked.grid.coordinates(number);
    last_used(&chunked.array_shape, &chunked.shape, &coordinates) as usize * chunked.element_bytes
}

/// The number of elements of a chunk, in row-major order, up to the last one inside of the extent.
fn last_used(dims: &[u64], chunk_dims: &[u64], coordinates: &[u64]) -> u64 {
    let axes = coordinates.iter().zip(chunk_dims).zip(dims);
    let inside = axes.map(|((at, chunk), dim)| (dim - at * chunk).min(*chunk));
    let last = inside.zip(chunk_dims).fold(0, |last, (inside, chunk)| last * chunk + inside - 1);
    last + 1
}

#[cfg(test)]
mod tests {
    use super::last_used;

    #[test]
    fn the_last_element_inside_decides() {
        assert_eq!(last_used(&[1993], &[1032], &[1]), 961);
        assert_eq!(last_used(&[1993], &[1032], &[0]), 1032);
        // A column of 3 in a chunk of 4 x 5: rows 0 to 3, columns 0 to 2.
        assert_eq!(last_used(&[4, 8], &[4, 5], &[0, 1]), 3 * 5 + 3);
        assert_eq!(last_used(&[5, 8], &[4, 5], &[1, 1]), 3);
    }
}
