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
use std::ops::Range;

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
            let mut read = self.reader.read_into(begin, bytes);
            if let (Err(error), true) = (&read, self.keep_going) {
                let path = self.sources.objects[id.0 as usize].1.to_string();
                let element_bytes = dataset.datatype().size.max(1) as usize;
                // Each further request to a distant source may take as long as the first.
                let smallest = if self.reader.has_latency() { bytes.len() } else { bytes.len() / PARTS };
                let lost = unreadable(&*source, begin, bytes, (smallest.max(1), element_bytes));
                let fill = fill_element(dataset);
                for part in lost {
                    let from = start + part.start as u64;
                    self.note_rows(path.clone(), &rows(dataset, from, part.len() as u64), error);
                    // Pieces begin anywhere in an element.
                    let fills = fill.iter().cycle().skip(from as usize % fill.len().max(1));
                    bytes[part].iter_mut().zip(fills).for_each(|(byte, fill)| *byte = *fill);
                }
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

/// A piece that cannot be read is divided into at most this number of parts, of which each is lost from its first unreadable element to its
/// last.
const PARTS: usize = 128;

/// Reads what can be read, and returns what cannot: ranges of `bytes`, in order.
fn unreadable(
    source: &dyn Source,
    at: u64,
    bytes: &mut [u8],
    (smallest, element_bytes): (usize, usize),
) -> Vec<Range<usize>> {
    let len = bytes.len();
    if len == 0 || source.read_into(at, bytes).is_ok() {
        return Vec::new();
    }
    if len <= smallest.max(element_bytes) {
        return vec![first_and_last(source, at, bytes, element_bytes)];
    }
    let middle = (len / 2).next_multiple_of(element_bytes).min(len);
    let (first, second) = bytes.split_at_mut(middle);
    let mut lost = unreadable(source, at, first, (smallest, element_bytes));
    for part in unreadable(source, at + middle as u64, second, (smallest, element_bytes)) {
        let part = part.start + middle..part.end + middle;
        match lost.last_mut() {
            Some(last) if last.end == part.start => last.end = part.end,
            _ => lost.push(part),
        }
    }
    lost
}

/// Reads the elements before the first and behind the last that cannot be read, and returns the bytes from one to the other.
fn first_and_last(source: &dyn Source, at: u64, bytes: &mut [u8], element_bytes: usize) -> Range<usize> {
    let (len, elements) = (bytes.len(), bytes.len().div_ceil(element_bytes));
    let place = |element: usize| (element * element_bytes).min(len);
    // The most elements at one end that can be read.
    let mut most = |range: &dyn Fn(usize) -> Range<usize>, max: usize| {
        let (mut readable, mut lost) = (0, max + 1);
        while lost - readable > 1 {
            let middle = readable + (lost - readable) / 2;
            let range = range(middle);
            match source.read_into(at + range.start as u64, &mut bytes[range]) {
                Ok(()) => readable = middle,
                Err(_) => lost = middle,
            }
        }
        // A failed read may have written to what was read before.
        let range = range(readable);
        let is_read = source.read_into(at + range.start as u64, &mut bytes[range]).is_ok();
        if is_read { readable } else { 0 }
    };
    let first = most(&|count| 0..place(count), elements.saturating_sub(1));
    let after = most(&|count| place(elements - count)..len, elements - first - 1);
    place(first)..place(elements - after)
}

#[cfg(test)]
mod tests {
    use super::unreadable;
    use hyperslab_io::{Advice, Source};
    use std::io;
    use std::ops::Range;

    /// Bytes of which some cannot be read.
    struct Damaged(Vec<Range<u64>>);

    impl Source for Damaged {
        fn len(&self) -> u64 {
            1 << 20
        }

        fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
            out.fill(1);
            let end = at + out.len() as u64;
            let is_lost = self.0.iter().any(|lost| lost.start < end && at < lost.end);
            if is_lost { Err(io::ErrorKind::InvalidData.into()) } else { Ok(()) }
        }

        fn advice(&self) -> Advice {
            Advice::LOCAL
        }

        fn name(&self) -> String {
            "damaged".into()
        }
    }

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one part")]
    fn what_lies_around_unreadable_parts_is_read() {
        let lost = |ranges: &[Range<u64>], smallest| {
            let mut bytes = vec![0; 1000];
            let lost = unreadable(&Damaged(ranges.to_vec()), 500, &mut bytes, (smallest, 4));
            let mut is_lost = vec![false; bytes.len()];
            lost.iter().for_each(|part| is_lost[part.clone()].fill(true));
            assert!(bytes.iter().zip(&is_lost).all(|(byte, is_lost)| *is_lost || *byte == 1));
            lost
        };
        assert_eq!(lost(&[600..604], 4), [100..104]);
        assert_eq!(lost(&[1490..5000], 8), [988..1000]);
        assert_eq!(lost(&[500..501, 900..1000], 4), [0..4, 400..500]);
        assert_eq!(lost(&[0..5000], 1000), [0..1000]);
        // A part is lost from its first unreadable element to its last.
        assert_eq!(lost(&[600..604, 620..621], 100), [100..124]);
        assert_eq!(lost(&[600..604], 1000), [100..104]);
    }
}
