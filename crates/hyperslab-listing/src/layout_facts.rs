//! How a dataset is stored, as facts that reads are simulated from.

use crate::dtype;
use crate::index_kind::index_kind;
use hyperslab::storage::{Fill, FillTime as StoredFillTime, Filter};
use hyperslab::{Dataset, Result, filters, hdf5};
use hyperslab_simulate::facts::{
    ChunkMap, DatasetFacts, FillFacts, FillTime, FilterFact, Layout, StoredChunk,
};
use std::sync::Arc;

/// The facts about a dataset, without reading any of its values.
pub fn layout_facts(dataset: &Dataset) -> Result<DatasetFacts> {
    let stored_bytes = dataset.stored_bytes()?;
    let filters: Vec<FilterFact> = dataset.filters().iter().map(filter).collect();
    let layout = match (dataset.layout_name(), hdf5::chunked_layout(dataset)) {
        (_, Some(chunked)) => Layout::Chunked {
            chunk_dims: chunked.chunk_dims.clone(),
            index_kind: index_kind(&chunked.index).0.into(),
        },
        // Of a format that has its own words for it.
        ("chunked", None) => Layout::Chunked {
            chunk_dims: dataset.chunk_shape().unwrap_or_default().to_vec(),
            index_kind: "table of chunks".into(),
        },
        ("contiguous", _) => Layout::Contiguous { allocated: stored_bytes > 0 },
        ("virtual", _) => Layout::Virtual,
        ("external", _) => Layout::External,
        ("linked" | "records", _) => Layout::Linked,
        _ => Layout::Compact,
    };
    Ok(DatasetFacts {
        path: dataset.path().to_owned(),
        shape: dataset.shape().to_vec(),
        max_shape: dataset.max_shape().to_vec(),
        dtype: dtype::short(dataset.datatype()),
        element_bytes: dataset.datatype().size.into(),
        layout,
        edge_chunks_unfiltered: hdf5::chunked_layout(dataset)
            .is_some_and(|layout| layout.edge_chunks_unfiltered),
        logical_bytes: dataset.logical_bytes(),
        stored_bytes,
        chunks: chunks(dataset)?.map(Arc::new),
        fill: fill(dataset),
        samples: None,
        variable_length: None,
        filters,
    })
}

fn chunks(dataset: &Dataset) -> Result<Option<ChunkMap>> {
    let Some(grid) = dataset.chunk_grid() else { return Ok(None) };
    let filters = dataset.filters().len() as u32;
    // A set bit skips a filter.
    let all_left_out = 1u64.checked_shl(filters).map_or(u64::MAX, |bit| bit - 1) as u32;
    let map = dataset.chunk_map()?;
    let stored = map.iter().filter_map(|(number, location)| {
        let is_filtered = filters == 0 || location.filter_mask & all_left_out != all_left_out;
        // Chunks beyond 2⁶⁴ of a sparse dataset are too far away for any sweep.
        Some((number.try_into().ok()?, StoredChunk { bytes: location.stored_bytes, is_filtered }))
    });
    Ok(Some(ChunkMap::from_chunks(grid.len().try_into().unwrap_or(u64::MAX), stored)))
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
        _ => filters::describe(filter),
    };
    let name = description.split(' ').next().unwrap_or_default().to_owned();
    FilterFact { name, id: filter.id, parameters: filter.parameters.clone(), description }
}
