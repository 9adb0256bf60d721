//! Files of many objects by a libhdf5 of the user's.

use crate::buffer::reserve;
use crate::engine::interface::{Creator, EngineError, Event, OpenOptions, PageBuffer, PageCounts, Visitor};
use crate::library::{Hdf5, Hdf5Dataset, Hdf5File, LibraryError, Visited};
use crate::study::{Attribute, Block, Memory, Records, Storage, Wanted};
use hyperslab_doctor::simulate::CacheSettings;
use std::path::Path;

struct Made {
    file: Hdf5File,
    storage: Storage,
}

struct Open {
    file: Hdf5File,
    cache: Option<CacheSettings>,
}

pub(in crate::engine) fn make(
    library: &Hdf5,
    file: &Path,
    storage: &Storage,
) -> Result<Box<dyn Creator>, EngineError> {
    Ok(Box::new(Made { file: library.create(file, storage)?, storage: storage.clone() }))
}

pub(in crate::engine) fn visit(
    library: &Hdf5,
    file: &Path,
    options: &OpenOptions,
) -> Result<Box<dyn Visitor>, EngineError> {
    Ok(Box::new(Open { file: library.open(file, options.page_buffer)?, cache: options.cache }))
}

impl Made {
    fn write(&self, dataset: &mut Hdf5Dataset, values: &[u8]) -> Result<(), EngineError> {
        Ok(Block::whole(&self.storage.shape).map_or(Ok(()), |block| dataset.write(&block, values))?)
    }
}

impl Creator for Made {
    fn group(&mut self, path: &str, attributes: &[(String, Attribute)]) -> Result<(), EngineError> {
        Ok(self.file.create_group(path, attributes)?)
    }

    fn dataset(
        &mut self,
        path: &str,
        attributes: &[(String, Attribute)],
        values: Option<&[u8]>,
    ) -> Result<(), EngineError> {
        let mut dataset = self.file.create(path, &self.storage, None, Memory::AsStored)?;
        if let Some(values) = values {
            self.write(&mut dataset, values)?;
        }
        dataset.write_attributes(attributes)?;
        Ok(dataset.close()?)
    }

    fn values(&mut self, path: &str, values: &[u8]) -> Result<(), EngineError> {
        let mut dataset = self.file.dataset(path, None, &Records::default())?;
        self.write(&mut dataset, values)?;
        Ok(dataset.close()?)
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(self.file.close()?)
    }
}

impl Visitor for Open {
    fn visit(&mut self, wanted: Wanted, seen: &mut dyn FnMut(Event<'_>)) -> Result<(), EngineError> {
        let mut buffer = Vec::new();
        self.file.visit(self.cache, &mut |visited| {
            match visited {
                Visited::Group { path } => seen(Event::Group { path }),
                Visited::Attribute { name, value } => seen(Event::Attribute { name, value }),
                Visited::Dataset { path, dataset } => {
                    let values = read(dataset, wanted, &mut buffer)?;
                    seen(Event::Dataset { path, shape: dataset.shape(), values });
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    fn page_buffer(&self) -> Option<PageBuffer> {
        page_buffer(&self.file)
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        Ok(self.file.close()?)
    }
}

/// What is wanted of a dataset, in a buffer that is used again.
fn read<'a>(
    dataset: &mut Hdf5Dataset,
    wanted: Wanted,
    buffer: &'a mut Vec<u8>,
) -> Result<&'a [u8], LibraryError> {
    if wanted == Wanted::Places {
        buffer.clear();
        for (address, bytes) in dataset.chunk_places()? {
            buffer.extend([address, bytes].into_iter().flat_map(u64::to_le_bytes));
        }
        return Ok(buffer);
    }
    let Some(block) = dataset.shape().and_then(|shape| wanted.block(shape)) else { return Ok(&[]) };
    if !dataset.has_fixed_elements()? {
        return Ok(&[]);
    }
    let values = reserve(buffer, block.bytes(dataset.element_bytes()))?;
    dataset.read(&block, values)?;
    Ok(values)
}

/// What passed the page buffer of an open file.
pub(in crate::engine) fn page_buffer(file: &Hdf5File) -> Option<PageBuffer> {
    let counts = file.page_buffer()?;
    let of = |which: usize| PageCounts {
        accesses: counts[0][which].into(),
        hits: counts[1][which].into(),
        misses: counts[2][which].into(),
        evictions: counts[3][which].into(),
        bypasses: counts[4][which].into(),
    };
    Some(PageBuffer { metadata: of(0), raw: of(1) })
}
