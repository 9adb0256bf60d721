//! An index as values, in the terms of Zarr.

use crate::chunks::Chunks;
use crate::codec::Codec;
use crate::data_type::DataType;
use crate::values::Values;
use hyperslab_netcdf::Omitted;

/// The index of one file, or of several that are combined along a dimension.
#[derive(Debug, Default)]
pub struct Index {
    /// Where readers find the files.
    pub files: Vec<String>,
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
    /// Its chunks.
    pub chunks: Chunks,
    /// Its values, as far as a combination with other files needs them.
    pub(crate) values: Values,
}

impl Array {
    /// The number of chunks along each axis.
    pub fn counts(&self) -> Vec<u64> {
        let axes = self.shape.iter().zip(&self.chunk_shape);
        axes.map(|(&len, &chunk)| len.div_ceil(chunk.max(1))).collect()
    }

    /// The value of an attribute, as JSON text.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What readers take the fill value of an array for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillMeaning {
    /// The mark of missing values, as xarray does with Zarr 2: it is written only where it equals `_FillValue`. Elsewhere
    /// chunks that were never written are inlined.
    Mask,
    /// The value of chunks that were never written, and nothing else, as xarray does with Zarr 3.
    Value,
}

/// How an index is built.
#[derive(Debug, Clone)]
pub struct BuildOptions {
    /// What readers take the fill value of an array for.
    pub fill: FillMeaning,
    /// The dimension along which the index will be combined with those of other files.
    pub concat: Option<String>,
}
