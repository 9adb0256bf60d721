//! Recodes the data of one dataset.

mod blocks;
mod chunk_by_chunk;
pub(crate) mod chunk_decoder;
mod from_ahead;
mod gather;
mod sweep;
mod temporary_file;
mod through_file;

use crate::gzip_choice;
use crate::plan::{Method, Recoding};
use crate::stored_reader::StoredReader;
use from_ahead::read_from_ahead;
use hyperslab::{Dataset, Endianness, File, Heap, Selection};
use hyperslab_encode::block::{Block, copy_common};
use hyperslab_encode::chunk_encoder::{ChunkEncoder, CodecState, EncodedChunk};
use hyperslab_encode::ordered::Workers;
use hyperslab_encode::{Monitor, RepackError, checksums};
use hyperslab_filters::{DeflateEncoder, FilterError};
use hyperslab_storage::GzipEncoder;
use hyperslab_tree::damage::{Damage, fill_element, tolerated};
use hyperslab_tree::relocate::Relocatable;
use hyperslab_tree::source_tree::Sources;
use hyperslab_write::{FileWriter, ObjectId, ObjectSpec, StorageSpec};
use std::path::Path;

/// Chunks of fewer bytes together are not worth more than one thread.
const ALONE_BYTES: u64 = 1 << 20;
/// A block that cannot be read is divided down to this share of it.
const PARTS: u64 = 1 << 10;

/// What a recoding needs and what it leaves.
pub(crate) struct Recoder<'a, 'w> {
    pub file: &'a File,
    pub sources: &'a mut Sources,
    pub writer: &'a mut FileWriter<'w>,
    pub workers: &'a Workers<CodecState>,
    pub monitor: &'a Monitor,
    pub temporary_folder: &'a Path,
    pub gzip: GzipEncoder,
    pub is_verified: bool,
    /// True if chunks that cannot be read become fill values.
    pub keep_going: bool,
    pub damage: Vec<Damage>,
    pub reader: &'a StoredReader,
}

/// What is remembered of the chunks of a dataset, to be compared with the new file.
#[derive(Debug, Default)]
pub(crate) struct WrittenChunks {
    /// The checksum of each chunk as it is stored, in the order of the tree; of contiguous data, of its pieces, if they are
    /// known.
    pub checksums: Vec<u32>,
    /// The largest difference between a value and what is read back.
    pub error_max: f64,
    /// Which encoder wrote gzip, if the dataset has that filter.
    pub gzip: Option<DeflateEncoder>,
}

/// The dataset that is recoded.
struct Subject {
    id: ObjectId,
    path: String,
    dataset: Dataset,
    /// The bytes of an element of the fill value.
    fill: Vec<u8>,
    /// True if its chunks have filters in the new file.
    is_filtered: bool,
}

/// A dataset whose new storage is chunked.
struct ChunkedTarget {
    chunk: Vec<u64>,
    chunk_bytes: usize,
    /// The coordinates of the chunks, as the tree lists them.
    coords: Vec<u64>,
    encoder: ChunkEncoder,
    /// As many as fit into memory. What they keep from chunk to chunk is free after the dataset.
    workers: Workers<CodecState>,
}

impl Recoder<'_, '_> {
    /// Writes the data of a dataset.
    pub fn recode(
        &mut self,
        id: ObjectId,
        path: &str,
        dataset: &Dataset,
        recoding: &Recoding,
    ) -> Result<WrittenChunks, RepackError> {
        let fill = fill_element(dataset);
        let dataset = dataset.cancelled_by(&self.monitor.cancel);
        let is_filtered = !recoding.filters.filters.is_empty();
        let subject = Subject { id, path: path.into(), dataset, fill, is_filtered };
        match &recoding.method {
            Method::Nothing => Ok(WrittenChunks::default()),
            Method::Blocks(shape) => self.blocks(&subject, shape),
            Method::ChunkByChunk => self.chunk_by_chunk(&subject, &self.target(&subject, recoding)?),
            Method::Sweep(sweep) => self.sweep(&subject, &self.target(&subject, recoding)?, sweep),
            Method::Spill(spill) => self.through_file(&subject, &self.target(&subject, recoding)?, spill),
        }
    }

    fn target(&self, subject: &Subject, recoding: &Recoding) -> Result<ChunkedTarget, RepackError> {
        let spec = match self.writer.tree().objects.get(subject.id.0 as usize).map(|object| &object.spec) {
            Some(ObjectSpec::Dataset(spec)) => spec,
            _ => return Err(hyperslab::Error::internal("a recoding of what is not a dataset").into()),
        };
        let StorageSpec::Chunked(chunked) = &spec.storage else {
            return Err(hyperslab::Error::internal("a recoding into what is not chunked").into());
        };
        let datatype = subject.dataset.datatype();
        let chunk_bytes =
            chunked.chunk_dims.iter().fold(u64::from(datatype.size), |n, dim| n.saturating_mul(*dim));
        let chunk_bytes = usize::try_from(chunk_bytes)
            .map_err(|_| hyperslab::Error::limit("a chunk is larger than the address space"))?;
        let encoder = ChunkEncoder::new(
            &recoding.filters.filters,
            datatype,
            chunk_bytes,
            chunked.edge_chunks_unfiltered,
            self.is_verified,
        );
        let encoder = encoder.map_err(|error| encode_error(subject, &[], error))?;
        let gzip = gzip_choice::requested(&subject.dataset, self.gzip);
        let encoder = encoder.rounding(recoding.decimals.clone()).with_gzip(gzip);
        Ok(ChunkedTarget {
            chunk: chunked.chunk_dims.to_vec(),
            chunk_bytes,
            coords: chunked.coords.to_vec(),
            encoder,
            workers: self.workers.limited(recoding.threads),
        })
    }

    /// Decides between the encoders of gzip by chunks that are read for it, if they were not read ahead.
    fn choose_by_reading(&self, subject: &Subject, target: &ChunkedTarget) -> Result<(), RepackError> {
        let (file, reader) = (self.file, self.reader);
        let read = |block: &Block| {
            let ahead = read_from_ahead(file, reader, subject, block);
            ahead.or_else(|| gzip_choice::elements(&subject.dataset, block))
        };
        let sizes = (target.chunk_bytes, target.count());
        let block = |row: usize| target.block(row);
        let (encoder, workers) = (&target.encoder, &target.workers);
        gzip_choice::choose_by_reading(encoder, workers, &subject.dataset, sizes, block, read)
            .map_err(|error| encode_error(subject, &[], error))
    }

    /// Reads a block of whole source chunks; into `memory`, if that is as long: new memory takes a notable part of the time.
    fn read(
        &mut self,
        subject: &Subject,
        block: &Block,
        mut memory: Vec<u8>,
    ) -> Result<Vec<u8>, RepackError> {
        self.monitor.check()?;
        if let Some(elements) = read_from_ahead(self.file, self.reader, subject, block) {
            return Ok(elements);
        }
        let selection = Selection::block(&block.start, &block.count);
        let read = if memory.len() as u64 == subject.bytes(block) {
            subject.dataset.read_into(&selection, Endianness::File, &mut memory).map(|()| memory)
        } else {
            drop(memory);
            subject.dataset.read_bytes(&selection, Endianness::File)
        };
        match read {
            Ok(elements) => Ok(elements),
            Err(error) if self.keep_going && error.kind() != hyperslab::ErrorKind::Cancelled => {
                self.read_undamaged(subject, block, error)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a block chunk by chunk, or in parts; those that cannot be read become fill values.
    fn read_undamaged(
        &mut self,
        subject: &Subject,
        block: &Block,
        error: hyperslab::Error,
    ) -> Result<Vec<u8>, RepackError> {
        let size = subject.fill.len();
        let mut elements = subject.fill.repeat(block.elements() as usize);
        let Some(chunk) = subject.dataset.chunk_shape() else {
            let smallest = block.elements().div_ceil(PARTS);
            let mut lost: Vec<Block> = Vec::new();
            let mut left = vec![block.clone()];
            while let Some(part) = left.pop() {
                self.monitor.check()?;
                match subject
                    .dataset
                    .read_bytes(&Selection::block(&part.start, &part.count), Endianness::File)
                {
                    Ok(bytes) => copy_common((&bytes, &part), (&mut elements, block), size),
                    Err(error) if error.kind() == hyperslab::ErrorKind::Cancelled => return Err(error.into()),
                    Err(_) => match part.count.iter().position(|count| *count > 1) {
                        Some(axis) if part.elements() > smallest => {
                            let (mut first, mut second) = (part.clone(), part);
                            first.count[axis] /= 2;
                            second.start[axis] += first.count[axis];
                            second.count[axis] -= first.count[axis];
                            left.extend([second, first]);
                        }
                        _ => push_joined(&mut lost, part),
                    },
                }
            }
            lost.iter().for_each(|part| self.note(subject, part, &error));
            return Ok(elements);
        };
        for part in parts(block, chunk) {
            self.monitor.check()?;
            match subject.dataset.read_bytes(&Selection::block(&part.start, &part.count), Endianness::File) {
                Ok(bytes) => copy_common((&bytes, &part), (&mut elements, block), size),
                Err(error) if error.kind() == hyperslab::ErrorKind::Cancelled => return Err(error.into()),
                Err(error) => self.note(subject, &part, &error),
            }
        }
        Ok(elements)
    }

    /// The elements of a block, which contain addresses.
    fn relocatable(
        &mut self,
        subject: &Subject,
        block: &Block,
        elements: &[u8],
        heap: &mut Heap,
    ) -> Result<Relocatable, RepackError> {
        let datatype = subject.dataset.datatype();
        if !self.keep_going {
            return Relocatable::read(datatype, elements, heap, self.sources);
        }
        let (found, lost, error) = Relocatable::read_undamaged(datatype, elements, heap, self.sources);
        if let Some(error) = error {
            let error = format!("{lost} elements: {}", tolerated(error)?);
            self.note(subject, &block.clone().within(subject.dataset.shape()), &error);
        }
        Ok(found)
    }

    fn note(&mut self, subject: &Subject, block: &Block, error: &dyn std::fmt::Display) {
        self.damage.push(Damage::new(&subject.path, block, error));
    }

    /// Gives a chunk to the writer.
    fn write(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
        row: usize,
        encoded: &EncodedChunk,
        written: &mut WrittenChunks,
    ) -> Result<(), RepackError> {
        self.monitor.check()?;
        self.writer.write_chunk_at(subject.id, row, &encoded.bytes, encoded.mask)?;
        if self.is_verified {
            if written.checksums.len() <= row {
                written.checksums.resize(row + 1, 0);
            }
            let mask = subject.is_filtered.then_some(encoded.mask);
            written.checksums[row] = checksums::of_chunk(&encoded.bytes, mask);
        }
        written.error_max = written.error_max.max(encoded.error_max);
        written.gzip = target.encoder.gzip();
        let within = target.block(row).within(subject.dataset.shape());
        self.monitor.done(subject.bytes(&within), encoded.bytes.len() as u64);
        Ok(())
    }
}

impl Subject {
    /// The bytes of the elements of a block.
    fn bytes(&self, block: &Block) -> u64 {
        block.elements().saturating_mul(self.fill.len() as u64)
    }
}

impl ChunkedTarget {
    fn count(&self) -> usize {
        self.coords.len() / self.chunk.len().max(1)
    }

    /// The elements of the chunk in a row, including those beyond the extent.
    fn block(&self, row: usize) -> Block {
        let rank = self.chunk.len();
        Block::of_chunk(&self.coords[row * rank..(row + 1) * rank], &self.chunk)
    }

    /// True if one thread is enough for so many chunks.
    fn is_for_one(&self, chunks: usize) -> bool {
        (self.chunk_bytes as u64).saturating_mul(chunks as u64) < ALONE_BYTES
    }
}

/// The parts of a block that lie in different chunks.
fn parts(block: &Block, chunk: &[u64]) -> Vec<Block> {
    let mut parts = vec![Block { start: Vec::new(), count: Vec::new() }];
    for (axis, &size) in chunk.iter().enumerate() {
        let (size, end) = (size.max(1), block.end(axis));
        let cuts = (block.start[axis] / size..end.div_ceil(size)).map(|number| {
            let start = (number * size).max(block.start[axis]);
            (start, (number + 1).saturating_mul(size).min(end) - start)
        });
        let cuts: Vec<_> = cuts.collect();
        let longer = |part: Block| {
            cuts.iter().map(move |&(start, count)| Block {
                start: [&part.start[..], &[start]].concat(),
                count: [&part.count[..], &[count]].concat(),
            })
        };
        parts = parts.into_iter().flat_map(|part| longer(part).collect::<Vec<_>>()).collect();
    }
    parts
}

fn encode_error(subject: &Subject, offset: &[u64], error: FilterError) -> RepackError {
    RepackError::Encode { object: subject.path.clone(), offset: offset.to_vec(), error: Box::new(error) }
}

/// Adds a block; blocks that go on where the one before them ends are one.
fn push_joined(blocks: &mut Vec<Block>, next: Block) {
    blocks.push(next);
    while let [.., before, last] = &mut blocks[..]
        && let Some(axis) = (0..last.count.len()).find(|axis| before.is_followed_by(last, *axis))
    {
        before.count[axis] += last.count[axis];
        blocks.pop();
    }
}
