//! Speeds and ratios measured on a few of the file's own chunks.
//!
//! The caller provides functions that decode a sample and encode it again. Timing them, and choosing the best of
//! several runs, happens here, so that every caller measures in the same way. Samples are measured on one thread. The
//! fastest run counts, because other activity on the machine can only make a run slower.

use hyperslab_storage::cost::LibraryDecoding;
use std::time::{Duration, Instant};

/// The result of decoding one sample chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoded {
    /// Encoded bytes read.
    pub stored_bytes: u64,
    /// Decoded bytes produced.
    pub decoded_bytes: u64,
}

/// How samples are encoded again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// The filter that compresses.
    pub codec: Codec,
    /// Its level.
    pub level: u32,
    /// True if the bytes are shuffled first.
    pub shuffle: bool,
}

/// The compression of an [`Encoding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Codec {
    /// Deflate (gzip), which every libhdf5 reads.
    Deflate,
    /// Zstandard, which needs a plug-in.
    Zstd,
}

impl Encoding {
    /// Deflate at this level, after a shuffle or not.
    pub fn deflate(level: u32, shuffle: bool) -> Self {
        Self { codec: Codec::Deflate, level, shuffle }
    }
}

/// Sample chunks of one dataset, kept in memory by the caller.
pub trait Sampler {
    /// Number of samples.
    fn count(&self) -> usize;
    /// Decodes one sample with the dataset's own pipeline. Returns `None` if it cannot be decoded.
    fn decode(&mut self, sample: usize) -> Option<Decoded>;
    /// The share of a sample's decoded bytes that [`Self::recode`] encodes: less than 1 for a part of a large chunk.
    fn recoded_share(&self, _sample: usize) -> f64 {
        1.0
    }
    /// Encodes one sample's decoded bytes, and returns the encoded bytes. Returns `None` if re-encoding makes no sense
    /// for this dataset.
    fn recode(&mut self, sample: usize, encoding: Encoding) -> Option<Vec<u8>>;
    /// Decodes the bytes that [`Self::recode`] returned. Returns false if that is not possible.
    fn decode_recoded(&mut self, encoded: &[u8], sample: usize, encoding: Encoding) -> bool;
}

/// Measurements on the samples of a dataset.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleMeasurement {
    /// Number of chunks sampled.
    pub chunks: u64,
    /// Their size in the file, in bytes.
    pub stored_bytes: u64,
    /// Their decoded size, in bytes.
    pub decoded_bytes: u64,
    /// Seconds to decode all of them once on one thread, with hyperslab's decoder.
    pub decode_seconds: f64,
    /// The same chunks re-encoded by deflate with other settings.
    pub recoded: Vec<RecodeMeasurement>,
    /// The same chunks re-encoded by zstd, if the reader has its plug-in.
    pub zstd: Option<RecodeMeasurement>,
    /// What decoding costs the user's libhdf5, if it could be asked.
    pub library: Option<LibraryDecoding>,
}

/// The samples encoded with one setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecodeMeasurement {
    /// The level of the compression.
    pub level: u32,
    /// True if the bytes were shuffled first.
    pub shuffle: bool,
    /// Encoded size of all samples, in bytes.
    pub encoded_bytes: u64,
    /// Seconds to encode them.
    pub encode_seconds: f64,
    /// Seconds to decode them again.
    pub decode_seconds: f64,
}

impl SampleMeasurement {
    /// The measurement for one setting, if there is one.
    pub fn recoded_at(&self, level: u32, shuffle: bool) -> Option<&RecodeMeasurement> {
        self.recoded.iter().find(|r| r.level == level && r.shuffle == shuffle)
    }

    /// Decoded bytes per second, if anything was measured.
    pub fn decode_bytes_per_second(&self) -> Option<f64> {
        (self.decode_seconds > 0.0 && self.decoded_bytes > 0)
            .then(|| self.decoded_bytes as f64 / self.decode_seconds)
    }
}

/// Passes over all samples; of each sample the fastest counts. Not one sample several times in a row, whose bytes a processor
/// learns.
const DECODE_PASSES: usize = 3;

/// Measures the decoding of every sample, then each of the `encodings` until `budget` is spent. `now` is the clock, in
/// seconds: that of the thread's processor time, which other work of the machine does not lengthen.
/// Returns `None` if there are no samples or one of them cannot be decoded.
pub fn measure_samples(
    sampler: &mut dyn Sampler,
    encodings: &[Encoding],
    budget: Duration,
    now: fn() -> f64,
) -> Option<SampleMeasurement> {
    let begin = Instant::now();
    if sampler.count() == 0 {
        return None;
    }
    let mut measured = SampleMeasurement { chunks: sampler.count() as u64, ..SampleMeasurement::default() };
    let mut least = vec![f64::INFINITY; sampler.count()];
    for pass in 0..DECODE_PASSES {
        if pass > 0 && begin.elapsed() > budget {
            break;
        }
        for (sample, least) in least.iter_mut().enumerate() {
            let start = now();
            let decoded = sampler.decode(sample)?;
            *least = least.min(now() - start);
            if pass == 0 {
                measured.stored_bytes += decoded.stored_bytes;
                measured.decoded_bytes += decoded.decoded_bytes;
            }
        }
    }
    measured.decode_seconds = least.iter().sum();
    for &encoding in encodings {
        if begin.elapsed() > budget {
            break;
        }
        let Some(recoded) = measure_recode(sampler, encoding, now) else { continue };
        match encoding.codec {
            Codec::Deflate => measured.recoded.push(recoded),
            Codec::Zstd => measured.zstd = Some(recoded),
        }
    }
    Some(measured)
}

fn measure_recode(
    sampler: &mut dyn Sampler,
    encoding: Encoding,
    now: fn() -> f64,
) -> Option<RecodeMeasurement> {
    let Encoding { level, shuffle, .. } = encoding;
    let mut total =
        RecodeMeasurement { level, shuffle, encoded_bytes: 0, encode_seconds: 0.0, decode_seconds: 0.0 };
    for sample in 0..sampler.count() {
        let share = sampler.recoded_share(sample).max(f64::MIN_POSITIVE);
        let start = now();
        let encoded = sampler.recode(sample, encoding)?;
        total.encode_seconds += (now() - start) / share;
        total.encoded_bytes += (encoded.len() as f64 / share) as u64;
        let start = now();
        if !sampler.decode_recoded(&encoded, sample, encoding) {
            return None;
        }
        total.decode_seconds += (now() - start) / share;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        static CLOCK: std::cell::Cell<f64> = const { std::cell::Cell::new(0.0) };
    }

    struct Fake {
        samples: usize,
        can_recode: bool,
    }

    impl Sampler for Fake {
        fn count(&self) -> usize {
            self.samples
        }
        fn decode(&mut self, _: usize) -> Option<Decoded> {
            CLOCK.set(CLOCK.get() + 0.25);
            Some(Decoded { stored_bytes: 10, decoded_bytes: 100 })
        }
        fn recode(&mut self, _: usize, encoding: Encoding) -> Option<Vec<u8>> {
            self.can_recode.then(|| vec![0; 20 - encoding.level as usize])
        }
        fn decode_recoded(&mut self, encoded: &[u8], _: usize, _: Encoding) -> bool {
            !encoded.is_empty()
        }
    }

    #[test]
    fn samples_add_up() {
        let mut fake = Fake { samples: 2, can_recode: true };
        let zstd = Encoding { codec: Codec::Zstd, level: 3, shuffle: true };
        let encodings = [Encoding::deflate(1, true), Encoding::deflate(6, false), zstd];
        let measured =
            measure_samples(&mut fake, &encodings, Duration::from_secs(5), || CLOCK.get()).unwrap();
        assert_eq!((measured.chunks, measured.stored_bytes, measured.decoded_bytes), (2, 20, 200));
        assert_eq!(measured.decode_seconds, 0.5, "by the given clock, whatever else the machine does");
        assert_eq!(measured.recoded_at(1, true).unwrap().encoded_bytes, 38);
        assert_eq!(measured.recoded_at(6, false).unwrap().encoded_bytes, 28);
        assert!(measured.recoded_at(6, true).is_none());
        assert!(measured.recoded_at(3, true).is_none(), "zstd is not deflate");
        assert_eq!(measured.zstd.unwrap().encoded_bytes, 34);
    }

    #[test]
    fn no_sample_no_measurement_and_a_spent_budget_stops() {
        assert_eq!(
            measure_samples(&mut Fake { samples: 0, can_recode: true }, &[], Duration::MAX, || 0.0),
            None
        );
        let measured = measure_samples(
            &mut Fake { samples: 1, can_recode: true },
            &[Encoding::deflate(1, true)],
            Duration::ZERO,
            || 0.0,
        )
        .unwrap();
        assert!(measured.recoded.is_empty());
    }
}
