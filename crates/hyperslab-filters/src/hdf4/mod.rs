//! The coders of HDF4 that HDF5 does not have. They are no filters of HDF5 and have no numbers among these: a pipeline of one
//! of them is made by [`Pipeline::hdf4`], and nothing is written through them.
//!
//! Deflate is HDF5's filter of this name.

#[cfg(feature = "jpeg")]
mod jpeg;
mod nbit;
mod rle;
mod skipping_huffman;
#[cfg(feature = "szip")]
mod szip;

use crate::stage::Stage;
use crate::{FilterError, Pipeline};

/// A coder of HDF4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hdf4Coder {
    /// Pixels of an image of one or three components.
    Jpeg,
    /// Runs of equal bytes.
    Rle,
    /// Adaptive Huffman trees, used in turn.
    SkippingHuffman {
        /// The number of trees: bytes of a value.
        skip: usize,
    },
    /// The bits of integers that are needed.
    Nbit(Hdf4Nbit),
    /// Szip.
    Szip {
        /// The options mask of the szip library, with HDF4's own bits.
        options: u32,
        /// Values in a block.
        pixels_per_block: u32,
        /// Bits of a value.
        bits_per_pixel: u32,
        /// Values in a scan line.
        pixels_per_scanline: u32,
    },
}

/// Which bits of a value are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hdf4Nbit {
    /// Bytes of a value.
    pub value_bytes: usize,
    /// The highest bit that is stored, from 0.
    pub start_bit: u32,
    /// The number of bits.
    pub bits: u32,
    /// The bits above them are copies of the highest one.
    pub extends_sign: bool,
    /// All other bits are ones.
    pub fills_with_ones: bool,
}

impl Pipeline {
    /// The pipeline of chunks of `chunk_bytes` bytes that one of HDF4's coders has made.
    ///
    /// # Errors
    /// Parameters that are not possible, and coders that were left out of this build.
    pub fn hdf4(coder: Hdf4Coder, chunk_bytes: usize) -> Result<Self, FilterError> {
        Ok(Self::of_stage(coder.stage()?, chunk_bytes))
    }
}

impl Hdf4Coder {
    fn stage(self) -> Result<Box<dyn Stage>, FilterError> {
        Ok(match self {
            #[cfg(feature = "jpeg")]
            Hdf4Coder::Jpeg => Box::new(jpeg::Jpeg),
            #[cfg(not(feature = "jpeg"))]
            Hdf4Coder::Jpeg => {
                return Err(FilterError::unsupported("HDF4 JPEG", "it was left out of this build"));
            }
            Hdf4Coder::Rle => Box::new(rle::Rle),
            Hdf4Coder::SkippingHuffman { skip } => Box::new(skipping_huffman::SkippingHuffman::new(skip)?),
            Hdf4Coder::Nbit(nbit) => Box::new(nbit::Nbit::new(nbit)?),
            #[cfg(feature = "szip")]
            Hdf4Coder::Szip { options, pixels_per_block, bits_per_pixel, pixels_per_scanline } => {
                let parameters = [options, pixels_per_block, bits_per_pixel, pixels_per_scanline];
                Box::new(szip::Szip::new(parameters)?)
            }
            #[cfg(not(feature = "szip"))]
            Hdf4Coder::Szip { .. } => {
                return Err(FilterError::LeftOut { id: 4, name: "szip", feature: "szip" });
            }
        })
    }
}
