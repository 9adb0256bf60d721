//! An index as values, in the terms of Zarr.

use crate::codec::Codec;
use crate::data_type::DataType;

/// The index of one file.
#[derive(Debug, Default)]
pub struct Index {
    /// All groups, the root group first.
    pub groups: Vec<Group>,
    /// All arrays.
    pub arrays: Vec<Array>,
    /// What the index does not have, and why.
    pub omitted: Vec<Omitted>,
}

/// A group.
#[derive(Debug)]
pub struct Group {
    /// Its path without a leading slash; empty for the root group.
    pub path: String,
    /// Name and value, which is JSON text.
    pub attributes: Vec<(String, String)>,
}

/// An array.
#[derive(Debug)]
pub struct Array {
    /// Its path without a leading slash.
    pub path: String,
    /// Length along each axis.
    pub shape: Vec<u64>,
    /// Length of a chunk along each axis.
    pub chunk_shape: Vec<u64>,
    /// The type of its elements.
    pub data_type: DataType,
    /// The value of chunks that are not listed, as JSON text. `None` if all are listed.
    pub fill_value: Option<String>,
    /// The codecs, in the order in which they were applied.
    pub codecs: Vec<Codec>,
    /// The names of its dimensions.
    pub dimensions: Vec<String>,
    /// Name and value, which is JSON text.
    pub attributes: Vec<(String, String)>,
    /// The chunks, in row-major order.
    pub chunks: Vec<Chunk>,
}

impl Array {
    /// The coordinates of a chunk in the grid.
    pub fn coordinates(&self, chunk: &Chunk) -> Vec<u64> {
        let mut rest = chunk.number;
        let counts = self.shape.iter().zip(&self.chunk_shape).rev();
        let mut coordinates: Vec<u64> = counts
            .map(|(&len, &chunk)| {
                let count = u128::from(len.div_ceil(chunk.max(1)).max(1));
                let coordinate = (rest % count) as u64;
                rest /= count;
                coordinate
            })
            .collect();
        coordinates.reverse();
        coordinates
    }
}

/// A chunk of an array.
#[derive(Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its number in row-major order of the grid.
    pub number: u128,
    /// Its bytes.
    pub content: Content,
}

/// The bytes of a chunk.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// In the file: the offset from its first byte (after which a user block may come), and the size in bytes.
    Stored {
        /// Offset of the first byte.
        offset: u64,
        /// Size in bytes.
        bytes: u64,
    },
    /// Here, encoded by the codecs of the array.
    Inline(Vec<u8>),
}

/// Something that an index does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omitted {
    /// The path of the variable, or of the object and its attribute.
    pub path: String,
    /// Why.
    pub reason: String,
}
