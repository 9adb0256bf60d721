//! Filter pipelines as the tools write them. `h5repack -f` replaces the whole pipeline, so that every filter that is to
//! stay must be named again.

use super::change::{Change, NewStorage};
use super::lines::{repack_fix, shell_word};
use super::others::judge;
use super::writers::writer_lines;
use super::{Fix, FixKind};
use crate::case::Case;
use crate::facts::{DatasetFacts, FILTER_DEFLATE, FILTER_FLETCHER32, FILTER_SHUFFLE};
use crate::pattern::shape_text;

/// Filters that take the place of those that compress. A checksum stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewFilters {
    /// No compression.
    None,
    /// Deflate, after a shuffle or not.
    Deflate { level: u32, shuffle: bool },
}

/// What a decoded byte costs with shuffle and deflate, compared with the present pipeline: hardly more, since a shuffle
/// is fast beside deflate.
const DECODE_FACTOR: f64 = 1.0;

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
    facts.filters.iter().any(|filter| filter.id == FILTER_FLETCHER32)
}

/// The filters that a dataset would have if only its chunks changed; `None` if the tools' own filters cannot express
/// them.
pub(crate) fn present(facts: &DatasetFacts) -> Option<NewFilters> {
    let mut compressing = facts.filters.iter().filter(|filter| filter.compresses());
    let known = |id: u16| matches!(id, FILTER_DEFLATE | FILTER_SHUFFLE | FILTER_FLETCHER32);
    if !facts.filters.iter().all(|filter| known(filter.id)) {
        return None;
    }
    match compressing.next() {
        Some(_) => Some(NewFilters::Deflate { level: facts.deflate_level()?, shuffle: facts.has_shuffle() }),
        None => Some(NewFilters::None),
    }
}

/// The line that repacks with other filters, judged on every read. `stored_bytes` is the expected size. Contiguous data
/// gets chunks, which filters need.
pub(crate) fn refilter_to(case: &Case<'_>, filters: &NewFilters, stored_bytes: u64, effect: String) -> Fix {
    let facts = case.facts;
    let path = |what: &str| shell_word(&format!("{}:{what}", facts.path));
    let mut options: Vec<String> =
        filters.words(facts).iter().map(|word| format!("-f {}", path(word))).collect();
    let chunk = match case.geometry.chunk_dims() {
        Some(chunk) => chunk.to_vec(),
        None => {
            let chunk = rows(case);
            options.push(format!("-l {}", path(&format!("CHUNK={}", shape_text(&chunk)))));
            chunk
        }
    };
    let options = options.join(" ");
    let mut fix = repack_fix(FixKind::Filter, &case.options.file, (&options, &options), effect);
    fix.writers.extend(writer_lines(facts, &chunk, *filters));
    let is_filtered = *filters != NewFilters::None || has_checksum(facts);
    let new = NewStorage { chunk, is_filtered, stored_bytes, decode_factor: DECODE_FACTOR };
    let profiles: Vec<usize> = (0..case.profiles.len()).collect();
    match judge(case, &Change::Storage(new), &profiles) {
        Some(judged) => judged.tell(case, None, fix),
        None => fix,
    }
}

/// Chunks of whole rows, or of parts of one, of at most 1 MiB: for data that is contiguous.
fn rows(case: &Case<'_>) -> Vec<u64> {
    let mut room = (super::chunk_shape::REPACK_CHUNK_BYTES / case.geometry.element_bytes().max(1)).max(1);
    let mut chunk: Vec<u64> = case.geometry.shape().to_vec();
    for dim in chunk.iter_mut().rev() {
        let pieces = dim.div_ceil(room).max(1);
        *dim = dim.div_ceil(pieces).max(1);
        room = (room / *dim).max(1);
    }
    chunk
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FilterFact;
    use crate::options::Options;
    use crate::testing::{chunked, contiguous, gzip};

    fn filter(id: u16) -> FilterFact {
        FilterFact { name: String::new(), id, parameters: vec![], description: String::new() }
    }

    #[test]
    fn a_checksum_stays_and_the_order_is_that_of_writing() {
        let mut facts = chunked(&[100], &[10], 4);
        facts.filters = vec![filter(FILTER_SHUFFLE), gzip(9), filter(FILTER_FLETCHER32)];
        assert_eq!(NewFilters::Deflate { level: 4, shuffle: true }.words(&facts), ["SHUF", "GZIP=4", "FLET"]);
        assert_eq!(NewFilters::None.words(&facts), ["FLET"]);
        assert_eq!(present(&facts), Some(NewFilters::Deflate { level: 9, shuffle: true }));
        facts.filters = vec![filter(32_015)];
        assert_eq!(present(&facts), None, "zstd");
        assert_eq!(NewFilters::None.words(&facts), ["NONE"]);
    }

    #[test]
    fn contiguous_data_gets_chunks_of_rows() {
        let options = Options::default();
        for (shape, expected) in [
            (vec![100, 500, 500], vec![1, 500, 500]),
            (vec![10, 1_000_000], vec![1, 250_000]),
            (vec![300], vec![300]),
        ] {
            let facts = contiguous(&shape, 4);
            let case = Case::new(&facts, &options).unwrap().unwrap();
            assert_eq!(rows(&case), expected);
        }
    }
}
