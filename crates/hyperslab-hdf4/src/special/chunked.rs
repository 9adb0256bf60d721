//! Chunked elements: the shape of the chunks, their coder, and the Vdata that lists them.

use super::coder_follows;
use crate::Coder;
use crate::cursor::{Cursor, Parsed};
use hyperslab_format::FormatError;
use hyperslab_format::limits::RANK_MAX;

/// Chunks are compressed if the low byte of the flags is this.
const COMPRESSED: u32 = 3;
/// The kind of a dimension that can grow, in bits 8 to 15 of its flags.
const UNLIMITED: u32 = 1;

/// The description of a chunked element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunked {
    /// Bytes of a value.
    pub value_bytes: u32,
    /// The tag and the reference of the table of chunks.
    pub table: (u16, u16),
    /// The dimensions, slowest first.
    pub dimensions: Vec<ChunkedDimension>,
    /// The value of chunks that do not exist, as it stands in the file.
    pub fill: Vec<u8>,
    /// How chunks are compressed.
    pub coder: Coder,
}

/// A dimension of a chunked element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkedDimension {
    /// Values along the dimension.
    pub length: u32,
    /// Values of a chunk along it.
    pub chunk: u32,
    /// True where it can grow.
    pub is_unlimited: bool,
}

impl Chunked {
    pub(super) fn parse(fields: &mut Cursor<'_>) -> Parsed<Self> {
        let _header_bytes = fields.i32("header length")?;
        let at = fields.at();
        let version = fields.u8("version")?;
        if version != 0 {
            return Err(fields.unsupported("version", at, format!("version {version} is not read")));
        }
        let flags = fields.u32("flags")?;
        let _values = fields.i32("number of values")?;
        let _values_of_chunk = fields.i32("values of a chunk")?;
        let value_bytes = fields.length("bytes of a value")?;
        let table = (fields.u16("table tag")?, fields.u16("table reference")?);
        let _special = (fields.u16("special tag")?, fields.u16("special reference")?);
        let at = fields.at();
        let rank = fields.length("number of dimensions")?;
        if u64::from(rank) > RANK_MAX {
            let (structure, field) = ("special element", "number of dimensions");
            return Err(FormatError::limit(structure, field, at, "RANK_MAX", RANK_MAX, rank.into()));
        }
        let mut dimensions = Vec::with_capacity(rank as usize);
        for _ in 0..rank {
            let flags = fields.u32("flags of a dimension")?;
            let length = fields.length("length of a dimension")?;
            let at = fields.at();
            let chunk = fields.length("length of a chunk")?;
            if chunk == 0 {
                return Err(fields.invalid("length of a chunk", at, "0".into()));
            }
            let is_unlimited = flags >> 8 & 0xFF == UNLIMITED;
            dimensions.push(ChunkedDimension { length, chunk, is_unlimited });
        }
        let fill_bytes = fields.length("length of the fill value")?;
        let fill = fields.take("fill value", fill_bytes as usize)?.to_vec();
        let coder = match flags & 0xFF {
            COMPRESSED => {
                coder_follows(fields)?;
                let _bytes = fields.i32("length of the coder")?;
                Coder::parse(fields)?
            }
            _ => Coder::None,
        };
        Ok(Self { value_bytes, table, dimensions, fill, coder })
    }
}
