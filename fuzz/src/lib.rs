//! What the fuzz targets run: any bytes, and what must hold of them. A target in `fuzz_targets` is one line.

pub mod check;
pub mod file;
pub mod filter;
pub mod repack;
pub mod selection;
