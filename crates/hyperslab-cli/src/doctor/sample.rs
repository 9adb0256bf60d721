//! Measures how long a few chunks of a dataset take to decode and to encode again.

use hyperslab::io::{LocalFile, Source};
use hyperslab::{Dataset, Location};
use hyperslab_doctor::{Decoded, FilterFact, SampleMeasurement, Sampler, measure_samples};
use hyperslab_filters::{FilterSpec, Pipeline, Scratch};
use std::path::Path;
use std::time::Duration;

/// Decoded bytes of all samples together. One chunk is always sampled, if it is not larger than [`CHUNK_BYTES_MAX`].
const SAMPLE_BYTES: u64 = 6 << 20;
/// More chunks than this add no information.
const SAMPLES_MAX: u64 = 8;
/// Larger chunks take too long.
const CHUNK_BYTES_MAX: u64 = 256 << 20;
/// Time limit for all measurements of one dataset.
const BUDGET: Duration = Duration::from_millis(400);

const DEFLATE: u16 = 1;
const SHUFFLE: u16 = 2;
/// Levels that are measured in addition to the dataset's own.
const LEVELS: [u32; 4] = [1, 2, 4, 6];

/// What to measure on the sample chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SampleScope {
    /// How fast they decode.
    Decoding,
    /// That, and their sizes and speeds at other deflate levels.
    Recoding,
}

/// Measures a dataset's own chunks. Returns `None` if there is nothing to decode, or if it cannot be decoded here.
pub(super) fn measure(
    path: &Path,
    dataset: &Dataset,
    filters: &[FilterFact],
    wanted: SampleScope,
) -> Option<SampleMeasurement> {
    if filters.is_empty() {
        return None;
    }
    let mut samples = Samples::read(path, dataset, filters)?;
    let settings = if wanted == SampleScope::Recoding { settings(filters) } else { Vec::new() };
    measure_samples(&mut samples, &settings, BUDGET)
}

/// Deflate level and shuffle of the encodings to measure.
fn settings(filters: &[FilterFact]) -> Vec<(u32, bool)> {
    let Some(deflate) = filters.iter().find(|filter| filter.id == DEFLATE) else { return Vec::new() };
    let is_shuffled = filters.iter().any(|filter| filter.id == SHUFFLE);
    let level = deflate.parameters.first().copied().unwrap_or(6).clamp(1, 9);
    let mut settings = vec![(level, is_shuffled), (1, is_shuffled)];
    if !is_shuffled {
        settings.push((level.min(4), true));
    }
    settings.extend(
        LEVELS.into_iter().filter(|&lower| lower < level && lower > 1).map(|level| (level, is_shuffled)),
    );
    settings.dedup();
    settings
}

/// Sample chunks in memory.
struct Samples {
    pipeline: Pipeline,
    element_bytes: usize,
    chunk_bytes: usize,
    /// Stored bytes and filter mask of each chunk.
    stored: Vec<(Vec<u8>, u32)>,
    decoded: Vec<Vec<u8>>,
    scratch: Scratch,
}

impl Samples {
    fn read(path: &Path, dataset: &Dataset, filters: &[FilterFact]) -> Option<Self> {
        let chunk_bytes = dataset.chunk_bytes().filter(|&bytes| bytes > 0 && bytes <= CHUNK_BYTES_MAX)?;
        let specs: Vec<FilterSpec<'_>> = dataset
            .filters()
            .iter()
            .zip(filters)
            .map(|(filter, fact)| FilterSpec {
                id: filter.id,
                optional: filter.is_optional(),
                parameters: &fact.parameters,
            })
            .collect();
        let element_bytes = dataset.datatype().size as usize;
        let pipeline = Pipeline::new(&specs, element_bytes, chunk_bytes as usize).ok()?;
        let source = LocalFile::open(path).ok()?;
        let stored: Vec<(Vec<u8>, u32)> = chosen(dataset, chunk_bytes)?
            .into_iter()
            .filter(|location| location.stored_bytes <= 2 * chunk_bytes)
            .filter_map(|location| {
                let mut bytes = vec![0; location.stored_bytes as usize];
                source.read_into(location.address, &mut bytes).ok()?;
                Some((bytes, location.filter_mask))
            })
            .collect();
        let decoded = vec![vec![0; chunk_bytes as usize]; stored.len()];
        let chunk_bytes = chunk_bytes as usize;
        Some(Self { pipeline, element_bytes, chunk_bytes, stored, decoded, scratch: Scratch::new() })
    }

    fn pipeline(&self, level: u32, shuffle: bool) -> Option<Pipeline> {
        let level = [level];
        let deflate = FilterSpec { id: DEFLATE, optional: false, parameters: &level };
        let width = [self.element_bytes as u32];
        let shuffled = FilterSpec { id: SHUFFLE, optional: false, parameters: &width };
        let specs = if shuffle { vec![shuffled, deflate] } else { vec![deflate] };
        Pipeline::new(&specs, self.element_bytes, self.chunk_bytes).ok()
    }
}

/// Filtered chunks, spread evenly over the dataset.
fn chosen(dataset: &Dataset, chunk_bytes: u64) -> Option<Vec<Location>> {
    let map = dataset.chunk_map().ok()?;
    let filtered: Vec<Location> =
        map.iter().map(|(_, location)| location).filter(|location| location.filter_mask == 0).collect();
    let count = (SAMPLE_BYTES / chunk_bytes).clamp(1, SAMPLES_MAX).min(filtered.len() as u64) as usize;
    Some((0..count).map(|i| filtered[(2 * i + 1) * filtered.len() / (2 * count)]).collect())
}

impl Sampler for Samples {
    fn count(&self) -> usize {
        self.stored.len()
    }

    fn decode(&mut self, sample: usize) -> Option<Decoded> {
        let (stored, mask) = &self.stored[sample];
        let out = &mut self.decoded[sample];
        self.pipeline.decode_into(stored, *mask, &mut self.scratch, out).ok()?;
        Some(Decoded { stored_bytes: stored.len() as u64, decoded_bytes: out.len() as u64 })
    }

    fn recode(&mut self, sample: usize, level: u32, shuffle: bool) -> Option<Vec<u8>> {
        let encoded = self.pipeline(level, shuffle)?.encode(&self.decoded[sample], &mut self.scratch);
        encoded.ok().map(|encoded| encoded.bytes.to_vec())
    }

    fn decode_recoded(&mut self, encoded: &[u8], sample: usize, shuffle: bool) -> bool {
        let Some(pipeline) = self.pipeline(1, shuffle) else { return false };
        pipeline.decode_into(encoded, 0, &mut self.scratch, &mut self.decoded[sample]).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(id: u16, parameters: &[u32]) -> FilterFact {
        FilterFact { name: String::new(), id, parameters: parameters.to_vec(), description: String::new() }
    }

    #[test]
    fn encodings_are_tried_around_the_datasets_own() {
        assert_eq!(
            settings(&[fact(DEFLATE, &[6])]),
            [(6, false), (1, false), (4, true), (2, false), (4, false)]
        );
        assert_eq!(settings(&[fact(SHUFFLE, &[4]), fact(DEFLATE, &[1])]), [(1, true)]);
        assert_eq!(settings(&[fact(32_015, &[])]), []);
    }
}
