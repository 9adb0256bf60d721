//! # dense-storage
//!
//! ## What it sees
//!
//! Many objects keep a few attributes, or many groups a few links, in dense storage: a fractal heap and a version 2 B-tree
//! for each object.
//!
//! ## Why it costs
//!
//! Attributes and links in the object header are read with it. In dense storage they take four further structures (heap
//! header, heap block, tree header, tree leaf), each read by itself and each of 512 bytes or more: microseconds from a
//! warm file, a round trip each over a network. libhdf5 changes to dense storage at the ninth attribute or link; a variable
//! by the CF conventions often has more.
//!
//! ## What to do
//!
//! Let up to 64 of them stay in the header when the file is written (`H5Pset_attr_phase_change`,
//! `H5Pset_link_phase_change`). h5repack can do so for links (`-c`, `-d`), not for attributes.
//!
//! ## When it is fine
//!
//! If the file is only read from local disks, or its objects have hundreds of attributes or links.

use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::REQUEST_SECONDS;
use crate::facts::FileFacts;
use crate::fix::{Fix, FixKind};
use crate::numbers::list_text;
use crate::options::Options;
use crate::predict::seconds_text;
use hyperslab_storage::lines::shell_word;
use hyperslab_units::{count_text, counted_text};
use serde_json::json;

/// Fewer such objects are not reported.
const OBJECTS_MIN: u64 = 50;
/// Structures of the dense storage of one object: heap header and block, tree header and leaf.
const STRUCTURES: u64 = 4;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let (attributes, links) = (facts.dense_attributes, facts.dense_links);
    let requests = (attributes + links).saturating_mul(STRUCTURES);
    // With pages, the structures lie beside each other and are read together.
    if facts.page_bytes.is_some() || attributes + links < OBJECTS_MIN {
        return None;
    }
    let parts: Vec<String> = [(attributes, "object", "few attributes"), (links, "group", "few links")]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, noun, few)| format!("{} with {few}", counted_text(count, noun)))
        .collect();
    let message = format!(
        "{} keep them in dense storage: {} structures beside the object headers, over a network {} at 40 ms a request, \
         one after the other.",
        list_text(&parts),
        count_text(requests),
        seconds_text(requests as f64 * REQUEST_SECONDS),
    );
    let evidence = json!({
        "objects_with_few_attributes": attributes,
        "groups_with_few_links": links,
        "requests": requests,
    });
    let mut fixes = Vec::new();
    if links > 0 {
        let effect = format!("links in the headers of {}", counted_text(links, "group"));
        let line = format!("h5repack -L -c 64 -d 48 {} out.h5", shell_word(&options.file));
        fixes.push(Fix::new(FixKind::Repack, "h5repack", line, effect));
    }
    if attributes > 0 {
        let effect = "up to 64 attributes in the object header".to_owned();
        let fix =
            |target: &str, line: &str| Fix::new(FixKind::Rewrite, target, line.to_owned(), effect.clone());
        fixes.push(fix(
            "h5py",
            "dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE); dcpl.set_attr_phase_change(64, 48)",
        ));
        fixes.push(fix("C", "H5Pset_attr_phase_change(dcpl, 64, 48);"));
    }
    let cost = Cost { requests: Some(requests), ..Cost::default() };
    let code = "dense-storage".to_owned();
    Some(Finding { code, severity: Severity::Low, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(dense_attributes: u64, dense_links: u64) -> FileFacts {
        FileFacts { dense_attributes, dense_links, ..FileFacts::default() }
    }

    #[test]
    fn many_objects_with_a_few_attributes_in_a_heap_are_found() {
        let found = check(&facts(300, 0), &Options::default()).unwrap();
        assert_eq!((found.severity, found.cost.requests), (Severity::Low, Some(1200)));
        assert!(found.message.starts_with("300 objects with few attributes keep them in dense storage"));
        assert!(found.fixes.iter().all(|fix| fix.target != "h5repack"), "it cannot change that");
        let both = check(&facts(300, 40), &Options::default()).unwrap();
        assert!(both.message.starts_with("300 objects with few attributes and 40 groups with few links"));
        assert_eq!(both.fixes[0].line, "h5repack -L -c 64 -d 48 in.h5 out.h5");
    }

    #[test]
    fn a_few_objects_and_pages_are_fine() {
        assert_eq!(check(&facts(40, 9), &Options::default()), None);
        let paged = FileFacts { page_bytes: Some(4096), ..facts(300, 0) };
        assert_eq!(check(&paged, &Options::default()), None);
    }
}
