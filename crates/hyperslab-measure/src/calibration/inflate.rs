//! How long the zlib of this machine takes to inflate, beside libdeflate.
//!
//! Chunks of a dataset are decoded by libdeflate to learn their speed. libhdf5 has zlib, which on most systems is the
//! system's own.

use crate::data::Synthetic;
use crate::thread_seconds;
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use libloading::{Library, Symbol};
use std::ffi::{c_int, c_uchar, c_ulong};
use std::hint::black_box;

/// Where the loader finds zlib.
const NAMES: [&str; 3] = ["libz.so.1", "libz.so", "libz.1.dylib"];
/// Blocks that are inflated: distinct ones, because a processor learns the few that it sees again and again.
const BLOCKS: u32 = 8;
const BLOCK_BYTES: usize = 64 << 10;
/// The level of most files.
const LEVEL: i32 = 4;
/// Random bits of a value: gzip makes them about half as large.
const NOISE_BITS: f64 = 5.0;
/// Passes, of which the fastest counts.
const PASSES: usize = 4;

/// `uncompress` of zlib.
type Uncompress = unsafe extern "C" fn(*mut c_uchar, *mut c_ulong, *const c_uchar, c_ulong) -> c_int;

/// How many times as long zlib takes. `None` where there is no zlib.
pub(super) fn zlib_to_libdeflate() -> Option<f64> {
    // SAFETY: zlib runs no code when it is loaded.
    let library = NAMES.iter().find_map(|name| unsafe { Library::new(name) }.ok())?;
    // SAFETY: the function has had this type in every release.
    let uncompress: Symbol<'_, Uncompress> = unsafe { library.get(b"uncompress\0") }.ok()?;
    let by_zlib = |encoded: &[u8], block: &mut [u8]| {
        let mut bytes = block.len() as c_ulong;
        // SAFETY: `bytes` is the length of the block to be written, and no more is written.
        let status = unsafe {
            uncompress(block.as_mut_ptr(), &raw mut bytes, encoded.as_ptr(), encoded.len() as c_ulong)
        };
        (status == 0 && bytes == block.len() as c_ulong).then_some(())
    };
    let mut decompressor = Decompressor::new();
    let by_libdeflate = |encoded: &[u8], block: &mut [u8]| {
        decompressor.zlib_decompress(encoded, block).is_ok_and(|bytes| bytes == block.len()).then_some(())
    };
    let blocks: Vec<Vec<u8>> = (0..BLOCKS).map(encoded).collect::<Option<_>>()?;
    Some(least_seconds(&blocks, by_zlib)? / least_seconds(&blocks, by_libdeflate)?)
}

/// Seconds of the fastest pass over all blocks.
fn least_seconds(blocks: &[Vec<u8>], mut inflate: impl FnMut(&[u8], &mut [u8]) -> Option<()>) -> Option<f64> {
    let mut block = vec![1u8; BLOCK_BYTES];
    let mut least = f64::INFINITY;
    for _ in 0..PASSES {
        let began = thread_seconds();
        for encoded in blocks {
            inflate(encoded, &mut block)?;
            black_box(&mut block);
        }
        least = least.min(thread_seconds() - began);
    }
    (least > 0.0).then_some(least)
}

/// A block of made-up values of two bytes, compressed.
fn encoded(number: u32) -> Option<Vec<u8>> {
    let (shape, element) = (vec![BLOCK_BYTES as u64 / 2], "<i2".parse().ok()?);
    let values = Synthetic { shape, element, noise_bits: NOISE_BITS, seed: number.into() };
    let mut block = vec![0; BLOCK_BYTES];
    values.fill_from(0, &mut block);
    let mut compressor = Compressor::new(CompressionLvl::new(LEVEL).ok()?);
    let mut encoded = vec![0; compressor.zlib_compress_bound(block.len())];
    let bytes = compressor.zlib_compress(&block, &mut encoded).ok()?;
    encoded.truncate(bytes);
    Some(encoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_compressed_and_inflated_again() {
        let block = encoded(3).unwrap();
        assert!((BLOCK_BYTES / 5..BLOCK_BYTES).contains(&block.len()), "{}", block.len());
        let mut values = vec![0; BLOCK_BYTES];
        assert_eq!(Decompressor::new().zlib_decompress(&block, &mut values).unwrap(), BLOCK_BYTES);
        if cfg!(target_os = "linux") {
            assert!(zlib_to_libdeflate().is_some_and(|ratio| ratio > 0.0), "Python needs zlib: it is here");
        }
    }
}
