//! Compares stored data of a new file with the checksums of what was written.

use crate::source_dataset::layout;
use hyperslab::io::Source;
use hyperslab::{ChunkMap, Dataset, Error, Location};
use hyperslab_encode::batch_size::BatchSize;
use hyperslab_encode::ordered::Workers;
use hyperslab_encode::{Monitor, RepackError, checksums};
use hyperslab_format::message::Layout;
use std::sync::Arc;

/// Data of fewer bytes is not worth more than one thread.
const ALONE_BYTES: u64 = 8 << 20;

/// The data of a dataset of the new file, as it is stored.
pub struct StoredData<'a> {
    path: &'a str,
    target: &'a Dataset,
    target_bytes: Arc<dyn Source>,
    workers: &'a Workers<Vec<u8>>,
    monitor: &'a Monitor,
}

impl<'a> StoredData<'a> {
    /// The data of a dataset. Messages name it by `path`.
    pub fn new(
        path: &'a str,
        target: &'a Dataset,
        workers: &'a Workers<Vec<u8>>,
        monitor: &'a Monitor,
    ) -> Self {
        Self { path, target, target_bytes: target.file().source(), workers, monitor }
    }

    fn differs(&self, what: impl Into<String>) -> RepackError {
        RepackError::Differs { object: self.path.into(), what: what.into() }
    }

    fn chunk(&self, map: &ChunkMap, row: usize) -> Result<Location, RepackError> {
        map.nth(row).map(|(_, location)| location).ok_or_else(|| self.differs("the number of chunks"))
    }

    /// Compares chunks with the checksums of what was written. Returns the bytes that were compared.
    ///
    /// # Errors
    ///
    /// [`RepackError::Differs`], and what cannot be read.
    pub fn chunks(&self, checksums: &[u32]) -> Result<u64, RepackError> {
        let map = self.target.chunk_map()?;
        if map.len() != checksums.len() {
            return Err(self.differs("the number of chunks"));
        }
        let is_filtered = !self.target.filters().is_empty();
        let check = |row: usize, bytes: &[u8], filter_mask: u32| {
            if checksums::of_chunk(bytes, is_filtered.then_some(filter_mask)) == checksums[row] {
                return Ok(bytes.len() as u64);
            }
            let offset = map.nth(row).map(|(number, _)| map.grid().offset(number)).unwrap_or_default();
            Err(self.differs(format!("the chunk at {offset:?} is not the one that was written")))
        };
        // Small chunks that lie together are read together.
        let source = &self.target_bytes;
        let batch = BatchSize::of(&**source, 0);
        let batches: Vec<_> = batch.batches(&map).collect();
        let work = |bytes: &mut Vec<u8>, number: usize| {
            let rows = batches[number].clone();
            let locations = rows.clone().map(|row| self.chunk(&map, row)).collect::<Result<Vec<_>, _>>()?;
            let run = batch.run(&**source, &locations);
            if let Some(run) = &run {
                fetch(source, run.start, run.end - run.start, bytes)?;
            }
            let mut compared = 0;
            for (row, location) in rows.zip(&locations) {
                let start = match &run {
                    Some(run) => (location.address - run.start) as usize,
                    None => {
                        fetch(source, location.address, location.stored_bytes, bytes)?;
                        0
                    }
                };
                let chunk = &bytes[start..start + location.stored_bytes as usize];
                compared += check(row, chunk, location.filter_mask)?;
            }
            Ok(compared)
        };
        self.sum(batches.len(), map.stored_bytes(), work)
    }

    /// Compares contiguous data with the checksums of its pieces. Compact data was compared with the objects.
    ///
    /// # Errors
    ///
    /// As [`Self::chunks`].
    pub fn pieces(&self, checksums: &[u32]) -> Result<u64, RepackError> {
        let file = &self.target.file();
        let Layout::Contiguous { address: Some(address), .. } = layout(file, self.target)? else {
            return Ok(0);
        };
        let (start, len) = (file.offset_of(address), self.target.logical_bytes());
        if len.div_ceil(checksums::PIECE_BYTES) != checksums.len() as u64 {
            return Err(self.differs("the size of its data"));
        }
        let work = |bytes: &mut Vec<u8>, row: usize| {
            let at = row as u64 * checksums::PIECE_BYTES;
            fetch(&self.target_bytes, start + at, checksums::PIECE_BYTES.min(len - at), bytes)?;
            match crc32fast::hash(bytes) == checksums[row] {
                true => Ok(bytes.len() as u64),
                false => Err(self.differs(format!("its data from byte {at} on is not what was written"))),
            }
        };
        self.sum(checksums.len(), len, work)
    }

    fn sum(
        &self,
        count: usize,
        bytes: u64,
        work: impl Fn(&mut Vec<u8>, usize) -> Result<u64, RepackError> + Sync,
    ) -> Result<u64, RepackError> {
        let mut sum = 0;
        self.workers.run(count, bytes < ALONE_BYTES, work, |_, bytes| {
            self.monitor.check()?;
            sum += bytes;
            Ok(())
        })?;
        Ok(sum)
    }
}

/// Some bytes of the new file.
fn fetch(source: &Arc<dyn Source>, address: u64, len: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
    if address.checked_add(len).is_none_or(|end| end > source.len()) {
        return Err(Error::damaged("data reaches beyond the end of the file"));
    }
    bytes.resize(len as usize, 0);
    Ok(source.read_into(address, bytes)?)
}
