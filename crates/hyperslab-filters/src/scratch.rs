//! Buffers and codec states that a thread keeps from chunk to chunk.

use crate::FilterError;
#[cfg(feature = "deflate")]
use libdeflater::{Compressor, Decompressor};
#[cfg(feature = "zstd")]
use zstd::zstd_safe::DCtx;

/// What one thread reuses between chunks. Its buffers grow to the largest chunk seen and are zeroed only when they
/// grow, never again.
#[derive(Default)]
pub struct Scratch {
    pub(crate) buffers: [Buffer; 2],
    pub(crate) tools: Tools,
}

impl Scratch {
    /// Empty: everything is made when it is first needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes held by the buffers.
    pub fn held_bytes(&self) -> usize {
        self.buffers
            .iter()
            .chain([&self.tools.spare, &self.tools.rows])
            .map(|buffer| buffer.bytes.len())
            .sum()
    }

    /// Gives back buffers longer than `keep` bytes.
    pub fn trim(&mut self, keep: usize) {
        for buffer in self.buffers.iter_mut().chain([&mut self.tools.spare, &mut self.tools.rows]) {
            if buffer.bytes.len() > keep {
                *buffer = Buffer::default();
            }
        }
    }
}

/// Codec states.
#[derive(Default)]
pub(crate) struct Tools {
    /// For filters that decode in two steps.
    pub spare: Buffer,
    /// For filters that decode in three.
    pub rows: Buffer,
    #[cfg(feature = "deflate")]
    inflater: Option<Decompressor>,
    #[cfg(feature = "deflate")]
    deflater: Option<(i32, Compressor)>,
    #[cfg(feature = "zstd")]
    zstd: Option<DCtx<'static>>,
}

#[cfg(feature = "deflate")]
impl Tools {
    pub fn inflater(&mut self) -> &mut Decompressor {
        self.inflater.get_or_insert_with(Decompressor::new)
    }

    /// The compressor of a level (0 to 9); making one costs much more than using it on a small chunk.
    pub fn deflater(&mut self, level: i32) -> &mut Compressor {
        if self.deflater.as_ref().is_none_or(|(made, _)| *made != level) {
            let checked = libdeflater::CompressionLvl::new(level).unwrap_or_default();
            self.deflater = Some((level, Compressor::new(checked)));
        }
        &mut self.deflater.as_mut().expect("made above").1
    }
}

#[cfg(feature = "zstd")]
impl Tools {
    pub fn zstd(&mut self) -> Result<&mut DCtx<'static>, FilterError> {
        if self.zstd.is_none() {
            self.zstd = Some(DCtx::try_create().ok_or(FilterError::Memory { bytes: 1 << 18 })?);
        }
        Ok(self.zstd.as_mut().expect("made above"))
    }
}

/// Bytes with a high-water mark: all of them are initialised, their values are left from earlier uses.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
}

impl Buffer {
    /// Room for `len` bytes, with whatever values.
    pub fn room(&mut self, len: usize) -> Result<&mut [u8], FilterError> {
        if self.bytes.len() < len {
            // Nothing of the old content is wanted: a fresh allocation spares copying it.
            self.bytes = Vec::new();
            self.bytes.try_reserve_exact(len).map_err(|_| FilterError::Memory { bytes: len })?;
            self.bytes.resize(len, 0);
        }
        Ok(&mut self.bytes[..len])
    }

    /// The first bytes, as they were last written.
    pub fn get(&self, range: std::ops::Range<usize>) -> &[u8] {
        &self.bytes[range]
    }
}
