//! Reads a new file again and compares it with what was to be written.

use crate::blocks;
use crate::error::CreateError;
use crate::write::WrittenFile;
use crate::write_data::WrittenData;
use hyperslab::{Dataset, Endianness, Error, File, Selection};
use hyperslab_repack::internal::{
    Relocatable, StoredData, Workers, WrittenObjects, open_dataset, verify_objects,
};
use hyperslab_repack::{Monitor, RepackError};

/// The comparison of a file with what was written.
pub(crate) struct Verification<'a> {
    written: &'a WrittenFile,
    file: &'a File,
    workers: Workers<Vec<u8>>,
    monitor: &'a Monitor,
}

impl<'a> Verification<'a> {
    pub fn new(written: &'a WrittenFile, file: &'a File, threads: usize, monitor: &'a Monitor) -> Self {
        Self { written, file, workers: Workers::new(threads), monitor }
    }

    /// Compares all objects and all data.
    ///
    /// # Errors
    ///
    /// [`RepackError::Differs`], and what cannot be read.
    pub fn run(&self) -> Result<(), CreateError> {
        let WrittenFile { tree, paths, addresses, datasets, .. } = self.written;
        let mut objects = WrittenObjects::new(self.file, addresses);
        verify_objects(&mut objects, tree, |id| &paths[id.0 as usize], self.monitor)?;
        for (id, data) in datasets {
            let (path, address) = (&paths[id.0 as usize], addresses[id.0 as usize]);
            let dataset = open_dataset(self.file, address, path)?;
            let (workers, monitor) = (&self.workers, self.monitor);
            match data {
                WrittenData::Chunks(checksums) => {
                    StoredData::new(path, &dataset, workers, monitor).chunks(checksums)?;
                }
                WrittenData::Pieces(checksums) => {
                    StoredData::new(path, &dataset, workers, monitor).pieces(checksums)?;
                }
                WrittenData::Referents(checksums, shape) => {
                    self.referents(path, &dataset, &objects, checksums, shape)?;
                }
            }
        }
        Ok(())
    }

    /// Compares elements with addresses, and what they lead to.
    fn referents(
        &self,
        path: &str,
        dataset: &Dataset,
        objects: &WrittenObjects<'_>,
        checksums: &[u32],
        shape: &[u64],
    ) -> Result<(), CreateError> {
        let mut heap = dataset.file().heap();
        for (block, checksum) in blocks::blocks(dataset.shape(), shape).zip(checksums) {
            self.monitor.cancel.check().map_err(Error::from)?;
            let selection = Selection::block(&block.start, &block.count);
            let elements = dataset.read_bytes(&selection, Endianness::File)?;
            let found = Relocatable::read(dataset.datatype(), &elements, &mut heap, &mut objects.sources())?;
            if found.without_addresses().checksum() != *checksum {
                let what = format!("values from {:?} on", block.start);
                return Err(RepackError::Differs { object: path.into(), what }.into());
            }
        }
        Ok(())
    }
}
