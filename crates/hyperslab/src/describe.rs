//! Filters in words.

use hyperslab_filters::{FilterSpec, Pipeline};
use hyperslab_format::message::Filter;

/// A filter of the file as the decoders want to be told of it.
pub(crate) fn spec(filter: &Filter) -> FilterSpec<'_> {
    FilterSpec { id: filter.id, optional: filter.is_optional(), parameters: &filter.parameters }
}

/// A filter as people call it: `gzip 4`, `shuffle`; by the name in the file, or its number, if it is not known.
pub fn filter(filter: &Filter) -> String {
    let known = hyperslab_filters::table().iter().any(|entry| entry.id == filter.id);
    if !known {
        return filter.name.as_ref().map_or(format!("filter {}", filter.id), |name| name.to_string());
    }
    let said = Pipeline::lenient(&[spec(filter)], 1, 0)
        .ok()
        .and_then(|one| one.describe().next().map(|(said, _)| said));
    said.unwrap_or_else(|| format!("filter {}", filter.id))
}
