//! Predicts the size of the new file and the time that it takes, from samples of the data.

use crate::block::Block;
use crate::chunk_encoder::{ChunkEncoder, CodecState};
use crate::error::RepackError;
use crate::plan::{PlannedDataset, Recoding, RepackPlan};
use hyperslab::{Dataset, Endianness, Selection};
use hyperslab_write::ObjectId;
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
    /// Reads and encodes some blocks of each dataset that is recoded.
    ///
    /// # Errors
    ///
    /// Samples that cannot be read or encoded.
    pub fn estimate(&self) -> Result<Estimate, RepackError> {
        let stored: u64 = self.datasets.iter().map(|dataset| dataset.stored_bytes).sum();
        let copied = self.file.len().saturating_sub(stored);
        let (mut bytes, mut seconds) = (copied as f64, copied as f64 / COPY_SPEED);
        // Both are in the order of the objects.
        for ((id, recoding), planned) in self.recodings.iter().zip(&self.datasets) {
            let dataset = self.dataset(*id)?;
            let sampled = self.sample(&dataset, recoding, planned)?;
            let existing = existing_share(&dataset)? * planned.logical_bytes as f64;
            bytes += existing * sampled.ratio;
            let threads = if planned.chunks == 0 { 1 } else { recoding.threads };
            seconds += existing * sampled.seconds / threads.max(1) as f64;
            seconds += 2.0 * planned.temporary_bytes as f64 / COPY_SPEED;
        }
        Ok(Estimate { bytes: bytes as u64, seconds })
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
            let encoded =
                encoder.and_then(|encoder| encoder.encode_own(false, &mut state)).map_err(failed)?;
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
