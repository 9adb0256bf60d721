//! Samples of a dataset's values in chunks of any shape, encoded and decoded with any pipeline.
//!
//! A sample is a block of the dataset with the shape of the wanted chunk, or a part of it: what is read for a sample is
//! bounded, also where the file's own chunks lie across it. Which blocks are taken depends on shapes alone.

use super::inflate::InflateFactors;
use super::user_library::{SampleChunks, UserLibrary};
use hyperslab::filters::filter_element;
use hyperslab::storage::Fill;
use hyperslab::{Dataset, Endianness, Selection};
use hyperslab_advise::{Compression, ErrorBound, Pipeline as Wanted, Trial, Trials};
use hyperslab_create::FilterRequest;
use hyperslab_filters::{
    DeflateEncoder, Element, ElementKind, FilterSpec, Pipeline, Scratch, Target, client_data,
};
use hyperslab_measure::thread_seconds;
use hyperslab_repack::DecimalRounding;
use hyperslab_storage::GzipEncoder;
use hyperslab_storage::cost::LibraryDecoding;
use hyperslab_storage::filter::number::DEFLATE;
use std::borrow::Cow;

/// Bytes of all samples of a shape for each second of the time, and their bounds.
const SAMPLE_BYTES_PER_SECOND: f64 = (200 << 10) as f64;
const SAMPLE_BYTES_MIN: u64 = 256 << 10;
const SAMPLE_BYTES_MAX: u64 = 4 << 20;
const SAMPLES_MAX: u64 = 8;
/// The same of samples that libhdf5 decodes. Of small chunks many: a processor learns the few that it sees again and again.
const LIBRARY_BYTES_MAX: u64 = 16 << 20;
const LIBRARY_SAMPLES_MAX: u64 = 64;
/// Decoded bytes of the file's own chunks that one sample may need.
const SOURCE_BYTES_MAX: u64 = 16 << 20;
/// Each sample is encoded and decoded so often; the fastest time counts. Small samples, once.
const RUNS: usize = 2;

/// Samples of one dataset.
pub struct Samples<'a> {
    dataset: &'a Dataset,
    element: Element,
    /// Bytes of all samples of a shape.
    bytes: u64,
    runs: usize,
    /// What stands for values that are missing, which some filters keep.
    fill: Option<Vec<u8>>,
    /// The most that a value may change.
    max_error: Option<ErrorBound>,
    /// The user's libhdf5, if what it takes matters, and how fast it inflates.
    library: Option<(UserLibrary<'a>, InflateFactors)>,
    scratch: Scratch,
}

impl<'a> Samples<'a> {
    /// Samples for an answer that may take so many seconds, and by which values may change by at most `max_error`.
    pub(super) fn new(
        dataset: &'a Dataset,
        seconds: f64,
        max_error: Option<ErrorBound>,
        library: UserLibrary<'a>,
    ) -> Self {
        let bytes = (seconds * SAMPLE_BYTES_PER_SECOND) as u64;
        let small = Self::small(dataset, bytes.clamp(SAMPLE_BYTES_MIN, SAMPLE_BYTES_MAX));
        Self { runs: RUNS, max_error, library: Some((library, InflateFactors::new(seconds))), ..small }
    }

    /// Samples of so many bytes, each tried once.
    pub fn small(dataset: &'a Dataset, bytes: u64) -> Self {
        let element = filter_element(dataset.datatype());
        let fill = match &dataset.fill_value().value {
            Fill::Undefined => None,
            Fill::Default => Some(vec![0; element.size as usize]),
            Fill::User(value) => Some(value.to_vec()),
        };
        Self {
            dataset,
            element,
            bytes,
            runs: 1,
            fill,
            max_error: None,
            library: None,
            scratch: Scratch::new(),
        }
    }

    /// Bytes of a block.
    fn bytes_of(&self, block: &[u64]) -> u64 {
        block.iter().fold(u64::from(self.element.size), |n, d| n.saturating_mul(*d))
    }

    /// The values of at most `most` blocks of this shape, spread over the dataset. `None` if they cannot be read.
    fn read(&self, block: &[u64], most: u64) -> Option<Vec<Vec<u8>>> {
        let shape = self.dataset.shape();
        let places = shape.iter().zip(block).fold(1u64, |n, (dim, len)| n.saturating_mul((dim / len).max(1)));
        let count = (self.bytes / self.bytes_of(block).max(1)).clamp(1, most).min(places);
        let samples = (0..count).map(|sample| {
            let ranges: Vec<String> = shape
                .iter()
                .zip(block)
                .enumerate()
                .map(|(axis, (dim, len))| {
                    let start = place(sample, count, axis, (dim / len).max(1)) * len;
                    format!("{start}:{}", (start + len).min(*dim))
                })
                .collect();
            let selection = Selection::parse(&ranges.join(", "), shape).ok()?;
            self.dataset.read_bytes(&selection, Endianness::File).ok()
        });
        samples.collect()
    }

    /// The shape of a sample of such a chunk, of at most `bytes_max` bytes.
    fn sample_shape(&self, chunk: &[u64], bytes_max: u64) -> Vec<u64> {
        let shape = self.dataset.shape();
        let mut block: Vec<u64> =
            chunk.iter().zip(shape).map(|(chunk, dim)| (*chunk).min(*dim).max(1)).collect();
        // The slowest axis first, so that what is next to each other stays so.
        for axis in 0..block.len() {
            let pieces = self.bytes_of(&block).div_ceil(bytes_max);
            if pieces > 1 {
                block[axis] = (block[axis] / pieces).max(1);
            }
        }
        let (Some(own), Some(own_bytes)) = (self.dataset.chunk_shape(), self.dataset.chunk_bytes()) else {
            return block;
        };
        loop {
            let touched: Vec<u64> = block.iter().zip(own).map(|(len, own)| len.div_ceil(*own)).collect();
            let needed = touched.iter().fold(own_bytes, |n, d| n.saturating_mul(*d));
            let widest = (0..block.len()).max_by_key(|axis| touched[*axis]);
            match widest.filter(|axis| needed > SOURCE_BYTES_MAX && touched[*axis] > 1) {
                Some(axis) => block[axis] = block[axis].div_ceil(2),
                None => return block,
            }
        }
    }

    /// Filters for chunks of this shape, in hyperslab's own code.
    fn pipeline(&self, requests: &[FilterRequest], block: &[u64], bytes: usize) -> Option<Pipeline> {
        let target = Target { element: &self.element, chunk: block, fill: self.fill.as_deref() };
        let filters = requests.iter().map(|FilterRequest { id, parameters }| {
            let parameters = client_data(*id, parameters, &target).ok()?;
            Some(FilterRequest { id: *id, parameters })
        });
        let filters: Vec<FilterRequest> = filters.collect::<Option<_>>()?;
        // As files are written: a filter that makes a chunk larger is left out for it.
        let specs: Vec<FilterSpec<'_>> = filters
            .iter()
            .map(|FilterRequest { id, parameters }| FilterSpec { id: *id, optional: true, parameters })
            .collect();
        Pipeline::new(&specs, self.element.size as usize, bytes).ok()
    }

    /// The largest difference of a value from what came back. `None` if that is more than the pipeline promises: it is then not
    /// worth a recommendation.
    fn largest_error(&self, wanted: &Wanted, sample: &[u8], decoded: &[u8]) -> Option<f64> {
        if sample == decoded {
            return Some(0.0);
        }
        let bound = self.max_error.filter(|_| wanted.compression.is_lossy())?;
        largest_error(&self.element, bound, sample, decoded).filter(|error| bound.is_kept(*error))
    }

    /// How a pipeline rounds values before its filters, if it does. `None` if these values cannot be rounded so.
    fn decimals(&self, wanted: &Wanted) -> Option<Option<DecimalRounding>> {
        match wanted.compression {
            Compression::Rounded { digits, .. } => {
                DecimalRounding::of_dataset(self.dataset, digits).map(Some)
            }
            _ => Some(None),
        }
    }

    fn trial(&mut self, wanted: &Wanted, block: &[u64], samples: &[Vec<u8>]) -> Option<Trial> {
        let mut trial = Trial {
            decoded_bytes: 0,
            encoded_bytes: 0,
            encode_seconds: 0.0,
            fast_encode_seconds: None,
            decode_seconds: 0.0,
            largest_error: 0.0,
            inflate_factor: None,
            library: None,
        };
        let requests = wanted.requests();
        let numbers = requests.iter().map(|filter| (filter.id, &filter.parameters[..]));
        let percent_larger_max = GzipEncoder::percent_larger_max_of(numbers);
        let (mut fast_bytes, mut fast_seconds) = (0, 0.0);
        let decimals = self.decimals(wanted)?;
        for sample in samples {
            let pipeline = self.pipeline(&requests, block, sample.len())?;
            let (encoded, mask, encode_seconds) = self.encoded(&pipeline, sample, decimals.as_ref())?;
            let (mut decoded, mut decode_seconds) = (vec![0; sample.len()], f64::INFINITY);
            for _ in 0..self.runs {
                let start = thread_seconds();
                pipeline.decode_into(&encoded, mask, &mut self.scratch, &mut decoded).ok()?;
                decode_seconds = decode_seconds.min(thread_seconds() - start);
            }
            if percent_larger_max.is_some() {
                let fast = pipeline.with_deflate_encoder(DeflateEncoder::Fast);
                let (encoded, _, seconds) = self.encoded(&fast, sample, decimals.as_ref())?;
                (fast_bytes, fast_seconds) = (fast_bytes + encoded.len() as u64, fast_seconds + seconds);
            }
            trial.largest_error = trial.largest_error.max(self.largest_error(wanted, sample, &decoded)?);
            trial.decoded_bytes += sample.len() as u64;
            trial.encoded_bytes += encoded.len() as u64;
            trial.encode_seconds += encode_seconds;
            trial.decode_seconds += decode_seconds;
        }
        let is_chosen = |percent| {
            fast_bytes > 0 && GzipEncoder::is_small_enough(fast_bytes, trial.encoded_bytes, percent)
        };
        trial.fast_encode_seconds =
            percent_larger_max.filter(|percent| is_chosen(*percent)).map(|_| fast_seconds);
        trial.inflate_factor = self.inflate_factor(wanted, block, samples, decimals.as_ref(), &trial);
        (trial.decoded_bytes > 0).then_some(trial)
    }
}

impl Samples<'_> {
    /// A sample that a pipeline encodes, its filter mask, and the seconds of processor time that it takes: what else the machine
    /// does is not a property of the filters.
    fn encoded(
        &mut self,
        pipeline: &Pipeline,
        sample: &[u8],
        decimals: Option<&DecimalRounding>,
    ) -> Option<(Vec<u8>, u32, f64)> {
        let (mut bytes, mut mask, mut seconds) = (Vec::new(), 0, f64::INFINITY);
        for _ in 0..self.runs {
            let start = thread_seconds();
            let values = rounded(sample, decimals);
            let encoded = pipeline.encode(&values, &mut self.scratch).ok()?;
            seconds = seconds.min(thread_seconds() - start);
            (bytes, mask) = (encoded.bytes.to_vec(), encoded.mask);
        }
        Some((bytes, mask, seconds))
    }

    /// What deflate gets of the samples.
    fn deflated(
        &mut self,
        wanted: &Wanted,
        block: &[u64],
        samples: &[Vec<u8>],
        decimals: Option<&DecimalRounding>,
    ) -> Option<Vec<Vec<u8>>> {
        let before: Vec<_> =
            wanted.requests().into_iter().take_while(|filter| filter.id != DEFLATE).collect();
        let inputs = samples.iter().map(|sample| {
            let sample = rounded(sample, decimals);
            let pipeline = self.pipeline(&before, block, sample.len())?;
            Some(pipeline.encode(&sample, &mut self.scratch).ok()?.bytes.to_vec())
        });
        inputs.collect()
    }

    /// How many times as long the user's libhdf5 takes to inflate the samples, if they are deflated.
    fn inflate_factor(
        &mut self,
        wanted: &Wanted,
        block: &[u64],
        samples: &[Vec<u8>],
        decimals: Option<&DecimalRounding>,
        trial: &Trial,
    ) -> Option<f64> {
        if self.library.as_ref()?.1.needs_samples(wanted) {
            let inputs = self.deflated(wanted, block, samples, decimals);
            let (library, factors) = self.library.as_mut()?;
            factors.measure(library, wanted, inputs, trial.decode_seconds_per_byte());
        }
        self.library.as_ref()?.1.nearest(wanted)
    }
}

impl Trials for Samples<'_> {
    fn measure(&mut self, chunk: &[u64], pipelines: &[Wanted]) -> Vec<Option<Trial>> {
        let block = self.sample_shape(chunk, self.bytes);
        let Some(samples) = self.read(&block, SAMPLES_MAX) else { return vec![None; pipelines.len()] };
        pipelines.iter().map(|wanted| self.trial(wanted, &block, &samples)).collect()
    }

    fn decode_by_library(&mut self, chunk: &[u64], pipeline: &Wanted) -> Option<LibraryDecoding> {
        let (library, _) = self.library.as_ref()?;
        let block = self.sample_shape(chunk, LIBRARY_BYTES_MAX);
        let mut samples = self.read(&block, LIBRARY_SAMPLES_MAX)?;
        if let Some(decimals) = self.decimals(pipeline)? {
            for sample in &mut samples {
                decimals.apply(sample);
            }
        }
        let decoding = library.decoding(&SampleChunks {
            datatype: self.dataset.datatype().clone(),
            shape: &block,
            filters: pipeline.requests(),
            values: samples.iter().map(Vec::as_slice).collect(),
        })?;
        // Of a chunk that is too large, a part.
        let times = self.bytes_of(chunk) as f64 / self.bytes_of(&block).max(1) as f64;
        let load = library.load_seconds();
        Some(LibraryDecoding {
            seconds: load + (decoding.seconds - load).max(0.0) * times,
            fresh_pages: decoding.fresh_pages * times,
        })
    }
}

/// The values of a sample as the filters get them.
fn rounded<'s>(sample: &'s [u8], decimals: Option<&DecimalRounding>) -> Cow<'s, [u8]> {
    let mut sample = Cow::Borrowed(sample);
    if let Some(decimals) = decimals {
        decimals.apply(sample.to_mut());
    }
    sample
}

/// The largest error of IEEE floats, as the bound counts. `None` for other elements, and where a value that is not a number came
/// back for one that is, or the other way round.
fn largest_error(element: &Element, bound: ErrorBound, sample: &[u8], decoded: &[u8]) -> Option<f64> {
    let ElementKind::Float(bits) = &element.kind else { return None };
    let value = |bytes: &[u8]| -> Option<f64> {
        Some(match (bytes.len(), bits.big_endian) {
            (4, false) => f32::from_le_bytes(bytes.try_into().ok()?).into(),
            (4, true) => f32::from_be_bytes(bytes.try_into().ok()?).into(),
            (8, false) => f64::from_le_bytes(bytes.try_into().ok()?),
            (8, true) => f64::from_be_bytes(bytes.try_into().ok()?),
            _ => return None,
        })
    };
    let size = element.size as usize;
    let mut largest = 0.0f64;
    for (one, other) in sample.chunks_exact(size).zip(decoded.chunks_exact(size)) {
        if one != other {
            largest = largest.max(bound.error(value(one)?, value(other)?)?);
        }
    }
    Some(largest)
}

/// The place of a sample along an axis of so many blocks: evenly spaced along the first axis, by the golden ratio along the
/// others, so that the places of several axes do not fall on a diagonal.
fn place(sample: u64, count: u64, axis: usize, blocks: u64) -> u64 {
    const GOLDEN: f64 = 0.618_033_988_749_895;
    let share = match axis {
        0 => (sample as f64 + 0.5) / count as f64,
        axis => (0.5 + sample as f64 * GOLDEN * axis as f64).fract(),
    };
    ((share * blocks as f64) as u64).min(blocks - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_filters::BitLayout;

    #[test]
    fn errors_are_differences_of_floats() {
        let float = |size: u32, big_endian| Element {
            size,
            kind: ElementKind::Float(BitLayout { precision: 8 * size, offset: 0, big_endian }),
        };
        let bound: ErrorBound = "1".parse().unwrap();
        let (one, other) = (2.5f64.to_be_bytes(), 2.0f64.to_be_bytes());
        assert_eq!(largest_error(&float(8, true), bound, &one, &other), Some(0.5));
        assert_eq!(largest_error(&float(8, true), "50%".parse().unwrap(), &one, &other), Some(0.2));
        let single = |value: f32| value.to_le_bytes();
        assert_eq!(largest_error(&float(4, false), bound, &single(2.0), &single(4.0)), Some(2.0));
        for odd in [f32::NAN, f32::INFINITY] {
            assert_eq!(largest_error(&float(4, false), bound, &single(2.0), &single(odd)), None);
            assert_eq!(largest_error(&float(4, false), bound, &single(odd), &single(odd)), Some(0.0));
        }
    }

    #[test]
    fn samples_are_spread_over_every_axis() {
        let places = |axis: usize, blocks: u64| -> Vec<u64> {
            (0..4).map(|sample| place(sample, 4, axis, blocks)).collect()
        };
        assert_eq!(places(0, 100), [12, 37, 62, 87]);
        assert_eq!(places(1, 100), [50, 11, 73, 35]);
        assert_eq!(places(0, 1), [0; 4]);
        assert!(places(2, 3).iter().all(|place| *place < 3));
    }
}
