//! Visits all objects of a file with this project's engine.

use crate::buffer::reserve;
use crate::data::selection;
use crate::engine::hyperslab::order;
use crate::engine::interface::{EngineError, Event, Visitor};
use crate::study::Wanted;
use hyperslab::{Attributes, Dataset, File, Group, LinkTarget, Object};
use hyperslab_format::message::{Dataspace, Datatype};
use std::collections::HashSet;
use std::path::Path;

struct Open {
    file: File,
}

pub(in crate::engine) fn visit(file: &Path) -> Result<Box<dyn Visitor>, EngineError> {
    Ok(Box::new(Open { file: File::open(file)? }))
}

impl Visitor for Open {
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
        let root = Object::Group(self.file.root()?);
        let mut known = HashSet::from([root.address()]);
        // What is still to be visited, the next one last.
        let mut pending = vec![(root, String::new())];
        let mut buffer = Vec::new();
        while let Some((object, path)) = pending.pop() {
            match &object {
                Object::Group(group) => {
                    seen(Event::Group { path: &path });
                    attributes(&group.attributes(), seen)?;
                    pending.extend(members(group, &path, &mut known)?);
                }
                Object::Dataset(dataset) => {
                    let values = read(dataset, wanted, &mut buffer)?;
                    let is_null = matches!(dataset.dataspace(), Dataspace::Null);
                    let shape = (!is_null).then(|| dataset.shape());
                    seen(Event::Dataset { path: &path, shape, values });
                    attributes(&dataset.attributes(), seen)?;
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

/// What is wanted of a dataset, in a buffer that is used again.
fn read<'a>(dataset: &Dataset, wanted: Wanted, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], EngineError> {
    if wanted == Wanted::Places {
        buffer.clear();
        if dataset.chunk_grid().is_some() {
            for (_, place) in dataset.chunk_map()?.iter() {
                buffer.extend([place.address, place.stored_bytes].into_iter().flat_map(u64::to_le_bytes));
            }
        }
        return Ok(buffer);
    }
    let is_null = matches!(dataset.dataspace(), Dataspace::Null);
    let block = wanted.block(dataset.shape()).filter(|_| !is_null);
    let datatype = dataset.datatype();
    let Some(block) = block.filter(|_| is_fixed(datatype)) else { return Ok(&[]) };
    let values = reserve(buffer, block.bytes(datatype.size as usize))?;
    dataset.read_into(&selection(&block)?, order(datatype), values)?;
    Ok(values)
}

fn attributes(attributes: &Attributes<'_>, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
    for attribute in attributes.list()? {
        let attribute = attribute?;
        let value = if is_fixed(&attribute.datatype) { &*attribute.data } else { &[] };
        seen(Event::Attribute { name: &attribute.name.to_string(), value });
    }
    Ok(())
}

/// True where an element is all there is of it: it leads to nothing that lies elsewhere.
fn is_fixed(datatype: &Datatype) -> bool {
    !datatype.is_variable() && !datatype.contains_reference()
}
