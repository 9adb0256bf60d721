//! Filters of HDF5 files: their settings as the array crate needs them, and their descriptions.

use hyperslab_array::array::{FilterSettings, describe_filter};
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

/// Describes a filter: `gzip 4`, `shuffle`. An unknown filter is described by its name in the file, or by its number.
pub fn filter(filter: &Filter) -> String {
    describe_filter(&settings(filter))
}
