//! A file of the local file system, read by positioned reads (no shared cursor, no lock, no mapping: a file that
//! shrinks while it is open gives an error instead of a signal).

use super::{Advice, Source};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// An open local file.
#[derive(Debug)]
pub struct LocalFile {
    file: File,
    len: u64,
    path: PathBuf,
}

impl LocalFile {
    /// Opens `path` for reading.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
        }
        Ok(Self { file, len: metadata.len(), path: path.to_path_buf() })
    }
}

impl Source for LocalFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(out, at)
    }

    fn advice(&self) -> Advice {
        // A positioned read from the page cache costs about a microsecond, as much as copying some 8 KiB.
        Advice { gap_bytes: 8 << 10, request_bytes_max: 1 << 20, block_bytes: 16 << 10 }
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn reads_exactly_what_was_asked_or_fails() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0123456789").unwrap();
        let source = LocalFile::open(file.path()).unwrap();
        let mut three = [0; 3];
        source.read_into(4, &mut three).unwrap();
        assert_eq!((source.len(), &three), (10, b"456"));
        assert_eq!(source.read_into(8, &mut three).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(LocalFile::open(file.path().parent().unwrap()).is_err());
    }
}
