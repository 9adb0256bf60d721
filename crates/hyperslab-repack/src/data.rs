//! Copies the data of one dataset.

use crate::error::RepackError;
use crate::relocate::{Relocatable, contains_addresses};
use crate::source_tree::Sources;
use hyperslab::internal::{stored, superblock};
use hyperslab::io::Source;
use hyperslab::{Dataset, File, Order, Selection};
use hyperslab_format::message::Layout;
use hyperslab_write::{FileWriter, ObjectId};
use std::sync::Arc;

/// Contiguous data is copied in pieces of about this many bytes.
const PIECE_BYTES: u64 = 8 << 20;

/// The source of a copy.
pub(crate) struct DataCopy<'a> {
    pub file: &'a File,
    pub sources: &'a mut Sources,
}

impl DataCopy<'_> {
    /// Copies a contiguous or chunked dataset; the data of others is metadata, or in other files.
    pub fn copy(
        &mut self,
        id: ObjectId,
        dataset: &Dataset,
        layout: &Layout,
        writer: &mut FileWriter<'_>,
    ) -> Result<(), RepackError> {
        match layout {
            Layout::Contiguous { address: Some(address), .. } if dataset.external_sources().is_none() => {
                let at = superblock(self.file).base.saturating_add(address.0);
                self.contiguous(id, dataset, at, writer)
            }
            Layout::Chunked(_) if !dataset.shape().contains(&0) => self.chunked(id, dataset, writer),
            _ => Ok(()),
        }
    }

    fn contiguous(
        &mut self,
        id: ObjectId,
        dataset: &Dataset,
        at: u64,
        writer: &mut FileWriter<'_>,
    ) -> Result<(), RepackError> {
        let source = stored::source(self.file);
        let datatype = dataset.datatype();
        let (size, len) = (u64::from(datatype.size), dataset.logical_bytes());
        // Pieces end with an element, which may contain addresses.
        let piece = (PIECE_BYTES / size).max(1) * size;
        let mut start = 0;
        while start < len {
            let mut bytes = vec![0; piece.min(len - start) as usize];
            self.read(&source, at + start, &mut bytes)?;
            if contains_addresses(datatype) {
                let found = Relocatable::read(datatype, &bytes, &mut self.file.heap(), self.sources)?;
                bytes = found.into_data(writer)?;
            }
            writer.write_contiguous(id, start, &bytes)?;
            start += bytes.len() as u64;
        }
        Ok(())
    }

    fn chunked(
        &mut self,
        id: ObjectId,
        dataset: &Dataset,
        writer: &mut FileWriter<'_>,
    ) -> Result<(), RepackError> {
        let map = dataset.chunk_map()?;
        if contains_addresses(dataset.datatype()) {
            for (number, _) in map.iter() {
                let start = map.grid().offset(number);
                self.relocated_chunk(id, dataset, &start, writer)?;
            }
            return Ok(());
        }
        let source = stored::source(self.file);
        let mut bytes = Vec::new();
        for (_, location) in map.iter() {
            bytes.resize(location.stored_bytes as usize, 0);
            self.read(&source, location.address, &mut bytes)?;
            writer.write_chunk(id, &bytes, location.filter_mask)?;
        }
        Ok(())
    }

    /// A chunk whose elements contain addresses. It is stored without filters, which its filter mask says.
    fn relocated_chunk(
        &mut self,
        id: ObjectId,
        dataset: &Dataset,
        start: &[u64],
        writer: &mut FileWriter<'_>,
    ) -> Result<(), RepackError> {
        let datatype = dataset.datatype();
        let chunk = dataset.chunk_shape().unwrap_or_default();
        let count: Vec<u64> = start
            .iter()
            .zip(chunk)
            .zip(dataset.shape())
            .map(|((start, chunk), dim)| (*chunk).min(dim - start))
            .collect();
        let elements = dataset.read_bytes(&Selection::block(start, &count), Order::File)?;
        let found = Relocatable::read(datatype, &elements, &mut self.file.heap(), self.sources)?;
        let elements = found.into_data(writer)?;
        let bytes = whole_chunk(&elements, &count, chunk, datatype.size as usize);
        let filters = dataset.filters().len() as u32;
        let skip_all = u32::MAX.checked_shr(u32::BITS - filters).unwrap_or(0);
        Ok(writer.write_chunk(id, &bytes, skip_all)?)
    }

    fn read(&self, source: &Arc<dyn Source>, at: u64, bytes: &mut [u8]) -> Result<(), RepackError> {
        let read = source.read_into(at, bytes);
        Ok(read.map_err(|error| hyperslab::Error::from(error).in_file(self.file.name()))?)
    }
}

/// The elements of a chunk of `chunk` elements along each axis, of which only `count` are within the dataset. The others
/// become zeros.
fn whole_chunk(elements: &[u8], count: &[u64], chunk: &[u64], size: usize) -> Vec<u8> {
    if count == chunk {
        return elements.to_vec();
    }
    let (Some((&row, count)), Some((&whole_row, chunk))) = (count.split_last(), chunk.split_last()) else {
        return elements.to_vec();
    };
    let (row, whole_row) = (row as usize * size, whole_row as usize * size);
    let mut whole = vec![0; whole_row * chunk.iter().product::<u64>() as usize];
    for (number, bytes) in elements.chunks_exact(row.max(1)).enumerate() {
        let (mut rest, mut rows, mut at) = (number as u64, 1, 0);
        for (&count, &chunk) in count.iter().zip(chunk).rev() {
            at += rest % count * rows;
            rest /= count;
            rows *= chunk;
        }
        let start = at as usize * whole_row;
        whole[start..start + row].copy_from_slice(bytes);
    }
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
