//! A scientific dataset: blocks of it are read and written.

use super::api::{ChunkDefinition, Id, RANK_MAX, narrow, number_of};
use crate::block::Block;
use crate::error::{EngineError, unsupported};
use crate::interface::{OpenDataset, check_buffer};
use crate::library::call::{call, close_last, open};
use crate::library::load::c_name;
use crate::storage::{CreationProperties, Element, FillTime};
use hyperslab_storage::FilterRequest;
use hyperslab_storage::filter::number;
use std::ffi::{CStr, c_char, c_int};
use std::rc::Rc;

/// An open dataset of a file that closes with its last dataset.
pub(super) struct Dataset {
    // Closed in this order.
    pub(super) handle: Id,
    file: Rc<Id>,
    /// Its name.
    pub(super) name: String,
    /// Its extent.
    pub(super) shape: Vec<u64>,
    element_bytes: usize,
    /// How many attributes it has.
    pub(super) attributes: i32,
}

/// The number of the dataset of this name, if there is one; of a path through groups, which the library does not know, by its last
/// name.
pub(super) fn find(file: &Id, path: &str) -> Result<Option<i32>, EngineError> {
    let path = path.trim_start_matches('/');
    for name in [path, path.rsplit('/').next().unwrap_or(path)] {
        let name = c_name(name)?;
        // SAFETY: an open file, and a string.
        let found = unsafe { (file.library.functions.SDnametoindex)(file.id, name.as_ptr()) };
        if found >= 0 {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl Dataset {
    /// Opens the dataset with this number.
    pub(super) fn open(file: &Rc<Id>, number: i32) -> Result<Self, EngineError> {
        let library = &file.library;
        // SAFETY: an open file.
        let handle = unsafe { open!(library.SDselect(file.id, number), SDendaccess) }?;
        let (mut name_bytes, mut rank, mut dims, mut element) = (0, 0, [0; RANK_MAX], 0);
        let mut attributes = 0;
        // SAFETY: an open dataset; places for numbers, room for a name of the length that was told and the end of a string,
        // and for as many dimensions as there can be.
        let name = unsafe {
            call!(library.SDgetnamelen(handle.id, &mut name_bytes))?;
            let mut name = vec![0 as c_char; usize::from(name_bytes) + 1];
            let (to, dims) = (name.as_mut_ptr(), dims.as_mut_ptr());
            call!(library.SDgetinfo(handle.id, to, &mut rank, dims, &mut element, &mut attributes))?;
            CStr::from_ptr(to).to_string_lossy().into_owned()
        };
        let element_bytes = bytes_of(element)?;
        let shape = dims.iter().take(rank.max(0) as usize).map(|dim| (*dim).max(0) as u64).collect();
        Ok(Self { handle, file: file.clone(), name, shape, element_bytes, attributes })
    }

    /// Creates a dataset.
    pub(super) fn create(
        file: &Rc<Id>,
        name: &str,
        storage: &CreationProperties,
    ) -> Result<Self, EngineError> {
        let library = &file.library;
        let Element::Scalar(scalar) = storage.element else {
            return unsupported("datasets of HDF4 hold numbers or text, its tables records");
        };
        let element = number_of(scalar)?;
        let name = name.trim_start_matches('/');
        let text = c_name(name)?;
        let mut dims = storage.shape.iter().map(|dim| narrow(*dim)).collect::<Result<Vec<_>, _>>()?;
        if !(1..=RANK_MAX).contains(&dims.len()) {
            return unsupported(format!("HDF4 has 1 to {RANK_MAX} dimensions"));
        }
        if storage.unlimited {
            dims[0] = 0;
        }
        let rank = dims.len() as i32;
        // SAFETY: an open file, a string, and so many dimensions.
        let handle = unsafe {
            open!(library.SDcreate(file.id, text.as_ptr(), element, rank, dims.as_mut_ptr()), SDendaccess)
        }?;
        let dataset = Self {
            handle,
            file: file.clone(),
            name: name.to_owned(),
            shape: storage.shape.clone(),
            element_bytes: scalar.bytes as usize,
            attributes: 0,
        };
        dataset.set(storage)?;
        Ok(dataset)
    }

    /// Sets what is decided before there are values: how it is filled, and its chunks.
    fn set(&self, storage: &CreationProperties) -> Result<(), EngineError> {
        const NO_FILL: c_int = 0x100;
        const CHUNKED: i32 = 1;
        const COMPRESSED: i32 = 3;
        const DEFLATE: i32 = 4;
        let (library, id) = (&self.file.library, self.handle.id);
        // SAFETY: an open file and dataset, and a value of its type.
        unsafe {
            if storage.fill_time == FillTime::Never {
                call!(library.SDsetfillmode(self.file.id, NO_FILL))?;
            }
            if let Some(value) = storage.fill_value {
                let mut value = storage.element.bytes_of(value);
                call!(library.SDsetfillvalue(id, value.as_mut_ptr().cast()))?;
            }
        }
        let Some(chunks) = &storage.chunks else { return Ok(()) };
        let mut definition =
            ChunkDefinition { lengths: [0; RANK_MAX], coder: 0, model: 0, parameters: [0; 10] };
        for (length, chunk) in definition.lengths.iter_mut().zip(chunks) {
            *length = narrow(*chunk)?;
        }
        let flags = match storage.filters.as_slice() {
            [] => CHUNKED,
            [FilterRequest { id: number::DEFLATE, parameters }] => {
                definition.coder = DEFLATE;
                definition.parameters[0] = parameters.first().copied().unwrap_or_default() as i32;
                COMPRESSED
            }
            _ => return unsupported("chunks of HDF4 are compressed by gzip alone here"),
        };
        // SAFETY: an open dataset that has no values yet, and a definition of the library's own layout.
        unsafe { call!(library.SDsetchunk(id, definition, flags)) }.map(drop)
    }

    /// True for one that only labels a dimension.
    pub(super) fn is_coordinate(&self) -> bool {
        // SAFETY: an open dataset.
        unsafe { (self.file.library.functions.SDiscoordvar)(self.handle.id) == 1 }
    }

    /// Start, step and count of a block that lies inside, and fills its buffer.
    fn prepare(&self, block: &Block, buffer: &[u8]) -> Result<[[i32; RANK_MAX]; 3], EngineError> {
        check_buffer(block, self.element_bytes, buffer)?;
        block.check(&self.shape).map_err(EngineError::Unsupported)?;
        let mut arrays = [[0; RANK_MAX]; 3];
        for (array, numbers) in arrays.iter_mut().zip([&block.start, &block.step, &block.count]) {
            for (place, number) in array.iter_mut().zip(numbers) {
                *place = narrow(*number)?;
            }
        }
        Ok(arrays)
    }
}

impl OpenDataset for Dataset {
    fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), EngineError> {
        let mut arrays = self.prepare(block, out)?;
        let [start, step, count] = arrays.each_mut().map(|array| array.as_mut_ptr());
        let step = if block.is_plain() { std::ptr::null_mut() } else { step };
        let (library, out) = (&self.file.library, out.as_mut_ptr().cast());
        // SAFETY: arrays of the rank; `prepare` checked that the buffer has room for the elements.
        unsafe { call!(library.SDreaddata(self.handle.id, start, step, count, out)) }.map(drop)
    }

    fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), EngineError> {
        let mut arrays = self.prepare(block, values)?;
        let [start, step, count] = arrays.each_mut().map(|array| array.as_mut_ptr());
        let step = if block.is_plain() { std::ptr::null_mut() } else { step };
        let (library, values) = (&self.file.library, values.as_ptr().cast_mut().cast());
        // SAFETY: as above; the library does not write to what it is given, though it does not say so.
        unsafe { call!(library.SDwritedata(self.handle.id, start, step, count, values)) }.map(drop)
    }

    fn close(self: Box<Self>) -> Result<(), EngineError> {
        self.handle.close()?;
        close_last(self.file)
    }
}

/// Bytes of a type in memory. The bits above say in which byte order it is stored.
pub(super) fn bytes_of(element: i32) -> Result<usize, EngineError> {
    const KINDS: i32 = 0x0fff;
    match element & KINDS {
        3 | 4 | 20 | 21 => Ok(1),
        22 | 23 => Ok(2),
        5 | 24 | 25 => Ok(4),
        6 | 26 | 27 => Ok(8),
        _ => unsupported(format!("HDF4's type {element} is not known here")),
    }
}
