//! Coders: how the bytes of a compressed element were made (`comp_coder_t`), with what a decoder must know.

use crate::cursor::{Cursor, Parsed};

/// A coder and its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coder {
    /// The bytes as they are.
    None,
    /// Runs of equal bytes.
    Rle,
    /// The bits of integers that are needed.
    Nbit(Nbit),
    /// Adaptive Huffman trees, one for each byte of a value.
    SkippingHuffman {
        /// The number of trees: bytes of a value.
        skip: u32,
    },
    /// One zlib stream.
    Deflate {
        /// The level of its encoder.
        level: u16,
    },
    /// Szip.
    Szip(Szip),
    /// JPEG, for images.
    Jpeg,
    /// IMCOMP, for images of 8 bits.
    Imcomp,
}

/// Which bits of a value are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nbit {
    /// The code of the number type.
    pub number_type: u32,
    /// The bits above those that are stored are copies of the highest one.
    pub extends_sign: bool,
    /// All other bits are ones.
    pub fills_with_ones: bool,
    /// The highest bit that is stored, from 0.
    pub start_bit: u32,
    /// The number of bits.
    pub bits: u32,
}

/// The parameters of szip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Szip {
    /// Values in the element.
    pub pixels: u32,
    /// Values in a scan line.
    pub pixels_per_scanline: u32,
    /// The options mask of the szip library.
    pub options: u32,
    /// Bits of a value.
    pub bits_per_pixel: u8,
    /// Values in a block.
    pub pixels_per_block: u8,
}

impl Coder {
    /// Parses the number of a model, the number of a coder, and the parameters of that.
    pub(crate) fn parse(fields: &mut Cursor<'_>) -> Parsed<Self> {
        let at = fields.at();
        let model = fields.u16("model")?;
        if model != 0 {
            return Err(fields.unsupported("model", at, format!("model {model} is not read")));
        }
        let at = fields.at();
        Ok(match fields.u16("coder")? {
            0 => Coder::None,
            1 => Coder::Rle,
            2 => Coder::Nbit(Nbit::parse(fields)?),
            3 => {
                let skip = fields.u32("skip size")?;
                // The size stands there twice; only one of them is used.
                Coder::SkippingHuffman { skip }
            }
            4 => Coder::Deflate { level: fields.u16("level")? },
            5 => Coder::Szip(Szip {
                pixels: fields.u32("pixels")?,
                pixels_per_scanline: fields.u32("pixels per scan line")?,
                options: fields.u32("options mask")?,
                bits_per_pixel: fields.u8("bits per pixel")?,
                pixels_per_block: fields.u8("pixels per block")?,
            }),
            7 => Coder::Jpeg,
            12 => Coder::Imcomp,
            other => return Err(fields.unsupported("coder", at, format!("coder {other} is not read"))),
        })
    }

    /// The words for it in messages, as `hrepack` and `hdp` have them.
    pub fn name(&self) -> &'static str {
        match self {
            Coder::None => "none",
            Coder::Rle => "RLE",
            Coder::Nbit(_) => "N-bit",
            Coder::SkippingHuffman { .. } => "skipping Huffman",
            Coder::Deflate { .. } => "deflate",
            Coder::Szip(_) => "szip",
            Coder::Jpeg => "JPEG",
            Coder::Imcomp => "IMCOMP",
        }
    }
}

impl Nbit {
    fn parse(fields: &mut Cursor<'_>) -> Parsed<Self> {
        let number_type = fields.u32("number type")?;
        let extends_sign = fields.u16("sign extension")? != 0;
        let fills_with_ones = fields.u16("fill")? != 0;
        let at = fields.at();
        let start_bit = fields.length("start bit")?;
        let bits = fields.length("number of bits")?;
        if bits == 0 || start_bit >= 64 || bits > start_bit + 1 {
            let what = format!("{bits} bits from bit {start_bit}");
            return Err(fields.invalid("number of bits", at, what));
        }
        Ok(Self { number_type, extends_sign, fills_with_ones, start_bit, bits })
    }
}
