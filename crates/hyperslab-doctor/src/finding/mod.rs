//! The problems that the doctor recognises: one file each, whose module comment is the page that users read.
//!
//! A new finding is a new file with the four headings *What it sees*, *Why it costs*, *What to do*, *When it is fine*,
//! a `check` function, a test in which it reports, a test in which it does not, and a line in [`RULES`].

mod cache_smaller_than_chunk;
mod chunk_larger_than_extent;
mod chunk_shape_against_read;
mod chunks_too_large;
mod chunks_too_small;
mod cliff;
mod compression_saves_nothing;
mod contiguous_across_fast_axis;
mod cyclic_thrash;
mod deflate_level_too_high;
mod model;
mod one_element_chunks;
mod slot_collisions;

pub use model::{Finding, Severity};

use crate::case::Case;
use cliff::Cliff;

/// A finding that the doctor can make.
struct Rule {
    code: &'static str,
    /// The source text of the file that defines it, whose module comment is the page.
    source: &'static str,
    /// Looks for the problem. Some rules judge the cliffs of the case, which are computed once for all of them.
    check: fn(&Case<'_>, &[Cliff]) -> Option<Finding>,
}

macro_rules! rules {
    ($($code:literal $module:ident),* $(,)?) => {
        &[$(Rule {
            code: $code,
            source: include_str!(concat!(stringify!($module), ".rs")),
            check: $module::check,
        }),*]
    };
}

static RULES: &[Rule] = rules![
    "cache-smaller-than-chunk" cache_smaller_than_chunk,
    "cyclic-thrash" cyclic_thrash,
    "slot-collisions" slot_collisions,
    "chunk-shape-against-read" chunk_shape_against_read,
    "chunks-too-small" chunks_too_small,
    "chunks-too-large" chunks_too_large,
    "one-element-chunks" one_element_chunks,
    "compression-saves-nothing" compression_saves_nothing,
    "deflate-level-too-high" deflate_level_too_high,
    "chunk-larger-than-extent" chunk_larger_than_extent,
    "contiguous-across-fast-axis" contiguous_across_fast_axis,
];

/// All findings about a case, most severe first.
pub(crate) fn check(case: &Case<'_>) -> Vec<Finding> {
    let cliffs = cliff::find(case);
    let mut findings: Vec<Finding> = RULES
        .iter()
        .filter_map(|rule| {
            let mut finding = (rule.check)(case, &cliffs)?;
            debug_assert_eq!(finding.code, rule.code);
            // What slows another read is offered last.
            finding.fixes.sort_by_key(|fix| fix.slows_others);
            Some(finding)
        })
        .collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
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
        assert_eq!(codes().count(), 11);
        assert_eq!(why("no-such-finding"), None);
    }
}
