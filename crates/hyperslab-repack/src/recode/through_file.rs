//! Other chunks, through a temporary file: each source chunk is decoded once, although memory is too small to keep it
//! until all chunks that need it are written. All threads write the parts of a slab, and later read buckets.

use super::gather::gather;
use super::temporary_file::TemporaryFile;
use super::{ALONE_BYTES, ChunkedTarget, Recoder, Subject, WrittenChunks, encode_error};
use crate::spill::Spill;
use hyperslab::ChunkGrid;
use hyperslab_encode::RepackError;
use hyperslab_encode::block::{Block, copy_common};
use hyperslab_encode::chunk_encoder::{CodecState, EncodedChunk};
use hyperslab_tree::relocate::contains_addresses;
use std::collections::BTreeSet;
use std::ops::Range;

/// An array in a temporary file, and which of it is there.
struct SpilledArray<'a> {
    spill: &'a Spill,
    file: TemporaryFile,
    element_bytes: u64,
    slab_grid: ChunkGrid,
    /// The numbers of the slabs that contain a source chunk that exists, in their order.
    slabs: Vec<u128>,
    bucket_grid: ChunkGrid,
    /// The rows of all target chunks, bucket by bucket.
    rows: Vec<usize>,
    /// The numbers of the buckets with target chunks, in their order, and where their rows end.
    buckets: Vec<(u128, usize)>,
}

impl Recoder<'_, '_> {
    pub(super) fn through_file(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
        spill: &Spill,
    ) -> Result<WrittenChunks, RepackError> {
        let file = TemporaryFile::create(self.temporary_folder)?;
        let array = SpilledArray::new(subject, target, spill, file)?;
        self.write_slabs(subject, target, &array)?;
        if contains_addresses(subject.dataset.datatype()) {
            self.relocate_buckets(subject, target, &array)
        } else {
            self.encode_buckets(subject, target, &array)
        }
    }

    /// Writes all slabs to the file.
    fn write_slabs(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
        array: &SpilledArray<'_>,
    ) -> Result<(), RepackError> {
        let mut memory = Vec::new();
        for &number in &array.slabs {
            let slab = array.spill.slab_block(&array.slab_grid.coordinates(number));
            let elements = self.read(subject, &slab, memory)?;
            let buckets = array.buckets_of(&slab);
            let write = |state: &mut CodecState, number: usize| -> Result<(), RepackError> {
                let Some(part) = slab.intersection(&buckets[number]) else { return Ok(()) };
                let (at, len) = array.run(&buckets[number], &part);
                if part.is_run_of(&slab) {
                    let start = slab.offset(&part.start) as usize * subject.fill.len();
                    return array.file.write_at(at, &elements[start..start + len]);
                }
                state.stored.resize(len, 0);
                copy_common((&elements, &slab), (&mut state.stored, &part), subject.fill.len());
                array.file.write_at(at, &state.stored)
            };
            let is_for_one = (elements.len() as u64) < ALONE_BYTES;
            target.workers.run(buckets.len(), is_for_one, write, |_, ()| Ok(()))?;
            memory = elements;
        }
        Ok(())
    }

    /// Cuts all buckets into target chunks, which the threads encode.
    fn encode_buckets(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
        array: &SpilledArray<'_>,
    ) -> Result<WrittenChunks, RepackError> {
        let read = |row: usize, chunk: &mut Vec<u8>| array.chunk(subject, target, row, chunk).is_ok();
        let chosen = target.encoder.choose(target.count(), &target.workers, read);
        chosen.map_err(|error| encode_error(subject, &[], error))?;
        let encode = |state: &mut CodecState, row: usize, is_partial: bool| {
            let encoded = target.encoder.encode_own(is_partial, state);
            encoded.map_err(|error| encode_error(subject, &target.block(row).start, error))
        };
        let work = |state: &mut CodecState, number: usize| -> Result<Vec<EncodedChunk>, RepackError> {
            let (bucket, rows) = (array.bucket(number), &array.rows[array.rows_of(number)]);
            let parts = array.parts(&bucket);
            if let (&[row], [whole]) = (rows, &parts[..])
                && *whole == target.block(row)
            {
                array.read(&bucket, &parts, &mut state.chunk)?;
                return Ok(vec![encode(state, row, false)?]);
            }
            let mut elements = std::mem::take(&mut state.stored);
            array.read(&bucket, &parts, &mut elements)?;
            let parts = array.split(&elements, &parts);
            let encoded = rows.iter().map(|&row| {
                let is_partial = gather(subject, target, row, &parts, &mut state.chunk);
                encode(state, row, is_partial)
            });
            let encoded = encoded.collect();
            state.stored = elements;
            encoded
        };
        let mut written = WrittenChunks::default();
        let is_for_one = target.is_for_one(target.count());
        target.workers.run(array.buckets.len(), is_for_one, work, |number, chunks| {
            let rows = &array.rows[array.rows_of(number)];
            rows.iter()
                .zip(&chunks)
                .try_for_each(|(&row, encoded)| self.write(subject, target, row, encoded, &mut written))
        })?;
        Ok(written)
    }

    /// Cuts all buckets, whose elements contain addresses, one after the other.
    fn relocate_buckets(
        &mut self,
        subject: &Subject,
        target: &ChunkedTarget,
        array: &SpilledArray<'_>,
    ) -> Result<WrittenChunks, RepackError> {
        let (mut written, mut elements) = (WrittenChunks::default(), Vec::new());
        for number in 0..array.buckets.len() {
            let bucket = array.bucket(number);
            let parts = array.parts(&bucket);
            array.read(&bucket, &parts, &mut elements)?;
            let rows = &array.rows[array.rows_of(number)];
            self.cut(subject, target, rows, &array.split(&elements, &parts), &mut written)?;
        }
        Ok(written)
    }
}

impl<'a> SpilledArray<'a> {
    fn new(
        subject: &Subject,
        target: &ChunkedTarget,
        spill: &'a Spill,
        file: TemporaryFile,
    ) -> Result<Self, RepackError> {
        let (dataset, rank) = (&subject.dataset, target.chunk.len());
        let slab_grid = ChunkGrid::new(dataset.shape(), &spill.slab)?;
        let bucket_grid = ChunkGrid::new(dataset.shape(), &spill.bucket)?;
        let slabs = if dataset.chunk_shape().is_some() {
            let map = dataset.chunk_map()?;
            let slab = |number| slab_grid.number(spill.slab_of(&map.grid().coordinates(number)));
            map.iter().map(|(number, _)| slab(number)).collect::<BTreeSet<_>>().into_iter().collect()
        } else {
            (0..slab_grid.len()).collect()
        };
        let bucket_of =
            |row: usize| bucket_grid.number(spill.bucket_of(&target.coords[row * rank..(row + 1) * rank]));
        let mut rows: Vec<usize> = (0..target.count()).collect();
        rows.sort_by_cached_key(|&row| bucket_of(row));
        let mut buckets = Vec::new();
        let mut end = 0;
        for rows in rows.chunk_by(|&a, &b| bucket_of(a) == bucket_of(b)) {
            end += rows.len();
            buckets.push((bucket_of(rows[0]), end));
        }
        let element_bytes = subject.fill.len() as u64;
        Ok(Self { spill, file, element_bytes, slab_grid, slabs, bucket_grid, rows, buckets })
    }

    /// The elements of a bucket.
    fn bucket(&self, number: usize) -> Block {
        self.spill.bucket_block(&self.bucket_grid.coordinates(self.buckets[number].0))
    }

    /// Puts the elements of the chunk in a row together.
    fn chunk(
        &self,
        subject: &Subject,
        target: &ChunkedTarget,
        row: usize,
        chunk: &mut Vec<u8>,
    ) -> Result<(), RepackError> {
        let at = self.rows.iter().position(|one| *one == row).unwrap_or_default();
        let bucket = self.bucket(self.buckets.partition_point(|(_, end)| *end <= at));
        let (parts, mut elements) = (self.parts(&bucket), Vec::new());
        self.read(&bucket, &parts, &mut elements)?;
        gather(subject, target, row, &self.split(&elements, &parts), chunk);
        Ok(())
    }

    /// The range in `rows` of the chunks of a bucket.
    fn rows_of(&self, number: usize) -> Range<usize> {
        let start = number.checked_sub(1).map_or(0, |before| self.buckets[before].1);
        start..self.buckets[number].1
    }

    /// The buckets with target chunks that a slab overlaps.
    fn buckets_of(&self, slab: &Block) -> Vec<Block> {
        let exists = |coords: &Vec<u64>| {
            let number = self.bucket_grid.number(coords.iter().copied());
            self.buckets.binary_search_by_key(&number, |bucket| bucket.0).is_ok()
        };
        let coords = self.spill.buckets(slab).into_iter().filter(exists);
        coords.map(|coords| self.spill.bucket_block(&coords)).collect()
    }

    /// The parts of a bucket that are in the file, in their order: the bucket itself if they are all of it, in row-major
    /// order.
    fn parts(&self, bucket: &Block) -> Vec<Block> {
        let slabs = self.spill.slabs(bucket);
        let exists = |coords: &&Vec<u64>| {
            self.slabs.binary_search(&self.slab_grid.number(coords.iter().copied())).is_ok()
        };
        let found = slabs.iter().filter(exists);
        let parts: Vec<Block> =
            found.filter_map(|coords| bucket.intersection(&self.spill.slab_block(coords))).collect();
        if parts.len() == slabs.len() && parts.iter().all(|part| part.is_run_of(bucket)) {
            return vec![bucket.clone()];
        }
        parts
    }

    /// Where a part of a bucket is in the file, and its length.
    fn run(&self, bucket: &Block, part: &Block) -> (u64, usize) {
        let at = self.spill.bucket_offset(bucket).saturating_add(self.spill.part_offset(bucket, part));
        (at, (part.elements() * self.element_bytes) as usize)
    }

    /// Reads parts of a bucket, one after the other.
    fn read(&self, bucket: &Block, parts: &[Block], bytes: &mut Vec<u8>) -> Result<(), RepackError> {
        let runs: Vec<(u64, usize)> = parts.iter().map(|part| self.run(bucket, part)).collect();
        bytes.resize(runs.iter().map(|(_, len)| len).sum(), 0);
        let mut rest = &mut bytes[..];
        for adjacent in runs.chunk_by(|(at, len), (next, _)| at + *len as u64 == *next) {
            let len = adjacent.iter().map(|(_, len)| len).sum();
            let (filled, left) = rest.split_at_mut(len);
            self.file.read_at(adjacent[0].0, filled)?;
            rest = left;
        }
        Ok(())
    }

    /// The elements of parts that lie one after the other.
    fn split<'e>(&self, elements: &'e [u8], parts: &'e [Block]) -> Vec<(&'e [u8], &'e Block)> {
        let mut rest = elements;
        let take = |part: &'e Block| {
            let (elements, left) = rest.split_at((part.elements() * self.element_bytes) as usize);
            rest = left;
            (elements, part)
        };
        parts.iter().map(take).collect()
    }
}
