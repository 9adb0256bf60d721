//! h5py's filter LZF in a libhdf5 that lacks it.
//!
//! h5py compiles the filter into one of its Python modules, which no other program can load; its libhdf5 alone does not
//! have it. Here hyperslab's codec of the same format is registered instead, so that files with LZF are measured behind the
//! user's libhdf5, too. Its speed is that of this codec.

use super::filter_class::{CLASS_VERSION, Class, DECODING};
use hyperslab_filters::{FilterSpec, Pipeline, Scratch};
use hyperslab_storage::filter::number::LZF;
use std::cell::RefCell;
use std::ffi::{c_int, c_uint, c_void};

/// The versions of h5py's filter and of LibLZF that are written into its parameters, before the bytes of a chunk.
const VERSIONS: [u32; 2] = [4, 0x0105];

/// The class to register: it must be registered before a file with the filter is opened.
pub(super) fn class() -> Class {
    Class {
        version: CLASS_VERSION,
        id: c_int::from(LZF),
        encoder_present: 1,
        decoder_present: 1,
        name: c"lzf".as_ptr(),
        can_apply: std::ptr::null(),
        set_local: std::ptr::null(),
        filter,
    }
}

/// The parameters that h5py writes for chunks of this size.
pub(super) fn parameters(chunk_bytes: u64) -> [u32; 3] {
    [VERSIONS[0], VERSIONS[1], u32::try_from(chunk_bytes).unwrap_or(0)]
}

unsafe extern "C" fn filter(
    flags: c_uint,
    count: usize,
    parameters: *const c_uint,
    bytes: usize,
    buffer_bytes: *mut usize,
    buffer: *mut *mut c_void,
) -> usize {
    // SAFETY: libhdf5 hands over the parameters, the bytes in a buffer, and places to put others.
    let (chunk_bytes, input) = unsafe {
        let chunk_bytes = if count > 2 { *parameters.add(2) as usize } else { 0 };
        (chunk_bytes, std::slice::from_raw_parts((*buffer).cast::<u8>(), bytes))
    };
    let Some(output) = coded(flags & DECODING != 0, chunk_bytes, input) else { return 0 };
    // SAFETY: filters of libhdf5 take buffers of the C library, and leave one in their place.
    unsafe {
        let new = libc::malloc(output.len().max(1));
        if new.is_null() {
            return 0;
        }
        std::ptr::copy_nonoverlapping(output.as_ptr(), new.cast(), output.len());
        libc::free(*buffer);
        *buffer = new;
        *buffer_bytes = output.len();
    }
    output.len()
}

/// The bytes after the filter; none where they would not be fewer, or are not its codes.
fn coded(decodes: bool, chunk_bytes: usize, input: &[u8]) -> Option<Vec<u8>> {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::default();
    }
    let spec = FilterSpec { id: LZF, optional: false, parameters: &[] };
    let pipeline = Pipeline::new(&[spec], 1, chunk_bytes.max(input.len())).ok()?;
    SCRATCH.with_borrow_mut(|scratch| {
        if decodes {
            let most = pipeline.max_decoded_len(input, 0).ok()?;
            let most = if chunk_bytes > 0 { most.min(chunk_bytes) } else { most };
            return pipeline.decode(input, 0, scratch, most).ok();
        }
        let encoded = pipeline.encode(input, scratch).ok()?;
        (encoded.mask == 0).then(|| encoded.bytes.to_vec())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_and_noise_is_not_encoded() {
        let values: Vec<u8> = (0..10_000u32).map(|n| (n / 100) as u8).collect();
        let codes = coded(false, values.len(), &values).unwrap();
        assert!(codes.len() < values.len() / 10);
        assert_eq!(coded(true, values.len(), &codes).unwrap(), values);
        assert_eq!(coded(true, 0, &codes).unwrap(), values, "without the size of a chunk");
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        let noise: Vec<u8> = (0..1000).map(|_| next()).collect();
        assert_eq!(coded(false, noise.len(), &noise), None);
    }
}
