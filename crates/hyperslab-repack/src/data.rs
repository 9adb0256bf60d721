//! Copies the data of one dataset.

use crate::raw_chunks::ChunkCopy;
use crate::stored_reader::StoredReader;
use hyperslab::{Dataset, File};
use hyperslab_encode::RepackError;
use hyperslab_encode::checksums::PIECE_BYTES;
use hyperslab_encode::chunk_filters::ChunkFilters;
use hyperslab_format::message::Layout;
use hyperslab_io::Source;
use hyperslab_tree::damage::{Damage, fill_element, rows, tolerated};
use hyperslab_tree::pieces::{Piece, each_piece, whole_chunk};
use hyperslab_tree::relocate::{Relocatable, contains_addresses};
use hyperslab_tree::source_dataset::layout;
use hyperslab_tree::source_tree::Sources;
use hyperslab_write::{FileWriter, ObjectId, ObjectSpec};

/// The source of a copy.
pub(crate) struct DataCopy<'a> {
    pub file: &'a File,
    pub sources: &'a mut Sources,
    /// True if what cannot be read becomes fill values.
    pub keep_going: bool,
    pub damage: Vec<Damage>,
    pub reader: &'a StoredReader,
}

impl DataCopy<'_> {
    /// Copies a contiguous or chunked dataset; the data of others is metadata, or in other files. Returns the checksums of
    /// its chunks, or of the pieces of contiguous data; none of elements with addresses, which are rewritten.
    pub fn copy(
        &mut self,
        id: ObjectId,
        dataset: &Dataset,
        writer: &mut FileWriter<'_>,
    ) -> Result<Vec<u32>, RepackError> {
        let layout = &layout(self.file, dataset)?;
        if contains_addresses(dataset.datatype()) {
            return self.relocated(id, dataset, layout, writer).map(|()| Vec::new());
        }
        match layout {
            Layout::Contiguous { address: Some(address), .. } if dataset.external_sources().is_none() => {
                let at = self.file.offset_of(*address);
                self.contiguous(id, dataset, at, writer)
            }
            Layout::Chunked(_) if !dataset.shape().contains(&0) => {
                let path = &self.sources.objects[id.0 as usize].1;
                let damage = self.keep_going.then_some(&mut self.damage);
                let (file, reader) = (self.file, self.reader);
                let mut copy = ChunkCopy { file, dataset, path, id, reader, damage };
                copy.copy(&*dataset.chunk_map()?, writer)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn contiguous(
        &mut self,
        id: ObjectId,
        dataset: &Dataset,
        at: u64,
        writer: &mut FileWriter<'_>,
    ) -> Result<Vec<u32>, RepackError> {
        let (source, len) = (self.file.source(), dataset.logical_bytes());
        let window = if self.reader.has_latency() {
            (self.reader.batch.bytes / PIECE_BYTES).max(1) * PIECE_BYTES
        } else {
            PIECE_BYTES
        };
        let mut buffer = vec![0; window.min(len) as usize];
        let mut checksums = Vec::new();
        let mut start = 0;
        while start < len {
            let bytes = &mut buffer[..window.min(len - start) as usize];
            let begin = at.saturating_add(start);
            let mut readable = bytes.len();
            let mut read = self.reader.read_into(begin, bytes);
            if read.is_err() && self.keep_going {
                readable = read_prefix(&*source, begin, bytes, dataset.datatype().size.max(1) as usize);
            }
            if let (Err(error), true) = (&read, self.keep_going) {
                let path = &self.sources.objects[id.0 as usize].1;
                let lost = rows(dataset, start + readable as u64, (bytes.len() - readable) as u64);
                self.note_rows(path.to_string(), &lost, error);
                let fill = fill_element(dataset);
                // Pieces begin anywhere in an element.
                let offset = (start + readable as u64) as usize % fill.len().max(1);
                let fills = fill.iter().cycle().skip(offset);
                bytes[readable..].iter_mut().zip(fills).for_each(|(byte, fill)| *byte = *fill);
                read = Ok(());
            }
            read.map_err(|error| hyperslab::Error::from(error).in_file(self.file.name()))?;
            checksums.extend(bytes.chunks(PIECE_BYTES as usize).map(crc32fast::hash));
            writer.write_contiguous(id, start, bytes)?;
            start += bytes.len() as u64;
        }
        Ok(checksums)
    }

    /// Notes rows that cannot be read. Pieces that follow each other are one part.
    fn note_rows(&mut self, path: String, lost: &hyperslab_encode::block::Block, error: &std::io::Error) {
        if let Some(last) = self.damage.last_mut()
            && last.path == path
            && let (Some(first), Some(count)) = (last.offset.first().copied(), last.shape.first_mut())
            && first + *count >= lost.start[0]
        {
            *count = lost.end(0) - first;
            return;
        }
        self.damage.push(Damage::new(&path, lost, error));
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
        let target = match writer.tree().objects.get(id.0 as usize).map(|object| &object.spec) {
            Some(ObjectSpec::Dataset(spec)) => (spec.datatype.datatype.size, spec.filters.clone()),
            _ => return Err(hyperslab::Error::internal("a copy of what is not a dataset").into()),
        };
        let (size, pipeline) = (target.0 as usize, target.1);
        let chunk = dataset.chunk_shape().unwrap_or_default();
        let chunk_bytes = chunk.iter().try_fold(size, |bytes, &dim| bytes.checked_mul(dim as usize));
        let mut filters = ChunkFilters::new(&pipeline.filters, size, chunk_bytes.unwrap_or(usize::MAX));
        let edges_unfiltered = matches!(layout, Layout::Chunked(layout) if layout.edge_chunks_unfiltered);
        let mut heap = self.file.heap();
        let path = self.sources.objects[id.0 as usize].1.clone();
        each_piece(self.file, dataset, layout, &mut heap, |piece, elements, heap| {
            let len = piece.bytes(dataset);
            let elements = match elements {
                Err(error) if self.keep_going => {
                    let error = tolerated(error.into())?;
                    self.damage.push(Damage::new(&path, &piece.block(dataset), error));
                    vec![0; len as usize]
                }
                elements => elements?,
            };
            let found = if self.keep_going {
                let (found, lost, error) =
                    Relocatable::read_undamaged(datatype, &elements, heap, self.sources);
                if let Some(error) = error {
                    let error = format!("{lost} elements: {}", tolerated(error)?);
                    self.damage.push(Damage::new(&path, &piece.block(dataset), error));
                }
                found
            } else {
                Relocatable::read(datatype, &elements, heap, self.sources)?
            };
            let elements = found.into_data(writer)?;
            let count = match piece {
                Piece::Contiguous(start) => {
                    let first = start / u64::from(datatype.size).max(1);
                    return Ok(writer.write_contiguous(id, first.saturating_mul(size as u64), &elements)?);
                }
                Piece::Chunk(block) => &block.count,
            };
            let bytes = whole_chunk(&elements, count, chunk, size);
            if edges_unfiltered && count != chunk {
                return Ok(writer.write_chunk(id, &bytes, 0)?);
            }
            let stored = filters.encode(&bytes);
            let stored = stored.map_err(|error| hyperslab::Error::from(error).at_object(&*path))?;
            Ok(writer.write_chunk(id, stored.bytes, stored.mask)?)
        })
    }
}
/// Reads as many elements as can be read before the first that cannot, and returns their bytes.
fn read_prefix(source: &dyn Source, at: u64, bytes: &mut [u8], element_bytes: usize) -> usize {
    let (mut readable, mut lost) = (0, bytes.len().div_ceil(element_bytes));
    while lost - readable > 1 {
        let middle = readable + (lost - readable) / 2;
        match source.read_into(at, &mut bytes[..middle * element_bytes]) {
            Ok(()) => readable = middle,
            Err(_) => lost = middle,
        }
    }
    let readable = readable * element_bytes;
    // A failed read may have written to what follows, and a later one to this.
    let is_read = readable > 0 && source.read_into(at, &mut bytes[..readable]).is_ok();
    if is_read { readable } else { 0 }
}
