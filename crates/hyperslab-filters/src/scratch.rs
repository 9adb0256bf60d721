//! Buffers and codec states that a thread reuses between chunks.

use crate::FilterError;
#[cfg(feature = "deflate")]
use libdeflater::{Compressor, Decompressor};
#[cfg(feature = "zstd")]
use zstd::zstd_safe::{CCtx, DCtx};

/// The buffers and codec states that one thread reuses between chunks. Buffers grow to the largest chunk so far and are
/// zeroed only when they grow.
#[derive(Default)]
pub struct Scratch {
    pub(crate) buffers: [Buffer; 2],
    pub(crate) state: CodecState,
}

impl Scratch {
    /// An empty scratch: everything is created when it is first needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// The size of the buffers in bytes.
    pub fn held_bytes(&self) -> usize {
        self.buffers
            .iter()
            .chain([&self.state.spare, &self.state.rows])
            .map(|buffer| buffer.bytes.len())
            .sum()
    }

    /// Frees buffers longer than `keep` bytes.
    pub fn trim(&mut self, keep: usize) {
        for buffer in self.buffers.iter_mut().chain([&mut self.state.spare, &mut self.state.rows]) {
            if buffer.bytes.len() > keep {
                *buffer = Buffer::default();
            }
        }
    }
}

/// Codec states.
#[derive(Default)]
pub(crate) struct CodecState {
    /// A buffer for filters that decode in two steps.
    pub spare: Buffer,
    /// A second one for filters that decode in three.
    pub rows: Buffer,
    /// What the encoders of the Lempel-Ziv family have seen.
    #[cfg(any(feature = "blosc", feature = "lzf", feature = "lzo"))]
    pub positions: crate::lz_search::Positions,
    #[cfg(feature = "deflate")]
    inflater: Option<Decompressor>,
    #[cfg(feature = "deflate")]
    deflater: Option<(i32, Compressor)>,
    /// Which encoder the pipeline has that is applied.
    #[cfg(feature = "deflate")]
    pub deflate_encoder: crate::DeflateEncoder,
    #[cfg(feature = "deflate")]
    fast_deflater: Option<crate::deflate::Encoder>,
    #[cfg(feature = "zstd")]
    zstd: Option<DCtx<'static>>,
    #[cfg(feature = "zstd")]
    zstd_compressor: Option<CCtx<'static>>,
}

#[cfg(feature = "deflate")]
impl CodecState {
    pub fn inflater(&mut self) -> &mut Decompressor {
        self.inflater.get_or_insert_with(Decompressor::new)
    }

    /// The compressor for a level (0 to 9). Creating one costs much more than using it on a small chunk.
    pub fn deflater(&mut self, level: i32) -> &mut Compressor {
        if self.deflater.as_ref().is_none_or(|(made, _)| *made != level) {
            let checked = libdeflater::CompressionLvl::new(level).unwrap_or_default();
            self.deflater = Some((level, Compressor::new(checked)));
        }
        &mut self.deflater.as_mut().expect("made above").1
    }

    pub fn fast_deflater(&mut self) -> &mut crate::deflate::Encoder {
        self.fast_deflater.get_or_insert_with(crate::deflate::Encoder::new)
    }
}

#[cfg(feature = "zstd")]
impl CodecState {
    pub fn zstd(&mut self) -> Result<&mut DCtx<'static>, FilterError> {
        if self.zstd.is_none() {
            self.zstd = Some(DCtx::try_create().ok_or(FilterError::Memory { bytes: 1 << 18 })?);
        }
        Ok(self.zstd.as_mut().expect("made above"))
    }

    pub fn zstd_compressor(&mut self) -> Result<&mut CCtx<'static>, FilterError> {
        if self.zstd_compressor.is_none() {
            self.zstd_compressor = Some(CCtx::try_create().ok_or(FilterError::Memory { bytes: 1 << 18 })?);
        }
        Ok(self.zstd_compressor.as_mut().expect("made above"))
    }
}

/// Bytes that are all initialised but may contain values from earlier uses.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
}

impl Buffer {
    /// Room for `len` bytes with arbitrary values.
    pub fn room(&mut self, len: usize) -> Result<&mut [u8], FilterError> {
        if self.bytes.len() < len {
            // The old content is not needed: a new allocation avoids copying it.
            self.bytes = Vec::new();
            self.bytes.try_reserve_exact(len).map_err(|_| FilterError::Memory { bytes: len })?;
            self.bytes.resize(len, 0);
        }
        Ok(&mut self.bytes[..len])
    }

    /// The bytes of a range, as they were last written.
    pub fn get(&self, range: std::ops::Range<usize>) -> &[u8] {
        &self.bytes[range]
    }
}
