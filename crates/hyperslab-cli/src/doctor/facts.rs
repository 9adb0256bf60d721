//! What the doctor needs to know of a dataset, asked of the engine.

use super::sample::{self, Wanted};
use crate::dtype;
use hyperslab::internal::describe;
use hyperslab::{Dataset, Result};
use hyperslab_doctor::{ChunkMap, DatasetFacts, FillFacts, FillTime, FilterFact, Layout, StoredChunk};
use hyperslab_format::message::Filter;
use hyperslab_format::message::fill_value::{Fill, FillTime as StoredFillTime};
use std::path::Path;
use std::sync::Arc;

/// The facts about a dataset of the file at `path`, and what is wanted of some of its chunks.
pub(crate) fn of(path: &Path, dataset: &Dataset, wanted: Wanted) -> Result<DatasetFacts> {
    let facts = layout_facts(dataset)?;
    Ok(DatasetFacts { samples: sample::measure(path, dataset, &facts.filters, wanted), ..facts })
}

/// The facts about a dataset, without reading any of its values.
pub(crate) fn layout_facts(dataset: &Dataset) -> Result<DatasetFacts> {
    let stored_bytes = dataset.stored_bytes()?;
    let filters: Vec<FilterFact> = dataset.filters().filters.iter().map(filter).collect();
    let layout = match (dataset.layout_name(), dataset.chunked_layout()) {
        (_, Some(chunked)) => Layout::Chunked {
            chunk_dims: chunked.chunk_dims.clone(),
            index_kind: crate::ls::index_kind(&chunked.index).0.into(),
        },
        ("contiguous", _) => Layout::Contiguous { allocated: stored_bytes > 0 },
        ("virtual", _) => Layout::Virtual,
        ("external", _) => Layout::External,
        _ => Layout::Compact,
    };
    Ok(DatasetFacts {
        path: dataset.path().to_owned(),
        shape: dataset.shape().to_vec(),
        max_shape: dataset.max_shape().to_vec(),
        dtype: dtype::short(dataset.datatype()),
        element_bytes: dataset.datatype().size.into(),
        layout,
        edge_chunks_unfiltered: dataset.chunked_layout().is_some_and(|layout| layout.edge_chunks_unfiltered),
        logical_bytes: dataset.logical_bytes(),
        stored_bytes,
        chunks: chunks(dataset)?.map(Arc::new),
        fill: fill(dataset),
        samples: None,
        filters,
    })
}

fn chunks(dataset: &Dataset) -> Result<Option<ChunkMap>> {
    let Some(grid) = dataset.chunk_grid() else { return Ok(None) };
    let filters = dataset.filters().filters.len() as u32;
    // A set bit leaves a filter out.
    let all_left_out = 1u64.checked_shl(filters).map_or(u64::MAX, |bit| bit - 1) as u32;
    let map = dataset.chunk_map()?;
    let stored = map.iter().map(|(number, location)| {
        let is_filtered = filters == 0 || location.filter_mask & all_left_out != all_left_out;
        (number, StoredChunk { bytes: location.stored_bytes, is_filtered })
    });
    Ok(Some(ChunkMap::from_chunks(grid.len(), stored)))
}

fn fill(dataset: &Dataset) -> FillFacts {
    let fill = dataset.fill_value();
    let time = match fill.time {
        StoredFillTime::OnAllocation => FillTime::Alloc,
        StoredFillTime::Never => FillTime::Never,
        StoredFillTime::IfSet => FillTime::IfSet,
    };
    FillFacts { time, is_defined: fill.value != Fill::Undefined }
}

fn filter(filter: &Filter) -> FilterFact {
    let description = match (filter.id, filter.parameters.first()) {
        (1, Some(level)) => format!("gzip level {level}"),
        _ => describe::filter(filter),
    };
    let name = description.split(' ').next().unwrap_or_default().to_owned();
    FilterFact { name, id: filter.id, parameters: filter.parameters.clone(), description }
}
