//! Filters of HDF5 files: their settings as the array crate needs them, and their descriptions.

use hyperslab_array::array::{FilterSettings, describe_filter, describe_filter_in_use};
use hyperslab_format::message::Filter;

/// The settings of a filter.
pub(crate) fn settings(filter: &Filter) -> FilterSettings {
    FilterSettings {
        id: filter.id,
        name: filter.name.as_ref().map(ToString::to_string),
        is_optional: filter.is_optional(),
        parameters: filter.parameters.clone(),
    }
}

/// Describes a filter: `gzip 4`, `shuffle`; one that is not built in by its registered name, its name in the file, or its
/// number.
pub fn filter(filter: &Filter) -> String {
    describe_filter(&settings(filter))
}

/// Describes a filter with the plug-in that serves it, if there is one: `SZ (plug-in libh5sz.so)`. The plug-in is loaded.
pub fn filter_in_use(filter: &Filter) -> String {
    describe_filter_in_use(&settings(filter))
}
