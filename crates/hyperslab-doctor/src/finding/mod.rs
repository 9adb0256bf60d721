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
    check: Check,
}

/// What a rule looks at, and how it looks for its problem.
enum Check {
    /// How the data of a dataset is stored. No simulated read is needed: these are tried on every dataset of a file.
    Storage(fn(&Case<'_>, &[Cliff]) -> Option<Finding>),
    /// What reads cost. Some rules judge the cliffs of the case, which are computed once for all of them.
    Reads(fn(&Case<'_>, &[Cliff]) -> Option<Finding>),
    /// A file as a whole.
    File(fn(&FileFacts, &Options) -> Option<Finding>),
    /// A dataset of an older format.
    Older(fn(&OlderCase<'_>) -> Option<Finding>),
    /// A file of an older format.
    OlderFile(fn(&OlderFileFacts, &Options) -> Option<Finding>),
}

macro_rules! rules {
    ($($code:literal $($module:ident)::+ $check:ident),* $(,)?) => {
        &[$(Rule {
            code: $code,
            source: include_str!(concat!("." $(, "/", stringify!($module))+, ".rs")),
            check: Check::$check($($module)::+::check),
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
    "scattered-metadata" scattered_metadata File,
    "dense-storage" dense_storage File,
    "deep-groups" deep_groups File,
    "page-size-against-chunks" page_size_against_chunks File,
    "cloud-metadata" cloud_metadata File,
    "cloud-chunk-above-page" cloud_chunk_above_page File,
    "cloud-growing-dataset" cloud_growing_dataset File,
    "cloud-page-slack" cloud_page_slack File,
    "cmip7-packing" cmip7_packing File,
    "unused-space" unused_space File,
    "many-open-datasets" many_open_datasets File,
    "stream-decoded-again" older::stream_decoded_again Older,
    "chunk-cache-of-hdf4" older::chunk_cache_of_hdf4 Older,
    "small-chunks-of-hdf4" older::small_chunks_of_hdf4 Older,
    "linked-blocks" older::linked_blocks Older,
    "interleaved-records" older::interleaved_records Older,
    "descriptor-chain" older::descriptor_chain OlderFile,
    "near-size-limit" older::near_size_limit OlderFile,
];

/// All findings about a dataset of an older format, most severe first; if its reads were not simulated, those about its storage.
pub(crate) fn check_older(case: &OlderCase<'_>) -> Vec<Finding> {
    let found = RULES.iter().filter_map(|rule| match rule.check {
        Check::Older(check) => check(case),
        _ => None,
    });
    sorted(found.chain(older::raw_data::check(case)), case.options)
}

/// All findings about a file of an older format, most severe first.
pub(crate) fn check_older_file(facts: &OlderFileFacts, options: &Options) -> Vec<Finding> {
    let found = RULES.iter().filter_map(|rule| match rule.check {
        Check::OlderFile(check) => check(facts, options),
        _ => None,
    });
    sorted(found, options)
}

/// Those that matter, the most severe first.
fn sorted(found: impl Iterator<Item = Finding>, options: &Options) -> Vec<Finding> {
    let mut findings: Vec<Finding> = found.filter(|finding| finding.cost.matters(options)).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// All findings about a file as a whole, most severe first.
pub(crate) fn check_file(facts: &FileFacts, options: &Options) -> Vec<Finding> {
    let found = RULES.iter().filter_map(|rule| match rule.check {
        Check::File(check) => check(facts, options),
        _ => None,
    });
    sorted(found, options)
}

/// True if a structural rule finds something that matters. `case` needs no reads.
pub(crate) fn has_storage_fault(case: &Case<'_>) -> bool {
    let mut found = RULES.iter().filter_map(|rule| match rule.check {
        Check::Storage(check) => check(case, &[]),
        _ => None,
    });
    found.any(|finding| finding.cost.matters(case.options))
}

/// All findings about a case, most severe first.
pub(crate) fn check(case: &Case<'_>) -> Vec<Finding> {
    let cliffs = cliff::find(case);
    let found = RULES.iter().filter_map(|rule| {
        let (Check::Storage(check) | Check::Reads(check)) = rule.check else { return None };
        let mut finding = check(case, &cliffs)?;
        debug_assert_eq!(finding.code, rule.code);
        // What slows another read is offered last.
        finding.fixes.sort_by_key(|fix| fix.slows_others);
        Some(finding)
    });
    sorted(found, case.options)
}

/// The codes of all findings.
pub fn codes() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.code)
}

/// The page of a finding, in Markdown; `None` if there is no such code.
pub fn why(code: &str) -> Option<String> {
    let rule = RULES.iter().find(|rule| rule.code == code)?;
    let page: Vec<&str> = rule
        .source
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
