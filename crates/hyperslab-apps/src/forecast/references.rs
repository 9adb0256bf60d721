//! The size of the references to all chunks that kerchunk would make.

use hyperslab::File;
use hyperslab_index::{BuildOptions, FillMeaning, Index, write_kerchunk};
use std::io::{self, Write};

/// Bytes of the references that kerchunk would have for the file.
pub(super) fn index_bytes(file: &File) -> Option<u64> {
    let options = BuildOptions { fill: FillMeaning::Mask, concat: None };
    let index = Index::build(file, "s3://bucket/key", &options).ok()?;
    let mut counted = Counted(0);
    write_kerchunk(&index, "", &mut counted).ok()?;
    Some(counted.0)
}

/// Counts what is written.
struct Counted(u64);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
