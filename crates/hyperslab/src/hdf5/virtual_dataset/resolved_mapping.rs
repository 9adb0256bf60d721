//! A mapping of a virtual dataset, resolved for a source that was opened.

use crate::dataset::Dataset;
use hyperslab_array::selection::Region;

/// The elements of one source, and the same number of elements of the virtual dataset, in the same order.
pub(super) struct ResolvedMapping {
    /// The source.
    pub(super) dataset: Dataset,
    /// Elements of the source.
    pub(super) source: Region,
    /// Elements of the virtual dataset.
    pub(super) target: Region,
}
