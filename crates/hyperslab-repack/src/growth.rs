//! Axes that get no limit: which ones, and the dataspace that has them.

use hyperslab::Dataset;
use hyperslab_storage::change::ChangeSet;
use hyperslab_write::DataspaceSpec;

/// The axes of a dataset that get no limit.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    axes: Vec<usize>,
    /// The options that say so.
    pub options: Vec<String>,
}

impl Growth {
    /// Of a dataset with these paths, whose dimensions have these names. Axes that have no limit already need no change.
    pub fn new(dataset: &Dataset, paths: &[String], names: &[String], changes: &ChangeSet) -> Self {
        let mut found = Self::default();
        if paths.iter().any(|path| changes.growing.contains(path)) {
            found.axes.push(0);
            found.options.push("the first axis can grow".into());
        }
        for (axis, name) in names.iter().enumerate().filter(|(_, name)| changes.unlimited.contains(name)) {
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
