//! A file without a name, which is gone when the process is; positioned reads and writes, from any thread.

use hyperslab_encode::RepackError;
use std::fs::File;
use std::io;
use std::path::Path;

pub(super) struct TemporaryFile {
    file: File,
    /// For messages.
    folder: String,
}

impl TemporaryFile {
    pub fn create(folder: &Path) -> Result<Self, RepackError> {
        let name = folder.display().to_string();
        match tempfile::tempfile_in(folder) {
            Ok(file) => Ok(Self { file, folder: name }),
            Err(error) => Err(RepackError::Temporary { folder: name, error }),
        }
    }

    pub fn write_at(&self, at: u64, bytes: &[u8]) -> Result<(), RepackError> {
        write_all_at(&self.file, at, bytes).map_err(|error| self.failed(error))
    }

    pub fn read_at(&self, at: u64, bytes: &mut [u8]) -> Result<(), RepackError> {
        read_exact_at(&self.file, at, bytes).map_err(|error| self.failed(error))
    }

    fn failed(&self, error: io::Error) -> RepackError {
        RepackError::Temporary { folder: self.folder.clone(), error }
    }
}

#[cfg(unix)]
fn write_all_at(file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_exact_at(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut at: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        (at, bytes) = (at + written as u64, &bytes[written..]);
    }
    Ok(())
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut at: u64, mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (at, bytes) = (at + read as u64, &mut bytes[read..]);
    }
    Ok(())
}
