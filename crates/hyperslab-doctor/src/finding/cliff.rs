//! Performance cliffs: reads that load the same chunks again and again, and which of three causes is responsible.

use super::crossed_chunks::CrossedChunks;
use super::model::Severity;
use crate::case::{Case, ReadCase, Row};
use crate::fix::{Fix, read_lines, repack_for};
use crate::numbers::{list_text, ratio_text, rounded};
use crate::predict::{Ideal, seconds_text};
use crate::simulate::{LibVersion, SweepCounts};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::{Sweep, shape_text};
use hyperslab_units::{count_text, counted_text};
use serde_json::{Value, json};

/// Loads per chunk from which on a read is reported.
const RATIO_MIN: f64 = 1.5;
/// And it must waste at least this many seconds.
const EXCESS_SECONDS_MIN: f64 = 0.1;
/// With this many slots chunks collide only by accident; used to distinguish collisions from lack of space.
const SLOTS_PLENTY: u64 = 1_000_003;
/// Collisions are the cause if more slots alone avoid at least this share of the loads.
const COLLISION_SHARE: f64 = 0.5;

/// Why chunks are loaded repeatedly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    SmallerThanChunk,
    Collisions,
    Thrash,
}

/// A read that falls off the cliff under one profile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cliff {
    pub(super) read: usize,
    pub(super) profile: usize,
    pub(super) cause: Cause,
    /// Loads per chunk.
    pub(super) ratio: f64,
    /// Seconds beyond the time for loading each chunk once, and that time, by the stored constants.
    pub(super) excess_seconds: f64,
    reference_ideal_seconds: f64,
    /// The time for loading each chunk once, as it is shown.
    pub(super) ideal_seconds: f64,
}

/// Number of chunks loaded, and number that must be loaded: decodes if the data is filtered, otherwise driver reads.
fn loads(case: &Case<'_>, counts: &SweepCounts) -> (u64, u64) {
    if case.geometry.is_filtered() && counts.chunks_filtered > 0 {
        (counts.decodes, counts.chunks_filtered)
    } else {
        (counts.driver_reads, counts.chunks_touched)
    }
}

/// Every read and profile of the case that falls off a cliff.
pub(super) fn find(case: &Case<'_>) -> Vec<Cliff> {
    let mut found = Vec::new();
    let Some(chunk_bytes) = case.geometry.chunk_bytes() else { return found };
    for (read_index, read) in case.reads.iter().enumerate() {
        // A default read across the storage order that crosses the chunks has a finding of its own; the cache is not to
        // blame. One along that order is what a program does that simply goes through the dataset.
        if !read.matters && CrossedChunks::of(case, read).is_some_and(|crossed| crossed.holds()) {
            continue;
        }
        for (profile_index, row) in read.rows.iter().enumerate() {
            let (loaded, needed) = loads(case, &row.counts);
            let ratio = loaded as f64 / needed.max(1) as f64;
            let Ideal { seconds: ideal_seconds, .. } = case.costs.ideal(&row.counts);
            let Ideal { seconds: reference_ideal_seconds, .. } = case.reference.ideal(&row.counts);
            let excess_seconds = row.reference_seconds - reference_ideal_seconds;
            if ratio < RATIO_MIN
                || excess_seconds < EXCESS_SECONDS_MIN
                || row.reference_seconds < RATIO_MIN * reference_ideal_seconds
            {
                continue;
            }
            let version = case.profiles[profile_index].version;
            let cause = if chunk_bytes > row.settings.nbytes || row.settings.nslots == 0 {
                Cause::SmallerThanChunk
            } else if is_collision(case, read, row, version) {
                Cause::Collisions
            } else {
                Cause::Thrash
            };
            found.push(Cliff {
                read: read_index,
                profile: profile_index,
                cause,
                ratio,
                excess_seconds,
                reference_ideal_seconds,
                ideal_seconds,
            });
        }
    }
    found
}

fn is_collision(case: &Case<'_>, read: &ReadCase, row: &Row, version: LibVersion) -> bool {
    let plenty = CacheSettings { nslots: SLOTS_PLENTY, ..row.settings };
    let (with_plenty, _) = loads(case, &case.counts(&read.sweep, plenty, version));
    let (loaded, _) = loads(case, &row.counts);
    (with_plenty as f64) < COLLISION_SHARE * loaded as f64
}

/// The cliffs with one cause, and the read that shows it best.
pub(super) struct CliffGroup<'c> {
    pub(super) read: &'c ReadCase,
    pub(super) worst: Cliff,
    /// Profiles under which that read falls off the cliff.
    pub(super) hit: Vec<usize>,
    /// Profiles under which it does not, for any cause.
    pub(super) clear: Vec<usize>,
    /// Names of other reads with the same problem.
    pub(super) others: Vec<String>,
}

/// The group of one cause; `None` if no read has it.
pub(super) fn group<'c>(case: &'c Case<'_>, cliffs: &[Cliff], cause: Cause) -> Option<CliffGroup<'c>> {
    let of_cause = || cliffs.iter().filter(|cliff| cliff.cause == cause);
    let worst = *of_cause().max_by(|a, b| {
        let weight = |cliff: &Cliff| {
            let read = &case.reads[cliff.read];
            weight(read.matters, &read.sweep)
        };
        weight(a).cmp(&weight(b)).then(a.excess_seconds.total_cmp(&b.excess_seconds))
    })?;
    let hit: Vec<usize> =
        of_cause().filter(|cliff| cliff.read == worst.read).map(|cliff| cliff.profile).collect();
    let clear = (0..case.profiles.len())
        .filter(|profile| !cliffs.iter().any(|cliff| cliff.read == worst.read && cliff.profile == *profile))
        .collect();
    let mut others: Vec<String> = Vec::new();
    for cliff in of_cause().filter(|cliff| cliff.read != worst.read) {
        let name = case.reads[cliff.read].name.clone();
        if !others.contains(&name) {
            others.push(name);
        }
    }
    Some(CliffGroup { read: &case.reads[worst.read], worst, hit, clear, others })
}

/// Which reads to report first: those that matter, then series along the slowest dimension, which is usually time.
pub(super) fn weight(matters: bool, sweep: &Sweep) -> u8 {
    let (block, shape) = (sweep.block(), sweep.shape());
    let is_series = block[0] == shape[0] && block[1..].iter().all(|len| *len == 1);
    if matters { 2 } else { u8::from(is_series) }
}

impl CliffGroup<'_> {
    /// The severity, by the time that is wasted. It is lower for a default read that crosses the storage order of the
    /// data.
    pub(super) fn severity(&self, case: &Case<'_>) -> Severity {
        let is_own_clear = case.options.first_profile_is_own && !self.hit.contains(&0);
        if !self.read.matters && is_own_clear {
            return Severity::Low;
        }
        Severity::of_time(self.worst.excess_seconds, self.worst.reference_ideal_seconds, self.read.matters)
    }

    /// `16,200 decodes of 15 chunks, 1080x, about 3 min 45 s instead of 0.21 s`
    pub(super) fn numbers(&self, case: &Case<'_>) -> String {
        let row = &self.read.rows[self.worst.profile];
        let (loaded, needed) = loads(case, &row.counts);
        let word = if case.geometry.is_filtered() { "decodes" } else { "driver reads" };
        let about = if row.counts.is_exact { "" } else { "about " };
        format!(
            "{about}{} {word} of {}, {}, {} instead of {}",
            count_text(loaded),
            counted_text(needed, "chunk"),
            ratio_text(self.worst.ratio),
            case.time_text(row.seconds),
            seconds_text(self.worst.ideal_seconds)
        )
    }

    /// Chunk loads of the read under the profile that is affected most.
    pub(super) fn loaded(&self, case: &Case<'_>) -> u64 {
        loads(case, &self.read.rows[self.worst.profile].counts).0
    }

    /// Which libraries are affected, which are not, and which other reads have the same problem.
    pub(super) fn affected(&self, case: &Case<'_>) -> String {
        let mut text = format!("Affected: {}.", profile_names(case, &self.hit));
        if !self.clear.is_empty() {
            text.push_str(&format!(" Not affected: {}.", profile_names(case, &self.clear)));
        }
        if case.geometry.is_filtered() {
            text.push_str(" Also affected: readers that do not cache decoded chunks (pyfive, h5coro, hidefix, zarr over references).");
        }
        if !self.others.is_empty() {
            text.push_str(&format!(" The same problem with: {}.", list_text(&self.others)));
        }
        text
    }

    pub(super) fn evidence(&self, case: &Case<'_>) -> Value {
        let rows: Vec<Value> = self
            .hit
            .iter()
            .map(|profile| {
                let row = &self.read.rows[*profile];
                json!({
                    "profile": case.profiles[*profile].name,
                    "cache": row.settings,
                    "decodes": row.counts.decodes,
                    "driver_reads": row.counts.driver_reads,
                    "loads_per_chunk": rounded(ratio_of(case, row)),
                    "predicted_seconds": rounded(row.seconds),
                })
            })
            .collect();
        json!({
            "chunk_bytes": case.geometry.chunk_bytes(),
            "read": shape_text(self.read.sweep.block()),
            "read_name": self.read.name,
            "chunks_touched": self.read.rows[self.worst.profile].counts.chunks_touched,
            "ideal_seconds": rounded(self.worst.ideal_seconds),
            "hit": rows,
            "clear": self.clear.iter().map(|profile| case.profiles[*profile].name.clone()).collect::<Vec<_>>(),
            "other_reads": self.others,
        })
    }

    /// Fixes other than the cache: other reads, other chunks.
    pub(super) fn reads_and_repack(&self, case: &Case<'_>) -> Vec<Fix> {
        let mut fixes = read_lines(case);
        fixes.extend(repack_for(case, self.worst.read, &self.hit));
        fixes
    }
}

fn ratio_of(case: &Case<'_>, row: &Row) -> f64 {
    let (loaded, needed) = loads(case, &row.counts);
    loaded as f64 / needed.max(1) as f64
}

/// `libhdf5 1.8, 1.10, 1.14; netCDF-C 4.9`
pub(super) fn profile_names(case: &Case<'_>, profiles: &[usize]) -> String {
    let names: Vec<&str> = profiles.iter().map(|profile| case.profiles[*profile].name.as_str()).collect();
    crate::numbers::library_names(&names)
}
