//! Encodes chunks, and checks at once that they decode to the same bytes.

use crate::chunk_memory::{ChunkBytes, ChunkMemory};
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

/// Chunks of fewer bytes are not worth a thread for each of those that are tried.
const ALONE_BYTES: usize = 1 << 16;

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
    chunk_bytes: usize,
    memory: ChunkMemory,
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
    pub bytes: ChunkBytes,
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
        let numbers = filters.iter().map(|filter| (filter.id, &filter.parameters[..]));
        let promised = |filter: &Filter| hyperslab_filters::error_promised(filter.id, &filter.parameters);
        let error_promised = filters.iter().find_map(promised).filter(|_| is_float);
        Ok(Self {
            fast: pipeline.with_deflate_encoder(DeflateEncoder::Fast),
            pipeline,
            has_gzip: filters.iter().any(|filter| filter.id == DEFLATE),
            gzip: DeflateEncoder::Small.into(),
            percent_larger_max: GzipEncoder::percent_larger_max_of(numbers),
            element_bytes: datatype.size as usize,
            chunk_bytes,
            memory: ChunkMemory::default(),
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

    /// True if [`Self::choose`] is to be called before the first chunk is encoded.
    pub fn is_open(&self) -> bool {
        self.gzip.get().is_none()
    }

    /// Which encoder writes gzip, if the dataset has that filter.
    pub fn gzip(&self) -> Option<DeflateEncoder> {
        self.gzip.get().copied().filter(|_| self.has_gzip)
    }

    /// Decides between the encoders of gzip, if that is open, by the workers. `read` puts the elements of the chunk in a row,
    /// of `count`, into the memory; false if it cannot be read.
    ///
    /// # Errors
    ///
    /// Those of the filters.
    pub fn choose(
        &self,
        count: usize,
        workers: &Workers<CodecState>,
        read: impl Fn(usize, &mut Vec<u8>) -> bool + Sync,
    ) -> Result<(), FilterError> {
        self.choose_by(|| gzip_encoder::spread(count).into_iter(), workers, read)
    }

    /// The same of data that arrives, of which `count` chunks are there.
    ///
    /// # Errors
    ///
    /// Those of the filters.
    pub fn choose_by_first(
        &self,
        count: usize,
        workers: &Workers<CodecState>,
        read: impl Fn(usize, &mut Vec<u8>) -> bool + Sync,
    ) -> Result<(), FilterError> {
        self.choose_by(|| gzip_encoder::first(count), workers, read)
    }

    fn choose_by<G: Iterator<Item = Vec<usize>>>(
        &self,
        groups: impl FnOnce() -> G,
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
        let (mut groups, mut sizes) = (groups(), Vec::new());
        while sizes.len() < gzip_encoder::SAMPLES {
            let some: Vec<_> = groups.by_ref().take(gzip_encoder::SAMPLES).collect();
            if some.is_empty() {
                break;
            }
            let work = |state: &mut CodecState, group: usize| {
                let memory = (&mut state.scratch, &mut state.chunk);
                let pipelines = [&self.pipeline, &self.fast];
                gzip_encoder::measure(pipelines, self.element_bytes, &some[group], memory, rounded)
            };
            workers.run(some.len(), self.chunk_bytes < ALONE_BYTES, work, |_, found| {
                sizes.extend(found);
                Ok(())
            })?;
        }
        sizes.truncate(gzip_encoder::SAMPLES);
        // Whoever comes first: the choice is the same.
        let _ = self.gzip.set(gzip_encoder::choose(&sizes, percent));
        Ok(())
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
            return Ok(EncodedChunk { bytes: self.memory.copy(chunk), mask: 0, error_max });
        }
        let encoded = self.pipeline().encode(chunk, scratch)?;
        let (bytes, mask) = (self.memory.copy(encoded.bytes), encoded.mask);
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
                    return Ok(EncodedChunk { bytes: self.memory.copy(chunk), mask, error_max });
                }
                error_max += error;
            }
        }
        Ok(EncodedChunk { bytes, mask, error_max })
    }
}
