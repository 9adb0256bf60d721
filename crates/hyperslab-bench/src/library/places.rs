//! Where the chunks of a dataset lie in its file.

use super::LibraryError;
use super::handle::{Handle, check};
use super::hdf5::Hdf5Dataset;
use std::ffi::{c_int, c_uint, c_void};

/// `H5D_CHUNKED`
const CHUNKED: c_int = 2;
const UNDEFINED: u64 = u64::MAX;

/// Address and stored bytes of a chunk, after its first element.
type Place = (Vec<u64>, u64, u64);

/// What the callback below needs.
struct Found {
    rank: usize,
    places: Vec<Place>,
}

unsafe extern "C" fn each_chunk(
    offset: *const u64,
    _mask: c_uint,
    address: u64,
    bytes: u64,
    found: *mut c_void,
) -> c_int {
    // SAFETY: libhdf5 hands over an offset for each dimension, and the pointer that it was given.
    unsafe {
        let found = &mut *found.cast::<Found>();
        let offset = std::slice::from_raw_parts(offset, found.rank).to_vec();
        found.places.push((offset, address, bytes));
    }
    0
}

impl Hdf5Dataset {
    /// Address and stored bytes of every chunk that there is, in the order of their elements; none where there are no
    /// chunks.
    pub fn chunk_places(&self) -> Result<Vec<(u64, u64)>, LibraryError> {
        let shape = self.shape()?.unwrap_or_default();
        let Some(chunk) = self.chunk_shape(shape.len())? else { return Ok(Vec::new()) };
        let api = &self.handle.api;
        // Before 1.14 the callback had other types.
        let iterate = api.functions.H5Dchunk_iter.filter(|_| api.version >= (1, 14, 0));
        let mut places = match iterate {
            Some(iterate) => {
                let mut found = Found { rank: shape.len(), places: Vec::new() };
                let to = std::ptr::from_mut(&mut found).cast();
                // SAFETY: an open dataset, a callback of the type that is wanted, and what it needs.
                check(api, "H5Dchunk_iter", unsafe { iterate(self.handle.id, 0, each_chunk, to) })?;
                found.places
            }
            None => self.looked_up(&shape, &chunk)?,
        };
        places.sort();
        Ok(places.into_iter().map(|(_, address, bytes)| (address, bytes)).collect())
    }

    fn looked_up(&self, shape: &[u64], chunk: &[u64]) -> Result<Vec<Place>, LibraryError> {
        const CALL: &str = "H5Dget_chunk_info_by_coord";
        let api = &self.handle.api;
        let info = api.functions.H5Dget_chunk_info_by_coord.ok_or_else(|| {
            LibraryError::Unsupported(format!(
                "libhdf5 {} does not tell where chunks lie",
                api.version_text()
            ))
        })?;
        let mut places = Vec::new();
        for block in crate::study::Access::sweep(chunk.to_vec()).blocks(shape) {
            let (mut mask, mut address, mut bytes) = (0, UNDEFINED, 0);
            // SAFETY: an open dataset, an offset for each dimension, and places for the answers.
            check(api, CALL, unsafe {
                info(self.handle.id, block.start.as_ptr(), &mut mask, &mut address, &mut bytes)
            })?;
            if address != UNDEFINED {
                places.push((block.start, address, bytes));
            }
        }
        Ok(places)
    }

    fn chunk_shape(&self, rank: usize) -> Result<Option<Vec<u64>>, LibraryError> {
        let (api, f) = (&self.handle.api, &self.handle.api.functions);
        // SAFETY: an open dataset; then an open list, and room for so many dimensions.
        unsafe {
            let made = (f.H5Dget_create_plist)(self.handle.id);
            let list = Handle::new(api, "H5Dget_create_plist", made, f.H5Pclose)?;
            if (f.H5Pget_layout)(list.id) != CHUNKED {
                return Ok(None);
            }
            let mut chunk = vec![0; rank];
            check(api, "H5Pget_chunk", (f.H5Pget_chunk)(list.id, rank as c_int, chunk.as_mut_ptr()))?;
            Ok(Some(chunk))
        }
    }
}
