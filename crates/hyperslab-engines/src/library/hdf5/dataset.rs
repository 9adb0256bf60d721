//! An open dataset: blocks of it are read and written.

use super::api::{DEFAULT, Hid, Id};
use super::datatype::{MemoryType, bytes, is_fixed};
use super::property::{page_buffer, space};
use crate::block::Block;
use crate::error::{EngineError, unsupported};
use crate::interface::{OpenDataset, PageBuffer, check_buffer};
use crate::library::call::{call, close_last, open};
use crate::storage::{RecordLayout, Records};
use std::ffi::{CStr, c_int};
use std::rc::Rc;

const SELECT_SET: c_int = 0;

/// An open dataset, with what it takes to read and write blocks of it.
pub(super) struct Dataset {
    // Closed in this order.
    pub(super) handle: Hid,
    file_space: Hid,
    memory_type: MemoryType,
    /// The dataspace of the block in memory, kept while blocks have the same shape.
    memory_space: Option<(Vec<u64>, Hid)>,
    file: Rc<Hid>,
    /// Its extent; none where it has no elements at all.
    pub(super) shape: Option<Vec<u64>>,
    element_bytes: usize,
}

impl Dataset {
    /// Opens a dataset that lies below an object of the file, with a list of its access.
    pub(super) fn open(
        file: &Rc<Hid>,
        above: Id,
        name: &CStr,
        access: Id,
        records: &Records,
    ) -> Result<Self, EngineError> {
        let api = &file.library;
        // SAFETY: a string, and open identifiers.
        let handle = unsafe { open!(api.H5Dopen2(above, name.as_ptr(), access), H5Dclose) }?;
        Self::new(file, handle, records)
    }

    /// A dataset of a file that was opened or created.
    pub(super) fn new(file: &Rc<Hid>, handle: Hid, records: &Records) -> Result<Self, EngineError> {
        let api = &file.library;
        // SAFETY: an open dataset.
        let (file_space, file_type) = unsafe {
            (open!(api.H5Dget_space(handle.id), H5Sclose)?, open!(api.H5Dget_type(handle.id), H5Tclose)?)
        };
        let memory_type = MemoryType::of(&file_type, records)?;
        let (shape, element_bytes) = (extent(&file_space)?, bytes(&memory_type.handle));
        let file = file.clone();
        Ok(Self { handle, file_space, memory_type, memory_space: None, file, shape, element_bytes })
    }

    /// True where an element in memory is all there is of it.
    pub(super) fn has_fixed_elements(&self) -> Result<bool, EngineError> {
        is_fixed(&self.memory_type.handle)
    }

    /// Selects the block in the file; answers with the dataspace in memory.
    fn select(&mut self, block: &Block, buffer: &[u8]) -> Result<Id, EngineError> {
        check_buffer(block, self.element_bytes, buffer)?;
        let Some(shape) = &self.shape else { return unsupported("there are no elements") };
        block.check(shape).map_err(EngineError::Unsupported)?;
        let api = &self.handle.library;
        if !block.count.is_empty() {
            let [start, step, count] = [&block.start, &block.step, &block.count].map(|axes| axes.as_ptr());
            let (id, ones) = (self.file_space.id, std::ptr::null());
            // SAFETY: arrays of the rank, which was checked.
            unsafe { call!(api.H5Sselect_hyperslab(id, SELECT_SET, start, step, count, ones)) }?;
        }
        if let Some((shape, space)) = &self.memory_space
            && *shape == block.count
        {
            return Ok(space.id);
        }
        let space = space(api, &block.count, false)?;
        let id = space.id;
        self.memory_space = Some((block.count.clone(), space));
        Ok(id)
    }
}

impl OpenDataset for Dataset {
    fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    fn layout(&self) -> Result<Option<&RecordLayout>, EngineError> {
        self.memory_type.layout()
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        let memory = self.select(block, out)?;
        let (api, out) = (&self.handle.library, out.as_mut_ptr().cast());
        let (id, memory_type, file) = (self.handle.id, self.memory_type.handle.id, self.file_space.id);
        // SAFETY: `select` checked that the buffer has room for the selection in memory.
        unsafe { call!(api.H5Dread(id, memory_type, memory, file, DEFAULT, out)) }.map(drop)
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        let memory = self.select(block, values)?;
        let (api, values) = (&self.handle.library, values.as_ptr().cast());
        let (id, memory_type, file) = (self.handle.id, self.memory_type.handle.id, self.file_space.id);
        // SAFETY: as above.
        unsafe { call!(api.H5Dwrite(id, memory_type, memory, file, DEFAULT, values)) }.map(drop)
    }

    fn page_buffer(&self) -> Option<PageBuffer> {
        page_buffer(&self.file)
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        // Chunks that were written may be compressed only now.
        self.handle.close()?;
        close_last(self.file)
    }
}

/// The extent of a dataspace; none where it has no elements at all.
fn extent(space: &Hid) -> Result<Option<Vec<u64>>, EngineError> {
    const NULL: c_int = 2;
    let api = &space.library;
    // SAFETY: an open dataspace, and room for so many dimensions.
    unsafe {
        if call!(api.H5Sget_simple_extent_type(space.id))? == NULL {
            return Ok(None);
        }
        let mut shape = vec![0; call!(api.H5Sget_simple_extent_ndims(space.id))? as usize];
        call!(api.H5Sget_simple_extent_dims(space.id, shape.as_mut_ptr(), std::ptr::null_mut()))?;
        Ok(Some(shape))
    }
}
