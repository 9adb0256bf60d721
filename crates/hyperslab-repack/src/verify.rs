//! Compares a new file with its source.
//!
//! Chunks that were recoded have been decoded again when they were written; here the bytes that the new file's own index
//! leads to are compared with their checksums. What was copied as stored is compared byte by byte. Elements with addresses
//! are followed in both files: what they lead to is compared. So is everything else about the objects
//! ([`verify_objects`]).

use crate::block::Block;
use crate::chunk_shape;
use crate::error::RepackError;
use crate::monitor::Monitor;
use crate::ordered::Workers;
use crate::relocate::{Relocatable, contains_addresses};
use crate::repack::{Repacked, WrittenDataset};
use crate::source_dataset::open_dataset;
use crate::source_tree::{Sources, WrittenObjects};
use crate::verify_objects::verify_objects;
use hyperslab::internal::stored;
use hyperslab::io::Source;
use hyperslab::{ChunkGrid, ChunkMap, Dataset, Error, File, Location, Order, Selection};
use std::collections::HashSet;
use std::sync::Arc;

/// Bytes of contiguous data that are compared at a time.
const PIECE_BYTES: u64 = 8 << 20;

impl Repacked {
    /// Reads the new file, and compares its objects with what was to be written, and its data with the source. Returns the
    /// number of bytes of data that were compared.
    ///
    /// # Errors
    ///
    /// [`RepackError::Differs`], and what cannot be read.
    pub fn verify(&self, target: &File, threads: usize, monitor: &Monitor) -> Result<u64, RepackError> {
        let path = |number: usize| self.sources.objects[number].1.clone();
        verify_objects(target, &self.tree, &self.addresses, path, monitor)?;
        let written = WrittenObjects::new(target, &self.addresses);
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
                objects: [&self.sources, written.sources()],
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
    /// The objects of both files, for elements with addresses.
    objects: [&'a Sources; 2],
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
        // Fill values alone were compared with the objects.
        if self.source.stored_bytes()? == 0 && self.target.stored_bytes()? == 0 {
            return Ok(0);
        }
        match &self.written.chunks {
            _ if contains_addresses(self.source.datatype()) => {
                if is_damaged {
                    Ok(0)
                } else {
                    self.referents()
                }
            }
            Some(chunks) if self.target.chunk_shape().is_some() => self.checksums(&chunks.checksums),
            Some(_) if is_damaged => Ok(0),
            Some(_) => self.values(),
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
            // Without filters, a mask has no meaning, and most indexes have no place for it.
            let same_mask = self.source.filters().is_empty() || from.filter_mask == to.filter_mask;
            if numbers[0] == numbers[1] && same_mask && buffers.source == buffers.target {
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

    /// Reads all elements of both.
    fn values(&self) -> Result<u64, RepackError> {
        for block in self.rows()? {
            self.monitor.check()?;
            let [source, target] = self.read(&block);
            if source? != target? {
                return Err(self.differs(format!("values from {:?} on", block.start)));
            }
        }
        Ok(self.source.logical_bytes())
    }

    /// Reads all elements of both, which contain addresses, and what these lead to.
    fn referents(&self) -> Result<u64, RepackError> {
        if self.source.shape().contains(&0) {
            return Ok(0);
        }
        let datatype = self.source.datatype();
        let mut heaps = [&self.source, &self.target].map(|dataset| dataset.file().heap());
        let blocks = match self.target.chunk_shape() {
            None => self.rows()?.collect(),
            Some(chunk) => {
                let map = self.target.chunk_map()?;
                let coords = map.iter().map(|(number, _)| map.grid().coordinates(number));
                coords
                    .map(|coords| Block::of_chunk(&coords, chunk).within(self.target.shape()))
                    .collect::<Vec<_>>()
            }
        };
        let mut bytes = 0;
        for block in blocks {
            self.monitor.check()?;
            let mut found = Vec::with_capacity(2);
            for ((elements, heap), mut objects) in
                self.read(&block).into_iter().zip(&mut heaps).zip(self.objects)
            {
                let elements = elements?;
                bytes += elements.len() as u64;
                found.push(Relocatable::read(datatype, &elements, heap, &mut objects)?.without_addresses());
            }
            if found[0] != found[1] {
                return Err(self.differs(format!("values from {:?} on", block.start)));
            }
        }
        Ok(bytes / 2)
    }

    /// The elements of a block in both files.
    fn read(&self, block: &Block) -> [Result<Vec<u8>, Error>; 2] {
        let selection = Selection::block(&block.start, &block.count);
        [&self.source, &self.target].map(|dataset| dataset.read_bytes(&selection, Order::File))
    }

    /// Blocks of rows, or of parts of one.
    fn rows(&self) -> Result<impl Iterator<Item = Block> + use<>, RepackError> {
        let extent = self.source.shape().to_vec();
        let size = u64::from(self.source.datatype().size).max(1);
        let rows = chunk_shape::rows(&extent, size, PIECE_BYTES);
        let grid = ChunkGrid::new(&extent, &rows)?;
        let count = grid.len();
        Ok((0..count).map(move |number| Block::of_chunk(&grid.coordinates(number), &rows).within(&extent)))
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
