//! Elements of one source of a virtual dataset.

use crate::dataset::Dataset;
use hyperslab_array::selection::Region;

/// Elements of one source, and those of the virtual dataset that they are.
pub(super) struct Part {
    pub(super) dataset: Dataset,
    pub(super) source: Region,
    pub(super) target: Region,
}
