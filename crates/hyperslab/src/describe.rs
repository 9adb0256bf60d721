//! Filters of HDF5 in words, and as reading wants to be told of them.

use crate::array::{FilterSettings, describe_filter};
use hyperslab_format::message::Filter;

/// How a filter is set.
pub(crate) fn settings(filter: &Filter) -> FilterSettings {
    FilterSettings {
        id: filter.id,
        name: filter.name.as_ref().map(ToString::to_string),
        is_optional: filter.is_optional(),
        parameters: filter.parameters.clone(),
    }
}

/// A filter as people call it: `gzip 4`, `shuffle`; by the name in the file, or its number, if it is not known.
pub fn filter(filter: &Filter) -> String {
    describe_filter(&settings(filter))
}
