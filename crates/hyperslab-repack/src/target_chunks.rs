//! Which chunks of the new file will exist: those that have elements of chunks that exist in the source.

use hyperslab::{ChunkGrid, Dataset};
use std::collections::BTreeSet;

/// Their coordinates in row-major order, as many numbers for each as the dataset has dimensions; all chunks of the grid if
/// `has_data` and the source has no chunks.
///
/// # Errors
///
/// Damage in the chunk index, and grids of more than 2³² chunks.
pub(crate) fn target_chunks(
    dataset: &Dataset,
    has_data: bool,
    chunk: &[u64],
) -> Result<Vec<u64>, hyperslab::Error> {
    let grid = ChunkGrid::new(dataset.shape(), chunk)?;
    if !has_data || grid.is_empty() {
        return Ok(Vec::new());
    }
    if dataset.chunk_shape().is_none() {
        return all(&grid);
    }
    let map = dataset.chunk_map()?;
    if map.grid() == &grid {
        return Ok(map.iter().flat_map(|(number, _)| grid.coordinates(number)).collect());
    }
    if map.len() as u128 == map.grid().len() {
        return all(&grid);
    }
    let mut numbers = BTreeSet::new();
    for (number, _) in map.iter() {
        let ranges: Vec<_> = map
            .grid()
            .offset(number)
            .iter()
            .zip(map.grid().chunk_shape())
            .zip(dataset.shape().iter().zip(chunk))
            .map(|((start, size), (dim, chunk))| {
                start / chunk..start.saturating_add(*size).min(*dim).div_ceil(*chunk)
            })
            .collect();
        let mut coords: Vec<u64> = ranges.iter().map(|range| range.start).collect();
        loop {
            numbers.insert(grid.number(coords.iter().copied()));
            let Some(axis) = (0..coords.len()).rev().find(|&axis| coords[axis] + 1 < ranges[axis].end) else {
                break;
            };
            coords[axis] += 1;
            (axis + 1..coords.len()).for_each(|axis| coords[axis] = ranges[axis].start);
        }
    }
    Ok(numbers.into_iter().flat_map(|number| grid.coordinates(number)).collect())
}

fn all(grid: &ChunkGrid) -> Result<Vec<u64>, hyperslab::Error> {
    const CHUNKS_MAX: u128 = 1 << 32;
    if grid.len() > CHUNKS_MAX {
        let what = format!("there would be {} chunks; at most 2^32 are written", grid.len());
        return Err(hyperslab::Error::limit(what).with_hint("choose larger chunks"));
    }
    Ok((0..grid.len()).flat_map(|number| grid.coordinates(number)).collect())
}
