//! This project's engine.

use super::interface::{EngineError, OpenDataset};
use crate::data::selection;
use crate::library::Counts;
use crate::study::{Block, Layout, Records, layout};
use hyperslab::{Dataset, File, Members, Order};
use hyperslab_format::message::{Class, Datatype};
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

pub(super) fn open(
    file: &Path,
    dataset: &str,
    records: &Records,
) -> Result<Box<dyn OpenDataset>, EngineError> {
    let file = File::open(file)?;
    let dataset = file.dataset(dataset)?;
    let fields = records.fields.as_ref();
    let members = fields.map(|fields| Members::new(dataset.datatype(), fields)).transpose()?;
    let layout = layout(members.as_ref().map_or(dataset.datatype(), Members::datatype));
    Ok(Box::new(Open { file, dataset, members, layout }))
}

/// What is said where it is asked to write.
pub(super) fn does_not_write() -> EngineError {
    EngineError::Unsupported("hyperslab does not write yet".to_owned())
}

/// The order of bytes in which elements are asked for: that of the machine for numbers. All else is read as it is in the
/// file, as it is by libhdf5: records, and whatever else has numbers inside (enumerations, arrays, bit fields).
pub(super) fn order(datatype: &Datatype) -> Order {
    match datatype.class {
        Class::Integer(_) | Class::Float(_) => Order::Native,
        _ => Order::File,
    }
}

impl OpenDataset for Open {
    fn element_bytes(&self) -> usize {
        self.members.as_ref().map_or(self.dataset.datatype(), Members::datatype).size as usize
    }

    fn layout(&self) -> Result<Option<&Layout>, EngineError> {
        Ok(self.layout.as_ref())
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        let selection = selection(block)?;
        if let Some(members) = &self.members {
            return Ok(self.dataset.read_members_into(&selection, members, out)?);
        }
        Ok(self.dataset.read_into(&selection, order(self.dataset.datatype()), out)?)
    }

    fn write(&mut self, _: &Block, _: &[u8]) -> Result<(), EngineError> {
        Err(does_not_write())
    }

    fn counts(&self) -> Option<Counts> {
        Some(Counts { decodes: self.file.decodes(), encodes: 0 })
    }

    fn close(self: Box<Self>) -> Result<Option<Counts>, EngineError> {
        Ok(self.counts())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::message::datatype::{ByteOrder, Integer};

    #[test]
    fn numbers_alone_are_turned() {
        let integer = Integer { order: ByteOrder::Big, signed: true, bit_offset: 0, precision: 16 };
        let of = |class| Datatype { size: 2, class, committed: None };
        let number = of(Class::Integer(integer));
        assert_eq!(order(&number), Order::Native);
        let array = Class::Array { base: Box::new(number.clone()), dims: vec![1] };
        let enumeration = Class::Enum { base: Box::new(number), members: Vec::new() };
        for class in [array, enumeration, Class::Compound { members: Vec::new() }] {
            assert_eq!(order(&of(class.clone())), Order::File, "{class:?}");
        }
    }
}
