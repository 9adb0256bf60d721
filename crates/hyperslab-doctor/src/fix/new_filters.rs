//! Filter pipelines as the tools write them. `h5repack -f` replaces the whole pipeline, so that every filter that is to
//! stay must be named again.

use crate::facts::DatasetFacts;
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
    /// The pipeline in h5repack's words: `SHUF`, `GZIP=4`, `FLET`; `NONE` if it is empty.
    pub(crate) fn words(self, facts: &DatasetFacts) -> Vec<String> {
        let mut words = Vec::new();
        if let Self::Deflate { level, shuffle } = self {
            words.extend(shuffle.then(|| "SHUF".to_owned()));
            words.push(format!("GZIP={level}"));
        }
        if has_checksum(facts) {
            words.push("FLET".to_owned());
        }
        if words.is_empty() {
            words.push("NONE".to_owned());
        }
        words
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

    fn filter(id: u16) -> FilterFact {
        FilterFact { name: String::new(), id, parameters: vec![], description: String::new() }
    }

    #[test]
    fn a_checksum_stays_and_the_order_is_that_of_writing() {
        let mut facts = chunked(&[100], &[10], 4);
        facts.filters = vec![filter(SHUFFLE), gzip(9), filter(FLETCHER32)];
        assert_eq!(NewFilters::Deflate { level: 4, shuffle: true }.words(&facts), ["SHUF", "GZIP=4", "FLET"]);
        assert_eq!(NewFilters::None.words(&facts), ["FLET"]);
        assert_eq!(present(&facts), Some(NewFilters::Deflate { level: 9, shuffle: true }));
        facts.filters = vec![filter(32_015)];
        assert_eq!(present(&facts), None, "zstd");
        assert_eq!(NewFilters::None.words(&facts), ["NONE"]);
    }
}
