//! This project's engine.

mod writing;

use crate::block::{Block, selection};
use crate::error::{EngineError, unsupported};
use crate::interface::{Event, OpenDataset, OpenOptions, Opened, PreparedEngine, Visitor, read_wanted};
use crate::object::Wanted;
use crate::storage::{CreationProperties, RecordLayout, layout_of};
use hyperslab::{Attributes, Dataset, Endianness, File, Group, LinkTarget, Members, Object};
use hyperslab_format::message::{Class, Dataspace, Datatype};
use std::collections::HashSet;
use std::path::Path;

pub(super) struct Hyperslab;

struct Open {
    /// None for a dataset that is visited.
    file: Option<File>,
    dataset: Dataset,
    /// The fields that are wanted of records; all where there are none.
    members: Option<Members>,
    layout: Option<RecordLayout>,
}

impl Hyperslab {
    /// Starts threads and looks how much memory there is: once a process, and not for every file.
    pub(super) fn prepare() -> Self {
        ::hyperslab::threads();
        ::hyperslab::cache_bytes();
        Self
    }
}

impl PreparedEngine for Hyperslab {
    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn open(&self, file: &Path, dataset: &str, options: &OpenOptions) -> Opened<dyn OpenDataset> {
        let file = File::open(file)?;
        let dataset = file.dataset(dataset)?;
        let fields = options.records.fields.as_ref();
        let members = fields.map(|fields| Members::new(dataset.datatype(), fields)).transpose()?;
        let layout = layout_of(members.as_ref().map_or(dataset.datatype(), Members::datatype));
        Ok(Box::new(Open { file: Some(file), dataset, members, layout }))
    }

    fn create(
        &self,
        file: &Path,
        dataset: &str,
        storage: &CreationProperties,
        _: &OpenOptions,
    ) -> Opened<dyn OpenDataset> {
        writing::create(file, dataset, storage)
    }

    fn visit(&self, file: &Path, _: &OpenOptions) -> Opened<dyn Visitor> {
        Ok(Box::new(Visiting(File::open(file)?)))
    }
}

/// The byte order in which elements are asked for: that of the machine for numbers. All else is read as it is in the
/// file, as it is by libhdf5: records, and whatever else has numbers inside (enumerations, arrays, bit fields).
fn order(datatype: &Datatype) -> Endianness {
    match datatype.class {
        Class::Integer(_) | Class::Float(_) => Endianness::Native,
        _ => Endianness::File,
    }
}

impl OpenDataset for Open {
    fn element_bytes(&self) -> usize {
        self.members.as_ref().map_or(self.dataset.datatype(), Members::datatype).size as usize
    }

    fn layout(&self) -> Result<Option<&RecordLayout>, EngineError> {
        Ok(self.layout.as_ref())
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        let selection = selection(block)?;
        match &self.members {
            Some(members) => self.dataset.read_members_into(&selection, members, out)?,
            None => self.dataset.read_into(&selection, order(self.dataset.datatype()), out)?,
        }
        Ok(())
    }

    fn write(&mut self, _: &Block, _: &[u8]) -> Result<(), EngineError> {
        unsupported("the file is open for reading")
    }

    fn decodes(&self) -> Option<u64> {
        self.file.as_ref().map(File::decodes)
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(())
    }
}

struct Visiting(File);

impl Visitor for Visiting {
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
        let root = Object::Group(self.0.root()?);
        let mut known = HashSet::from([root.address()]);
        // What is still to be visited, the next one last.
        let mut pending = vec![(root, String::new())];
        let mut buffer = Vec::new();
        while let Some((object, path)) = pending.pop() {
            match object {
                Object::Group(group) => {
                    seen(Event::Group { path: &path });
                    attributes(&group.attributes(), seen)?;
                    pending.extend(members(&group, &path, &mut known)?);
                }
                Object::Dataset(dataset) => {
                    let mut open = Open { file: None, dataset, members: None, layout: None };
                    let values = read(&mut open, wanted, &mut buffer)?;
                    seen(Event::Dataset { path: &path, shape: extent(&open.dataset), values });
                    attributes(&open.dataset.attributes(), seen)?;
                }
                Object::Datatype(_) => {}
            }
        }
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(())
    }
}

/// The objects that hard links of a group lead to for the first time, the first name last.
fn members(
    group: &Group,
    path: &str,
    known: &mut HashSet<hyperslab_format::Address>,
) -> Result<Vec<(Object, String)>, EngineError> {
    let mut found = Vec::new();
    for link in group.links()? {
        let link = link?;
        let LinkTarget::Hard(address) = link.target else { continue };
        if known.insert(address) {
            let slash = if path.is_empty() { "" } else { "/" };
            found.push((group.open(&link)?, format!("{path}{slash}{}", link.name)));
        }
    }
    found.reverse();
    Ok(found)
}

fn extent(dataset: &Dataset) -> Option<&[u64]> {
    (!matches!(dataset.dataspace(), Dataspace::Null)).then(|| dataset.shape())
}

/// What is wanted of a dataset, in a buffer that is used again.
fn read<'a>(open: &mut Open, wanted: Wanted, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], EngineError> {
    let dataset = open.dataset.clone();
    if wanted == Wanted::Places {
        buffer.clear();
        if dataset.chunk_grid().is_some() {
            for (_, place) in dataset.chunk_map()?.iter() {
                buffer.extend([place.address, place.stored_bytes].into_iter().flat_map(u64::to_le_bytes));
            }
        }
        return Ok(buffer);
    }
    read_wanted(open, extent(&dataset).filter(|_| is_fixed(dataset.datatype())), wanted, buffer)
}

fn attributes(attributes: &Attributes<'_>, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
    for attribute in attributes.list()? {
        let attribute = attribute?;
        let value = if is_fixed(&attribute.datatype) { &*attribute.data } else { &[] };
        seen(Event::Attribute { name: &attribute.name.to_string(), value });
    }
    Ok(())
}

/// True where an element is all there is of it: it refers to nothing elsewhere.
fn is_fixed(datatype: &Datatype) -> bool {
    !datatype.is_variable() && !datatype.contains_reference()
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
        assert_eq!(order(&number), Endianness::Native);
        let array = Class::Array { base: Box::new(number.clone()), dims: vec![1] };
        let enumeration = Class::Enum { base: Box::new(number), members: Vec::new() };
        for class in [array, enumeration, Class::Compound { members: Vec::new() }] {
            assert_eq!(order(&of(class.clone())), Endianness::File, "{class:?}");
        }
    }
}
