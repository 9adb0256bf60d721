//! Measures how long a few chunks of a dataset take to decode, and how large they become when they are encoded again.
//!
//! What is encoded depends on sizes in bytes alone, never on how long it takes, so that the same file always has the same
//! sizes.

use hyperslab::datatypes::Class;
use hyperslab::{Dataset, Endianness, Location, Selection};
use hyperslab_doctor::{Codec, Decoded, Encoding, FilterFact, SampleMeasurement, Sampler, measure_samples};
use hyperslab_filters::{FilterSpec, Pipeline, Scratch};
use hyperslab_measure::thread_seconds;
use hyperslab_storage::filter::number::{DEFLATE, LZF, SHUFFLE, ZSTD};
use std::time::Duration;

/// Decoded bytes of all samples together. One chunk is always sampled, if it is not larger than [`CHUNK_BYTES_MAX`].
const SAMPLE_BYTES: u64 = 6 << 20;
/// More chunks than this add no information.
const SAMPLES_MAX: u64 = 8;
/// Larger chunks take too long.
const CHUNK_BYTES_MAX: u64 = 256 << 20;
/// Bytes that are encoded again at each setting, from all samples together.
const RECODED_BYTES: usize = 2 << 20;
/// Pieces of data that is not compressed.
const RAW_PIECES: u64 = 8;
const RAW_PIECE_BYTES: u64 = 128 << 10;
/// Nothing should take this long: a limit for broken machines, not a budget.
const SECONDS_MAX: Duration = Duration::from_secs(60);

/// Levels that are measured in addition to the dataset's own.
const LEVELS: [u32; 4] = [1, 2, 4, 6];
/// The level at which data is tried that is not deflated yet.
const LEVEL_TRIED: u32 = 1;
/// Its own default.
const ZSTD_LEVEL: u32 = 3;

/// What to measure on the sample chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleScope {
    /// Nothing.
    Nothing,
    /// How fast they decode.
    Decoding,
    /// That, and their sizes and speeds at other deflate levels.
    Recoding {
        /// By zstd, too: for a reader that has it.
        with_zstd: bool,
    },
}

/// Measures a dataset's own chunks. Returns `None` if there is nothing to decode, or if it cannot be decoded here.
pub(super) fn measure(
    dataset: &Dataset,
    filters: &[FilterFact],
    wanted: SampleScope,
) -> Option<SampleMeasurement> {
    let is_compressed = filters.iter().any(FilterFact::compresses);
    match wanted {
        SampleScope::Nothing => None,
        SampleScope::Decoding if filters.is_empty() => None,
        SampleScope::Recoding { with_zstd } if !is_compressed => measure_raw(dataset, with_zstd),
        SampleScope::Decoding | SampleScope::Recoding { .. } => {
            let mut samples = Samples::read(dataset, filters)?;
            let encodings = match wanted {
                SampleScope::Recoding { with_zstd } => for_reader(encodings(filters), with_zstd),
                _ => Vec::new(),
            };
            measure_samples(&mut samples, &encodings, SECONDS_MAX, thread_seconds)
        }
    }
}

/// Encodes pieces of a dataset that is not compressed. Nothing is decoded, so there is no speed.
fn measure_raw(dataset: &Dataset, with_zstd: bool) -> Option<SampleMeasurement> {
    // References say nothing of what they refer to.
    if matches!(
        dataset.datatype().class,
        Class::VlenString { .. } | Class::VlenSequence { .. } | Class::Reference(_)
    ) {
        return None;
    }
    let element_bytes = u64::from(dataset.datatype().size);
    let shape = dataset.shape();
    if shape.is_empty()
        || dataset.elements() == 0
        || element_bytes > RAW_PIECE_BYTES
        || dataset.stored_bytes().ok()? == 0
    {
        return None;
    }
    let mut room = (RAW_PIECE_BYTES / element_bytes.max(1)).max(1);
    let mut extents = vec![1; shape.len()];
    for (extent, dim) in extents.iter_mut().zip(shape).rev() {
        *extent = (*dim).min(room.max(1));
        room /= *extent;
    }
    let pieces = RAW_PIECES.min(shape[0].div_ceil(extents[0]));
    let mut decoded = Vec::new();
    for piece in 0..pieces {
        // Evenly spaced along the slowest axis, in the middle of the others.
        let axes: Vec<String> = shape
            .iter()
            .zip(&extents)
            .enumerate()
            .map(|(axis, (dim, extent))| {
                let free = dim - extent;
                let start = if axis == 0 { (2 * piece + 1) * (free / (2 * pieces)) } else { free / 2 };
                format!("{start}:{}", start + extent)
            })
            .collect();
        let selection = Selection::parse(&axes.join(", "), shape).ok()?;
        decoded.push(dataset.read_bytes(&selection, Endianness::File).ok()?);
    }
    let widest = decoded.iter().map(Vec::len).max()?;
    let mut samples = Samples {
        pipeline: Pipeline::new(&[], element_bytes as usize, widest).ok()?,
        element_bytes: element_bytes as usize,
        stored: decoded.iter().map(|bytes| (bytes.clone(), 0)).collect(),
        decoded,
        scratch: Scratch::new(),
    };
    let measured =
        measure_samples(&mut samples, &for_reader(tried().to_vec(), with_zstd), SECONDS_MAX, thread_seconds)?;
    Some(SampleMeasurement { decode_seconds: 0.0, ..measured })
}

/// The encodings that the reader can undo.
fn for_reader(mut encodings: Vec<Encoding>, with_zstd: bool) -> Vec<Encoding> {
    encodings.retain(|encoding| with_zstd || encoding.codec != Codec::Zstd);
    encodings
}

/// The encodings to measure of data that is not deflated.
fn tried() -> [Encoding; 3] {
    [Encoding::deflate(LEVEL_TRIED, false), Encoding::deflate(LEVEL_TRIED, true), zstd()]
}

fn zstd() -> Encoding {
    Encoding { codec: Codec::Zstd, level: ZSTD_LEVEL, shuffle: true }
}

/// The encodings to measure of data with these filters, which compress.
fn encodings(filters: &[FilterFact]) -> Vec<Encoding> {
    let is_shuffled = filters.iter().any(|filter| filter.id == SHUFFLE);
    let Some(deflate) = filters.iter().find(|filter| filter.id == DEFLATE) else {
        let is_lzf = filters.iter().any(|filter| filter.id == LZF);
        return if is_lzf && !is_shuffled { tried().to_vec() } else { Vec::new() };
    };
    let level = deflate.parameters.first().copied().unwrap_or(6).clamp(1, 9);
    let mut settings = vec![(level, is_shuffled), (1, is_shuffled)];
    if !is_shuffled {
        settings.push((level.min(4), true));
    }
    settings.extend(
        LEVELS.into_iter().filter(|&lower| lower < level && lower > 1).map(|level| (level, is_shuffled)),
    );
    settings.dedup();
    let deflate = settings.into_iter().map(|(level, shuffle)| Encoding::deflate(level, shuffle));
    deflate.chain([zstd()]).collect()
}

/// Sample chunks in memory.
struct Samples {
    pipeline: Pipeline,
    element_bytes: usize,
    /// Stored bytes and filter mask of each chunk.
    stored: Vec<(Vec<u8>, u32)>,
    decoded: Vec<Vec<u8>>,
    scratch: Scratch,
}

impl Samples {
    fn read(dataset: &Dataset, filters: &[FilterFact]) -> Option<Self> {
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
        let source = dataset.file().source();
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
        Some(Self { pipeline, element_bytes, stored, decoded, scratch: Scratch::new() })
    }

    fn pipeline(&self, encoding: Encoding, bytes: usize) -> Option<Pipeline> {
        let level = [encoding.level];
        let id = match encoding.codec {
            Codec::Deflate => DEFLATE,
            Codec::Zstd => ZSTD,
        };
        let compression = FilterSpec { id, optional: false, parameters: &level };
        let width = [self.element_bytes as u32];
        let shuffled = FilterSpec { id: SHUFFLE, optional: false, parameters: &width };
        let specs = if encoding.shuffle { vec![shuffled, compression] } else { vec![compression] };
        Pipeline::new(&specs, self.element_bytes, bytes).ok()
    }

    /// The part of a sample that is encoded again: whole elements.
    fn piece(&self, sample: usize) -> usize {
        let decoded = self.decoded[sample].len();
        let most = (RECODED_BYTES / self.decoded.len().max(1)).min(decoded);
        if most < decoded { most - most % self.element_bytes.max(1) } else { decoded }
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

    fn recoded_share(&self, sample: usize) -> f64 {
        self.piece(sample) as f64 / self.decoded[sample].len().max(1) as f64
    }

    fn recode(&mut self, sample: usize, encoding: Encoding) -> Option<Vec<u8>> {
        let piece = self.piece(sample);
        let pipeline = self.pipeline(encoding, piece)?;
        let encoded = pipeline.encode(&self.decoded[sample][..piece], &mut self.scratch);
        encoded.ok().map(|encoded| encoded.bytes.to_vec())
    }

    fn decode_recoded(&mut self, encoded: &[u8], sample: usize, encoding: Encoding) -> bool {
        let mut out = vec![0; self.piece(sample)];
        let Some(pipeline) = self.pipeline(encoding, out.len()) else { return false };
        pipeline.decode_into(encoded, 0, &mut self.scratch, &mut out).is_ok()
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
        let with_zstd = |deflate: &[(u32, bool)]| -> Vec<Encoding> {
            let deflate = deflate.iter().map(|&(level, shuffle)| Encoding::deflate(level, shuffle));
            deflate.chain([zstd()]).collect()
        };
        assert_eq!(
            encodings(&[fact(DEFLATE, &[6])]),
            with_zstd(&[(6, false), (1, false), (4, true), (2, false), (4, false)])
        );
        assert_eq!(encodings(&[fact(SHUFFLE, &[4]), fact(DEFLATE, &[1])]), with_zstd(&[(1, true)]));
        assert_eq!(encodings(&[fact(ZSTD, &[])]), []);
    }
}
