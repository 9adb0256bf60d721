//! # cloud-growing-dataset
//!
//! ## What it sees
//!
//! Only with `--cloud`: datasets with an unlimited dimension whose chunk indexes are B-trees, and nodes of these trees lie
//! between the chunks.
//!
//! ## Why it costs
//!
//! A dataset that grows gets a new node of its index now and then, behind the chunks that were written before. A reader has to
//! follow the tree through the whole file: each node is a request of its own, and none can begin before its parent has
//! arrived. NSIDC's guide therefore advises against unlimited dimensions; the nodes are what costs, not the dimension.
//!
//! ## What to do
//!
//! Repack the file when it is complete: `hyperslab repack` puts all nodes before all data and keeps the unlimited dimension.
//! Give the size of the dimension where it is known when the file is written.
//!
//! ## When it is fine
//!
//! If the file is still growing.

use super::cost::Cost;
use super::model::{Finding, Severity};
use super::object_store::{REQUEST_SECONDS, page_for};
use crate::facts::FileFacts;
use crate::fix::{FixKind, repack_fix};
use crate::options::Options;
use crate::predict::seconds_text;
use hyperslab_storage::{Pages, StorageChange};
use hyperslab_units::size::bytes_text;
use hyperslab_units::{count_text, counted_text};
use serde_json::json;

/// From so many nodes on the severity is medium.
const NODES_MEDIUM: u64 = 1_000;

pub(super) fn check(facts: &FileFacts, options: &Options) -> Option<Finding> {
    let nodes = facts.index_nodes_behind_data;
    if !options.cloud || nodes == 0 || facts.unlimited_datasets == 0 {
        return None;
    }
    let message = format!(
        "{} of the datasets {} an unlimited dimension, and {} of chunk indexes {} behind the first chunk: readers fetch \
         them one after the other, {} at 40 ms each.",
        count_text(facts.unlimited_datasets),
        if facts.unlimited_datasets == 1 { "has" } else { "have" },
        counted_text(nodes, "node"),
        if nodes == 1 { "lies" } else { "lie" },
        seconds_text(nodes as f64 * REQUEST_SECONDS),
    );
    let page = page_for(facts.metadata_bytes);
    let evidence =
        json!({ "unlimited_datasets": facts.unlimited_datasets, "index_nodes_behind_data": nodes });
    let effect = format!("all nodes of the indexes in the first {} of the file", bytes_text(page));
    let fixes = vec![repack_fix(
        FixKind::Repack,
        &options.file,
        StorageChange::paged(Pages::MetadataFirst(page)),
        effect,
    )];
    let severity = if nodes >= NODES_MEDIUM { Severity::Medium } else { Severity::Low };
    let cost = Cost { requests: Some(nodes), ..Cost::default() };
    Some(Finding { code: "cloud-growing-dataset".to_owned(), severity, message, cost, evidence, fixes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(nodes: u64, unlimited_datasets: u64) -> FileFacts {
        FileFacts {
            index_nodes_behind_data: nodes,
            unlimited_datasets,
            metadata_bytes: 900_000,
            ..FileFacts::default()
        }
    }

    #[test]
    fn indexes_between_the_chunks_are_found_for_the_cloud() {
        let found = check(&facts(94, 2), &Options { cloud: true, ..Options::default() }).unwrap();
        assert_eq!((found.severity, found.cost.requests), (Severity::Low, Some(94)));
        assert_eq!(found.fixes[0].writers[0].line, "hyperslab repack in.h5 out.h5");
    }

    #[test]
    fn fixed_extents_indexes_in_front_and_local_files_are_fine() {
        let cloud = Options { cloud: true, ..Options::default() };
        assert_eq!(check(&facts(94, 0), &cloud), None);
        assert_eq!(check(&facts(0, 2), &cloud), None);
        assert_eq!(check(&facts(94, 2), &Options::default()), None);
    }
}
