//! Repacks that no other repack has to follow.
//!
//! A chunk shape is found for one read. Once the file is stored so, another read may be the slowest, and the doctor would
//! offer other chunks for that one. So the dataset is examined as it would be stored, and where other chunks would then be
//! offered, those are offered at once.

use crate::case::Case;
use crate::facts::DatasetFacts;
use crate::finding::{self, Finding};
use crate::fix::{Fix, FixKind, repack_instead};
use std::collections::HashMap;

/// At most so many repacks are followed, one after the other.
const REPACKS_MAX: usize = 4;

/// Replaces the first repack of each finding by the one that would be the last. Repacks that slow another read stay as
/// they are: they are for those who care for one read alone.
pub(crate) fn follow_up(case: &Case<'_>, findings: &mut [Finding]) {
    let mut last: HashMap<Vec<u64>, Vec<u64>> = HashMap::new();
    for finding in findings {
        let Some(place) = finding.fixes.iter().position(is_harmless_repack) else { continue };
        let Some(chunks) = finding.fixes[place].chunks.clone() else { continue };
        let last = last.entry(chunks).or_insert_with_key(|chunks| last_chunks(case, chunks));
        if finding.fixes[place].chunks.as_ref() == Some(last) {
            continue;
        }

        if let Some(fix) = repack_instead(case, &finding.fixes[place], last) {
            finding.fixes[place] = fix;
        }
    }
}

fn is_harmless_repack(fix: &Fix) -> bool {
    fix.kind == FixKind::Repack && !fix.slows_others
}

/// The chunks after which no others would be offered, or as far as they are followed.
fn last_chunks(case: &Case<'_>, first: &[u64]) -> Vec<u64> {
    let mut followed = vec![first.to_vec()];
    while followed.len() < REPACKS_MAX {
        let present = &followed[followed.len() - 1];
        match next_chunks(case, present) {
            Some(next) if !followed.contains(&next) => followed.push(next),
            _ => break,
        }
    }
    followed.pop().unwrap_or_default()
}

/// The chunks that would be offered first for the dataset in these chunks.
fn next_chunks(case: &Case<'_>, chunks: &[u64]) -> Option<Vec<u64>> {
    // Decisions rest on the stored constants, so that samples of the present chunks are not needed.
    let facts = DatasetFacts { chunks: None, samples: None, ..case.facts.clone() };
    let (filters, stored_bytes) = (facts.filters.clone(), facts.stored_bytes);
    let facts = facts.in_chunks(chunks, filters, stored_bytes);
    let stored_so = Case::new(&facts, case.options).ok()??;
    let fixes = finding::check(&stored_so).into_iter().flat_map(|finding| finding.fixes);
    fixes.into_iter().find(is_harmless_repack)?.chunks
}

#[cfg(test)]
mod tests {
    use crate::facts::DatasetFacts;
    use crate::fix::{Fix, FixKind};
    use crate::options::Options;
    use crate::testing::chunked;

    fn repacks(facts: &DatasetFacts) -> Vec<Fix> {
        let findings = crate::diagnose(facts, &Options::default()).unwrap().findings;
        let fixes = findings.into_iter().flat_map(|finding| finding.fixes);
        fixes.filter(|fix| fix.kind == FixKind::Repack && !fix.slows_others).collect()
    }

    #[test]
    fn a_file_repacked_as_it_was_told_is_offered_no_other_chunks() {
        for (shape, chunk) in [
            (vec![4000, 20, 20], vec![1, 20, 20]),
            (vec![8000, 20, 20], vec![1, 20, 20]),
            (vec![2, 5000, 5000], vec![1, 5000, 5000]),
            (vec![365, 180, 360], vec![1, 180, 360]),
            (vec![1460, 361, 720], vec![1, 361, 720]),
        ] {
            let facts = chunked(&shape, &chunk, 4);
            let told = repacks(&facts);
            assert!(!told.is_empty(), "{shape:?}");
            for fix in told {
                let chunks = fix.chunks.unwrap();
                let again = repacks(&chunked(&shape, &chunks, 4));
                let again: Vec<_> = again.iter().map(|fix| &fix.line).collect();
                assert!(again.is_empty(), "{shape:?} in {chunks:?}: {again:?}");
            }
        }
    }
}
