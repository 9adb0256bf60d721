//! An engine that does nothing, so that what is measured is the harness alone.

use super::interface::{EngineError, OpenDataset};
use crate::library::Counts;
use crate::study::Block;
use std::path::Path;

struct Null {
    element_bytes: usize,
}

pub(super) fn open(file: &Path, dataset: &str) -> Result<Box<dyn OpenDataset>, EngineError> {
    let element_bytes = hyperslab::File::open(file)?.dataset(dataset)?.datatype().size as usize;
    Ok(Box::new(Null { element_bytes }))
}

pub(super) fn create() -> Box<dyn OpenDataset> {
    Box::new(Null { element_bytes: 0 })
}

impl OpenDataset for Null {
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

    fn close(self: Box<Self>) -> Result<Option<Counts>, EngineError> {
        Ok(None)
    }
}
