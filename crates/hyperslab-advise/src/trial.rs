//! Samples of the data, encoded as a storage would.
//!
//! The caller has the values. It cuts a few chunks of the wanted shape out of the dataset, spread evenly, and encodes and
//! decodes them with each pipeline on one thread. Sizes must not depend on how long that takes.

use crate::pipeline::Pipeline;
use hyperslab_storage::cost::LibraryDecoding;

/// What encoding the samples with one pipeline came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// Bytes of the samples before.
    pub decoded_bytes: u64,
    /// Bytes of the samples after.
    pub encoded_bytes: u64,
    /// Seconds to encode them, by the encoder whose size that is.
    pub encode_seconds: f64,
    /// Seconds to encode them by the fast encoder of gzip, where `hyperslab repack` would choose it.
    pub fast_encode_seconds: Option<f64>,
    /// Seconds to decode them, by hyperslab's decoders.
    pub decode_seconds: f64,
    /// The largest difference of a value from what comes back, or, if the bound of the error is a share of each value, the
    /// largest share; 0 for lossless pipelines.
    pub largest_error: f64,
    /// How many times as long the user's libhdf5 takes to inflate them, if that was measured.
    pub inflate_factor: Option<f64>,
    /// What decoding a chunk costs the user's libhdf5, if it decoded samples in chunks of the storage's own shape.
    pub library: Option<LibraryDecoding>,
}

/// Samples of one dataset.
pub trait Trials {
    /// Encodes samples in chunks of this shape, with each of the pipelines. `None` where a pipeline cannot encode them, where
    /// other values come back than it promises, or if the samples cannot be read.
    fn measure(&mut self, chunk: &[u64], pipelines: &[Pipeline]) -> Vec<Option<Trial>>;

    /// What decoding a chunk of this shape costs the user's libhdf5, which decodes samples. `None` where it cannot be asked.
    fn decode_by_library(&mut self, _chunk: &[u64], _pipeline: &Pipeline) -> Option<LibraryDecoding> {
        None
    }
}

impl Trial {
    /// What encoding is assumed to cost before it is measured.
    pub(crate) const ASSUMED: Self = Self {
        decoded_bytes: 1 << 20,
        encoded_bytes: 1 << 19,
        encode_seconds: 0.02,
        fast_encode_seconds: None,
        decode_seconds: 0.002,
        largest_error: 0.0,
        inflate_factor: None,
        library: None,
    };
    /// What is not encoded.
    pub(crate) const RAW: Self =
        Self { encoded_bytes: 1 << 20, encode_seconds: 0.0, decode_seconds: 0.0, ..Self::ASSUMED };

    /// Encoded bytes for each byte; of samples without bytes, 1.
    pub fn share(&self) -> f64 {
        if self.decoded_bytes == 0 { 1.0 } else { self.encoded_bytes as f64 / self.decoded_bytes as f64 }
    }

    /// Seconds to decode one byte.
    pub fn decode_seconds_per_byte(&self) -> f64 {
        self.decode_seconds / self.decoded_bytes.max(1) as f64
    }

    /// Seconds to encode one byte.
    pub fn encode_seconds_per_byte(&self) -> f64 {
        self.encode_seconds / self.decoded_bytes.max(1) as f64
    }

    /// Seconds that `hyperslab repack` takes to encode one byte.
    pub(crate) fn repack_encode_seconds_per_byte(&self) -> f64 {
        self.fast_encode_seconds.unwrap_or(self.encode_seconds) / self.decoded_bytes.max(1) as f64
    }
}
