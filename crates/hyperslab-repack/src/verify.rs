//! Compares a new file with its source.
//!
//! Chunks that were recoded have been decoded again when they were written; here the bytes that the new file's own index
//! leads to are compared with the checksums of what was written. So is what was copied as it is stored: the source is not
//! read again. Elements with addresses are followed in both files: what they lead to is compared. So is everything else
//! about the objects ([`verify_objects`]).

use crate::chunk_shape;
use crate::repack::{Repacked, WrittenData, WrittenDataset};

use hyperslab::{ChunkGrid, Dataset, Endianness, Error, File, Selection};
use hyperslab_encode::block::Block;
use hyperslab_encode::ordered::Workers;
use hyperslab_encode::{Monitor, RepackError};
use hyperslab_tree::pieces::rows_of_chunks;
use hyperslab_tree::relocate::{Relocatable, contains_addresses, fetch_referents};
use hyperslab_tree::source_tree::{Sources, WrittenObjects};
use hyperslab_tree::verify_objects::verify_objects;
use hyperslab_tree::verify_stored::StoredData;

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
        let mut written = WrittenObjects::new(target, &self.addresses);
        verify_objects(&mut written, &self.tree, |id| self.path(id), monitor)?;
        let workers = Workers::new(threads);
        let mut bytes = 0;
        for dataset in &self.datasets {
            monitor.check()?;
            let path = self.path(dataset.id);
            let (source, copy) = self.both(dataset.id, target)?;
            // The data of these is in other files, which may not be found from the temporary name.
            let is_copied = matches!(dataset.data, WrittenData::Copied(_));
            if is_copied && matches!(source.layout_name(), "virtual" | "external") {
                continue;
            }
            let comparison = Comparison {
                written: dataset,
                path,
                source,
                target: copy,
                workers: &workers,
                monitor,
                objects: [&self.sources, written.sources()],
            };
            bytes += comparison.run(self.damage.iter().any(|damage| damage.path == path))?;
        }
        Ok(bytes)
    }
}

struct Comparison<'a> {
    written: &'a WrittenDataset,
    path: &'a str,
    source: Dataset,
    target: Dataset,
    workers: &'a Workers<Vec<u8>>,
    monitor: &'a Monitor,
    /// The objects of both files, for elements with addresses.
    objects: [&'a Sources; 2],
}

impl Comparison<'_> {
    /// Returns the number of bytes that were compared. Of damaged data, what was written in its place is compared where it
    /// is known.
    fn run(&self, is_damaged: bool) -> Result<u64, RepackError> {
        if self.source.shape() != self.target.shape() {
            return Err(self.differs("the extent"));
        }
        // Fill values alone were compared with the objects.
        if self.target.shape().contains(&0)
            || self.source.stored_bytes()? == 0 && self.target.stored_bytes()? == 0
        {
            return Ok(0);
        }
        match &self.written.data {
            _ if contains_addresses(self.source.datatype()) => {
                if is_damaged {
                    Ok(0)
                } else {
                    self.referents()
                }
            }
            WrittenData::Recoded(checksums) | WrittenData::Copied(checksums)
                if self.target.chunk_shape().is_some() =>
            {
                self.stored().chunks(checksums)
            }
            WrittenData::Copied(checksums) => self.stored().pieces(checksums),
            WrittenData::Recoded(checksums) if !checksums.is_empty() => self.stored().pieces(checksums),
            WrittenData::Recoded(_) if is_damaged => Ok(0),
            WrittenData::Recoded(_) => self.values(),
        }
    }

    fn stored(&self) -> StoredData<'_> {
        StoredData::new(self.path, &self.target, self.workers, self.monitor)
    }

    fn differs(&self, what: impl Into<String>) -> RepackError {
        RepackError::Differs { object: self.path.into(), what: what.into() }
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
        let datatypes = [self.source.datatype(), self.target.datatype()];
        let mut heaps = [&self.source, &self.target].map(|dataset| dataset.file().heap());
        let blocks = match self.target.chunk_shape() {
            None => self.rows()?.collect(),
            Some(chunk) => {
                let map = self.target.chunk_map()?;
                let (shape, size) = (self.target.shape(), self.target.datatype().size);
                let has_latency = self.source.file().source().advice().has_latency();
                let rows = if has_latency { rows_of_chunks(&map, shape, size.into()) } else { None };
                let coords = map.iter().map(|(number, _)| map.grid().coordinates(number));
                let chunks =
                    || coords.map(|coords| Block::of_chunk(&coords, chunk).within(shape)).collect::<Vec<_>>();
                rows.unwrap_or_else(chunks)
            }
        };
        let mut bytes = 0;
        for block in blocks {
            self.monitor.check()?;
            let mut found = Vec::with_capacity(2);
            let both = self.read(&block).into_iter().zip(&mut heaps).zip(self.objects).zip(datatypes);
            for (((elements, heap), mut objects), datatype) in both {
                let elements = elements?;
                bytes += elements.len() as u64;
                fetch_referents(datatype, &elements, heap);
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
        [&self.source, &self.target].map(|dataset| dataset.read_bytes(&selection, Endianness::File))
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
