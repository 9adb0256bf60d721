//! The names of the dimensions of datasets, as netCDF-4 has them.

use hyperslab::File;
use hyperslab_encode::RepackError;
use hyperslab_format::Address;
use hyperslab_netcdf::{DimensionKind, Netcdf};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

/// Names of dimensions, which are read when they are first asked for.
pub(crate) struct DimensionNames<'a> {
    file: &'a File,
    by_dataset: OnceCell<HashMap<Address, Vec<String>>>,
}

impl<'a> DimensionNames<'a> {
    pub fn new(file: &'a File) -> Self {
        Self { file, by_dataset: OnceCell::new() }
    }

    /// The names for the dataset whose object header is at an address. Axes without a name have an empty one.
    pub fn of(&self, dataset: Address, rank: usize) -> Result<Vec<String>, RepackError> {
        if self.by_dataset.get().is_none() {
            let _ = self.by_dataset.set(self.read()?);
        }
        let names = self.by_dataset.get().and_then(|names| names.get(&dataset));
        Ok(names.cloned().unwrap_or_else(|| vec![String::new(); rank]))
    }

    /// All names, in alphabetical order.
    pub fn all(&self) -> Result<BTreeSet<String>, RepackError> {
        Ok(Netcdf::open(self.file)?
            .dimensions
            .iter()
            .filter(|one| one.kind != DimensionKind::Phony)
            .map(|one| one.name.clone())
            .collect())
    }

    fn read(&self) -> Result<HashMap<Address, Vec<String>>, RepackError> {
        let netcdf = Netcdf::open(self.file)?;
        let variables = netcdf.groups.iter().flat_map(|group| &group.variables);
        let named = variables.map(|variable| {
            let names = variable.dimensions.iter().map(|&id| netcdf.dimension(id).name.clone());
            (hyperslab::Object::Dataset(variable.dataset.clone()).address(), names.collect())
        });
        let scales = netcdf.dimensions.iter().filter_map(|dimension| match dimension.kind {
            DimensionKind::NoVariable(scale) => Some((scale, vec![dimension.name.clone()])),
            _ => None,
        });
        Ok(named.chain(scales).collect())
    }
}
