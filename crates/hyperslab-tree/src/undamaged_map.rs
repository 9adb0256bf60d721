//! The chunks of a damaged chunk index that can be found.
//!
//! A traversal of an index ends at the first chunk that cannot be where the index says. Traversals of smaller and smaller
//! regions separate such chunks from the others.

use crate::damage::Damage;
use hyperslab::{ChunkIndex, ChunkMap, Dataset, Error, ErrorKind, Location, Result};
use hyperslab_encode::block::Block;

/// So many traversals end at damage at most. More damage is not that of single chunks.
const FAILURES_MAX: usize = 4096;

/// The map of all chunks that can be found, and the others, which have no location.
///
/// # Errors
///
/// The `error` of the whole map if too much is damaged; that the work was cancelled.
pub fn undamaged_map(dataset: &Dataset, path: &str, error: Error) -> Result<(ChunkMap, Vec<Damage>)> {
    let (Some(index), Some(grid)) = (dataset.chunk_index(), dataset.chunk_grid()) else { return Err(error) };
    let mut found: Vec<(Vec<u64>, Location)> = Vec::new();
    let mut damage = Vec::new();
    let mut failures = 0;
    let mut waiting = vec![grid.counts().iter().map(|&count| (0, count.max(1))).collect::<Vec<_>>()];
    while let Some(region) = waiting.pop() {
        let failed = match visit(&*index, &region, &mut found) {
            Ok(()) => continue,
            Err(failed) if failed.kind() == ErrorKind::Cancelled => return Err(failed),
            Err(failed) => failed,
        };
        failures += 1;
        if failures > FAILURES_MAX {
            return Err(error);
        }
        match halves(&region) {
            Some((first, second)) => waiting.extend([second, first]),
            None => {
                let coords: Vec<u64> = region.iter().map(|(at, _)| *at).collect();
                let block = Block::of_chunk(&coords, grid.chunk_shape()).within(dataset.shape());
                damage.push(Damage::new(path, &block, failed));
            }
        }
    }
    Ok((ChunkMap::new(grid.clone(), found)?, damage))
}

/// Adds the chunks of a region; none of them after an error.
fn visit(index: &dyn ChunkIndex, region: &[(u64, u64)], found: &mut Vec<(Vec<u64>, Location)>) -> Result<()> {
    let before = found.len();
    let visited = index.walk(Some(region), &mut |batch| {
        let is_inside =
            |coords: &[u64]| coords.iter().zip(region).all(|(at, (first, end))| (first..end).contains(&at));
        // An index may return chunks outside of the region.
        let inside = batch.iter().filter(|(coords, _)| is_inside(coords));
        found.extend(inside.map(|(coords, location)| (coords.to_vec(), location)));
        Ok(())
    });
    if visited.is_err() {
        found.truncate(before);
    }
    visited
}

/// A box of the chunk grid: the first chunk and the end along each axis.
type Region = Vec<(u64, u64)>;

/// The halves of a region along its longest axis; `None` for a single chunk.
fn halves(region: &[(u64, u64)]) -> Option<(Region, Region)> {
    let longest = (0..region.len()).max_by_key(|&axis| region[axis].1 - region[axis].0)?;
    let (first, end) = region[longest];
    if end - first < 2 {
        return None;
    }
    let middle = first + (end - first) / 2;
    let (mut low, mut high) = (region.to_vec(), region.to_vec());
    (low[longest], high[longest]) = ((first, middle), (middle, end));
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_halved_down_to_chunks() {
        assert_eq!(halves(&[(0, 2), (3, 8)]), Some((vec![(0, 2), (3, 5)], vec![(0, 2), (5, 8)])));
        assert_eq!(halves(&[(4, 5), (0, 1)]), None);
    }
}
