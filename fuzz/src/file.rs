//! Any bytes as a file: from the superblock to every value that it leads to.

use crate::walk::{Met, read_everything};
use hyperslab::{File, io::Memory};
use std::sync::Arc;

/// Checksums are made right this often: one behind another.
const REPAIRS_MAX: usize = 4;

/// Opens, lists and reads. Checksums would hide what lies behind them, so they are made right, as an attacker would.
pub fn read(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    for _ in 0..=REPAIRS_MAX {
        let file = File::from_source(Arc::new(Memory::new("fuzzed", bytes.clone())));
        let met = match file {
            Ok(file) => read_everything(&file),
            Err(error) => Met::of(error),
        };
        if !met.repair(&mut bytes) {
            return;
        }
    }
}
