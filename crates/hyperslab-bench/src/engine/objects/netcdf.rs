//! Files of many variables by a netCDF-C of the user's.

use crate::buffer::reserve;
use crate::engine::interface::{Creator, EngineError, Event, Visitor, refuse_places};
use crate::library::{Netcdf, NetcdfTree};
use crate::study::{Attribute, Block, Storage, Wanted};
use std::path::Path;

struct Made {
    tree: NetcdfTree,
    storage: Storage,
}

struct Open(NetcdfTree);

pub(in crate::engine) fn make(
    library: &Netcdf,
    file: &Path,
    storage: &Storage,
) -> Result<Box<dyn Creator>, EngineError> {
    Ok(Box::new(Made { tree: library.make_tree(file, storage)?, storage: storage.clone() }))
}

pub(in crate::engine) fn visit(library: &Netcdf, file: &Path) -> Result<Box<dyn Visitor>, EngineError> {
    Ok(Box::new(Open(library.open_tree(file)?)))
}

impl Creator for Made {
    fn group(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Result<(), EngineError> {
        Ok(self.tree.create_group(path, attributes)?)
    }

    fn dataset(
        &mut self,
        path: &str,
        attributes: &[(String, Attribute)],
        values: Option<&[u8]>,
    ) -> Result<(), EngineError> {
        let mut variable = self.tree.create(path, &self.storage, attributes)?;
        let Some(values) = values else { return Ok(()) };
        Ok(Block::whole(&self.storage.shape).map_or(Ok(()), |block| variable.write(&block, values))?)
    }

    fn values(&mut self, _: &str, _: &[u8]) -> Result<(), EngineError> {
        Err(EngineError::Unsupported("netCDF-C writes values here only where a variable is made".to_owned()))
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(self.tree.close()?)
    }
}

impl Visitor for Open {
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
        refuse_places(wanted, "netCDF-C")?;
        let mut buffer = Vec::new();
        for node in self.0.nodes()? {
            match self.0.shape(&node)? {
                None => seen(Event::Group { path: &node.path }),
                Some(shape) => {
                    let mut values: &[u8] = &[];
                    if let Some(block) = wanted.block(&shape)
                        && let Some(mut variable) = self.0.open(&node)?
                    {
                        let read = reserve(&mut buffer, block.bytes(variable.element_bytes()))?;
                        variable.read(&block, read)?;
                        values = read;
                    }
                    seen(Event::Dataset { path: &node.path, shape: Some(&shape), values });
                }
            }
            self.0.each_attribute(&node, &mut |name, value| seen(Event::Attribute { name, value }))?;
        }
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(self.0.close()?)
    }
}
