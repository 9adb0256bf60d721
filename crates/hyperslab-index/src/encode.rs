//! Chunks that are not stored as a reader expects them, encoded again.

use crate::values::in_file_order;
use hyperslab::{Dataset, Endianness, Selection};
use hyperslab_filters::{FilterSpec, Pipeline, Scratch};
use hyperslab_storage::filter::number::BLOSC;

/// Encodes chunks of one dataset with all of its filters.
pub(crate) struct Encoder<'d> {
    dataset: &'d Dataset,
    /// Each filter, and a pipeline of it alone.
    filters: Vec<(u16, Pipeline)>,
    scratch: Scratch,
    chunk_shape: Vec<u64>,
    element_bytes: usize,
    fill: Vec<u8>,
    chunk_bytes: usize,
}

impl<'d> Encoder<'d> {
    /// `fill` is the value of elements that the dataset does not have.
    pub fn new(dataset: &'d Dataset, chunk_shape: &[u64], fill: Vec<u8>) -> Result<Self, String> {
        let element_bytes = dataset.datatype().size as usize;
        let chunk_bytes = dataset.chunk_bytes().and_then(|bytes| usize::try_from(bytes).ok());
        let chunk_bytes = chunk_bytes.ok_or("its chunks are too large for this machine")?;
        let spec = |filter: &'d hyperslab::storage::Filter| FilterSpec {
            id: filter.id,
            optional: filter.is_optional(),
            parameters: &filter.parameters,
        };
        let alone = |filter: &'d hyperslab::storage::Filter| {
            let pipeline = Pipeline::new(&[spec(filter)], element_bytes, chunk_bytes);
            Ok((filter.id, pipeline.map_err(|error| error.to_string())?))
        };
        let filters = dataset.filters().iter().map(alone).collect::<Result<_, String>>()?;
        let chunk_shape = chunk_shape.to_vec();
        Ok(Self {
            dataset,
            filters,
            scratch: Scratch::default(),
            chunk_shape,
            element_bytes,
            fill,
            chunk_bytes,
        })
    }

    /// A chunk of fill values.
    pub fn fill_chunk(&mut self) -> Result<Vec<u8>, String> {
        let chunk = self.fill.repeat(self.chunk_bytes / self.element_bytes.max(1));
        self.encode(chunk)
    }

    /// The chunk at these coordinates of the grid, read from the dataset. What lies outside of it has the fill value.
    pub fn chunk(&mut self, coordinates: &[u64]) -> Result<Vec<u8>, String> {
        let start: Vec<u64> =
            coordinates.iter().zip(&self.chunk_shape).map(|(at, chunk)| at * chunk).collect();
        let inside =
            |axis: usize| self.dataset.shape()[axis].saturating_sub(start[axis]).min(self.chunk_shape[axis]);
        let count: Vec<u64> = (0..start.len()).map(inside).collect();
        let mut chunk = self.fill.repeat(self.chunk_bytes / self.element_bytes.max(1));
        if count.iter().all(|&count| count > 0) {
            let block = Selection::block(&start, &count);
            let values =
                self.dataset.read_bytes(&block, Endianness::File).map_err(|error| error.to_string())?;
            place(&values, &count, &mut chunk, &self.chunk_shape, self.element_bytes);
        }
        self.encode(chunk)
    }

    /// With all filters, also where libhdf5 would have stored the chunk without one that does not make it shorter.
    fn encode(&mut self, chunk: Vec<u8>) -> Result<Vec<u8>, String> {
        let mut bytes = in_file_order(self.dataset, chunk);
        for (id, pipeline) in &self.filters {
            let encoded = pipeline.encode(&bytes, &mut self.scratch);
            bytes = match encoded {
                Ok(encoded) if encoded.mask == 0 => encoded.bytes.to_vec(),
                _ if *id == BLOSC => {
                    blosc_copy(&bytes, self.element_bytes).ok_or("a chunk is too long for blosc")?
                }
                Ok(_) => return Err("one of its filters does not encode all of its chunks".into()),
                Err(error) => return Err(error.to_string()),
            };
        }
        Ok(bytes)
    }
}

/// Blocks of a Blosc buffer, at most: readers copy the bytes block by block.
const BLOSC_BLOCK_MAX: u32 = 1 << 20;

/// A Blosc buffer that has the bytes as they are. The filter makes none, because such a buffer is longer than its content.
///
/// ```text
/// 2 | codec's version 1 | flags: 2, a copy | element size | length, 4 | block length, 4 | length with these 16 bytes, 4
/// ```
fn blosc_copy(bytes: &[u8], element_bytes: usize) -> Option<Vec<u8>> {
    let header = [2, 1, 2, u8::try_from(element_bytes).unwrap_or(1).max(1)];
    let len = u32::try_from(bytes.len()).ok()?;
    let stored_len = len.checked_add(16).filter(|len| i32::try_from(*len).is_ok())?;
    let mut buffer = header.to_vec();
    for number in [len, len.min(BLOSC_BLOCK_MAX), stored_len] {
        buffer.extend(number.to_le_bytes());
    }
    buffer.extend(bytes);
    Some(buffer)
}

/// Copies a block to the beginning of a larger one, row by row.
pub(crate) fn place(
    values: &[u8],
    count: &[u64],
    chunk: &mut [u8],
    chunk_shape: &[u64],
    element_bytes: usize,
) {
    let row = count.last().map_or(1, |&len| len as usize) * element_bytes;
    for (number, source) in values.chunks_exact(row.max(1)).enumerate() {
        let mut rest = number as u64;
        let (mut at, mut stride) = (0, chunk_shape.last().copied().unwrap_or(1));
        for axis in (0..count.len().saturating_sub(1)).rev() {
            at += rest % count[axis] * stride;
            rest /= count[axis];
            stride *= chunk_shape[axis];
        }
        let at = at as usize * element_bytes;
        chunk[at..at + row].copy_from_slice(source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blosc_buffer_may_have_its_content_as_it_is() {
        let filter = FilterSpec { id: BLOSC, optional: true, parameters: &[2, 2, 8, 24, 5, 1, 1] };
        let pipeline = Pipeline::new(&[filter], 8, 24).unwrap();
        let content: Vec<u8> = (0..24).collect();
        let buffer = blosc_copy(&content, 8).unwrap();
        assert_eq!(buffer.len(), content.len() + 16);
        let mut decoded = vec![0; content.len()];
        let mut scratch = Scratch::default();
        pipeline.decode_into(&buffer, 0, &mut scratch, &mut decoded).unwrap();
        assert_eq!(decoded, content);
    }

    #[test]
    fn a_block_is_placed_at_the_beginning_of_a_chunk() {
        let mut chunk = vec![9; 2 * 3 * 4];
        place(&[1, 2, 3, 4], &[1, 2, 2], &mut chunk, &[2, 3, 4], 1);
        let mut expected = vec![9; 24];
        expected[0..2].copy_from_slice(&[1, 2]);
        expected[4..6].copy_from_slice(&[3, 4]);
        assert_eq!(chunk, expected);
    }

    #[test]
    fn a_block_without_axes_is_one_element() {
        let mut chunk = vec![9; 2];
        place(&[1, 2], &[], &mut chunk, &[], 2);
        assert_eq!(chunk, [1, 2]);
    }
}
