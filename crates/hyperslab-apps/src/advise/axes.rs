//! The axes of the datasets of a file: names of dimensions, units and marks of their coordinate variables.

use hyperslab::{Dataset, File, Object};
use hyperslab_advise::Axis;
use hyperslab_format::Address;
use hyperslab_netcdf::{Dimension, DimensionKind, Netcdf, Variable};
use std::collections::HashMap;

/// The axes of all datasets, by the address of their object headers.
#[derive(Debug, Default)]
pub struct Axes {
    by_dataset: HashMap<Address, Vec<Axis>>,
}

impl Axes {
    /// Reads them. A file whose netCDF view cannot be read has none: advice needs no names.
    pub fn of(file: &File) -> Self {
        let Ok(netcdf) = Netcdf::open(file) else { return Self::default() };
        let variables = || netcdf.groups.iter().flat_map(|group| &group.variables);
        let by_address: HashMap<Address, &Variable> =
            variables().map(|variable| (address(&variable.dataset), variable)).collect();
        let axis = |dimension: &Dimension| {
            let coordinate = match dimension.kind {
                DimensionKind::Coordinate(address) => by_address.get(&address),
                DimensionKind::NoVariable(_) | DimensionKind::Bare => None,
                DimensionKind::Phony => return Axis::default(),
            };
            let attribute = |name: &str| {
                let text = coordinate?.attribute(name)?.text(&mut netcdf.file().heap())?;
                Some(text.trim().to_owned())
            };
            Axis { name: dimension.name.clone(), units: attribute("units"), mark: attribute("axis") }
        };
        let named = variables().map(|variable| {
            let axes = variable.dimensions.iter().map(|&id| axis(netcdf.dimension(id)));
            (address(&variable.dataset), axes.collect())
        });
        Self { by_dataset: named.collect() }
    }

    /// The axes of a dataset; none if nothing is known of them.
    pub fn get(&self, dataset: &Dataset) -> &[Axis] {
        self.by_dataset.get(&address(dataset)).map_or(&[], Vec::as_slice)
    }
}

fn address(dataset: &Dataset) -> Address {
    Object::Dataset(dataset.clone()).address()
}
