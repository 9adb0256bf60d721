//! What netCDF classic answers when the engine asks it about a file.

use super::census;
use super::object::{Root, Variable};
use crate::census::Census;
use crate::named_dimensions::{NamedDimension, NamedDimensions};
use crate::open_file::{Format, StoredObject};
use crate::{Error, Result};
use hyperslab_classic::{Header, Version};
use hyperslab_format::Address;
use std::sync::Arc;

/// The root group: no variable has its number, because a header begins with the number of records.
pub(super) const ROOT: Address = Address(0);

/// An open file.
pub(super) struct Classic {
    header: Arc<Header>,
    dimensions: NamedDimensions,
    is_truncated: bool,
}

impl Classic {
    /// The file of `file_len` bytes with this header.
    pub(super) fn new(header: Header, file_len: u64) -> Self {
        let ends = (0..header.variables.len()).filter_map(|number| header.place(number).ok());
        Self {
            is_truncated: ends.map(|place| place.end).max().is_some_and(|end| end > file_len),
            dimensions: dimensions(&header),
            header: Arc::new(header),
        }
    }
}

fn dimensions(header: &Header) -> NamedDimensions {
    let all = header.dimensions.iter().enumerate();
    let dimension = |(number, dimension): (usize, &hyperslab_classic::Dimension)| NamedDimension {
        name: dimension.name.clone(),
        len: header.len_of(number),
        is_unlimited: dimension.is_record(),
        group: ROOT,
    };
    let of = |variable: &hyperslab_classic::Variable| (Address(variable.at), variable.dimensions.clone());
    NamedDimensions {
        dimensions: all.map(dimension).collect(),
        axes: header.variables.iter().map(of).collect(),
    }
}

impl Format for Classic {
    fn name(&self) -> &'static str {
        match self.header.version {
            Version::Classic => "netCDF classic",
            Version::Offset64 => "netCDF 64-bit offset",
            Version::Data64 => "netCDF CDF-5",
        }
    }

    fn word(&self) -> &'static str {
        match self.header.version {
            Version::Classic => "netcdf-classic-1",
            Version::Offset64 => "netcdf-classic-2",
            Version::Data64 => "netcdf-classic-5",
        }
    }

    fn root(&self) -> Address {
        ROOT
    }

    fn object(&self, number: Address) -> Result<Arc<dyn StoredObject>> {
        if number == ROOT {
            return Ok(Arc::new(Root(self.header.clone())));
        }
        // Variables are described one after the other.
        let found = self.header.variables.binary_search_by_key(&number.0, |variable| variable.at);
        let found = found.map_err(|_| Error::damaged(format!("the header has no variable at byte {number}")));
        Ok(Arc::new(Variable { header: self.header.clone(), number: found? }))
    }

    fn absolute(&self, address: Address) -> u64 {
        address.0
    }

    fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    fn census(&self, file_bytes: u64) -> Option<Census> {
        Some(census::take(&self.header, file_bytes))
    }

    fn dimensions(&self) -> Option<&NamedDimensions> {
        Some(&self.dimensions)
    }
}
