//! The chunks of a read, one after the other.

use super::geometry::{Geometry, Grid, Span};

/// The chunk that is being read. Kept between reads to avoid allocations.
#[derive(Debug, Clone, Default)]
pub(super) struct ChunkCursor {
    /// The chunk's coordinates in the grid.
    pub(super) scaled: Vec<u64>,
    /// The first wanted element in the chunk, the number of wanted ones, and that of the whole read, along each dimension.
    pub(super) start: Vec<u64>,
    pub(super) count: Vec<u64>,
    pub(super) memory: Vec<u64>,
}

impl ChunkCursor {
    /// Calls `work` for each chunk with wanted elements, in ascending linear index. No span is empty.
    pub(super) fn each_chunk(&mut self, grid: &Grid, spans: &[Span], mut work: impl FnMut(u64, &Self)) {
        let rank = spans.len();
        self.scaled.clear();
        self.scaled.extend(spans.iter().zip(&grid.chunk).map(|(span, chunk)| span.start / chunk));
        self.start.clear();
        self.start.resize(rank, 0);
        self.count.clear();
        self.count.resize(rank, 0);
        self.memory.clear();
        self.memory.extend(spans.iter().map(Span::wanted));
        for axis in 0..rank {
            self.clip(axis, grid, spans);
        }
        loop {
            // Steps may leap over chunks.
            if self.count.iter().all(|count| *count > 0) {
                work(self.scaled.iter().zip(&grid.strides).map(|(s, stride)| s * stride).sum(), self);
            }
            let next = (0..rank).rev().find(|axis| {
                let last = (spans[*axis].start + spans[*axis].len - 1) / grid.chunk[*axis];
                self.scaled[*axis] < last
            });
            let Some(axis) = next else { break };
            self.scaled[axis] += 1;
            self.clip(axis, grid, spans);
            for inner in axis + 1..rank {
                self.scaled[inner] = spans[inner].start / grid.chunk[inner];
                self.clip(inner, grid, spans);
            }
        }
    }

    /// The chunk with a linear index, of which this number of elements is wanted, wherever they lie in it.
    pub(super) fn set(&mut self, grid: &Grid, linear: u64, elements: u64) {
        let mut rest = linear;
        self.scaled.clear();
        self.scaled.extend(grid.strides.iter().map(|stride| {
            let coordinate = rest / stride;
            rest %= stride;
            coordinate
        }));
        let along = |last: u64| {
            (0..grid.chunk.len()).map(move |axis| if axis + 1 == grid.chunk.len() { last } else { 1 })
        };
        self.start.clear();
        self.start.resize(grid.chunk.len(), 0);
        self.count.clear();
        self.count.extend(along(elements));
        self.memory.clear();
        self.memory.extend(along(elements));
    }

    /// The bytes of the chunk that are wanted.
    pub(super) fn bytes(&self, geometry: &Geometry) -> u64 {
        self.count.iter().fold(geometry.element_bytes, |n, c| n * c)
    }

    /// The part of the read that lies in the current chunk, along one dimension.
    fn clip(&mut self, axis: usize, grid: &Grid, spans: &[Span]) {
        let span = spans[axis];
        let chunk_start = self.scaled[axis] * grid.chunk[axis];
        let end = (span.start + span.len).min(chunk_start.saturating_add(grid.chunk[axis]));
        // The first wanted element that is not before the chunk.
        let start = span.start.saturating_add(span.wanted_from(chunk_start.saturating_sub(span.start)));
        self.start[axis] = start.saturating_sub(chunk_start);
        let wanted_before = |place: u64| span.wanted_before(place - span.start);
        self.count[axis] = if start < end { wanted_before(end) - wanted_before(start) } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkedStorage;

    /// The chunks of a read along one dimension, and the wanted elements of each.
    fn chunks(dim: u64, chunk: u64, span: Span) -> Vec<(u64, u64, u64)> {
        let storage = ChunkedStorage {
            chunk_dims: vec![chunk],
            is_filtered: true,
            edge_chunks_unfiltered: false,
            skips_missing_chunks: false,
            chunks: None,
        };
        let geometry = Geometry::chunked(&[dim], 1, storage).unwrap();
        let mut found = Vec::new();
        ChunkCursor::default().each_chunk(geometry.grid().unwrap(), &[span], |linear, cursor| {
            found.push((linear, cursor.start[0], cursor.count[0]));
        });
        found
    }

    #[test]
    fn blocks_are_counted_in_each_chunk() {
        for (start, count, step, block) in
            [(0, 4, 7, 3), (5, 3, 10, 10), (3, 2, 25, 4), (1, 9, 4, 1), (2, 1, 1, 30)]
        {
            let mut expected = Vec::<(u64, u64, u64)>::new();
            for place in
                (0..count).flat_map(|number| (0..block).map(move |within| start + number * step + within))
            {
                match expected.last_mut() {
                    Some((linear, _, elements)) if *linear == place / 10 => *elements += 1,
                    _ => expected.push((place / 10, place % 10, 1)),
                }
            }
            assert_eq!(
                chunks(60, 10, Span::blocks(start, count, step, block)),
                expected,
                "{start} {count} {step} {block}"
            );
        }
    }
}
