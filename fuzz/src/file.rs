//! Any bytes as a file: from the superblock to every value that it leads to.

use hyperslab::File;
use hyperslab::io::Memory;
use hyperslab_tests::{Outcome, read_everything};
use std::sync::Arc;

/// How often checksums are corrected: one may hide another.
const REPAIRS_MAX: usize = 4;

/// Opens, lists and reads. Checksums would hide what lies behind them, so they are corrected, as an attacker would.
pub fn read(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    for _ in 0..=REPAIRS_MAX {
        let file = File::from_source(Arc::new(Memory::new("fuzzed", bytes.clone())));
        let outcome = match file {
            Ok(file) => read_everything(&file),
            Err(error) => Outcome::of(error),
        };
        if !outcome.repair(&mut bytes) {
            return;
        }
    }
}

/// Any bytes behind the first four of a file of HDF4.
pub fn read_hdf4(bytes: &[u8]) {
    read(&[b"\x0e\x03\x13\x01", bytes].concat());
}

/// Any bytes behind the first four of a file of netCDF classic, 64-bit offset or CDF-5: the first byte says which.
pub fn read_netcdf_classic(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let version = [1, 2, 5][usize::from(*first) % 3];
    read(&[b"CDF", &[version][..], rest].concat());
}
