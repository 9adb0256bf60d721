//! The first and the last bytes of a local file, by which it is recognized when its time of modification has changed: `touch`
//! changes the time alone, and so do copies onto the same file.

use super::local::read_exact_at;
use std::fs::File;
use std::io;

/// Bytes at each end.
const BYTES: u64 = 1024;

/// The first and the last bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ends {
    first: Box<[u8]>,
    last: Box<[u8]>,
}

impl Ends {
    /// Reads those of a file of `len` bytes.
    ///
    /// # Errors
    /// Those of the file system; the file is shorter.
    pub fn read(file: &File, len: u64) -> io::Result<Self> {
        let count = len.min(BYTES);
        let at = |offset: u64| {
            let mut bytes = vec![0; count as usize];
            read_exact_at(file, offset, &mut bytes).map(|()| bytes.into_boxed_slice())
        };
        Ok(Self { first: at(0)?, last: at(len - count)? })
    }
}
