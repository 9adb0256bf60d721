//! Rules: what the specification demands of a file, or what is odd although it is allowed.
//!
//! A rule is defined in the module of the structure that it is about, next to the code that checks it. Its doc comment is
//! its text in `docs/check.md`.

use crate::{
    attributes, chunk_index, data, dataset, extents, fractal_heap, free_space, general, global_heap, group,
    message, object_header, objects, shared_messages, superblock,
};
use std::fmt;

/// How bad it is if a file does not follow a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong: files of the library have it, too. It may be of interest, such as space that a repack saves.
    Note,
    /// The specification allows it, but no file of the library has it: something that a later writer may stumble over.
    Warning,
    /// The file violates the specification.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// The name of the rule, such as `checksum`. It never changes after a release.
    pub code: &'static str,
    /// How bad a violation is.
    pub severity: Severity,
    /// Sections of the *HDF5 File Format Specification* 4.0, or the source of the library; empty if the section follows
    /// from the structure.
    pub source: &'static str,
    /// What the rule demands, one paragraph of Markdown.
    pub text: &'static str,
}

/// Defines the rules of a module, and their list.
macro_rules! rules {
    ($list:ident: $($(#[doc = $text:literal])+ $name:ident = $severity:ident $code:literal, $source:literal;)+) => {
        $(
            $(#[doc = $text])+
            pub(crate) static $name: $crate::rule::Rule = $crate::rule::Rule {
                code: $code,
                severity: $crate::rule::Severity::$severity,
                source: $source,
                text: concat!($($text, "\n"),+),
            };
        )+
        /// The rules of this module.
        pub(crate) static $list: &[&$crate::rule::Rule] = &[$(&$name),+];
    };
}
pub(crate) use rules;

/// The lists of all modules, each with the name of its structures.
static LISTS: &[(&str, &[&Rule])] = &[
    ("Any structure", general::RULES),
    ("Bytes of the file", extents::RULES),
    ("Superblock", superblock::RULES),
    ("Object headers", object_header::RULES),
    ("Header messages", message::RULES),
    ("Objects and links", objects::RULES),
    ("Old-style groups", group::RULES),
    ("Dense links and attributes", attributes::RULES),
    ("Fractal heaps", fractal_heap::RULES),
    ("Free-space managers", free_space::RULES),
    ("Global heaps", global_heap::RULES),
    ("Shared messages", shared_messages::RULES),
    ("Datasets", dataset::RULES),
    ("Chunk indexes", chunk_index::RULES),
    ("Raw data", data::RULES),
];

/// All rules, by the structures that they are about.
pub fn rules_by_structure() -> impl Iterator<Item = (&'static str, &'static [&'static Rule])> {
    LISTS.iter().copied()
}

/// The page with all rules, in Markdown.
pub fn page() -> String {
    let mut page = String::from(include_str!("page.md"));
    for (structures, rules) in rules_by_structure() {
        page.push_str(&format!("\n### {structures}\n\n"));
        for rule in rules {
            let text: Vec<&str> = rule.text.lines().map(str::trim).collect();
            let source = if rule.source.is_empty() { "the section of the structure" } else { rule.source };
            page.push_str(&format!(
                "* **`{}`** ({}; {source}): {}\n",
                rule.code,
                rule.severity,
                text.join(" ").trim()
            ));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique_and_every_rule_has_a_text() {
        let mut codes = HashSet::new();
        for (_, rules) in rules_by_structure() {
            for rule in rules {
                assert!(codes.insert(rule.code), "{} occurs twice", rule.code);
                assert!(rule.text.trim().ends_with('.'), "{}: {}", rule.code, rule.text);
                assert!(
                    rule.code
                        .bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte.is_ascii_digit())
                );
            }
        }
    }
}
