//! The dimensions of a scientific data set without Vgroups (tag 701).

use crate::cursor::Cursor;
use hyperslab_format::FormatError;
use hyperslab_format::limits::RANK_MAX;

/// The shape of a data set, and where the types of its values and of its scales are described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDimensions {
    /// Values along each dimension, slowest first.
    pub shape: Vec<u32>,
    /// The tag and the reference of the number type of the values.
    pub number_type: (u16, u16),
    /// The same of the scale of each dimension.
    pub scale_types: Vec<(u16, u16)>,
}

impl DataDimensions {
    /// Parses the record that begins at `at`.
    ///
    /// # Errors
    /// A record that is too short, and more dimensions than are read.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut fields = Cursor::new("data dimensions", bytes, at);
        let rank = fields.u16("rank")?;
        if u64::from(rank) > RANK_MAX {
            return Err(FormatError::limit("data dimensions", "rank", at, "RANK_MAX", RANK_MAX, rank.into()));
        }
        let mut shape = Vec::new();
        for _ in 0..rank {
            shape.push(fields.length("size")?);
        }
        let number_type = (fields.u16("number type tag")?, fields.u16("number type reference")?);
        let mut scale_types = Vec::new();
        for _ in 0..rank {
            scale_types.push((fields.u16("scale type tag")?, fields.u16("scale type reference")?));
        }
        Ok(Self { shape, number_type, scale_types })
    }
}
