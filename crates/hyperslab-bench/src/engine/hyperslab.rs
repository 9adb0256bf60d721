//! This project's engine.

use super::{EngineError, Reading};
use crate::data::selection;
use crate::study::Block;
use hyperslab::{Dataset, File, Order};
use std::path::Path;

struct Open {
    file: File,
    dataset: Dataset,
}

pub(super) fn open(file: &Path, dataset: &str) -> Result<Box<dyn Reading>, EngineError> {
    let file = File::open(file)?;
    let dataset = file.dataset(dataset)?;
    Ok(Box::new(Open { file, dataset }))
}

impl Reading for Open {
    fn element_bytes(&self) -> usize {
        self.dataset.datatype().size as usize
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        Ok(self.dataset.read_into(&selection(block), Order::Native, out)?)
    }

    fn decodes(&self) -> Option<u64> {
        Some(self.file.decodes())
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(())
    }
}
