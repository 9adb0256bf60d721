//! Compares a new file with its source.
//!
//! Chunks that were recoded have been decoded again when they were written; here the bytes that the new file's own index
//! leads to are compared with their checksums. What was copied as stored is compared byte by byte. Elements with addresses
//! are followed in both files.

use crate::error::RepackError;
use crate::monitor::Monitor;
use crate::ordered::Workers;
use crate::relocate::contains_addresses;
use crate::repack::{Repacked, WrittenDataset};
use crate::source_dataset::open_dataset;
use hyperslab::internal::stored;
use hyperslab::io::Source;
use hyperslab::{ChunkMap, Dataset, Error, File, Location, Order, Selection};
use std::collections::HashSet;
use std::sync::Arc;

/// Bytes of contiguous data that are compared at a time.
const PIECE_BYTES: u64 = 8 << 20;

impl Repacked {
    /// Reads the new file, and compares its data with the source. Returns the number of bytes that were compared.
    ///
    /// # Errors
    ///
    /// [`RepackError::Differs`], and what cannot be read.
    pub fn verify(&self, target: &File, threads: usize, monitor: &Monitor) -> Result<u64, RepackError> {
        let workers = Workers::new(threads);
        let mut bytes = 0;
        for dataset in &self.datasets {
            monitor.check()?;
            let source = self.source.dataset(dataset.source, &dataset.path)?;
            // The data of these is in other files, which may not be found from the temporary name.
            if dataset.chunks.is_none() && matches!(source.layout_name(), "virtual" | "external") {
                continue;
            }
            let comparison = Comparison {
                written: dataset,
                source,
                target: open_dataset(target, dataset.target, &dataset.path)?,
                source_bytes: stored::source(&self.source.file),
                target_bytes: stored::source(target),
                workers: &workers,
                monitor,
            };
            let damage = self.damage.iter().filter(|damage| damage.path == dataset.path);
            bytes += comparison.run(&damage.map(|damage| &damage.offset[..]).collect())?;
        }
        Ok(bytes)
    }
}

struct Comparison<'a> {
    written: &'a WrittenDataset,
    source: Dataset,
    target: Dataset,
    source_bytes: Arc<dyn Source>,
    target_bytes: Arc<dyn Source>,
    workers: &'a Workers<Buffers>,
    monitor: &'a Monitor,
}

/// What a thread reads.
#[derive(Default)]
struct Buffers {
    source: Vec<u8>,
    target: Vec<u8>,
}

impl Comparison<'_> {
    /// Returns the number of bytes that were compared. `damaged` are the first elements of the parts that cannot be.
    fn run(&self, damaged: &HashSet<&[u64]>) -> Result<u64, RepackError> {
        let is_damaged = !damaged.is_empty();
        if self.source.shape() != self.target.shape() {
            return Err(self.differs("the extent"));
        }
        match &self.written.chunks {
            Some(chunks) if self.target.chunk_shape().is_some() => self.checksums(&chunks.checksums),
            Some(_) if is_damaged => Ok(0),
            Some(_) => self.values(),
            None if contains_addresses(self.source.datatype()) => Ok(0),
            None if self.source.shape().contains(&0) => Ok(0),
            None if self.source.chunk_shape().is_some() => self.stored_chunks(damaged),
            None if is_damaged => Ok(0),
            None => self.values(),
        }
    }

    fn differs(&self, what: impl Into<String>) -> RepackError {
        RepackError::Differs { object: self.written.path.clone(), what: what.into() }
    }

    fn chunk(&self, map: &ChunkMap, row: usize) -> Result<Location, RepackError> {
        map.nth(row).map(|(_, location)| location).ok_or_else(|| self.differs("the number of chunks"))
    }

    fn checksums(&self, checksums: &[u32]) -> Result<u64, RepackError> {
        if self.target.shape().contains(&0) {
            return Ok(0);
        }
        let map = self.target.chunk_map()?;
        if map.len() != checksums.len() {
            return Err(self.differs("the number of chunks"));
        }
        let work = |buffers: &mut Buffers, row: usize| {
            let location = self.chunk(&map, row)?;
            fetch(&self.target_bytes, location, &mut buffers.target)?;
            if crc32fast::hash(&buffers.target) == checksums[row] {
                return Ok(buffers.target.len() as u64);
            }
            let offset = map.nth(row).map(|(number, _)| map.grid().offset(number)).unwrap_or_default();
            Err(self.differs(format!("the chunk at {offset:?} is not the one that was written")))
        };
        self.sum(map.len(), map.stored_bytes(), work)
    }

    /// Chunks that were copied as they were stored.
    fn stored_chunks(&self, damaged: &HashSet<&[u64]>) -> Result<u64, RepackError> {
        let (source, target) = (self.source.chunk_map()?, self.target.chunk_map()?);
        if source.len() != target.len() {
            return Err(self.differs("the number of chunks"));
        }
        let work = |buffers: &mut Buffers, row: usize| {
            let (from, to) = (self.chunk(&source, row)?, self.chunk(&target, row)?);
            let number = source.nth(row).map(|(number, _)| number);
            if number.is_some_and(|number| damaged.contains(&source.grid().offset(number)[..])) {
                return Ok(0);
            }
            fetch(&self.source_bytes, from, &mut buffers.source)?;
            fetch(&self.target_bytes, to, &mut buffers.target)?;
            let numbers = [&source, &target].map(|map| map.nth(row).map(|(number, _)| number));
            if numbers[0] == numbers[1]
                && from.filter_mask == to.filter_mask
                && buffers.source == buffers.target
            {
                return Ok(buffers.target.len() as u64);
            }
            let offset = numbers[0].map(|number| source.grid().offset(number)).unwrap_or_default();
            Err(self.differs(format!("the chunk at {offset:?}")))
        };
        self.sum(source.len(), source.stored_bytes(), work)
    }

    fn sum(
        &self,
        count: usize,
        bytes: u64,
        work: impl Fn(&mut Buffers, usize) -> Result<u64, RepackError> + Sync,
    ) -> Result<u64, RepackError> {
        let mut sum = 0;
        self.workers.run(count, bytes < PIECE_BYTES, work, |_, bytes| {
            self.monitor.check()?;
            sum += bytes;
            Ok(())
        })?;
        Ok(sum)
    }

    /// Reads all elements of both, in blocks along the first axis.
    fn values(&self) -> Result<u64, RepackError> {
        if contains_addresses(self.source.datatype()) {
            return Ok(0);
        }
        let shape = self.source.shape();
        let Some((&rows, inner)) = shape.split_first() else {
            let whole = Selection::block(&[], &[]);
            return self.compare(&whole, 0).map(|()| self.source.logical_bytes());
        };
        let row_bytes = (self.source.logical_bytes() / rows.max(1)).max(1);
        let step = (PIECE_BYTES / row_bytes).max(1);
        let mut start = 0;
        while start < rows {
            self.monitor.check()?;
            let count = step.min(rows - start);
            let block = Selection::block(
                &[&[start], &vec![0; inner.len()][..]].concat(),
                &[&[count], inner].concat(),
            );
            self.compare(&block, start)?;
            start += count;
        }
        Ok(self.source.logical_bytes())
    }

    fn compare(&self, block: &Selection, row: u64) -> Result<(), RepackError> {
        let [source, target] =
            [&self.source, &self.target].map(|dataset| dataset.read_bytes(block, Order::File));
        if source? == target? { Ok(()) } else { Err(self.differs(format!("values from row {row} on"))) }
    }
}

/// The stored bytes of a chunk.
fn fetch(source: &Arc<dyn Source>, location: Location, bytes: &mut Vec<u8>) -> Result<(), Error> {
    let end = location.address.checked_add(location.stored_bytes);
    if end.is_none_or(|end| end > source.len()) {
        return Err(Error::damaged("a chunk reaches beyond the end of the file"));
    }
    bytes.resize(location.stored_bytes as usize, 0);
    Ok(source.read_into(location.address, bytes)?)
}
