//! An open dataset: blocks of it are read and written.

use super::Hdf5;
use crate::library::api::{DEFAULT, Id};
use crate::library::datatype::is_fixed;
use crate::library::handle::{Handle, check};
use crate::library::memory_type::MemoryType;
use crate::library::{LibraryError, check_buffer};
use crate::study::{Block, Layout};
use std::ffi::c_int;

const SELECT_SET: c_int = 0;

/// An open dataset, with what it takes to read and write blocks of it.
pub struct Hdf5Dataset {
    pub(in crate::library) handle: Handle,
    pub(in crate::library) file_space: Handle,
    memory_type: MemoryType,
    /// Its extent; none where it has no elements at all.
    shape: Option<Vec<u64>>,
    element_bytes: usize,
    /// The dataspace of the block in memory, kept while blocks have the same shape.
    memory_space: Option<(Vec<u64>, Handle)>,
}

impl Hdf5Dataset {
    pub(in crate::library) fn new(
        handle: Handle,
        file_space: Handle,
        memory_type: MemoryType,
    ) -> Result<Self, LibraryError> {
        let (shape, element_bytes) = (extent(&file_space)?, memory_type.bytes());
        Ok(Self { handle, file_space, memory_type, shape, element_bytes, memory_space: None })
    }

    /// Bytes of one element in memory.
    pub fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    /// Where the fields of records lie in memory.
    pub fn layout(&self) -> Result<Option<&Layout>, LibraryError> {
        self.memory_type.layout()
    }

    /// Its extent; none where it has no elements at all.
    pub fn shape(&self) -> Option<&[u64]> {
        self.shape.as_deref()
    }

    /// True where an element in memory is all there is of it.
    pub fn has_fixed_elements(&self) -> Result<bool, LibraryError> {
        is_fixed(&self.memory_type.handle)
    }

    /// Reads a block into `out`, which has room for its elements.
    pub fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), LibraryError> {
        let memory = self.prepare(block, out)?;
        let f = &self.handle.api.functions;
        // SAFETY: `prepare` checked that the buffer has room for the selection in memory.
        let answered = unsafe {
            (f.H5Dread)(
                self.handle.id,
                self.memory_type.handle.id,
                memory,
                self.file_space.id,
                DEFAULT,
                out.as_mut_ptr().cast(),
            )
        };
        check(&self.handle.api, "H5Dread", answered)
    }

    /// Writes a block from `values`.
    pub fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), LibraryError> {
        let memory = self.prepare(block, values)?;
        let f = &self.handle.api.functions;
        // SAFETY: as above.
        let answered = unsafe {
            (f.H5Dwrite)(
                self.handle.id,
                self.memory_type.handle.id,
                memory,
                self.file_space.id,
                DEFAULT,
                values.as_ptr().cast(),
            )
        };
        check(&self.handle.api, "H5Dwrite", answered)
    }

    /// Closes it; chunks that were written may be compressed only now.
    pub fn close(self) -> Result<(), LibraryError> {
        self.handle.close("H5Dclose")
    }

    /// Selects the block in the file; answers with the dataspace in memory.
    fn prepare(&mut self, block: &Block, buffer: &[u8]) -> Result<Id, LibraryError> {
        check_buffer(block, self.element_bytes, buffer)?;
        let shape =
            self.shape().ok_or_else(|| LibraryError::Unsupported("there are no elements".to_owned()))?;
        block.check(shape).map_err(LibraryError::Unsupported)?;
        let api = self.handle.api.clone();
        if !block.count.is_empty() {
            // SAFETY: arrays of the rank, which was checked.
            check(&api, "H5Sselect_hyperslab", unsafe {
                (api.functions.H5Sselect_hyperslab)(
                    self.file_space.id,
                    SELECT_SET,
                    block.start.as_ptr(),
                    block.step.as_ptr(),
                    block.count.as_ptr(),
                    std::ptr::null(),
                )
            })?;
        }
        if let Some((shape, space)) = &self.memory_space
            && *shape == block.count
        {
            return Ok(space.id);
        }
        let space = Hdf5 { api }.space(&block.count, false)?;
        let id = space.id;
        self.memory_space = Some((block.count.clone(), space));
        Ok(id)
    }
}

/// The extent of a dataspace; none where it has no elements at all.
fn extent(space: &Handle) -> Result<Option<Vec<u64>>, LibraryError> {
    const NULL: c_int = 2;
    let (api, f) = (&space.api, &space.api.functions);
    // SAFETY: an open dataspace, and room for so many dimensions.
    unsafe {
        if (f.H5Sget_simple_extent_type)(space.id) == NULL {
            return Ok(None);
        }
        let rank = (f.H5Sget_simple_extent_ndims)(space.id);
        check(api, "H5Sget_simple_extent_ndims", rank)?;
        let mut shape = vec![0; rank as usize];
        let answered = (f.H5Sget_simple_extent_dims)(space.id, shape.as_mut_ptr(), std::ptr::null_mut());
        check(api, "H5Sget_simple_extent_dims", answered)?;
        Ok(Some(shape))
    }
}
