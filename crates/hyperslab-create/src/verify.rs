//! Reads a new file again and compares it with what was to be written.

use crate::blocks;
use crate::error::CreateError;
use crate::write_data::WrittenData;
use crate::written_file::WrittenFile;
use hyperslab::{Dataset, Endianness, Error, File, Selection};
use hyperslab_encode::ordered::Workers;
use hyperslab_encode::{Monitor, RepackError};
use hyperslab_tree::relocate::Relocatable;
use hyperslab_tree::source_dataset::open_dataset;
use hyperslab_tree::source_tree::WrittenObjects;
use hyperslab_tree::verify_objects::verify_objects;
use hyperslab_tree::verify_stored::StoredData;

/// Collections of the global heap follow each other as their elements do: of a few, one after the other is needed once.
const HEAP_BYTES: usize = 1 << 20;

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
        hyperslab::hdf5::limit_heap(&mut heap, HEAP_BYTES);
        for (block, checksum) in blocks::blocks(dataset.shape(), shape).zip(checksums) {
            self.monitor.cancel.check().map_err(Error::from)?;
            let selection = Selection::block(&block.start, &block.count);
            let elements = dataset.read_bytes(&selection, Endianness::File)?;
            let datatype = dataset.datatype();
            let found = match Relocatable::checksum_of_sequences(datatype, &elements, &mut heap) {
                Some(found) => found?,
                None => Relocatable::read(datatype, &elements, &mut heap, &mut objects.sources())?
                    .without_addresses()
                    .checksum(),
            };
            if found != *checksum {
                let what = format!("values from {:?} on", block.start);
                return Err(RepackError::Differs { object: path.into(), what }.into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatypes::{Charset, integer, sequence, string};
    use crate::{Block, BlockSource, CreateOptions, Data, DataError, Elements, NewDataset, NewFile};
    use hyperslab::Datatype;
    use hyperslab_format::Address;
    use hyperslab_io::{Memory, MemorySink};
    use hyperslab_tree::relocate::{Objects, Referent};
    use std::sync::Arc;

    struct NoObjects;

    impl Objects for NoObjects {
        fn object(&mut self, address: Address) -> Referent {
            panic!("an object at {address:?}")
        }
    }

    struct Whole(Elements);

    impl BlockSource for Whole {
        fn read(&self, _: &Block) -> Result<Elements, DataError> {
            Ok(self.0.clone())
        }
    }

    /// Sequences of bytes or of pairs of bytes: one is null, one is empty, one is longer than a collection.
    fn sequences(base_bytes: u32) -> Elements {
        let content = |number: u32| match number {
            7 => 300_000,
            number => number % 5 * base_bytes,
        };
        let places = (1..40)
            .map(|number| (16 * number as usize, content(number) / base_bytes, content(number) as usize));
        let bytes: Vec<u8> =
            (0..(1..40).map(content).sum()).map(|number: u32| (number % 251) as u8 + 1).collect();
        let mut elements = Elements::zeros(16 * 40);
        assert!(elements.set_sequences(places, bytes));
        elements
    }

    fn opened(bytes: &[u8]) -> File {
        File::from_source(Arc::new(Memory::new("new", bytes.to_vec()))).unwrap()
    }

    fn new_file(datatype: Datatype, elements: Elements) -> (WrittenFile, Vec<u8>) {
        let mut file = NewFile::new();
        let id = file.dataset("/x", NewDataset::new(datatype, &[40])).unwrap();
        file.set_data(id, Data::blocks(Whole(elements))).unwrap();
        let sink = MemorySink::default();
        let written = file.write_to(&sink, &CreateOptions::default(), &Monitor::default()).unwrap();
        (written, sink.into_bytes())
    }

    #[test]
    fn sequences_are_summed_as_they_are_read() {
        for (datatype, base_bytes) in [(string(Charset::Utf8), 1), (sequence(integer(2, true)), 2)] {
            let (_, bytes) = new_file(datatype, sequences(base_bytes));
            let dataset = opened(&bytes).dataset("/x").unwrap();
            let elements = dataset.read_bytes(&Selection::All, Endianness::File).unwrap();
            let (mut heap, datatype) = (dataset.file().heap(), dataset.datatype());
            let read = Relocatable::read(datatype, &elements, &mut heap, &mut NoObjects).unwrap();
            let summed = Relocatable::checksum_of_sequences(datatype, &elements, &mut heap).unwrap();
            assert_eq!(summed.unwrap(), read.without_addresses().checksum());
        }
        let dataset = opened(&new_file(integer(4, true), Elements::zeros(160)).1).dataset("/x").unwrap();
        let mut heap = dataset.file().heap();
        assert!(Relocatable::checksum_of_sequences(dataset.datatype(), &[0; 160], &mut heap).is_none());
    }

    #[test]
    fn every_changed_byte_of_a_text_is_found() {
        let (written, bytes) = new_file(string(Charset::Utf8), sequences(1));
        let verified = |bytes: &[u8]| {
            let file = opened(bytes);
            Verification::new(&written, &file, 1, &Monitor::default()).run()
        };
        verified(&bytes).unwrap();
        // After one of a byte and one of two, the third has the bytes 4 to 6.
        let at = bytes.windows(3).position(|window| window == [4, 5, 6]).expect("the third text");
        for place in at..at + 3 {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert!(
                matches!(verified(&changed), Err(CreateError::Write(RepackError::Differs { .. }))),
                "{place}"
            );
        }
    }
}
