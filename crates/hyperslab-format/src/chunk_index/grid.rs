//! Regions of chunks, and the numbering of chunks in fixed and extensible arrays.

/// A non-empty box of chunks: the first chunk and the end (exclusive) in each dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) from: Vec<u64>,
    pub(super) to: Vec<u64>,
}

impl Region {
    /// The part of `region` (or all) within `chunks`; `None` if it is empty.
    pub(super) fn new(chunks: &[u64], region: Option<&[(u64, u64)]>) -> Option<Self> {
        let part =
            |d: usize| region.map_or((0, chunks[d]), |region| (region[d].0, region[d].1.min(chunks[d])));
        let (from, to): (Vec<u64>, Vec<u64>) = (0..chunks.len()).map(part).unzip();
        from.iter().zip(&to).all(|(from, to)| from < to).then_some(Self { from, to })
    }

    pub(super) fn contains(&self, coords: &[u64]) -> bool {
        coords.iter().zip(self.from.iter().zip(&self.to)).all(|(c, (from, to))| (from..to).contains(&c))
    }

    /// The number of chunks; `None` if it overflows 64 bits.
    pub(super) fn count(&self) -> Option<u64> {
        self.from.iter().zip(&self.to).try_fold(1u64, |count, (from, to)| count.checked_mul(to - from))
    }

    /// Advances `coords` to the first coordinates in the region that are not before them in row-major order. False if
    /// there are none.
    pub(super) fn seek(&self, coords: &mut [u64]) -> bool {
        let Some(out) = (0..coords.len()).find(|&d| !(self.from[d]..self.to[d]).contains(&coords[d])) else {
            return true;
        };
        let rest = if coords[out] < self.from[out] {
            out
        } else {
            // Beyond the end of this dimension: advance the last dimension before it that is not at its end.
            let Some(before) = (0..out).rev().find(|&d| coords[d] + 1 < self.to[d]) else { return false };
            coords[before] += 1;
            before + 1
        };
        coords[rest..].copy_from_slice(&self.from[rest..]);
        true
    }

    /// True if the region has coordinates in the range `from..to` of the row-major order. `None` is the beginning or the
    /// end.
    pub(super) fn overlaps(&self, from: Option<&[u64]>, to: Option<&[u64]>) -> bool {
        let mut coords = from.map_or_else(|| vec![0; self.from.len()], <[u64]>::to_vec);
        self.seek(&mut coords) && to.is_none_or(|to| coords[..] < *to)
    }
}

/// The numbering of chunks in an array: row-major over the *maximum* size of the dataset, with the unlimited dimension,
/// if there is one, moved to the front.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// For each dimension of the grid, the dimension of the dataset.
    dimension: Vec<usize>,
    /// For each dimension of the grid, the difference of the indexes of two neighbours.
    stride: Vec<u64>,
    /// The wanted chunks, in the dimensions of the grid.
    region: Region,
}

impl Grid {
    /// A grid over `max_chunks`, at most one of which may be unlimited. `None` if more are unlimited, if a dimension has
    /// no chunks, or if a wanted chunk has an index that overflows 64 bits.
    pub(super) fn new(max_chunks: &[Option<u64>], region: &Region) -> Option<Self> {
        let rank = max_chunks.len();
        let mut unlimited = (0..rank).filter(|&d| max_chunks[d].is_none());
        let first = unlimited.next().unwrap_or(0);
        if unlimited.next().is_some() {
            return None;
        }
        let mut dimension: Vec<usize> = (0..rank).collect();
        dimension.remove(first);
        dimension.insert(0, first);
        let mut stride = vec![1u64; rank];
        for i in (1..rank).rev() {
            stride[i - 1] = stride[i].checked_mul(max_chunks[dimension[i]].filter(|&max| max > 0)?)?;
        }
        let of = |values: &[u64]| dimension.iter().map(|&d| values[d]).collect();
        let region = Region { from: of(&region.from), to: of(&region.to) };
        // If the last wanted chunk has an index, all others have one: they are within the maximum size, too.
        let grid = Self { dimension, stride, region };
        let last: Vec<u64> = grid.region.to.iter().map(|to| to - 1).collect();
        grid.index(&last)?;
        Some(grid)
    }

    fn index(&self, coords: &[u64]) -> Option<u64> {
        coords
            .iter()
            .zip(&self.stride)
            .try_fold(0u64, |index, (c, stride)| index.checked_add(c.checked_mul(*stride)?))
    }

    /// The index in the array of the chunk at a place of the dataset.
    pub(super) fn number(&self, place: &[u64]) -> Option<u64> {
        let coords: Vec<u64> = self.dimension.iter().map(|&d| place[d]).collect();
        self.index(&coords)
    }

    fn coords(&self, index: u64) -> Vec<u64> {
        let mut rest = index;
        let coord = |stride: &u64| {
            let coord = rest / stride;
            rest %= stride;
            coord
        };
        self.stride.iter().map(coord).collect()
    }

    /// True if a wanted chunk has one of these indexes.
    pub(super) fn overlaps(&self, indexes: &std::ops::Range<u64>) -> bool {
        let mut coords = self.coords(indexes.start);
        indexes.start < indexes.end
            && self.region.seek(&mut coords)
            && self.index(&coords).is_some_and(|index| index < indexes.end)
    }

    /// Calls `visit` with the index and the coordinates of every wanted chunk at these indexes.
    pub(super) fn each<E>(
        &self,
        indexes: std::ops::Range<u64>,
        mut visit: impl FnMut(u64, &[u64]) -> Result<(), E>,
    ) -> Result<(), E> {
        if indexes.is_empty() {
            return Ok(());
        }
        let mut coords = self.coords(indexes.start);
        let mut place = vec![0; coords.len()];
        let last = coords.len() - 1;
        while self.region.seek(&mut coords) {
            let Some(index) = self.index(&coords).filter(|index| indexes.contains(index)) else { break };
            // All that follow in the fastest dimension, up to the end of the region or of the indexes.
            let run = (self.region.to[last] - coords[last]).min(indexes.end - index);
            for (&dimension, &coord) in self.dimension.iter().zip(&coords) {
                place[dimension] = coord;
            }
            for step in 0..run {
                place[self.dimension[last]] = coords[last] + step;
                visit(index + step, &place)?;
            }
            coords[last] += run;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seek_finds_the_next_coordinates() {
        let region = Region { from: vec![1, 2], to: vec![3, 5] };
        let after = |coords: [u64; 2]| {
            let mut coords = coords;
            region.seek(&mut coords).then_some(coords)
        };
        assert_eq!(after([0, 9]), Some([1, 2]));
        assert_eq!(after([1, 3]), Some([1, 3]));
        assert_eq!(after([1, 5]), Some([2, 2]));
        assert_eq!(after([2, u64::MAX]), None);
        assert_eq!(after([u64::MAX, 0]), None);
        assert!(region.overlaps(None, None) && region.overlaps(Some(&[1, 9]), Some(&[2, 3])));
        assert!(!region.overlaps(Some(&[1, 9]), Some(&[2, 2])) && !region.overlaps(Some(&[2, 5]), None));
    }

    #[test]
    fn regions_are_clipped() {
        assert_eq!(
            Region::new(&[4, 4], Some(&[(1, 9), (0, 2)])).unwrap(),
            Region { from: vec![1, 0], to: vec![4, 2] }
        );
        assert_eq!(Region::new(&[4, 4], Some(&[(4, 9), (0, 2)])), None);
        assert_eq!(Region::new(&[4, 0], None), None);
    }

    /// Every chunk of the region, once, at the index that counting gives.
    #[test]
    fn grids_number_the_maximum_size_with_the_unlimited_dimension_first() {
        let max = [Some(3), None, Some(4)];
        let region = Region::new(&[2, 5, 4], Some(&[(0, 2), (1, 5), (2, 4)])).unwrap();
        let grid = Grid::new(&max, &region).unwrap();
        let mut expected = Vec::new();
        for time in 1..5 {
            for a in 0..2 {
                for b in 2..4 {
                    expected.push((time * 12 + a * 4 + b, vec![a, time, b]));
                }
            }
        }
        for cut in 0..=70 {
            let mut found = Vec::new();
            for indexes in [0..cut, cut..1000] {
                assert_eq!(
                    grid.overlaps(&indexes),
                    expected.iter().any(|(index, _)| indexes.contains(index))
                );
                grid.each(indexes, |index, place| {
                    found.push((index, place.to_vec()));
                    Ok::<_, ()>(())
                })
                .unwrap();
            }
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn refuses_grids_without_an_index_for_each_chunk() {
        let region = |chunks: &[u64]| Region::new(chunks, None).unwrap();
        assert!(Grid::new(&[None, None], &region(&[1, 1])).is_none());
        assert!(Grid::new(&[Some(1 << 40), Some(1 << 40)], &region(&[1 << 30, 1])).is_none());
        assert!(Grid::new(&[Some(1 << 40), Some(1 << 40)], &region(&[1, 1])).is_some());
    }
}
