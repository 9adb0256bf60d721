//! Where the chunks of a dataset lie in its file.

use super::dataset::Dataset;
use crate::error::EngineError;
use crate::library::call::{call, open};
use hyperslab_storage::pattern::Sweep;
use std::ffi::{c_int, c_uint, c_void};

/// `H5D_CHUNKED`
const CHUNKED: c_int = 2;
const UNDEFINED: u64 = u64::MAX;

/// The chunks that were found: all their first elements one after the other, and address and stored bytes of each.
struct Found {
    rank: usize,
    offsets: Vec<u64>,
    places: Vec<[u64; 2]>,
}

impl Found {
    fn none(rank: usize) -> Self {
        Self { rank, offsets: Vec::new(), places: Vec::new() }
    }

    fn add(&mut self, offset: &[u64], address: u64, bytes: u64) {
        self.offsets.extend_from_slice(offset);
        self.places.push([address, bytes]);
    }

    /// The places, in the order of the chunks' first elements.
    fn in_order(&self) -> impl Iterator<Item = [u64; 2]> + '_ {
        let offset = |number: usize| &self.offsets[number * self.rank..][..self.rank];
        let mut numbers: Vec<usize> = (0..self.places.len()).collect();
        numbers.sort_by(|one, other| offset(*one).cmp(offset(*other)));
        numbers.into_iter().map(|number| self.places[number])
    }
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
        found.add(std::slice::from_raw_parts(offset, found.rank), address, bytes);
    }
    0
}

impl Dataset {
    /// Address and stored bytes of every chunk that there is, in the order of their elements, as numbers of 64 bits,
    /// little-endian; nothing where there are no chunks.
    pub(super) fn chunk_places<'a>(&self, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], EngineError> {
        buffer.clear();
        let shape = self.shape.as_deref().unwrap_or_default();
        let Some(chunk) = self.chunk_shape(shape.len())? else { return Ok(buffer) };
        let api = &self.handle.library;
        let mut found = Found::none(shape.len());
        // Before 1.14 the callback had other types.
        if api.functions.H5Dchunk_iter.is_some() && api.version >= (1, 14, 0) {
            let to = std::ptr::from_mut(&mut found).cast();
            // SAFETY: an open dataset, a callback of the type that is wanted, and what it needs.
            unsafe { call!(api?.H5Dchunk_iter(self.handle.id, 0, each_chunk, to)) }?;
        } else {
            self.look_up(shape, chunk, &mut found)?;
        }
        buffer.extend(found.in_order().flatten().flat_map(u64::to_le_bytes));
        Ok(buffer)
    }

    fn look_up(&self, shape: &[u64], chunk: Vec<u64>, found: &mut Found) -> Result<(), EngineError> {
        let (api, id) = (&self.handle.library, self.handle.id);
        for (start, _) in Sweep::row_major(shape, &chunk).blocks() {
            let (mut mask, mut address, mut bytes) = (0, UNDEFINED, 0);
            let offset = start.as_ptr();
            // SAFETY: an open dataset, an offset for each dimension, and places for the answers.
            unsafe {
                call!(api?.H5Dget_chunk_info_by_coord(id, offset, &mut mask, &mut address, &mut bytes))
            }?;
            if address != UNDEFINED {
                found.add(&start, address, bytes);
            }
        }
        Ok(())
    }

    fn chunk_shape(&self, rank: usize) -> Result<Option<Vec<u64>>, EngineError> {
        let api = &self.handle.library;
        // SAFETY: an open dataset; then an open list, and room for so many dimensions.
        unsafe {
            let list = open!(api.H5Dget_create_plist(self.handle.id), H5Pclose)?;
            if call!(api.H5Pget_layout(list.id))? != CHUNKED {
                return Ok(None);
            }
            let mut chunk = vec![0; rank];
            call!(api.H5Pget_chunk(list.id, rank as c_int, chunk.as_mut_ptr()))?;
            Ok(Some(chunk))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_in_the_order_of_their_chunks() {
        let mut found = Found::none(2);
        for (number, offset) in [[4, 0], [0, 9], [0, 3]].iter().enumerate() {
            found.add(offset, number as u64, 8);
        }
        assert_eq!(found.in_order().collect::<Vec<_>>(), [[2, 8], [1, 8], [0, 8]]);
        assert_eq!(Found::none(0).in_order().count(), 0);
    }
}
