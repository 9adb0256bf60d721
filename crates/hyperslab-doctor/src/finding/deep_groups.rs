//! # deep-groups
//!
//! ## What it sees
//!
//! The datasets lie many groups deep, and most groups only lead to other groups.
//!
//! ## Why it costs
//!
//! To open a dataset by its path, libhdf5 opens each group on the way: in the format before HDF5 1.8 that is an object
//! header, a B-tree node, a heap and a symbol table node for each, in the latest format one header. Over a network each is
//! a round trip, and a program that lists the file pays it for every group.
//!
//! ## What to do
//!
//! `h5repack -L` keeps the tree and makes each of its groups one structure. When writing, put into names what no program
//! asks for level by level: `/run1/detector/mean` can be `/run1_detector_mean`.
//!
//! ## When it is fine
//!
//! If the file is only read from local disks, or programs keep the datasets open.

use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::REQUEST_SECONDS;
use crate::facts::FileFacts;
use crate::fix::{Fix, FixKind, repack_fix};
use crate::options::Options;
use crate::predict::seconds_text;
use hyperslab_storage::StorageChange;
use hyperslab_units::count_text;
use serde_json::json;

/// Groups above the deepest dataset, the root group not counted.
const DEPTH_MIN: u64 = 6;
/// Requests for all groups, at least.
const REQUESTS_MIN: u64 = 500;
/// Groups for each dataset, at least.
const GROUPS_PER_DATASET_MIN: u64 = 2;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let FileFacts { depth, groups, datasets, structures_per_group, .. } = *facts;
    if depth < DEPTH_MIN
        || facts.page_bytes.is_some()
        || groups < datasets.saturating_mul(GROUPS_PER_DATASET_MIN)
    {
        return None;
    }
    let (deepest, all) = (depth * structures_per_group, groups.saturating_mul(structures_per_group));
    if all < REQUESTS_MIN {
        return None;
    }
    let message = format!(
        "{} groups, up to {depth} deep, lead to {} datasets. Opening the deepest takes {} requests, listing the file {}: \
         over a network {} at 40 ms a request, one after the other.",
        count_text(groups),
        count_text(datasets),
        count_text(deepest),
        count_text(all),
        seconds_text(all as f64 * REQUEST_SECONDS),
    );
    let evidence = json!({
        "depth": depth,
        "groups": groups,
        "datasets": datasets,
        "structures_per_group": structures_per_group,
        "requests": all,
    });
    let mut fixes = Vec::new();
    if structures_per_group > 1 {
        let effect =
            format!("the latest format: one structure for a group instead of {structures_per_group}");
        // hyperslab writes groups in the newer format unless it is told to write for older libraries.
        let change = StorageChange { is_latest: true, ..StorageChange::default() };
        fixes.push(repack_fix(FixKind::Repack, &options.file, change, effect));
    }
    let line = "f.visititems(lambda path, item: f.copy(item, out, path.replace(\"/\", \"_\")) \
                if isinstance(item, h5py.Dataset) else None)";
    let effect = format!("{} datasets in one group", count_text(datasets));
    fixes.push(Fix::new(FixKind::Rewrite, "h5py", line.to_owned(), effect));
    let cost = Cost { requests: Some(all), ..Cost::default() };
    let code = "deep-groups".to_owned();
    Some(Finding { code, severity: Severity::Low, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(depth: u64, groups: u64, structures_per_group: u64) -> FileFacts {
        FileFacts { depth, groups, datasets: 50, structures_per_group, ..FileFacts::default() }
    }

    #[test]
    fn a_tree_of_groups_that_lead_to_groups_is_found() {
        let found = check(&facts(9, 400, 4), &Options::default()).unwrap();
        assert_eq!((found.severity, found.cost.requests), (Severity::Low, Some(1600)));
        assert!(found.message.contains("400 groups, up to 9 deep, lead to 50 datasets"), "{}", found.message);
        assert!(found.message.contains("Opening the deepest takes 36 requests"), "{}", found.message);
        assert_eq!(found.fixes[0].line, "h5repack -L in.h5 out.h5");
        let latest = check(&facts(9, 800, 1), &Options::default()).unwrap();
        assert_eq!(latest.fixes[0].target, "h5py", "it is in the latest format already");
    }

    #[test]
    fn flat_trees_and_groups_full_of_datasets_are_fine() {
        assert_eq!(check(&facts(5, 400, 4), &Options::default()), None);
        assert_eq!(check(&facts(9, 99, 4), &Options::default()), None);
        assert_eq!(check(&facts(9, 400, 1), &Options::default()), None, "one request for each group");
    }
}
