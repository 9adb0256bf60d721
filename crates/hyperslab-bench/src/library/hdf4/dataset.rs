//! Files of scientific datasets (SD), and blocks of one.

use super::{
    CLOSED, CREATE, ChunkDefinition, Hdf4, NAME_BYTES, RANK_MAX, READ, attribute, narrow, number_of,
};
use crate::buffer::reserve;
use crate::library::{LibraryError, c_name, c_path, check_buffer};
use crate::study::{Attribute, Block, FillTime, FilterSpec, Storage};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

/// An open file of scientific datasets, closed when it goes.
pub struct Hdf4File {
    library: Hdf4,
    id: i32,
}

/// An open dataset.
pub struct Hdf4Dataset {
    // Closed in this order.
    id: i32,
    file: std::rc::Rc<Hdf4File>,
    /// Its name.
    pub name: String,
    /// Its extent.
    pub shape: Vec<u64>,
    element_bytes: usize,
    attributes: i32,
}

impl Hdf4 {
    /// Opens a file of scientific datasets for reading.
    pub fn open(&self, path: &Path) -> Result<Hdf4File, LibraryError> {
        self.start(path, READ)
    }

    /// Makes a file for scientific datasets.
    pub fn create(&self, path: &Path) -> Result<Hdf4File, LibraryError> {
        self.start(path, CREATE)
    }

    fn start(&self, path: &Path, access: c_int) -> Result<Hdf4File, LibraryError> {
        let name = c_path(path)?;
        // SAFETY: a string.
        let id = self.check("SDstart", unsafe { (self.datasets.SDstart)(name.as_ptr(), access) })?;
        Ok(Hdf4File { library: self.clone(), id })
    }
}

impl Hdf4File {
    /// How many datasets there are.
    pub fn datasets(&self) -> Result<i32, LibraryError> {
        let (mut datasets, mut attributes) = (0, 0);
        // SAFETY: an open file, and places for two numbers.
        self.library.check("SDfileinfo", unsafe {
            (self.library.datasets.SDfileinfo)(self.id, &mut datasets, &mut attributes)
        })?;
        Ok(datasets)
    }

    /// The number of the dataset of this name, if there is one.
    pub fn find(&self, name: &str) -> Result<Option<i32>, LibraryError> {
        let name = c_name(name.trim_start_matches('/'))?;
        // SAFETY: an open file, and a string.
        let found = unsafe { (self.library.datasets.SDnametoindex)(self.id, name.as_ptr()) };
        Ok((found >= 0).then_some(found))
    }

    /// Closes it; what was written reaches the file at the latest now.
    pub fn close(mut self) -> Result<(), LibraryError> {
        self.end()
    }

    /// Closes it, once.
    fn end(&mut self) -> Result<(), LibraryError> {
        match std::mem::replace(&mut self.id, CLOSED) {
            CLOSED => Ok(()),
            // SAFETY: an open file.
            id => self.library.check("SDend", unsafe { (self.library.datasets.SDend)(id) }).map(drop),
        }
    }
}

impl Drop for Hdf4File {
    fn drop(&mut self) {
        // A drop cannot report a failure.
        let _ = self.end();
    }
}

impl Hdf4Dataset {
    /// Opens the dataset with this number.
    pub fn open(file: &std::rc::Rc<Hdf4File>, number: i32) -> Result<Self, LibraryError> {
        let (library, f) = (&file.library, &file.library.datasets);
        // SAFETY: an open file.
        let id = library.check("SDselect", unsafe { (f.SDselect)(file.id, number) })?;
        let mut dataset = Self {
            id,
            file: file.clone(),
            name: String::new(),
            shape: Vec::new(),
            element_bytes: 0,
            attributes: 0,
        };
        let (mut name_bytes, mut rank, mut dims, mut element) = (0, 0, [0; RANK_MAX], 0);
        // SAFETY: an open dataset; places for numbers, room for a name of the length that was told and the end of a string,
        // and for as many dimensions as there can be.
        unsafe {
            library.check("SDgetnamelen", (f.SDgetnamelen)(id, &mut name_bytes))?;
            let mut name = vec![0 as c_char; usize::from(name_bytes) + 1];
            let (to, dims) = (name.as_mut_ptr(), dims.as_mut_ptr());
            let answered = (f.SDgetinfo)(id, to, &mut rank, dims, &mut element, &mut dataset.attributes);
            library.check("SDgetinfo", answered)?;
            dataset.name = CStr::from_ptr(to).to_string_lossy().into_owned();
        }
        dataset.element_bytes = bytes_of(element)?;
        dataset.shape = dims.iter().take(rank.max(0) as usize).map(|dim| (*dim).max(0) as u64).collect();
        Ok(dataset)
    }

    /// Creates a dataset.
    pub fn create(file: &std::rc::Rc<Hdf4File>, name: &str, storage: &Storage) -> Result<Self, LibraryError> {
        let (library, f) = (&file.library, &file.library.datasets);
        let element = number_of(storage.element)?;
        let name = name.trim_start_matches('/');
        let text = c_name(name)?;
        let mut dims = storage.shape.iter().map(|dim| narrow(*dim)).collect::<Result<Vec<_>, _>>()?;
        if !(1..=RANK_MAX).contains(&dims.len()) {
            return Err(LibraryError::Unsupported(format!("HDF4 has 1 to {RANK_MAX} dimensions")));
        }
        if storage.unlimited {
            dims[0] = 0;
        }
        // SAFETY: an open file, a string, and so many dimensions.
        let id = library.check("SDcreate", unsafe {
            (f.SDcreate)(file.id, text.as_ptr(), element, dims.len() as i32, dims.as_mut_ptr())
        })?;
        let dataset = Self {
            id,
            file: file.clone(),
            name: name.to_owned(),
            shape: storage.shape.clone(),
            element_bytes: storage.element.bytes as usize,
            attributes: 0,
        };
        dataset.fill(storage)?;
        dataset.chunks(storage)?;
        Ok(dataset)
    }

    fn fill(&self, storage: &Storage) -> Result<(), LibraryError> {
        const NO_FILL: c_int = 0x100;
        let (library, f) = (&self.file.library, &self.file.library.datasets);
        // SAFETY: an open file and dataset, and a value of its type.
        unsafe {
            if storage.fill_time == FillTime::Never {
                library.check("SDsetfillmode", (f.SDsetfillmode)(self.file.id, NO_FILL))?;
            }
            if let Some(value) = storage.fill_value {
                let mut value = storage.element.bytes_of(value);
                library.check("SDsetfillvalue", (f.SDsetfillvalue)(self.id, value.as_mut_ptr().cast()))?;
            }
        }
        Ok(())
    }

    fn chunks(&self, storage: &Storage) -> Result<(), LibraryError> {
        const CHUNKED: i32 = 1;
        const COMPRESSED: i32 = 3;
        const DEFLATE: i32 = 4;
        let Some(chunks) = &storage.chunks else { return Ok(()) };
        let mut definition =
            ChunkDefinition { lengths: [0; RANK_MAX], coder: 0, model: 0, parameters: [0; 10] };
        for (length, chunk) in definition.lengths.iter_mut().zip(chunks) {
            *length = narrow(*chunk)?;
        }
        let flags = match storage.filters.as_slice() {
            [] => CHUNKED,
            [FilterSpec::Gzip(level)] => {
                definition.coder = DEFLATE;
                definition.parameters[0] = *level as i32;
                COMPRESSED
            }
            _ => {
                return Err(LibraryError::Unsupported(
                    "chunks of HDF4 are compressed by gzip alone here".to_owned(),
                ));
            }
        };
        let library = &self.file.library;
        // SAFETY: an open dataset that has no values yet, and a definition of the library's own layout.
        library.check("SDsetchunk", unsafe { (library.datasets.SDsetchunk)(self.id, definition, flags) })?;
        Ok(())
    }

    /// Bytes of one element in memory.
    pub fn element_bytes(&self) -> usize {
        self.element_bytes
    }

    /// True for one that only labels a dimension.
    pub fn is_coordinate(&self) -> bool {
        // SAFETY: an open dataset.
        unsafe { (self.file.library.datasets.SDiscoordvar)(self.id) == 1 }
    }

    /// Reads a block into `out`, which has room for its elements.
    pub fn read(&mut self, block: &Block, out: &mut [u8]) -> Result<(), LibraryError> {
        let [mut start, mut step, mut count] = self.prepare(block, out)?;
        let step = if block.is_plain() { std::ptr::null_mut() } else { step.as_mut_ptr() };
        let library = &self.file.library;
        // SAFETY: arrays of the rank; `prepare` checked that the buffer has room for the elements.
        library.check("SDreaddata", unsafe {
            let to: *mut c_void = out.as_mut_ptr().cast();
            (library.datasets.SDreaddata)(self.id, start.as_mut_ptr(), step, count.as_mut_ptr(), to)
        })?;
        Ok(())
    }

    /// Writes a block from `values`.
    pub fn write(&mut self, block: &Block, values: &[u8]) -> Result<(), LibraryError> {
        let [mut start, mut step, mut count] = self.prepare(block, values)?;
        let step = if block.is_plain() { std::ptr::null_mut() } else { step.as_mut_ptr() };
        let library = &self.file.library;
        // SAFETY: as above; the library does not write to what it is given, though it does not say so.
        library.check("SDwritedata", unsafe {
            let from: *mut c_void = values.as_ptr().cast_mut().cast();
            (library.datasets.SDwritedata)(self.id, start.as_mut_ptr(), step, count.as_mut_ptr(), from)
        })?;
        Ok(())
    }

    fn prepare(&self, block: &Block, buffer: &[u8]) -> Result<[[i32; RANK_MAX]; 3], LibraryError> {
        check_buffer(block, self.element_bytes, buffer)?;
        block.check(&self.shape).map_err(LibraryError::Unsupported)?;
        let mut arrays = [[0; RANK_MAX]; 3];
        for (array, numbers) in arrays.iter_mut().zip([&block.start, &block.step, &block.count]) {
            for (place, number) in array.iter_mut().zip(numbers) {
                *place = narrow(*number)?;
            }
        }
        Ok(arrays)
    }

    /// Adds attributes.
    pub fn write_attributes(&self, attributes: &[(String, Attribute)]) -> Result<(), LibraryError> {
        let library = &self.file.library;
        for (name, value) in attributes {
            let name = c_name(name)?;
            let (element, bytes, count) = attribute(value);
            // SAFETY: an open dataset, a string, and so many values of that type.
            library.check("SDsetattr", unsafe {
                let value = bytes.as_ptr().cast();
                (library.datasets.SDsetattr)(self.id, name.as_ptr(), element, count as i32, value)
            })?;
        }
        Ok(())
    }

    /// Tells of every attribute: its name, and its value in the machine's byte order.
    pub fn each_attribute(&self, each: &mut dyn FnMut(&str, &[u8])) -> Result<(), LibraryError> {
        let (library, f) = (&self.file.library, &self.file.library.datasets);
        let mut buffer = Vec::new();
        for number in 0..self.attributes {
            let mut name = [0 as c_char; NAME_BYTES];
            let (mut element, mut count) = (0, 0);
            // SAFETY: an open dataset, room for a name, and then for so many values of the type that was told.
            unsafe {
                let answered = (f.SDattrinfo)(self.id, number, name.as_mut_ptr(), &mut element, &mut count);
                library.check("SDattrinfo", answered)?;
                let value = reserve(&mut buffer, bytes_of(element)? as u64 * count.max(0) as u64)?;
                library.check("SDreadattr", (f.SDreadattr)(self.id, number, value.as_mut_ptr().cast()))?;
                each(&CStr::from_ptr(name.as_ptr()).to_string_lossy(), value);
            }
        }
        Ok(())
    }

    /// Closes it.
    pub fn close(mut self) -> Result<(), LibraryError> {
        self.end()
    }

    /// Closes it, once.
    fn end(&mut self) -> Result<(), LibraryError> {
        let library = &self.file.library;
        match std::mem::replace(&mut self.id, CLOSED) {
            CLOSED => Ok(()),
            // SAFETY: an open dataset.
            id => library.check("SDendaccess", unsafe { (library.datasets.SDendaccess)(id) }).map(drop),
        }
    }
}

impl Drop for Hdf4Dataset {
    fn drop(&mut self) {
        // A drop cannot report a failure.
        let _ = self.end();
    }
}

/// Bytes of a type in memory. The bits above say in which byte order it is stored.
fn bytes_of(element: i32) -> Result<usize, LibraryError> {
    const KINDS: i32 = 0x0fff;
    match element & KINDS {
        3 | 4 | 20 | 21 => Ok(1),
        22 | 23 => Ok(2),
        5 | 24 | 25 => Ok(4),
        6 | 26 | 27 => Ok(8),
        _ => Err(LibraryError::Unsupported(format!("HDF4's type {element} is not known here"))),
    }
}
