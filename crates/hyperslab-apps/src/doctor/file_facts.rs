//! The facts about a file as a whole, from its census.

use crate::files;
use hyperslab::hdf5::{Census, KindOfMetadata, Owner, chunked_layout};
use hyperslab::{Dataset, File};
use hyperslab_doctor::{FileFacts, PackingFacts, PageWaste};
use hyperslab_format::message::ChunkIndex;
use hyperslab_repack::text_attribute;
use std::path::Path;

/// Sizes of pages that are compared with the present one.
const PAGE_BYTES: [u64; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];
/// A repack is predicted where this share of the file, or more, may be unused.
const SUSPECTED_SHARE: u64 = 20;
/// A group in the old format takes its header, a B-tree node, a heap and a symbol table node.
const OLD_GROUP_STRUCTURES: u64 = 4;

/// The facts about the file at `path` whose census was taken; with those that only findings of `--cloud` look at, if they
/// are wanted.
pub(super) fn of(path: &Path, file: &File, census: &Census, is_for_cloud: bool) -> FileFacts {
    let mut facts = of_census(path, census);
    facts.repacked_bytes = repacked_bytes(file, census, &facts);
    if is_for_cloud { with_cloud_facts(facts, file, census) } else { facts }
}

/// The bytes of the file after a repack that changes nothing else. Predicted only where much may be unused: bytes without an owner,
/// and collections of the global heap, which may hold texts that were deleted.
fn repacked_bytes(file: &File, census: &Census, facts: &FileFacts) -> Option<u64> {
    let heaps = census.metadata.get("global heap collection").map_or(0, |kind| kind.bytes);
    let suspected = facts.free_bytes + facts.unaccounted_bytes + heaps;
    if !census.errors.is_empty() || suspected < census.file_bytes / SUSPECTED_SHARE {
        return None;
    }
    hyperslab_repack::repacked_bytes(file).ok()
}

fn of_census(path: &Path, census: &Census) -> FileFacts {
    let sum = |of: fn(&KindOfMetadata) -> u64| census.metadata.values().map(of).sum();
    // The addresses of a file in several members do not follow each other: what lies between them is not in any file. And
    // what belongs to a part that cannot be read only looks unused.
    let is_one_file =
        files::is_url(path) || std::fs::metadata(path).is_ok_and(|file| census.file_bytes <= file.len());
    let is_all_known = is_one_file && census.errors.is_empty();
    let is_old = census.metadata.contains_key("symbol table node");
    let page_waste = census.page_bytes.map_or_else(Vec::new, |page| {
        let mut sizes = PAGE_BYTES.to_vec();
        sizes.push(page);
        sizes.sort_unstable();
        sizes.dedup();
        sizes.into_iter().map(|page_bytes| page_waste(census, page_bytes)).collect()
    });
    FileFacts {
        bytes: census.file_bytes,
        objects: census.objects,
        metadata_structures: sum(|kind| kind.structures),
        metadata_bytes: sum(|kind| kind.bytes),
        metadata_structures_behind_data: behind_data(census),
        raw_bytes: census.raw_data.iter().map(|(_, bytes)| bytes).sum(),
        free_bytes: if is_one_file { census.free_bytes } else { 0 },
        unaccounted_bytes: if is_all_known { census.unaccounted_bytes } else { 0 },
        page_bytes: census.page_bytes,
        page_waste,
        pieces_above_page: census.page_bytes.map_or(0, |page| pieces(census, page).0),
        groups: census.tree.groups,
        datasets: census.tree.datasets,
        depth: census.tree.depth,
        structures_per_group: if is_old { OLD_GROUP_STRUCTURES } else { 1 },
        dense_attributes: census.tree.dense_attributes,
        dense_links: census.tree.dense_links,
        chunked: census.chunked.clone(),
        ..FileFacts::default()
    }
}

/// Adds what only findings of `--cloud` look at. Each dataset is opened for it, and chunk indexes are read.
fn with_cloud_facts(facts: FileFacts, file: &File, census: &Census) -> FileFacts {
    let mut unlimited_datasets = 0;
    let mut is_chunked = Vec::with_capacity(census.raw_data.len());
    for (path, _) in &census.raw_data {
        let dataset = file.dataset(path).ok().filter(|dataset| dataset.chunk_shape().is_some());
        unlimited_datasets += u64::from(dataset.as_ref().is_some_and(grows_in_a_b_tree));
        is_chunked.push(dataset.is_some());
    }
    let index_nodes_behind_data = index_nodes_behind_data(census, &is_chunked);
    FileFacts { index_nodes_behind_data, unlimited_datasets, packing: packing(file), ..facts }
}

fn grows_in_a_b_tree(dataset: &Dataset) -> bool {
    let is_unlimited = dataset.max_shape().contains(&None);
    let index = chunked_layout(dataset).map(|layout| &layout.index);
    let is_tree = matches!(index, Some(ChunkIndex::BTreeV1 | ChunkIndex::BTreeV2 { .. }));
    is_unlimited && is_tree && chunks(dataset).is_some_and(|chunks| chunks > 1)
}

/// Nodes of version 1 B-trees of chunks that lie behind the first chunk, as pyfive's `consolidated_metadata` looks for them.
/// `is_chunked` is by the number of a dataset in the census.
fn index_nodes_behind_data(census: &Census, is_chunked: &[bool]) -> u64 {
    let is_chunk = |owner: &Owner| matches!(owner, Owner::RawData(number) if is_chunked[*number]);
    let first = census.extents.iter().find(|extent| is_chunk(&extent.owner)).map(|extent| extent.start);
    let Some(first) = first else { return 0 };
    let is_node = |owner: Owner| owner == Owner::Metadata("chunk B-tree node");
    census.extents.iter().filter(|extent| extent.start > first && is_node(extent.owner)).count() as u64
}

/// The number of chunks of a dataset that is chunked.
fn chunks(dataset: &Dataset) -> Option<u64> {
    dataset.chunk_shape()?;
    Some(dataset.chunk_map().ok()?.len() as u64)
}

/// What the checker of the packing for CMIP7 looks at, in files with the attribute `variable_id`.
fn packing(file: &File) -> Option<PackingFacts> {
    let variable_id = text_attribute(file, &file.root().ok()?.attributes(), "variable_id").ok()??;
    let mut facts = PackingFacts::default();
    if let Ok(time) = file.dataset("/time") {
        facts.time_chunks = chunks(&time);
        let bounds = text_attribute(file, &time.attributes(), "bounds").ok().flatten();
        if let Some(bounds) = bounds.and_then(|bounds| file.dataset(&format!("/{bounds}")).ok()) {
            facts.bounds_chunks = chunks(&bounds);
            facts.has_contiguous_bounds = facts.bounds_chunks.is_none();
        }
    }
    if let Ok(variable) = file.dataset(&format!("/{variable_id}")) {
        facts.variable_chunks = chunks(&variable);
        facts.variable_chunk_bytes = variable.chunk_bytes().unwrap_or(0);
        let rows = variable.chunk_shape().filter(|shape| shape.len() > 1).map(|shape| shape[0]);
        facts.variable_row_bytes = rows.map_or(0, |rows| facts.variable_chunk_bytes / rows.max(1));
    }
    Some(facts)
}

/// Structures of metadata that lie behind the first raw data.
fn behind_data(census: &Census) -> u64 {
    let is_raw = |owner: &Owner| matches!(owner, Owner::RawData(_));
    let first = census.extents.iter().filter(|extent| is_raw(&extent.owner)).map(|extent| extent.start).min();
    let Some(first) = first else { return 0 };
    let behind = census
        .extents
        .iter()
        .filter(|extent| matches!(extent.owner, Owner::Metadata(_)) && extent.start > first);
    behind.count() as u64
}

/// Pieces of raw data that are larger than a page, and what the last page of each leaves unused.
fn pieces(census: &Census, page_bytes: u64) -> (u64, u64) {
    let raw = census.extents.iter().filter(|extent| matches!(extent.owner, Owner::RawData(_)));
    raw.map(|extent| extent.end - extent.start)
        .filter(|bytes| *bytes > page_bytes)
        .fold((0, 0), |(count, rest), bytes| (count + 1, rest + bytes.next_multiple_of(page_bytes) - bytes))
}

/// What pages of this size leave unused: the last page of each large piece, and of metadata and of small pieces together
/// half a page each.
fn page_waste(census: &Census, page_bytes: u64) -> PageWaste {
    PageWaste { page_bytes, wasted_bytes: pieces(census, page_bytes).1 + page_bytes }
}
