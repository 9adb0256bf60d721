//! Lines to paste: a storage in the words of the programs that make it.

mod quoting;
mod repack;
mod storage;

pub use quoting::{python_string, python_tuple, shell_word};
pub use storage::StorageLines;
