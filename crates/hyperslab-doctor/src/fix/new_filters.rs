//! Filter pipelines that take the place of a whole pipeline: every filter that is to stay is named again.

use crate::facts::DatasetFacts;
use hyperslab_storage::FilterRequest;
use hyperslab_storage::filter::number::{DEFLATE, FLETCHER32, SHUFFLE};

/// Filters that take the place of those that compress. A checksum stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewFilters {
    /// No compression.
    None,
    /// Deflate, after a shuffle or not.
    Deflate { level: u32, shuffle: bool },
}

impl NewFilters {
    /// The filters, in the order in which they are applied when writing.
    pub(crate) fn requests(self, facts: &DatasetFacts) -> Vec<FilterRequest> {
        let mut filters = Vec::new();
        if let Self::Deflate { level, shuffle } = self {
            filters.extend(shuffle.then(FilterRequest::shuffle));
            filters.push(FilterRequest::gzip(level));
        }
        filters.extend(has_checksum(facts).then(FilterRequest::fletcher32));
        filters
    }
}

pub(crate) fn has_checksum(facts: &DatasetFacts) -> bool {
    facts.filters.iter().any(|filter| filter.id == FLETCHER32)
}

/// The filters that a dataset would have if only its chunks changed; `None` if the tools' own filters cannot express
/// them.
pub(crate) fn present(facts: &DatasetFacts) -> Option<NewFilters> {
    let mut compressing = facts.filters.iter().filter(|filter| filter.compresses());
    let known = |id: u16| matches!(id, DEFLATE | SHUFFLE | FLETCHER32);
    if !facts.filters.iter().all(|filter| known(filter.id)) {
        return None;
    }
    match compressing.next() {
        Some(_) => Some(NewFilters::Deflate { level: facts.deflate_level()?, shuffle: facts.has_shuffle() }),
        None => Some(NewFilters::None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FilterFact;
    use crate::testing::{chunked, gzip};

    fn text(filters: NewFilters, facts: &DatasetFacts) -> String {
        hyperslab_storage::pipeline_text(&filters.requests(facts))
    }

    fn filter(id: u16) -> FilterFact {
        FilterFact { name: String::new(), id, parameters: vec![], description: String::new() }
    }

    #[test]
    fn a_checksum_stays_and_the_order_is_that_of_writing() {
        let mut facts = chunked(&[100], &[10], 4);
        facts.filters = vec![filter(SHUFFLE), gzip(9), filter(FLETCHER32)];
        assert_eq!(
            text(NewFilters::Deflate { level: 4, shuffle: true }, &facts),
            "shuffle+gzip=4+fletcher32"
        );
        assert_eq!(text(NewFilters::None, &facts), "fletcher32");
        assert_eq!(present(&facts), Some(NewFilters::Deflate { level: 9, shuffle: true }));
        facts.filters = vec![filter(32_015)];
        assert_eq!(present(&facts), None, "zstd");
        assert_eq!(text(NewFilters::None, &facts), "none");
    }
}
