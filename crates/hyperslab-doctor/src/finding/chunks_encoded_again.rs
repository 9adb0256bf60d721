//! # chunks-encoded-again
//!
//! ## What it sees
//!
//! A program that writes in the blocks of `--write` would have libhdf5 encode the same chunks again and again.
//!
//! ## Why it costs
//!
//! A chunk is encoded when it leaves the chunk cache. If only a part of it was written until then, the next write into it
//! decodes it, changes it, and has it encoded once more. Encoding takes several times as long as decoding, so that a program
//! that writes map by map into chunks of many time steps may spend nearly all its time on it.
//!
//! ## What to do
//!
//! Write whole chunks at a time, or set the chunk cache of the program that writes so that all chunks of a block fit: the
//! doctor finds the smallest size by simulation. Or choose chunks that the blocks fill.
//!
//! ## When it is fine
//!
//! If the data is written once by a program that nobody waits for.

use super::cliff::Cliff;
use super::cost::Cost;
use super::model::{Finding, Severity};
use crate::case::{Case, WriteCase};
use crate::fix::{Fix, cache_for_writes, write_lines, writer_cache_lines};
use crate::numbers::{list_text, ratio_text, rounded};
use crate::predict::seconds_text;
use hyperslab_storage::pattern::shape_text;
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use serde_json::json;

/// Encodes of each chunk below this are not worth a finding.
const RATIO_MIN: f64 = 1.5;
/// Seconds that are wasted, from which on the severity is high and medium.
const EXCESS_SECONDS_HIGH: f64 = 10.0;
const EXCESS_SECONDS_MEDIUM: f64 = 1.0;

pub(super) fn check(case: &Case<'_>, _cliffs: &[Cliff]) -> Option<Finding> {
    let costly = case.writes.iter().filter_map(|write| Some((write, worst(write)?)));
    let (write, at) = costly.max_by(|(a, x), (b, y)| {
        let seconds = |write: &WriteCase, at: usize| write.rows[at].reference_seconds * write.weight;
        seconds(a, *x).total_cmp(&seconds(b, *y))
    })?;
    let row = &write.rows[at];
    let hit: Vec<usize> =
        (0..write.rows.len()).filter(|row| write.rows[*row].counts.amplification() >= RATIO_MIN).collect();
    let others: Vec<String> =
        hit.iter().filter(|other| **other != at).map(|other| case.profiles[*other].name.clone()).collect();
    let once = row.counts.chunks as f64 / row.counts.counts.encodes.max(1) as f64;
    let excess = row.reference_seconds * (1.0 - once);
    let message = format!(
        "Writing {} in {} encodes {} {} times ({} each): about {} instead of {}.{}",
        write.sweep,
        case.profiles[at].name,
        counted_text(row.counts.chunks, "chunk"),
        count_text(row.counts.counts.encodes),
        ratio_text(row.counts.amplification()),
        seconds_text(row.seconds),
        seconds_text(row.seconds * once),
        match &others[..] {
            [] => String::new(),
            [one] => format!(" {one} encodes them again, too."),
            several => format!(" {} encode them again, too.", list_text(several)),
        },
    );
    let versions = case.versions(&hit);
    let cache = cache_for_writes(case, &write.sweep, &versions);
    let mut fixes: Vec<Fix> = write_lines(case, &write.sweep);
    if let Some(found) = &cache {
        let effect = format!(
            "a cache of {} in the program that writes: each chunk is encoded once",
            bytes_text(found.settings.nbytes)
        );
        fixes.extend(writer_cache_lines(case.facts, found.settings, &effect));
    }
    let severity = match excess {
        seconds if seconds >= EXCESS_SECONDS_HIGH => Severity::High,
        seconds if seconds >= EXCESS_SECONDS_MEDIUM => Severity::Medium,
        _ => Severity::Low,
    };
    let evidence = json!({
        "write": shape_text(write.sweep.block()),
        "chunks": row.counts.chunks,
        "hit": hit.iter().map(|at| json!({
            "profile": case.profiles[*at].name,
            "cache": write.rows[*at].settings,
            "encodes": write.rows[*at].counts.counts.encodes,
            "decodes": write.rows[*at].counts.counts.decodes,
        })).collect::<Vec<_>>(),
        "smallest_cache_bytes": cache.map(|found| found.smallest_nbytes),
        "excess_seconds": rounded(excess),
    });
    let code = "chunks-encoded-again".to_owned();
    Some(Finding { code, severity, message, cost: Cost::seconds(excess), evidence, fixes })
}

/// The library in which the write takes longest, if it encodes chunks more than once there.
fn worst(write: &WriteCase) -> Option<usize> {
    let again = |at: &usize| write.rows[*at].counts.amplification() >= RATIO_MIN;
    let rows = (0..write.rows.len()).filter(again);
    rows.max_by(|a, b| write.rows[*a].reference_seconds.total_cmp(&write.rows[*b].reference_seconds))
}

#[cfg(test)]
mod tests {
    use crate::diagnose::diagnose;
    use crate::finding::{Finding, Severity};
    use crate::options::Options;
    use crate::testing::{chunked, gzip};
    use crate::{DatasetFacts, DatasetReport};

    /// 8 chunks of 100 steps, 7.6 MiB each; a map touches two.
    fn report(writes: &[&str]) -> DatasetReport {
        let facts = DatasetFacts { filters: vec![gzip(4)], ..chunked(&[400, 200, 200], &[100, 200, 100], 4) };
        let writes = writes.iter().map(|write| write.parse().unwrap()).collect();
        diagnose(&facts, &Options { writes, ..Options::default() }).unwrap()
    }

    fn found(writes: &[&str]) -> Option<Finding> {
        report(writes).findings.into_iter().find(|finding| finding.code == "chunks-encoded-again")
    }

    #[test]
    fn maps_into_chunks_of_many_steps_are_found_with_the_cache_that_cures_them() {
        let found = found(&["1x200x200"]).unwrap();
        assert_eq!(found.severity, Severity::High);
        assert!(found.message.contains("encodes 8 chunks 800 times (100x each)"), "{}", found.message);
        assert_eq!(found.evidence["smallest_cache_bytes"], 2 * 100 * 200 * 100 * 4);
        assert!(found.fixes[0].line.contains("out[0:100, :, 0:100]"), "{:?}", found.fixes[0]);
        let cache = found.fixes.iter().find(|fix| fix.target == "h5py" && fix.line.contains("rdcc")).unwrap();
        assert!(cache.line.contains("\"w\", rdcc_nbytes=16777216"), "{}", cache.line);
    }

    #[test]
    fn whole_chunks_and_unknown_writes_are_fine() {
        assert_eq!(found(&["100x200x100"]), None);
        assert_eq!(found(&["100x200x200"]), None);
        assert_eq!(found(&[]), None);
        let writes = report(&["100x200x100"]).writes;
        assert!(writes[0].profiles.iter().all(|profile| profile.encodes == 8), "{writes:?}");
    }
}
