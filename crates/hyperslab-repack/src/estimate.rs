//! Predicts the size of the new file and the time that it takes: its metadata is laid out, and of the data samples are encoded.

use crate::block::Block;
use crate::chunk_encoder::{ChunkEncoder, CodecState};
use crate::error::RepackError;
use crate::plan::{PlannedDataset, Recoding, RepackPlan};
use hyperslab::{Dataset, Endianness, Selection};
use hyperslab_io::MemorySink;
use hyperslab_write::{DatasetSpec, FileWriter, ObjectId, ObjectSpec, StorageSpec};
use std::time::Instant;

/// A prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The bytes of the new file.
    pub bytes: u64,
    /// Seconds of processing, without waiting for storage.
    pub seconds: f64,
}

/// Blocks that are read of each dataset, and the bytes after which no other is read.
const SAMPLES: u64 = 4;
const SAMPLE_BYTES_MAX: u64 = 16 << 20;
/// Bytes that a disk of ordinary speed copies in a second.
const COPY_SPEED: f64 = 1e9;

/// What samples of a dataset say.
struct Sampled {
    /// Stored bytes for each byte of values.
    ratio: f64,
    /// Seconds of one thread for each byte of values.
    seconds: f64,
}

impl RepackPlan {
    /// Lays out the metadata of the new file, and reads and encodes some blocks of each dataset that is recoded.
    ///
    /// Elements of variable length, which lie beside their chunks, are taken to need all the space
    /// of the source that is not known to be used otherwise.
    ///
    /// # Errors
    ///
    /// Metadata that cannot be written; samples that cannot be read or encoded.
    pub fn estimate(&self) -> Result<Estimate, RepackError> {
        let sink = MemorySink::default();
        let metadata = FileWriter::create(&sink, self.source.tree.clone(), self.write)?.metadata_bytes();
        let pages_end = metadata.checked_next_multiple_of(self.write.page_bytes.unwrap_or(1));
        let metadata = pages_end.unwrap_or(metadata);
        let (mut bytes, mut seconds) = (metadata as f64, metadata as f64 / COPY_SPEED);
        // Both are in the order of the objects.
        let mut planned = self.datasets.iter();
        let (mut has_heaps, mut stored) = (false, 0u64);
        for (id, spec) in self.new_datasets() {
            let dataset = self.dataset(id)?;
            has_heaps |= dataset.datatype().is_variable();
            let Some(recoding) = self.recodings.get(&id) else {
                let copied = dataset.stored_bytes()?;
                stored = stored.saturating_add(copied);
                (bytes, seconds) = (bytes + copied as f64, seconds + copied as f64 / COPY_SPEED);
                continue;
            };
            let Some(planned) = planned.next() else { break };
            stored = stored.saturating_add(planned.stored_bytes);
            let sampled = self.sample(&dataset, recoding, planned)?;
            let existing = existing_share(&dataset)? * planned.logical_bytes as f64;
            bytes += match &spec.storage {
                StorageSpec::Chunked(chunked) if recoding.filters.is_empty() => {
                    let element = f64::from(dataset.datatype().size);
                    planned.chunks as f64 * chunked.chunk_dims.iter().fold(element, |n, &dim| n * dim as f64)
                }
                StorageSpec::Chunked(_) => existing * sampled.ratio,
                StorageSpec::Contiguous { allocated: true } => planned.logical_bytes as f64,
                _ => 0.0,
            };
            let threads = if planned.chunks == 0 { 1 } else { recoding.threads };
            seconds += existing * sampled.seconds / threads.max(1) as f64;
            seconds += 2.0 * planned.temporary_bytes as f64 / COPY_SPEED;
        }
        if has_heaps {
            // What of the source is neither data nor metadata of this size.
            bytes += self.file.len().saturating_sub(metadata.saturating_add(stored)) as f64;
        }
        if let Some(page) = self.write.page_bytes {
            bytes = (bytes / page as f64).ceil() * page as f64;
        }
        Ok(Estimate { bytes: bytes as u64, seconds })
    }

    /// The datasets of the new file with data among that of the file.
    fn new_datasets(&self) -> impl Iterator<Item = (ObjectId, &DatasetSpec)> {
        let objects = (0..).map(ObjectId).zip(&self.source.tree.objects);
        objects.filter_map(|(id, object)| match &object.spec {
            ObjectSpec::Dataset(spec) => {
                let is_recoded = self.recodings.contains_key(&id);
                let is_here = matches!(
                    spec.storage,
                    StorageSpec::Chunked(_) | StorageSpec::Contiguous { allocated: true }
                );
                (is_recoded || is_here).then_some((id, &**spec))
            }
            _ => None,
        })
    }

    fn dataset(&self, id: ObjectId) -> Result<Dataset, RepackError> {
        let (address, path) = &self.source.sources.objects[id.0 as usize];
        self.source.file.dataset(*address, path)
    }

    fn sample(
        &self,
        dataset: &Dataset,
        recoding: &Recoding,
        planned: &PlannedDataset,
    ) -> Result<Sampled, RepackError> {
        let mut state = CodecState::default();
        let (mut values, mut stored, mut seconds) = (0u64, 0u64, 0.0);
        for block in samples(dataset)? {
            let begun = Instant::now();
            state.chunk =
                dataset.read_bytes(&Selection::block(&block.start, &block.count), Endianness::File)?;
            let failed = |error| RepackError::Encode {
                object: planned.path.clone(),
                offset: block.start.clone(),
                error: Box::new(error),
            };
            let bytes = state.chunk.len();
            let verify = self.options.verify;
            let encoder = ChunkEncoder::new(&recoding.filters, dataset.datatype(), bytes, false, verify);
            let encoded = encoder
                .map(|encoder| encoder.rounding(recoding.decimals.clone()))
                .and_then(|encoder| encoder.encode_own(false, &mut state))
                .map_err(failed)?;
            seconds += begun.elapsed().as_secs_f64();
            (values, stored) = (values + bytes as u64, stored + encoded.bytes.len() as u64);
            if values > SAMPLE_BYTES_MAX {
                break;
            }
        }
        let per_byte = |sum: f64, otherwise: f64| if values > 0 { sum / values as f64 } else { otherwise };
        Ok(Sampled { ratio: per_byte(stored as f64, 1.0), seconds: per_byte(seconds, 0.0) })
    }
}

/// The share of its chunks that exist.
fn existing_share(dataset: &Dataset) -> Result<f64, RepackError> {
    match dataset.chunk_shape() {
        Some(_) if !dataset.shape().contains(&0) => {
            let map = dataset.chunk_map()?;
            Ok(map.len() as f64 / map.grid().len().max(1) as f64)
        }
        _ => Ok(1.0),
    }
}

/// Some blocks, spread over the dataset: chunks that exist, or pieces of contiguous data.
fn samples(dataset: &Dataset) -> Result<Vec<Block>, RepackError> {
    if dataset.shape().contains(&0) {
        return Ok(Vec::new());
    }
    if dataset.chunk_shape().is_some() {
        let map = dataset.chunk_map()?;
        let count = (map.len() as u64).min(SAMPLES);
        let rows = (0..count).map(|sample| (sample * map.len() as u64 / count) as usize);
        let numbers = rows.filter_map(|row| map.nth(row));
        let block =
            |coords: Vec<u64>| Block::of_chunk(&coords, map.grid().chunk_shape()).within(dataset.shape());
        return Ok(numbers.map(|(number, _)| block(map.grid().coordinates(number))).collect());
    }
    let size = u64::from(dataset.datatype().size);
    let shape = crate::chunk_shape::rows(dataset.shape(), size, SAMPLE_BYTES_MAX / SAMPLES);
    let grid = hyperslab::ChunkGrid::new(dataset.shape(), &shape)?;
    let count = grid.len().min(SAMPLES.into());
    let numbers = (0..count).map(|sample| sample * grid.len() / count);
    Ok(numbers
        .map(|number| Block::of_chunk(&grid.coordinates(number), &shape).within(dataset.shape()))
        .collect())
}
