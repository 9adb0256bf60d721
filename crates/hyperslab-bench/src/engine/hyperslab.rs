//! This project's engine.

use super::{EngineError, Reading};
use crate::data::selection;
use crate::study::{Block, Layout, Records, layout};
use hyperslab::format::message::Class;
use hyperslab::{Dataset, File, Members, Order};
use std::path::Path;

struct Open {
    file: File,
    dataset: Dataset,
    /// The fields that are wanted of records; all where there are none.
    members: Option<Members>,
    layout: Option<Layout>,
}

/// Starts threads and looks how much memory there is: once a process, and not for every file.
pub(super) fn prepare() {
    ::hyperslab::threads();
    ::hyperslab::cache_bytes();
}

pub(super) fn open(file: &Path, dataset: &str, records: &Records) -> Result<Box<dyn Reading>, EngineError> {
    let file = File::open(file)?;
    let dataset = file.dataset(dataset)?;
    let fields = records.fields.as_ref();
    let members = fields.map(|fields| Members::new(dataset.datatype(), fields)).transpose()?;
    let layout = layout(members.as_ref().map_or(dataset.datatype(), Members::datatype));
    Ok(Box::new(Open { file, dataset, members, layout }))
}

impl Reading for Open {
    fn element_bytes(&self) -> usize {
        self.members.as_ref().map_or(self.dataset.datatype(), Members::datatype).size as usize
    }

    fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        let selection = selection(block);
        if let Some(members) = &self.members {
            return Ok(self.dataset.read_members_into(&selection, members, out)?);
        }
        let is_record = matches!(self.dataset.datatype().class, Class::Compound { .. });
        let order = if is_record { Order::File } else { Order::Native };
        Ok(self.dataset.read_into(&selection, order, out)?)
    }

    fn decodes(&self) -> Option<u64> {
        Some(self.file.decodes())
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(())
    }
}
