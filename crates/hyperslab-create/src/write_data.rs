//! Writes the data of one dataset.
//!
//! Data in memory is encoded where it is. Other data is read in batches of whole chunks that follow each other in row-major
//! order: while a batch is encoded, the next one is read. Elements with addresses are written one chunk after the other,
//! because where their texts and sequences lie in the file follows from the order of writing.

use crate::blocks;
use crate::data::Data;
use crate::error::CreateError;
use crate::storage::Prepared;
use crate::tree::read_block;
use hyperslab::Error;
use hyperslab_encode::block::{Block, copy_common};
use hyperslab_encode::checksums::{PieceChecksums, of_chunk};
use hyperslab_encode::chunk_encoder::{ChunkEncoder, CodecState, EncodedChunk};
use hyperslab_encode::ordered::Workers;
use hyperslab_encode::{Monitor, RepackError};
use hyperslab_filters::FilterError;
use hyperslab_storage::{GzipEncoder, Layout};
use hyperslab_tree::relocate::Relocatable;
use hyperslab_write::{FileWriter, ObjectId};
use std::sync::mpsc::sync_channel;

/// A batch has about so many bytes; one chunk for each thread, if these are more.
const BATCH_BYTES: u64 = 32 << 20;
/// Fewer bytes are not worth more than one thread.
const ALONE_BYTES: u64 = 1 << 20;
/// Blocks of elements with addresses have at most so many bytes: with their texts and sequences, they are in the processor's
/// cache from one step to the next.
const ADDRESSES_BYTES: u64 = 256 << 10;

/// What is remembered of the data of a dataset, to be compared with the new file.
pub(crate) enum WrittenData {
    /// The checksum of each chunk as it is stored.
    Chunks(Vec<u32>),
    /// The checksums of the pieces of contiguous data.
    Pieces(Vec<u32>),
    /// The checksums of elements with addresses and all that they refer to, block by block; the shape of the blocks.
    Referents(Vec<u32>, Vec<u64>),
}

pub(crate) struct DataWriter<'a, 'd> {
    pub id: ObjectId,
    pub path: &'a str,
    pub prepared: &'a Prepared,
    pub data: &'a Data<'d>,
    /// The number of objects of the file.
    pub objects: usize,
    pub is_verified: bool,
    pub gzip: GzipEncoder,
    pub workers: &'a Workers<CodecState>,
    pub threads: usize,
    pub monitor: &'a Monitor,
}

impl DataWriter<'_, '_> {
    /// Writes all elements.
    pub fn write(&mut self, writer: &mut FileWriter<'_>) -> Result<WrittenData, CreateError> {
        match &self.prepared.layout {
            Layout::Chunked(chunk) => {
                let chunks = self.chunks(chunk)?;
                if self.prepared.has_addresses() {
                    return self.chunks_with_addresses(&chunks, writer);
                }
                match self.data {
                    Data::Memory(bytes) => self.chunks_in_memory(&chunks, (**bytes).as_ref(), writer),
                    Data::Blocks(_) => self.chunks_in_batches(&chunks, writer),
                }
            }
            _ if self.prepared.has_addresses() => self.contiguous_with_addresses(writer),
            _ => self.contiguous(writer),
        }
    }

    fn chunks(&self, chunk: &[u64]) -> Result<Chunks<'_>, CreateError> {
        let size = u64::from(self.prepared.datatype.size);
        let bytes = chunk.iter().fold(size, |bytes, dim| bytes.saturating_mul(*dim));
        let bytes = usize::try_from(bytes)
            .map_err(|_| CreateError::invalid(self.path, "a chunk is larger than the address space"))?;
        let filters = &self.prepared.filters.filters;
        let encoder = ChunkEncoder::new(filters, &self.prepared.datatype, bytes, false, self.is_verified);
        let encoder = encoder.map_err(|error| CreateError::invalid(self.path, error.to_string()))?;
        // Elements with addresses are other ones in the file.
        let gzip = if self.prepared.has_addresses() { GzipEncoder::Small } else { self.gzip };
        let encoder = encoder.with_gzip(gzip);
        let extent = self.prepared.dataspace.dims();
        Ok(Chunks {
            id: self.id,
            path: self.path,
            extent,
            chunk: chunk.to_vec(),
            bytes,
            element_bytes: size as usize,
            fill: self.prepared.fill_element(),
            encoder,
            is_filtered: !filters.is_empty(),
            workers: self.workers,
            monitor: self.monitor,
        })
    }

    fn chunks_in_memory(
        &self,
        chunks: &Chunks<'_>,
        bytes: &[u8],
        writer: &mut FileWriter<'_>,
    ) -> Result<WrittenData, CreateError> {
        self.check_bytes(bytes)?;
        let whole = Block { start: vec![0; chunks.extent.len()], count: chunks.extent.to_vec() };
        let mut checksums = Vec::new();
        let count = blocks::count(chunks.extent, &chunks.chunk).unwrap_or(0);
        chunks.write((0, count), (bytes, &whole), writer, &mut checksums)?;
        Ok(WrittenData::Chunks(checksums))
    }

    fn chunks_in_batches(
        &self,
        chunks: &Chunks<'_>,
        writer: &mut FileWriter<'_>,
    ) -> Result<WrittenData, CreateError> {
        let counts: Vec<u64> =
            chunks.extent.iter().zip(&chunks.chunk).map(|(dim, size)| dim.div_ceil(*size)).collect();
        let at_once = (BATCH_BYTES / (chunks.bytes as u64).max(1)).max(self.threads as u64);
        let shape = blocks::run_shape(&counts, at_once);
        let mut first = 0;
        let mut batches = blocks::blocks(&counts, &shape).map(|batch| {
            let range = (first, batch.elements());
            first += range.1;
            let scaled = |cells: &[u64]| -> Vec<u64> {
                cells.iter().zip(&chunks.chunk).map(|(cell, size)| cell.saturating_mul(*size)).collect()
            };
            (range, Block { start: scaled(&batch.start), count: scaled(&batch.count) }.within(chunks.extent))
        });
        let read = |block: &Block| -> Result<Vec<u8>, CreateError> {
            self.check()?;
            let elements = read_block(self.path, self.prepared, self.data, block)?;
            let what = || CreateError::invalid(self.path, "data with addresses in a datatype without any");
            elements.into_plain().ok_or_else(what)
        };
        let mut checksums = Vec::new();
        let Some((range, block)) = batches.next() else { return Ok(WrittenData::Chunks(checksums)) };
        let elements = read(&block)?;
        if shape == counts {
            chunks.write(range, (&elements, &block), writer, &mut checksums)?;
            return Ok(WrittenData::Chunks(checksums));
        }
        std::thread::scope(|scope| {
            let (sender, received) = sync_channel(0);
            let encoding = scope.spawn(|| -> Result<Vec<u32>, CreateError> {
                for (range, block, elements) in received {
                    let elements: Vec<u8> = elements;
                    chunks.write(range, (&elements, &block), writer, &mut checksums)?;
                }
                Ok(checksums)
            });
            let mut next = Ok(Some((range, block, elements)));
            while let Ok(Some(batch)) = next {
                // The receiver is gone only after an error, which it returns.
                if sender.send(batch).is_err() {
                    next = Ok(None);
                    break;
                }
                next = batches
                    .next()
                    .map(|(range, block)| read(&block).map(|elements| (range, block, elements)))
                    .transpose();
            }
            drop(sender);
            let encoded = encoding.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            next.and(encoded).map(WrittenData::Chunks)
        })
    }

    fn chunks_with_addresses(
        &self,
        chunks: &Chunks<'_>,
        writer: &mut FileWriter<'_>,
    ) -> Result<WrittenData, CreateError> {
        let mut state = CodecState::default();
        let mut checksums = Vec::new();
        for block in blocks::blocks(chunks.extent, &chunks.chunk) {
            let elements = self.relocatable(&block, &mut checksums)?.into_data(writer)?;
            let whole = Block { start: block.start.clone(), count: chunks.chunk.clone() };
            let encoded = chunks.encode(&mut state, &whole, (&elements, &block))?;
            writer.write_chunk(self.id, &encoded.bytes, encoded.mask)?;
        }
        Ok(WrittenData::Referents(checksums, chunks.chunk.clone()))
    }

    fn contiguous(&self, writer: &mut FileWriter<'_>) -> Result<WrittenData, CreateError> {
        let mut pieces = PieceChecksums::default();
        if let Data::Memory(bytes) = self.data {
            let bytes = (**bytes).as_ref();
            self.check_bytes(bytes)?;
            let mut at = 0;
            for piece in bytes.chunks(PieceChecksums::PIECE_BYTES as usize) {
                self.check()?;
                pieces.update(at, piece);
                writer.write_contiguous(self.id, at, piece)?;
                at += piece.len() as u64;
            }
            return Ok(WrittenData::Pieces(pieces.finish()));
        }
        let extent = self.prepared.dataspace.dims();
        let shape = self.rows(BATCH_BYTES);
        let mut at = 0;
        for block in blocks::blocks(extent, &shape) {
            self.check()?;
            let elements = read_block(self.path, self.prepared, self.data, &block)?;
            pieces.update(at, elements.bytes());
            writer.write_contiguous(self.id, at, elements.bytes())?;
            at += elements.len() as u64;
        }
        Ok(WrittenData::Pieces(pieces.finish()))
    }

    fn contiguous_with_addresses(&self, writer: &mut FileWriter<'_>) -> Result<WrittenData, CreateError> {
        let shape = self.rows(ADDRESSES_BYTES);
        let mut checksums = Vec::new();
        let mut at = 0;
        for block in blocks::blocks(self.prepared.dataspace.dims(), &shape) {
            let elements = self.relocatable(&block, &mut checksums)?.into_data(writer)?;
            writer.write_contiguous(self.id, at, &elements)?;
            at += elements.len() as u64;
        }
        Ok(WrittenData::Referents(checksums, shape))
    }

    /// The elements of a block, which contain addresses.
    fn relocatable(&self, block: &Block, checksums: &mut Vec<u32>) -> Result<Relocatable, CreateError> {
        self.check()?;
        let elements = read_block(self.path, self.prepared, self.data, block)?;
        let elements = elements.into_relocatable(self.objects);
        let elements = elements.map_err(|what| CreateError::invalid(self.path, what))?;
        if self.is_verified {
            checksums.push(elements.checksum());
        }
        Ok(elements)
    }

    /// The shape of blocks of rows, of about so many bytes.
    fn rows(&self, bytes: u64) -> Vec<u64> {
        let elements = bytes / u64::from(self.prepared.datatype.size).max(1);
        blocks::run_shape(self.prepared.dataspace.dims(), elements)
    }

    fn check(&self) -> Result<(), CreateError> {
        Ok(self.monitor.cancel.check().map_err(Error::from)?)
    }

    fn check_bytes(&self, bytes: &[u8]) -> Result<(), CreateError> {
        let expected = self.prepared.bytes();
        if bytes.len() as u64 != expected {
            let what = format!("{} bytes of data instead of {expected}", bytes.len());
            return Err(CreateError::invalid(self.path, what));
        }
        Ok(())
    }
}

/// The chunks of a dataset.
struct Chunks<'a> {
    id: ObjectId,
    path: &'a str,
    /// The extent of the dataset and the shape of a chunk, in elements.
    extent: &'a [u64],
    chunk: Vec<u64>,
    bytes: usize,
    element_bytes: usize,
    fill: Vec<u8>,
    encoder: ChunkEncoder,
    is_filtered: bool,
    workers: &'a Workers<CodecState>,
    monitor: &'a Monitor,
}

impl Chunks<'_> {
    /// Encodes and writes `count` chunks from `first` on, in row-major order, whose elements are in this block.
    fn write(
        &self,
        (first, count): (u64, u64),
        elements: (&[u8], &Block),
        writer: &mut FileWriter<'_>,
        checksums: &mut Vec<u32>,
    ) -> Result<(), CreateError> {
        self.choose((first, count), elements)?;
        let work = |state: &mut CodecState, number: usize| {
            let chunk = blocks::nth(self.extent, &self.chunk, first + number as u64);
            self.encode(state, &chunk, elements)
        };
        let is_small = (self.bytes as u64).saturating_mul(count) < ALONE_BYTES;
        self.workers.run(count as usize, is_small, work, |_, encoded: EncodedChunk| {
            self.monitor.cancel.check().map_err(Error::from)?;
            writer.write_chunk(self.id, &encoded.bytes, encoded.mask)?;
            checksums.push(of_chunk(&encoded.bytes, self.is_filtered.then_some(encoded.mask)));
            Ok(())
        })
    }

    /// Decides between the encoders of gzip, by the first chunks of all. Not by all that are here, of which there are more if there
    /// are more threads.
    fn choose(&self, (first, count): (u64, u64), elements: (&[u8], &Block)) -> Result<(), CreateError> {
        if first > 0 {
            return Ok(());
        }
        let count = count.min((BATCH_BYTES / (self.bytes as u64).max(1)).max(1));
        let read = |number: usize, chunk: &mut Vec<u8>| {
            self.fill_chunk(chunk, &blocks::nth(self.extent, &self.chunk, number as u64), elements);
            true
        };
        self.encoder
            .choose_by_first(count as usize, self.workers, read)
            .map_err(|error| self.encode_error(&[], error))
    }

    /// Encodes a chunk, whose elements are in this block. What is beyond the extent becomes the fill value.
    fn encode(
        &self,
        state: &mut CodecState,
        chunk: &Block,
        elements: (&[u8], &Block),
    ) -> Result<EncodedChunk, CreateError> {
        let is_partial = self.fill_chunk(&mut state.chunk, chunk, elements);
        let encoded = self.encoder.encode_own(is_partial, state);
        encoded.map_err(|error| self.encode_error(&chunk.start, error))
    }

    /// Puts the elements of a chunk together; true if it reaches beyond the extent.
    fn fill_chunk(&self, memory: &mut Vec<u8>, chunk: &Block, elements: (&[u8], &Block)) -> bool {
        let is_partial = chunk.clone().within(self.extent) != *chunk;
        memory.resize(self.bytes, 0);
        if is_partial {
            let fills = memory.chunks_exact_mut(self.fill.len().max(1));
            fills.for_each(|element| element.copy_from_slice(&self.fill));
        }
        copy_common(elements, (memory, chunk), self.element_bytes);
        is_partial
    }

    fn encode_error(&self, offset: &[u64], error: FilterError) -> CreateError {
        let (object, offset) = (self.path.into(), offset.to_vec());
        CreateError::Write(RepackError::Encode { object, offset, error: Box::new(error) })
    }
}
