//! Dimensions that a format names itself, as netCDF classic and HDF4 do. HDF5 has none: netCDF-4 says them by attributes.

use hyperslab_format::{Address, Name};
use std::collections::HashMap;

/// A dimension that datasets share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedDimension {
    /// Its name.
    pub name: Name,
    /// Its length.
    pub len: u64,
    /// True where it can grow.
    pub is_unlimited: bool,
    /// The group that it belongs to, by its address: datasets of the group and of groups below use it.
    pub group: Address,
}

/// The dimensions of a file, and those of each dataset.
#[derive(Debug, Clone, Default)]
pub struct NamedDimensions {
    /// All of them, by their numbers.
    pub dimensions: Vec<NamedDimension>,
    /// The numbers of the dimensions of a dataset, by its address, slowest first.
    pub axes: HashMap<Address, Vec<usize>>,
}

impl NamedDimensions {
    /// The dimensions of the dataset at an address, slowest first.
    pub fn of(&self, dataset: Address) -> Vec<&NamedDimension> {
        let numbers = self.axes.get(&dataset).map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|number| &self.dimensions[*number]).collect()
    }
}
