//! An engine that does nothing, so that what is measured is the harness alone.

use crate::block::Block;
use crate::error::{EngineError, unsupported};
use crate::interface::{Creator, OpenDataset, OpenOptions, Opened, PreparedEngine, Visitor};
use crate::storage::CreationProperties;
use std::path::Path;

pub(super) struct Null;

struct NullDataset {
    element_bytes: usize,
}

const NO_OBJECTS: &str = "the null engine knows nothing of files of many objects";

impl PreparedEngine for Null {
    fn version(&self) -> String {
        String::new()
    }

    fn open(&self, file: &Path, dataset: &str, _: &OpenOptions) -> Opened<dyn OpenDataset> {
        let element_bytes = hyperslab::File::open(file)?.dataset(dataset)?.datatype().size as usize;
        Ok(Box::new(NullDataset { element_bytes }))
    }

    fn create(&self, _: &Path, _: &str, _: &CreationProperties, _: &OpenOptions) -> Opened<dyn OpenDataset> {
        Ok(Box::new(NullDataset { element_bytes: 0 }))
    }

    fn make(&self, _: &Path, _: &CreationProperties) -> Opened<dyn Creator> {
        unsupported(NO_OBJECTS)
    }

    fn visit(&self, _: &Path, _: &OpenOptions) -> Opened<dyn Visitor> {
        unsupported(NO_OBJECTS)
    }
}

impl OpenDataset for NullDataset {
    fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        std::hint::black_box((block, out));
        Ok(())
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        std::hint::black_box((block, values));
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(())
    }
}
