//! All rules, by the structures that they are about, and the page that describes them.

use crate::rule::Rule;
use crate::{
    attributes, chunk_index, classic, data, dataset, extents, fractal_heap, free_space, general, global_heap,
    group, hdf4, message, object_header, objects, shared_messages, superblock,
};

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
    ("netCDF classic, 64-bit offset and CDF-5", classic::RULES),
    ("HDF4", hdf4::RULES),
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
