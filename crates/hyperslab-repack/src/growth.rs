//! Axes that get no limit: which ones, and the dataspace that has them.

use hyperslab::Dataset;
use hyperslab_write::DataspaceSpec;

/// The axes of a dataset that get no limit.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    axes: Vec<usize>,
    /// The options that say so.
    pub options: Vec<String>,
}

impl Growth {
    /// Of a dataset whose dimensions have these names, along the dimensions that are to have no limit. Axes that have none
    /// already need no change.
    pub fn new(dataset: &Dataset, names: &[String], unlimited: &[String]) -> Self {
        let mut found = Self::default();
        for (axis, name) in names.iter().enumerate().filter(|(_, name)| unlimited.contains(name)) {
            if dataset.max_shape().get(axis).is_some_and(Option::is_some) {
                found.axes.push(axis);
                found.options.push(option(name));
            }
        }
        found
    }

    pub fn is_none(&self) -> bool {
        self.axes.is_empty()
    }

    /// The dataspace without these limits.
    pub fn apply(&self, dataspace: &DataspaceSpec) -> DataspaceSpec {
        let mut dims: Vec<(u64, Option<u64>)> = match dataspace {
            DataspaceSpec::Fixed(dims) => dims.iter().map(|&dim| (dim, Some(dim))).collect(),
            DataspaceSpec::Growable(dims) => dims.to_vec(),
            DataspaceSpec::Null | DataspaceSpec::Scalar => return dataspace.clone(),
        };
        for (axis, dim) in dims.iter_mut().enumerate() {
            if self.axes.contains(&axis) {
                dim.1 = None;
            }
        }
        DataspaceSpec::Growable(dims.into())
    }
}

/// The option that makes a dimension unlimited.
pub(crate) fn option(name: &str) -> String {
    format!("--unlimited {name}")
}
