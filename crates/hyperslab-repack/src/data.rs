//! Copies the data of one dataset.

use crate::chunk_filters::ChunkFilters;
use crate::error::RepackError;
use crate::pieces::{Piece, each_piece, whole_chunk};
use crate::raw_chunks::copy_chunks;
use crate::relocate::{Relocatable, contains_addresses};
use crate::source_tree::Sources;
use hyperslab::internal::{stored, superblock};
use hyperslab::{Dataset, File};
use hyperslab_format::message::Layout;
use hyperslab_write::{FileWriter, ObjectId};

/// Contiguous data is copied in pieces of this many bytes, which stay in the processor cache until they are written.
const PIECE_BYTES: u64 = 512 << 10;

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
        if contains_addresses(dataset.datatype()) {
            return self.relocated(id, dataset, layout, writer);
        }
        match layout {
            Layout::Contiguous { address: Some(address), .. } if dataset.external_sources().is_none() => {
                let at = superblock(self.file).base.saturating_add(address.0);
                self.contiguous(id, dataset, at, writer)
            }
            Layout::Chunked(_) if !dataset.shape().contains(&0) => {
                copy_chunks(self.file, &*dataset.chunk_map()?, id, writer)
            }
            _ => Ok(()),
        }
    }

    fn contiguous(
        &self,
        id: ObjectId,
        dataset: &Dataset,
        at: u64,
        writer: &mut FileWriter<'_>,
    ) -> Result<(), RepackError> {
        let (source, len) = (stored::source(self.file), dataset.logical_bytes());
        let mut buffer = vec![0; PIECE_BYTES.min(len) as usize];
        let mut start = 0;
        while start < len {
            let bytes = &mut buffer[..PIECE_BYTES.min(len - start) as usize];
            let read = source.read_into(at + start, bytes);
            read.map_err(|error| hyperslab::Error::from(error).in_file(self.file.name()))?;
            writer.write_contiguous(id, start, bytes)?;
            start += bytes.len() as u64;
        }
        Ok(())
    }

    /// Copies elements that contain addresses. Chunks are filtered again.
    fn relocated(
        &mut self,
        id: ObjectId,
        dataset: &Dataset,
        layout: &Layout,
        writer: &mut FileWriter<'_>,
    ) -> Result<(), RepackError> {
        let datatype = dataset.datatype();
        let chunk = dataset.chunk_shape().unwrap_or_default();
        let chunk_bytes =
            chunk.iter().try_fold(datatype.size as usize, |bytes, &dim| bytes.checked_mul(dim as usize));
        let mut filters = ChunkFilters::new(dataset, chunk_bytes.unwrap_or(usize::MAX));
        let edges_unfiltered = matches!(layout, Layout::Chunked(layout) if layout.edge_chunks_unfiltered);
        let mut heap = self.file.heap();
        let path = self.sources.objects[id.0 as usize].1.clone();
        each_piece(self.file, dataset, layout, |piece, elements| {
            let found = Relocatable::read(datatype, &elements, &mut heap, self.sources)?;
            let elements = found.into_data(writer)?;
            let count = match piece {
                Piece::Contiguous(start) => return Ok(writer.write_contiguous(id, *start, &elements)?),
                Piece::Chunk(count) => count,
            };
            let bytes = whole_chunk(&elements, count, chunk, datatype.size as usize);
            if edges_unfiltered && count != chunk {
                return Ok(writer.write_chunk(id, &bytes, 0)?);
            }
            let stored = filters.encode(&bytes);
            let stored = stored.map_err(|error| hyperslab::Error::from(error).at_object(&*path))?;
            Ok(writer.write_chunk(id, stored.bytes, stored.mask)?)
        })
    }
}
