//! The smallest cache in which a sweep decodes no chunk twice, found by simulation.

use super::Fix;
use super::change::Change;
use super::compromise::GAIN_SHARE_MAX;
use super::lines::cache_lines;
use super::others::judge;
use crate::case::{Case, ReadCase};
use crate::simulate::{Geometry, LibVersion};
use hyperslab_storage::CacheSettings;
use hyperslab_units::size::bytes_text;

/// No larger cache is proposed: a program that would need one should read in another way.
const CACHE_BYTES_MAX: u64 = 1 << 30;
/// Numbers of slots to try. All are prime, so that no packing of coordinates shares a factor with them.
const SLOTS: [u64; 9] = [521, 1_009, 2_003, 8_191, 20_011, 50_021, 100_003, 300_007, 1_000_003];

/// A cache that was found to be sufficient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CacheFix {
    /// The smallest sufficient size in bytes.
    pub(crate) smallest_nbytes: u64,
    /// The setting to use: the smallest size rounded up, which is checked as well.
    pub(crate) settings: CacheSettings,
}

/// The smallest cache that is ideal for this read in all of these versions. `None` if no cache of reasonable size is,
/// or if the sweep is too large to be simulated exactly.
pub(crate) fn smallest_cache(case: &Case<'_>, read: &ReadCase, versions: &[LibVersion]) -> Option<CacheFix> {
    smallest_where(&case.geometry, |settings| {
        versions.iter().all(|version| case.counts(&read.sweep, settings, *version).is_ideal())
    })
}

/// The smallest cache for chunks of this size that satisfies a condition, which larger ones do, too. `None` if no cache of
/// reasonable size does.
pub(crate) fn smallest_where(
    geometry: &Geometry,
    satisfies: impl Fn(CacheSettings) -> bool,
) -> Option<CacheFix> {
    let chunk_bytes = geometry.chunk_bytes()?;
    let chunks_max = (CACHE_BYTES_MAX / chunk_bytes).min(geometry.chunks()?.grid_chunks());
    if chunks_max == 0 {
        return None;
    }
    let is_ideal = |nbytes: u64, nslots: u64| satisfies(CacheSettings { nbytes, nslots, w0: 0.75 });
    // More bytes never compensate for colliding slots, so the largest cache decides which numbers of slots are
    // sufficient.
    let suffices = |nslots: &u64| is_ideal(chunks_max * chunk_bytes, *nslots);
    // If the most do not help, or the sweep is too large to tell, fewer need not be tried.
    SLOTS.last().filter(|most| suffices(most))?;
    let nslots = SLOTS.into_iter().find(suffices)?;
    let holds = |chunks: u64| is_ideal(chunks * chunk_bytes, nslots);
    let (mut enough, mut too_few) = (1, 0);
    while !holds(enough) {
        too_few = enough;
        enough = (enough * 2).min(chunks_max);
        if too_few == chunks_max {
            return None;
        }
    }
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if holds(middle) { enough = middle } else { too_few = middle }
    }
    let smallest_nbytes = enough * chunk_bytes;
    let rounded = round_up(smallest_nbytes);
    let nbytes = if is_ideal(rounded, nslots) { rounded } else { smallest_nbytes };
    Some(CacheFix { smallest_nbytes, settings: CacheSettings { nbytes, nslots, w0: 0.75 } })
}

/// The fewest slots, at the same size in bytes, with which the sweep decodes no more than with any other number.
pub(crate) fn slots_only(
    case: &Case<'_>,
    read: &ReadCase,
    settings: CacheSettings,
    version: LibVersion,
) -> Option<CacheFix> {
    let decodes = |nslots: u64| {
        let counts = case.counts(&read.sweep, CacheSettings { nslots, ..settings }, version);
        counts.is_exact.then_some(counts.decodes)
    };
    let best = decodes(SLOTS[SLOTS.len() - 1])?;
    let nslots =
        SLOTS.into_iter().find(|nslots| *nslots > settings.nslots && decodes(*nslots) == Some(best))?;
    Some(CacheFix { smallest_nbytes: settings.nbytes, settings: CacheSettings { nslots, ..settings } })
}

/// The lines that set a cache found for read `target`, judged on all reads in the profiles whose users would set it. If
/// it slows another read, lines with a larger cache that does not, and still serves the target, come before them, where
/// there is one.
pub(crate) fn judged_cache_lines(
    case: &Case<'_>,
    target: usize,
    profiles: &[usize],
    settings: CacheSettings,
    effect: &str,
) -> Vec<Fix> {
    let lines = |settings: CacheSettings, effect: &str| {
        let lines = cache_lines(&case.options.file, case.facts, settings, effect);
        let judged = judge(case, &Change::Cache(settings), profiles)?;
        let is_gain = judged.effects.get(target).is_some_and(|(_, effect)| effect.ratio() <= GAIN_SHARE_MAX);
        let told: Vec<Fix> = lines.into_iter().map(|fix| judged.tell(case, Some(target), fix)).collect();
        Some((judged.is_loss(), is_gain, told))
    };
    let Some((is_loss, _, found)) = lines(settings, effect) else { return Vec::new() };
    let mut fixes = Vec::new();
    if is_loss {
        let sizes = std::iter::successors(Some(settings.nbytes.max(1 << 20)), |nbytes| nbytes.checked_mul(2));
        let larger = sizes.skip(1).take_while(|nbytes| *nbytes <= CACHE_BYTES_MAX).find_map(|nbytes| {
            let effect = format!("a cache of {}: no read takes twice as long", bytes_text(nbytes));
            lines(CacheSettings { nbytes, ..settings }, &effect)
                .filter(|(is_loss, is_gain, _)| !is_loss && *is_gain)
        });
        fixes.extend(larger.into_iter().flat_map(|(.., lines)| lines));
    }
    fixes.extend(found);
    fixes
}

/// Rounds up to whole MiB, or to whole KiB below 1 MiB.
fn round_up(nbytes: u64) -> u64 {
    let unit = if nbytes >= 1 << 20 { 1u64 << 20 } else { 1 << 10 };
    nbytes.div_ceil(unit) * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::DatasetFacts;
    use crate::options::Options;
    use crate::testing::{case_study, chunked};

    #[test]
    fn the_case_study_needs_one_chunk() {
        let (facts, options) = (case_study(), Options::default());
        let case = Case::new(&facts, &options).unwrap().unwrap();
        let rows = &case.reads[0];
        let fix = smallest_cache(&case, rows, &[LibVersion::V1_8, LibVersion::V1_14]).unwrap();
        assert_eq!(fix.smallest_nbytes, 3_097_440);
        assert_eq!(fix.settings, CacheSettings { nbytes: 3 << 20, nslots: 521, w0: 0.75 });
    }

    #[test]
    fn a_series_needs_every_chunk_it_crosses_and_one_less_does_not_do() {
        let (facts, options) = (case_study(), Options::default());
        let case = Case::new(&facts, &options).unwrap().unwrap();
        let series = case.reads.iter().find(|read| read.name == "series along axis 0").unwrap();
        let fix = smallest_cache(&case, series, &[LibVersion::V2_2]).unwrap();
        assert_eq!(fix.smallest_nbytes, 15 * 3_097_440);
        let fewer = CacheSettings { nbytes: 14 * 3_097_440, ..fix.settings };
        assert!(!case.counts(&series.sweep, fewer, LibVersion::V2_2).is_ideal());
    }

    #[test]
    fn a_larger_cache_that_helps_nothing_is_not_offered() {
        // Rows of 100 chunks that span all rows: any cache that holds one chunk, but not all, loads each for every row.
        let facts = DatasetFacts { filters: Vec::new(), ..chunked(&[4000, 5000], &[4000, 50], 8) };
        let reads = ["1x5000", "4000x5000"].map(|read| read.parse().unwrap()).to_vec();
        let options = Options { reads, ..Options::default() };
        let case = Case::new(&facts, &options).unwrap().unwrap();
        // Those whose cache holds a chunk.
        let holds = |number: &usize| case.profiles[*number].cache(None).nbytes > 1_600_000;
        let profiles: Vec<usize> = (0..case.profiles.len()).filter(holds).collect();
        let none = CacheSettings { nbytes: 0, nslots: 1009, w0: 0.75 };
        let fixes = judged_cache_lines(&case, 0, &profiles, none, "no cache");
        assert!(!fixes.is_empty());
        for fix in fixes {
            let serves = fix.serves.unwrap();
            assert!(serves.after_seconds < 0.5 * serves.before_seconds, "{}: {serves:?}", fix.effect);
        }
    }

    #[test]
    fn nothing_of_reasonable_size_is_not_proposed() {
        // A series of 2,000 chunks of 1 MiB.
        let facts = chunked(&[2000, 512, 512], &[1, 512, 512], 4);
        let options = Options::default();
        let case = Case::new(&facts, &options).unwrap().unwrap();
        let series = case.reads.iter().find(|read| read.name == "series along axis 0").unwrap();
        assert_eq!(smallest_cache(&case, series, &[LibVersion::V2_2]), None);
    }
}
