//! # chunks-too-large
//!
//! ## What it sees
//!
//! Compressed chunks of many megabytes, of which a read needs only a small part.
//!
//! ## Why it costs
//!
//! Reading the first element of a chunk costs the whole chunk: it is fetched and decoded, on one core, before anything
//! is returned, and takes twice its size in memory while it is decoded. A chunk above 8 MiB also exceeds the default
//! cache of libhdf5 2.x, one above 64 MiB that of netCDF-C. A few large chunks leave little to do in parallel.
//!
//! ## What to do
//!
//! Repack with chunks of about 1 MiB along the common reads (2 to 16 MiB for object stores).
//!
//! ## When it is fine
//!
//! If programs read whole chunks: archives, model restarts, training data read in bulk.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::{Case, ReadCase};
use crate::fix::{read_lines, repack_smaller};
use crate::numbers::rounded;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use serde_json::json;

/// Chunks of at least this size are large: twice the largest default cache of any libhdf5.
const CHUNK_BYTES_MIN: u64 = 16 << 20;
/// Larger than every known default cache.
const CHUNK_BYTES_HUGE: u64 = 64 << 20;
/// A read is partial if it needs at most this share of a chunk.
const SHARE_MAX: f64 = 1.0 / 16.0;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let chunk = case.geometry.chunk_dims()?;
    let chunk_bytes = case.geometry.chunk_bytes()?;
    if chunk_bytes < CHUNK_BYTES_MIN
        || !case.geometry.is_filtered()
        || case.geometry.chunks()?.stored_chunks() == 0
    {
        return None;
    }
    let share = |read: &ReadCase| {
        let dims = read.sweep.block().iter().zip(chunk);
        dims.map(|(block, chunk)| (*block).min(*chunk) as f64 / *chunk as f64).product::<f64>()
    };
    let (target, read, share) = case
        .reads
        .iter()
        .enumerate()
        .filter(|(_, read)| read.matters)
        .map(|(number, read)| (number, read, share(read)))
        .filter(|(.., share)| *share <= SHARE_MAX)
        .min_by(|(.., a), (.., b)| a.total_cmp(b))?;
    let seconds = case.costs.decode_once();
    let severity = if chunk_bytes >= CHUNK_BYTES_HUGE { Severity::Medium } else { Severity::Low };
    let wanted = (chunk_bytes as f64 * share) as u64;
    let message = format!(
        "A chunk of {} is {}. Reading {} needs only {} of each chunk, and its first element costs {} of decoding.",
        shape_text(chunk),
        bytes_text(chunk_bytes),
        read.text(),
        bytes_text(wanted),
        case.time_text(seconds),
    );
    let evidence = json!({
        "chunk_bytes": chunk_bytes,
        "read": shape_text(read.sweep.block()),
        "read_name": read.name,
        "wanted_bytes_per_chunk": wanted,
        "decode_seconds_per_chunk": rounded(seconds),
    });
    let profiles: Vec<usize> = (0..case.profiles.len()).collect();
    let mut fixes = repack_smaller(case, target, &profiles);
    fixes.extend(read_lines(case));
    let cost = Cost::seconds(case.reference.decode_once() * case.geometry.chunks()?.stored_chunks() as f64);
    Some(Finding { code: "chunks-too-large".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use crate::finding::Severity;
    use crate::testing::{chunked, finding, unfiltered};

    const CODE: &str = "chunks-too-large";

    #[test]
    fn rows_of_a_huge_chunk_are_found() {
        let found = finding(CODE, &chunked(&[10, 5000, 5000], &[1, 5000, 5000], 4), &["1x1x:"]).unwrap();
        assert_eq!(found.severity, Severity::Medium);
        assert!(
            found.message.contains("is 95.4 MiB. Reading 1x1x5000 needs only 19.5 KiB of each chunk"),
            "{}",
            found.message
        );
        assert!(found.fixes[0].line.contains("CHUNK=1x52x5000"), "{:?}", found.fixes[0]);
    }

    #[test]
    fn whole_chunks_raw_data_and_smaller_chunks_are_fine() {
        let large = chunked(&[10, 5000, 5000], &[1, 5000, 5000], 4);
        assert_eq!(finding(CODE, &large, &["1x:x:"]), None);
        assert_eq!(finding(CODE, &unfiltered(large), &["1x1x:"]), None);
        assert_eq!(finding(CODE, &chunked(&[10, 1000, 1000], &[1, 1000, 1000], 4), &["1x1x:"]), None);
    }
}
