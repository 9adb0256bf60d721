//! Other chunks, through a temporary file: each source chunk is decoded once, although memory is too small to keep it
//! until all chunks that need it are written.

use super::{ChunkedTarget, Recoder, Subject, WrittenChunks};
use crate::block::{Block, copy_common};
use crate::error::RepackError;
use crate::spill::Spill;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Regions of buckets in the temporary file.
struct Region {
    block: Block,
    /// The offset of its first byte in the file.
    start: u64,
    /// The target chunks in it.
    rows: Vec<usize>,
    /// The parts that were written, in their order, one after the other.
    parts: Vec<Block>,
    bytes: u64,
}

impl Recoder<'_, '_> {
    pub(super) fn through_file(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
        spill: &Spill,
    ) -> Result<WrittenChunks, RepackError> {
        let rank = target.chunk.len();
        let size = subject.fill.len() as u64;
        let mut regions: BTreeMap<Vec<u64>, Region> = BTreeMap::new();
        for row in 0..target.count() {
            let coords = spill.bucket_of(&target.coords[row * rank..(row + 1) * rank]);
            let new = || Region {
                block: spill.bucket_block(&coords),
                start: 0,
                rows: Vec::new(),
                parts: Vec::new(),
                bytes: 0,
            };
            regions.entry(coords.clone()).or_insert_with(new).rows.push(row);
        }
        let mut end = 0u64;
        for region in regions.values_mut() {
            region.start = end;
            end = end.saturating_add(region.block.elements().saturating_mul(size));
        }
        let folder = self.temporary_folder.display().to_string();
        let failed = |error: io::Error| RepackError::Temporary { folder: folder.clone(), error };
        // It has no name, so that it goes with the process.
        let mut file = tempfile::tempfile_in(self.temporary_folder).map_err(failed)?;
        for slab in source_slabs(subject, spill)? {
            let block = spill.slab_block(&slab);
            let elements = self.read(subject, &block)?;
            for region in overlapping(&mut regions, &block, spill) {
                let Some(part) = block.intersection(&region.block) else { continue };
                let mut bytes = vec![0; (part.elements() * size) as usize];
                copy_common((&elements, &block), (&mut bytes, &part), size as usize);
                write_at(&mut file, region.start + region.bytes, &bytes).map_err(failed)?;
                region.bytes += bytes.len() as u64;
                region.parts.push(part);
            }
        }
        let mut written = WrittenChunks::default();
        for region in regions.into_values() {
            self.monitor.check()?;
            let mut elements = subject.fill.repeat(region.block.elements() as usize);
            let mut at = region.start;
            for part in &region.parts {
                let mut bytes = vec![0; (part.elements() * size) as usize];
                read_at(&mut file, at, &mut bytes).map_err(failed)?;
                copy_common((&bytes, part), (&mut elements, &region.block), size as usize);
                at += bytes.len() as u64;
            }
            let part = [(&elements[..], &region.block)];
            self.cut(subject, target, &region.rows, &part, &mut written)?;
        }
        Ok(written)
    }
}

fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

fn read_at(file: &mut File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
}

/// The coordinates of the slabs that contain a source chunk that exists, in row-major order.
fn source_slabs(subject: &Subject, spill: &Spill) -> Result<Vec<Vec<u64>>, RepackError> {
    let dataset = &subject.dataset;
    if dataset.chunk_shape().is_some() {
        let map = dataset.chunk_map()?;
        let slabs: BTreeSet<_> =
            map.iter().map(|(number, _)| spill.slab_of(&map.grid().coordinates(number))).collect();
        return Ok(slabs.into_iter().collect());
    }
    let grid = hyperslab::ChunkGrid::new(dataset.shape(), &spill.slab)?;
    Ok((0..grid.len()).map(|number| grid.coordinates(number)).collect())
}

/// The regions that a slab overlaps.
fn overlapping<'r>(
    regions: &'r mut BTreeMap<Vec<u64>, Region>,
    block: &Block,
    spill: &Spill,
) -> impl Iterator<Item = &'r mut Region> {
    // Along the first axis, keys of overlapping buckets are a range.
    let first = block.start[0] / spill.bucket[0];
    let last = (block.end(0) - 1) / spill.bucket[0];
    let block = block.clone();
    let range = vec![first]..vec![last + 1];
    regions
        .range_mut(range)
        .map(|(_, region)| region)
        .filter(move |region| region.block.intersection(&block).is_some())
}
