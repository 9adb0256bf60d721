//! Where a new file goes: positioned writes, from any thread, to a local file or to memory. The counterpart of
//! [`Source`](crate::Source).

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A new file. Bytes that were never written read as zeros.
pub trait Sink: Send + Sync {
    /// Writes all of `bytes` from the offset `at` on.
    ///
    /// # Errors
    ///
    /// Those of the file system. What of the bytes was written then is not known.
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes the file this long.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Returns when all bytes have reached the storage device.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    fn sync(&self) -> io::Result<()>;

    /// The name for messages.
    fn name(&self) -> String;
}

/// A new local file.
#[derive(Debug)]
pub struct LocalSink {
    file: File,
    path: PathBuf,
}

impl LocalSink {
    /// Creates the file.
    ///
    /// # Errors
    ///
    /// That it exists already, and those of the file system.
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Self::from_file(file, path))
    }

    /// A file that is open for writing, and its name for messages.
    pub fn from_file(file: File, path: impl AsRef<Path>) -> Self {
        Self { file, path: path.as_ref().to_path_buf() }
    }
}

impl Sink for LocalSink {
    #[cfg(unix)]
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, at)
    }

    #[cfg(windows)]
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let (mut at, mut left) = (at, bytes);
        while !left.is_empty() {
            match std::os::windows::fs::FileExt::seek_write(&self.file, left, at) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    at += written as u64;
                    left = &left[written..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// A new file in memory.
#[derive(Debug, Default)]
pub struct MemorySink {
    bytes: Mutex<Vec<u8>>,
}

impl MemorySink {
    /// All bytes written so far.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for MemorySink {
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let start = usize::try_from(at).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let end = start.checked_add(bytes.len()).ok_or(io::ErrorKind::OutOfMemory)?;
        let mut file = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        if file.len() < end {
            let more = end - file.len();
            file.try_reserve(more)?;
            file.resize(end, 0);
        }
        file[start..end].copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner).resize(len, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn name(&self) -> String {
        "new file in memory".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_in_any_order_make_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let (local, memory) = (LocalSink::create_new(&path).unwrap(), MemorySink::default());
        for sink in [&local as &dyn Sink, &memory] {
            sink.write_at(6, b"end").unwrap();
            sink.write_at(1, b"begin").unwrap();
            sink.set_len(10).unwrap();
            sink.sync().unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), b"\0beginend\0");
        assert_eq!(memory.into_bytes(), b"\0beginend\0");
        let error = LocalSink::create_new(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }
}
