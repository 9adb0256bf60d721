//! Encodes chunks, and checks at once that they decode to the same bytes.

use crate::decimal_rounding::DecimalRounding;
use crate::gzip_encoder;
use crate::new_filters::{is_lossy, spec};
use crate::ordered::Workers;
use crate::rounding::Rounding;
use hyperslab::Datatype;
use hyperslab::datatypes::Class;
use hyperslab_filters::{DeflateEncoder, FilterError, Pipeline, Scratch};
use hyperslab_format::message::Filter;
use hyperslab_storage::GzipEncoder;
use hyperslab_storage::filter::number::DEFLATE;
use std::sync::OnceLock;

/// Encodes the chunks of one dataset.
pub struct ChunkEncoder {
    pipeline: Pipeline,
    /// The same filters with the fast encoder of gzip.
    fast: Pipeline,
    has_gzip: bool,
    /// Which of the two is used, once that is known.
    gzip: OnceLock<DeflateEncoder>,
    /// The most by which chunks of the fast one may be larger, in percent; `None` where only the other may be used.
    percent_larger_max: Option<u32>,
    element_bytes: usize,
    /// What is done to values before the filters.
    decimals: Option<DecimalRounding>,
    /// How far values may be from what they were; `None` if all bytes must be the same.
    rounding: Option<Rounding>,
    /// The most that values may be from what they were, if the filters promise that.
    error_promised: Option<f64>,
    /// True if chunks are to be decoded again.
    is_verified: bool,
    edge_chunks_unfiltered: bool,
}

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub struct CodecState {
    /// The buffers of the filters.
    pub scratch: Scratch,
    /// The chunk.
    pub chunk: Vec<u8>,
    /// Bytes that were read for it.
    pub stored: Vec<u8>,
    decoded: Vec<u8>,
}

/// A chunk as it will be stored.
#[derive(Debug)]
pub struct EncodedChunk {
    /// The bytes to store.
    pub bytes: Vec<u8>,
    /// Bit i is set if filter i was skipped.
    pub mask: u32,
    /// The largest difference between a value and what is decoded again.
    pub error_max: f64,
}

impl ChunkEncoder {
    /// An encoder for chunks of `chunk_bytes` bytes.
    ///
    /// # Errors
    ///
    /// Filters that cannot be used.
    pub fn new(
        filters: &[Filter],
        datatype: &Datatype,
        chunk_bytes: usize,
        edge_chunks_unfiltered: bool,
        is_verified: bool,
    ) -> Result<Self, FilterError> {
        let specs: Vec<_> = filters.iter().map(spec).collect();
        let pipeline = Pipeline::new(&specs, datatype.size as usize, chunk_bytes)?;
        let rounding = is_lossy(filters, datatype).then(|| Rounding::of(datatype)).flatten();
        // zfp keeps an accuracy for floats only; for integers it has no such mode.
        let is_float = matches!(datatype.class, Class::Float(_));
        let promised = |filter: &Filter| hyperslab_filters::error_promised(filter.id, &filter.parameters);
        let error_promised = filters.iter().find_map(promised).filter(|_| is_float);
        Ok(Self {
            fast: pipeline.with_deflate_encoder(DeflateEncoder::Fast),
            pipeline,
            has_gzip: filters.iter().any(|filter| filter.id == DEFLATE),
            gzip: DeflateEncoder::Small.into(),
            percent_larger_max: gzip_encoder::percent_larger_max(filters),
            element_bytes: datatype.size as usize,
            decimals: None,
            rounding,
            error_promised,
            is_verified,
            edge_chunks_unfiltered,
        })
    }

    /// An encoder that writes gzip so; without it, `small`.
    pub fn with_gzip(self, encoder: GzipEncoder) -> Self {
        let gzip = match encoder {
            GzipEncoder::Fast => DeflateEncoder::Fast.into(),
            GzipEncoder::Auto if self.percent_larger_max.is_some() => OnceLock::new(),
            GzipEncoder::Auto | GzipEncoder::Small => DeflateEncoder::Small.into(),
        };
        Self { gzip, ..self }
    }

    /// True if [`Self::settle`] is to be called before the first chunk is encoded.
    pub fn is_open(&self) -> bool {
        self.gzip.get().is_none()
    }

    /// Which encoder writes gzip, if the dataset has that filter.
    pub fn gzip(&self) -> Option<DeflateEncoder> {
        self.gzip.get().copied().filter(|_| self.has_gzip)
    }

    /// Decides between the encoders of gzip, if that is open, by one of the workers. `read` puts the elements of the chunk in a row,
    /// of `count`, into the memory; false if it cannot be read.
    ///
    /// # Errors
    ///
    /// Those of the filters.
    pub fn settle(
        &self,
        count: usize,
        workers: &Workers<CodecState>,
        read: impl Fn(usize, &mut Vec<u8>) -> bool + Sync,
    ) -> Result<(), FilterError> {
        self.settle_by(|| gzip_encoder::spread(count), workers, read)
    }

    /// The same of data that arrives, of which `count` chunks are there.
    ///
    /// # Errors
    ///
    /// Those of the filters.
    pub fn settle_by_first(
        &self,
        count: usize,
        workers: &Workers<CodecState>,
        read: impl Fn(usize, &mut Vec<u8>) -> bool + Sync,
    ) -> Result<(), FilterError> {
        self.settle_by(|| gzip_encoder::first(count), workers, read)
    }

    fn settle_by<G: IntoIterator<Item = Vec<usize>>>(
        &self,
        groups: impl Fn() -> G + Sync,
        workers: &Workers<CodecState>,
        read: impl Fn(usize, &mut Vec<u8>) -> bool + Sync,
    ) -> Result<(), FilterError> {
        let Some(percent) = self.percent_larger_max.filter(|_| self.is_open()) else { return Ok(()) };
        let rounded = |row: usize, chunk: &mut Vec<u8>| {
            let is_read = read(row, chunk);
            if let (true, Some(decimals)) = (is_read, &self.decimals) {
                decimals.apply(chunk);
            }
            is_read
        };
        let work = |state: &mut CodecState, _: usize| {
            let memory = (&mut state.scratch, &mut state.chunk);
            gzip_encoder::choose(&self.pipeline, percent, self.element_bytes, groups(), memory, rounded)
        };
        workers.run(1, true, work, |_, chosen| {
            // Whoever comes first: the choice is the same.
            let _ = self.gzip.set(chosen);
            Ok(())
        })
    }

    fn pipeline(&self) -> &Pipeline {
        match self.gzip() {
            Some(DeflateEncoder::Fast) => &self.fast,
            Some(DeflateEncoder::Small) | None => &self.pipeline,
        }
    }

    /// An encoder that rounds values to decimal places first.
    pub fn rounding(self, decimals: Option<DecimalRounding>) -> Self {
        Self { decimals, ..self }
    }

    /// Encodes the chunk of a state, whose values are rounded in place if they are to be. `is_partial`: it reaches beyond the extent
    /// of the dataset.
    ///
    /// # Errors
    ///
    /// Those of the filters; [`FilterError::Corrupt`] if the result does not decode to the same bytes. A chunk whose values would
    /// change by more than the filters promise is stored without them.
    pub fn encode_own(&self, is_partial: bool, state: &mut CodecState) -> Result<EncodedChunk, FilterError> {
        let CodecState { scratch, chunk, decoded, .. } = state;
        let mut error_max = self.decimals.as_ref().map_or(0.0, |decimals| decimals.apply(chunk));
        if self.pipeline.is_empty() || (self.edge_chunks_unfiltered && is_partial) {
            return Ok(EncodedChunk { bytes: chunk.to_vec(), mask: 0, error_max });
        }
        let encoded = self.pipeline().encode(chunk, scratch)?;
        let (bytes, mask) = (encoded.bytes.to_vec(), encoded.mask);
        if self.is_verified {
            decoded.resize(chunk.len(), 0);
            self.pipeline.decode_into(&bytes, mask, scratch, decoded)?;
            if decoded != chunk {
                let error = self.rounding.as_ref().map(|rounding| rounding.error_max(chunk, decoded));
                let error = error.ok_or_else(|| FilterError::Corrupt {
                    filter: "verification",
                    what: "the encoded chunk does not decode to the same bytes".into(),
                })?;
                if self.error_promised.is_some_and(|promised| error > promised) {
                    // Such as zfp of values that differ by more than its numbers hold.
                    let mask =
                        1u64.checked_shl(self.pipeline.len() as u32).map_or(u32::MAX, |bit| (bit - 1) as u32);
                    return Ok(EncodedChunk { bytes: chunk.to_vec(), mask, error_max });
                }
                error_max += error;
            }
        }
        Ok(EncodedChunk { bytes, mask, error_max })
    }
}
