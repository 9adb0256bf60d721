//! Fixes that store a dataset with other filters.

use super::change::{Change, Rewritten};
use super::lines::repack_fix;
use super::new_filters::{NewFilters, has_checksum};
use super::others::judge;
use super::writers::writer_lines;
use super::{Fix, FixKind};
use crate::case::Case;
use crate::simulate::Geometry;
use hyperslab_storage::StorageChange;

/// What a decoded byte costs with shuffle and deflate, compared with the present pipeline: hardly more, since a shuffle
/// is fast beside deflate.
const DECODE_FACTOR: f64 = 1.0;

/// The line that repacks with other filters, judged on every read. `stored_bytes` is the expected size. Contiguous data
/// gets chunks, which filters need.
pub(crate) fn refilter_to(case: &Case<'_>, filters: &NewFilters, stored_bytes: u64, effect: String) -> Fix {
    let facts = case.facts;
    let chunk = case.geometry.chunk_dims().map_or_else(|| rows(&case.geometry), <[u64]>::to_vec);
    let change = StorageChange {
        dataset: Some(facts.path.clone()),
        chunks: case.geometry.chunk_dims().is_none().then(|| chunk.clone()),
        filters: Some(filters.requests(facts)),
        ..StorageChange::default()
    };
    let mut fix = repack_fix(FixKind::Filter, &case.options.file, change, effect);
    fix.writers.extend(writer_lines(facts, &chunk, *filters));
    let is_filtered = *filters != NewFilters::None || has_checksum(facts);
    let new = Rewritten { chunk, is_filtered, stored_bytes, decode_factor: DECODE_FACTOR };
    let profiles: Vec<usize> = (0..case.profiles.len()).collect();
    match judge(case, &Change::Rewritten(new), &profiles) {
        Some(judged) => judged.tell(case, None, fix),
        None => fix,
    }
}

/// Chunks of whole rows, or of parts of one, of at most 1 MiB: for data that is contiguous.
pub(crate) fn rows(geometry: &Geometry) -> Vec<u64> {
    let mut room = (super::chunk_shape::REPACK_CHUNK_BYTES / geometry.element_bytes().max(1)).max(1);
    let mut chunk: Vec<u64> = geometry.shape().to_vec();
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
    use crate::options::Options;
    use crate::testing::contiguous;

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
            assert_eq!(rows(&case.geometry), expected);
        }
    }
}
