//! The problems that the doctor recognises: one file each, whose module comment is the page that users read.
//!
//! A new finding is a new file with the four headings *What it sees*, *Why it costs*, *What to do*, *When it is fine*,
//! a `check` function, a test in which it reports, a test in which it does not, and a line in [`RULES`]. Every finding states
//! its [`Cost`], and is dropped where that does not matter.

mod cache_smaller_than_chunk;
mod chunk_larger_than_extent;
mod chunk_shape_against_read;
mod chunks_encoded_again;
mod chunks_too_large;
mod chunks_too_small;
mod cliff;
mod cloud_chunk_above_page;
mod cloud_chunk_size;
mod cloud_growing_dataset;
mod cloud_metadata;
mod cloud_page_slack;
mod cloud_variable_length;
mod cmip7_packing;
mod compressible_data_raw;
mod compression_saves_nothing;
mod contiguous_across_fast_axis;
mod cost;
mod crossed_chunks;
mod cyclic_thrash;
mod deep_groups;
mod default_cache_too_small;
mod deflate_level_too_high;
mod dense_storage;
mod many_open_datasets;
mod model;
mod object_store;
mod older;
mod one_element_chunks;
mod page_size_against_chunks;
mod scattered_metadata;
mod shuffle_missing;
mod slot_collisions;
mod unused_space;
mod variable_length_strings;
mod wasted_edge;
mod zstd_note;

pub use cost::Cost;
pub use model::{Finding, Severity};

use crate::case::Case;
use crate::facts::FileFacts;
use crate::older::{OlderCase, OlderFileFacts};
use crate::options::Options;
use cliff::Cliff;

/// A finding that the doctor can make.
struct Rule {
    code: &'static str,
    /// The source text of the file that defines it, whose module comment is the page.
    source: &'static str,
    /// Looks for the problem. Some rules judge the cliffs of the case, which are computed once for all of them.
    check: fn(&Case<'_>, &[Cliff]) -> Option<Finding>,
    /// Structural rules need no simulated read: they are tried on every dataset of a file.
    scope: Scope,
}

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// How the data is stored.
    Storage,
    /// What reads cost.
    Reads,
}

macro_rules! rules {
    ($($code:literal $module:ident $scope:ident),* $(,)?) => {
        &[$(Rule {
            code: $code,
            source: include_str!(concat!(stringify!($module), ".rs")),
            check: $module::check,
            scope: Scope::$scope,
        }),*]
    };
}

static RULES: &[Rule] = rules![
    "cache-smaller-than-chunk" cache_smaller_than_chunk Reads,
    "cyclic-thrash" cyclic_thrash Reads,
    "slot-collisions" slot_collisions Reads,
    "default-cache-too-small" default_cache_too_small Reads,
    "chunk-shape-against-read" chunk_shape_against_read Reads,
    "chunks-encoded-again" chunks_encoded_again Reads,
    "chunks-too-small" chunks_too_small Storage,
    "chunks-too-large" chunks_too_large Reads,
    "one-element-chunks" one_element_chunks Storage,
    "compression-saves-nothing" compression_saves_nothing Storage,
    "compressible-data-raw" compressible_data_raw Storage,
    "shuffle-missing" shuffle_missing Storage,
    "deflate-level-too-high" deflate_level_too_high Storage,
    "chunk-larger-than-extent" chunk_larger_than_extent Storage,
    "wasted-edge" wasted_edge Storage,
    "variable-length-strings" variable_length_strings Storage,
    "contiguous-across-fast-axis" contiguous_across_fast_axis Reads,
    "cloud-chunk-size" cloud_chunk_size Storage,
    "cloud-variable-length" cloud_variable_length Storage,
];

/// A finding that the doctor can make about a file as a whole.
struct FileRule {
    code: &'static str,
    source: &'static str,
    check: fn(&FileFacts, &Options) -> Option<Finding>,
}

macro_rules! file_rules {
    ($($code:literal $module:ident),* $(,)?) => {
        &[$(FileRule {
            code: $code,
            source: include_str!(concat!(stringify!($module), ".rs")),
            check: $module::check,
        }),*]
    };
}

static FILE_RULES: &[FileRule] = file_rules![
    "scattered-metadata" scattered_metadata,
    "dense-storage" dense_storage,
    "deep-groups" deep_groups,
    "page-size-against-chunks" page_size_against_chunks,
    "cloud-metadata" cloud_metadata,
    "cloud-chunk-above-page" cloud_chunk_above_page,
    "cloud-growing-dataset" cloud_growing_dataset,
    "cloud-page-slack" cloud_page_slack,
    "cmip7-packing" cmip7_packing,
    "unused-space" unused_space,
    "many-open-datasets" many_open_datasets,
];

/// A finding about a dataset of an older format, or about such a file.
struct OlderRule {
    code: &'static str,
    source: &'static str,
    check: OlderCheck,
}

enum OlderCheck {
    Dataset(fn(&OlderCase<'_>) -> Option<Finding>),
    File(fn(&OlderFileFacts, &Options) -> Option<Finding>),
}

macro_rules! older_rules {
    ($($code:literal $module:ident $of:ident),* $(,)?) => {
        &[$(OlderRule {
            code: $code,
            source: include_str!(concat!("older/", stringify!($module), ".rs")),
            check: OlderCheck::$of(older::$module::check),
        }),*]
    };
}

static OLDER_RULES: &[OlderRule] = older_rules![
    "stream-decoded-again" stream_decoded_again Dataset,
    "chunk-cache-of-hdf4" chunk_cache_of_hdf4 Dataset,
    "small-chunks-of-hdf4" small_chunks_of_hdf4 Dataset,
    "linked-blocks" linked_blocks Dataset,
    "interleaved-records" interleaved_records Dataset,
    "descriptor-chain" descriptor_chain File,
    "near-size-limit" near_size_limit File,
];

/// All findings about a dataset of an older format, most severe first; if its reads were not simulated, those about its storage.
pub(crate) fn check_older(case: &OlderCase<'_>) -> Vec<Finding> {
    let checks = OLDER_RULES.iter().filter_map(|rule| match rule.check {
        OlderCheck::Dataset(check) => Some(check),
        OlderCheck::File(_) => None,
    });
    let found = checks.chain([older::raw_data::check as fn(&OlderCase<'_>) -> _]);
    sorted(found.filter_map(|check| check(case)), case.options)
}

/// All findings about a file of an older format, most severe first.
pub(crate) fn check_older_file(facts: &OlderFileFacts, options: &Options) -> Vec<Finding> {
    let checks = OLDER_RULES.iter().filter_map(|rule| match rule.check {
        OlderCheck::File(check) => Some(check),
        OlderCheck::Dataset(_) => None,
    });
    sorted(checks.filter_map(|check| check(facts, options)), options)
}

/// Those that matter, the most severe first.
fn sorted(found: impl Iterator<Item = Finding>, options: &Options) -> Vec<Finding> {
    let mut findings: Vec<Finding> = found.filter(|finding| finding.cost.matters(options)).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// All findings about a file as a whole, most severe first.
pub(crate) fn check_file(facts: &FileFacts, options: &Options) -> Vec<Finding> {
    let found = FILE_RULES.iter().filter_map(|rule| {
        let finding = (rule.check)(facts, options)?;
        debug_assert_eq!(finding.code, rule.code);
        Some(finding)
    });
    sorted(found, options)
}

/// True if a structural rule finds something that matters. `case` needs no reads.
pub(crate) fn has_storage_fault(case: &Case<'_>) -> bool {
    let mut rules = RULES.iter().filter(|rule| rule.scope == Scope::Storage);
    rules.any(|rule| (rule.check)(case, &[]).is_some_and(|finding| finding.cost.matters(case.options)))
}

/// All findings about a case, most severe first.
pub(crate) fn check(case: &Case<'_>) -> Vec<Finding> {
    let cliffs = cliff::find(case);
    let found = RULES.iter().filter_map(|rule| {
        let mut finding = (rule.check)(case, &cliffs)?;
        debug_assert_eq!(finding.code, rule.code);
        // What slows another read is offered last.
        finding.fixes.sort_by_key(|fix| fix.slows_others);
        Some(finding)
    });
    sorted(found, case.options)
}

/// All rules: their codes, and the source texts of the files that define them.
fn rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_datasets = RULES.iter().map(|rule| (rule.code, rule.source));
    let of_files = FILE_RULES.iter().map(|rule| (rule.code, rule.source));
    of_datasets.chain(of_files).chain(OLDER_RULES.iter().map(|rule| (rule.code, rule.source)))
}

/// The codes of all findings.
pub fn codes() -> impl Iterator<Item = &'static str> {
    rules().map(|(code, _)| code)
}

/// The page of a finding, in Markdown; `None` if there is no such code.
pub fn why(code: &str) -> Option<String> {
    let (_, source) = rules().find(|(known, _)| *known == code)?;
    let page: Vec<&str> = source
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    Some(page.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_has_a_page_of_the_same_four_parts() {
        for code in codes() {
            let page = why(code).unwrap();
            assert!(page.starts_with(&format!("# {code}\n")), "{code}: {page}");
            let headings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
            assert_eq!(headings, ["What it sees", "Why it costs", "What to do", "When it is fine"], "{code}");
        }
        assert_eq!(codes().count(), 37);
        assert_eq!(why("no-such-finding"), None);
    }
}
