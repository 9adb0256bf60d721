//! The elements of a dataset in pieces, decoded but not converted: for elements that contain addresses.

use crate::damage::rows;
use crate::relocate::fetch_referents;
use hyperslab::{ChunkMap, Dataset, Endianness, Error, File, Heap, Selection};
use hyperslab_encode::RepackError;
use hyperslab_encode::block::{Block, copy_common};
use hyperslab_format::message::Layout;

/// Contiguous data is read in pieces of about this many bytes, and so are chunks of sources with latency.
const PIECE_BYTES: u64 = 8 << 20;

/// Where a piece is in its dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// From this offset of contiguous data on, in bytes.
    Contiguous(u64),
    /// The part of the next chunk that is inside the dataset: its first element, and as many elements along each axis.
    Chunk(Block),
}

impl Piece {
    /// The bytes of its elements.
    pub fn bytes(&self, dataset: &Dataset) -> u64 {
        let size = u64::from(dataset.datatype().size);
        match self {
            Self::Contiguous(start) => piece_bytes(size).min(dataset.logical_bytes() - start),
            Self::Chunk(block) => block.elements().saturating_mul(size),
        }
    }

    /// The block of the dataset; of contiguous data, the rows that it is in.
    pub fn block(&self, dataset: &Dataset) -> Block {
        match self {
            Self::Contiguous(start) => rows(dataset, *start, self.bytes(dataset)),
            Self::Chunk(block) => block.clone(),
        }
    }
}

/// The bytes of a piece of contiguous data: whole elements.
fn piece_bytes(size: u64) -> u64 {
    let size = size.max(1);
    (PIECE_BYTES / size).max(1) * size
}

/// Blocks of whole chunks along all axes but the first, each with at most [`PIECE_BYTES`], that contain all chunks that
/// exist; `None` if there are larger ones. To read a block takes as many requests at once as it has chunks.
pub fn rows_of_chunks(map: &ChunkMap, extent: &[u64], element_bytes: u64) -> Option<Vec<Block>> {
    let grid = map.grid();
    let first = *grid.chunk_shape().first()?;
    let row = extent.iter().skip(1).fold(element_bytes.max(1), |bytes, dim| bytes.saturating_mul(*dim));
    let chunks = PIECE_BYTES / row.saturating_mul(first).max(1);
    if chunks == 0 {
        return None;
    }
    let rows = first.saturating_mul(chunks);
    let mut blocks: Vec<Block> = Vec::new();
    for (number, _) in map.iter() {
        let start = grid.offset(number)[0] / rows * rows;
        if blocks.last().is_none_or(|last| last.start[0] != start) {
            let mut block = Block { start: vec![0; extent.len()], count: extent.to_vec() };
            (block.start[0], block.count[0]) = (start, rows.min(extent[0] - start));
            blocks.push(block);
        }
    }
    Some(blocks)
}

/// Calls `each` with all elements that are stored, in the order in which they are: contiguous data in pieces of whole
/// elements, chunks one by one. Data in object headers and in other files is left out. From a source with latency, many
/// chunks are read at once, and so is the part of the global heap that their elements refer to.
///
/// # Errors
///
/// Damage in the chunk index, and the errors of `each`, which gets those of the elements.
pub fn each_piece(
    file: &File,
    dataset: &Dataset,
    layout: &Layout,
    heap: &mut Heap,
    mut each: impl FnMut(&Piece, Result<Vec<u8>, Error>, &mut Heap) -> Result<(), RepackError>,
) -> Result<(), RepackError> {
    match layout {
        Layout::Contiguous { address: Some(address), .. } if dataset.external_sources().is_none() => {
            let at = file.offset_of(*address);
            let (size, len) = (u64::from(dataset.datatype().size), dataset.logical_bytes());
            let piece = piece_bytes(size);
            let mut start = 0;
            while start < len {
                let mut bytes = vec![0; piece.min(len - start) as usize];
                let read = file.source().read_into(at + start, &mut bytes);
                let read = read.map_err(|error| Error::from(error).in_file(file.name())).map(|()| bytes);
                if let Ok(elements) = &read {
                    fetch_referents(dataset.datatype(), elements, heap);
                }
                each(&Piece::Contiguous(start), read, heap)?;
                start += piece;
            }
            Ok(())
        }
        Layout::Chunked(_) if !dataset.shape().contains(&0) => {
            let map = dataset.chunk_map()?;
            let chunk = dataset.chunk_shape().unwrap_or_default();
            let size = dataset.datatype().size;
            let has_latency = file.source().advice().has_latency();
            let blocks = if has_latency { rows_of_chunks(&map, dataset.shape(), size.into()) } else { None };
            let mut blocks = blocks.unwrap_or_default().into_iter();
            let mut row: Option<(Block, Option<Vec<u8>>)> = None;
            for (number, _) in map.iter() {
                let start = map.grid().offset(number);
                let count: Vec<u64> = start
                    .iter()
                    .zip(chunk)
                    .zip(dataset.shape())
                    .map(|((start, chunk), dim)| (*chunk).min(dim - start))
                    .collect();
                let block = Block { start, count };
                if row.as_ref().is_none_or(|(rows, _)| rows.end(0) <= block.start[0]) {
                    row = blocks.next().map(|rows| {
                        // Where a chunk of the row is damaged, they are read one by one.
                        let selection = Selection::block(&rows.start, &rows.count);
                        let elements = dataset.read_bytes(&selection, Endianness::File).ok();
                        if let Some(elements) = &elements {
                            fetch_referents(dataset.datatype(), elements, heap);
                        }
                        (rows, elements)
                    });
                }
                let elements = match &row {
                    Some((rows, Some(elements))) => {
                        let mut own = vec![0; (block.elements() * u64::from(size)) as usize];
                        copy_common((elements, rows), (&mut own, &block), size as usize);
                        Ok(own)
                    }
                    _ => dataset.read_bytes(&Selection::block(&block.start, &block.count), Endianness::File),
                };
                each(&Piece::Chunk(block), elements, heap)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The elements of a chunk of `chunk` elements along each axis, of which only `count` are within the dataset. The others
/// become zeros.
pub fn whole_chunk(elements: &[u8], count: &[u64], chunk: &[u64], size: usize) -> Vec<u8> {
    if count == chunk {
        return elements.to_vec();
    }
    let from_first = |count: &[u64]| Block { start: vec![0; count.len()], count: count.to_vec() };
    let (part, chunk) = (from_first(count), from_first(chunk));
    let mut whole = vec![0; chunk.elements() as usize * size];
    copy_common((elements, &part), (&mut whole, &chunk), size);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_chunk_is_filled_with_zeros() {
        assert_eq!(whole_chunk(&[1, 2, 3, 4], &[2, 2], &[2, 2], 1), [1, 2, 3, 4]);
        assert_eq!(whole_chunk(&[1, 2, 3, 4], &[2, 2], &[3, 3], 1), [1, 2, 0, 3, 4, 0, 0, 0, 0]);
        assert_eq!(whole_chunk(&[1, 2, 3, 4], &[2], &[3], 2), [1, 2, 3, 4, 0, 0]);
        // 2 x 1 x 2 of 2 x 2 x 3.
        let whole = whole_chunk(&[1, 2, 3, 4], &[2, 1, 2], &[2, 2, 3], 1);
        assert_eq!(whole, [1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0]);
    }
}
