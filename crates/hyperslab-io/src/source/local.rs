//! A file of the local file system, read by positioned reads. There is no shared cursor, no lock and no memory mapping:
//! a file that is truncated while it is open causes an error instead of a signal.

use super::{Advice, Source};
use crate::{Changed, Version};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// An open local file.
#[derive(Debug)]
pub struct LocalFile {
    file: File,
    version: Version,
    /// The first bytes, as the first read at the start of the file found them: it costs no request of its own.
    beginning: OnceLock<Box<[u8]>>,
    /// The last time of modification at which the file was still the same.
    seen: Mutex<Option<SystemTime>>,
    path: PathBuf,
}

impl LocalFile {
    /// Opens `path` for reading.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        // To open a pipe would wait for a writer.
        #[cfg(unix)]
        if std::os::unix::fs::FileTypeExt::is_fifo(&path.metadata()?.file_type()) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "is a pipe, which cannot be read at any offset",
            ));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
        }
        let version = version(&metadata);
        let seen = Mutex::new(version.modified);
        Ok(Self { beginning: OnceLock::new(), seen, version, file, path: path.to_path_buf() })
    }

    /// True if the file begins with the bytes that were read from it first.
    fn begins_as_before(&self) -> bool {
        let Some(before) = self.beginning.get().filter(|before| !before.is_empty()) else { return false };
        let mut now = vec![0; before.len()];
        read_exact_at(&self.file, 0, &mut now).is_ok() && now[..] == before[..]
    }

    /// The error of a read; if the file was truncated, that it changed.
    fn explained(&self, error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.check_unchanged().err().unwrap_or(error),
            _ => error,
        }
    }
}

/// The first bytes by which a file is recognized.
const BEGINNING_BYTES: usize = 1024;

fn version(metadata: &Metadata) -> Version {
    Version { len: metadata.len(), modified: metadata.modified().ok(), tag: None }
}

impl Source for LocalFile {
    fn len(&self) -> u64 {
        self.version.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        read_exact_at(&self.file, at, out).map_err(|error| self.explained(error))?;
        if at == 0 {
            self.beginning.get_or_init(|| out[..out.len().min(BEGINNING_BYTES)].into());
        }
        Ok(())
    }

    #[cfg(unix)]
    fn read_unwritten<'o>(
        &self,
        at: u64,
        out: &'o mut [std::mem::MaybeUninit<u8>],
    ) -> io::Result<&'o mut [u8]> {
        let mut done = 0;
        while done < out.len() {
            match rustix::io::pread(&self.file, &mut out[done..], at + done as u64) {
                Ok(([], _)) => return Err(self.explained(io::ErrorKind::UnexpectedEof.into())),
                Ok((read, _)) => done += read.len(),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // SAFETY: as many bytes were read.
        Ok(unsafe { super::written(out) })
    }

    /// A file of the same length with the same first bytes is taken as unchanged: `touch` changes its time alone, and so do
    /// copies onto the same file.
    fn check_unchanged(&self) -> io::Result<()> {
        let found = version(&self.file.metadata()?);
        if found.len == self.version.len {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if found.modified == *seen {
                return Ok(());
            }
            if self.begins_as_before() {
                *seen = found.modified;
                return Ok(());
            }
        }
        Err(Changed { name: self.name(), opened: self.version.clone(), found: found.to_string() }.into())
    }

    #[cfg(unix)]
    fn lock_shared(&self) -> io::Result<()> {
        Ok(rustix::fs::flock(&self.file, rustix::fs::FlockOperation::NonBlockingLockShared)?)
    }

    #[cfg(unix)]
    fn unlock(&self) {
        let _ = rustix::fs::flock(&self.file, rustix::fs::FlockOperation::Unlock);
    }

    fn version(&self) -> Option<Version> {
        Some(self.version.clone())
    }

    fn advice(&self) -> Advice {
        Advice::LOCAL
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, at: u64, out: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, at)
}

/// `seek_read` also moves the file's cursor, which is not used.
#[cfg(windows)]
fn read_exact_at(file: &File, mut at: u64, mut out: &mut [u8]) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !out.is_empty() {
        match file.seek_read(out, at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                out = &mut out[read..];
                at += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::mem::MaybeUninit;
    use std::time::{Duration, SystemTime};

    fn ten_bytes() -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0123456789").unwrap();
        file
    }

    #[test]
    fn reads_exactly_the_requested_bytes_or_fails() {
        let file = ten_bytes();
        let source = LocalFile::open(file.path()).unwrap();
        let mut three = [0; 3];
        source.read_into(4, &mut three).unwrap();
        assert_eq!((source.len(), &three), (10, b"456"));
        assert_eq!(source.read_into(8, &mut three).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(LocalFile::open(file.path().parent().unwrap()).is_err());
    }

    #[test]
    fn reads_into_memory_that_was_never_written() {
        let file = ten_bytes();
        let local = LocalFile::open(file.path()).unwrap();
        let memory = crate::Memory::new("ten", b"0123456789".to_vec());
        for source in [&local as &dyn Source, &memory] {
            let mut three = [MaybeUninit::uninit(); 3];
            assert_eq!(source.read_unwritten(4, &mut three).unwrap(), b"456");
            assert_eq!(source.read_unwritten(10, &mut []).unwrap(), b"");
            let error = source.read_unwritten(8, &mut three).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
        file.as_file().set_len(5).unwrap();
        let error = local.read_unwritten(4, &mut [MaybeUninit::uninit(); 3]).unwrap_err();
        assert!(error.get_ref().is_some_and(|error| error.is::<Changed>()), "{error}");
    }

    #[test]
    fn a_file_that_changes_is_an_error() {
        let rewrite = |file: &mut std::fs::File| {
            std::os::unix::fs::FileExt::write_all_at(file, b"x", 3).unwrap();
            file.set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
        };
        let changes: [fn(&mut std::fs::File); 3] =
            [|file| file.write_all(b"ten more.").unwrap(), |file| file.set_len(5).unwrap(), rewrite];
        for change in changes {
            let mut file = ten_bytes();
            let source = LocalFile::open(file.path()).unwrap();
            source.read_into(0, &mut [0; 8]).unwrap();
            source.check_unchanged().unwrap();
            change(file.as_file_mut());
            let error = source.check_unchanged().unwrap_err();
            assert!(error.get_ref().unwrap().is::<Changed>(), "{error}");
            assert!(error.to_string().contains("changed after it was opened (10 bytes modified "), "{error}");
        }
    }

    #[test]
    fn another_time_is_no_change() {
        let file = ten_bytes();
        let source = LocalFile::open(file.path()).unwrap();
        source.read_into(0, &mut [0; 8]).unwrap();
        for second in 1..4 {
            let time = SystemTime::now() + Duration::from_secs(second);
            file.as_file().set_modified(time).unwrap();
            source.check_unchanged().unwrap();
            source.check_unchanged().unwrap();
        }
    }

    #[test]
    fn a_read_beyond_the_end_of_a_truncated_file_reports_the_change() {
        let file = ten_bytes();
        let source = LocalFile::open(file.path()).unwrap();
        file.as_file().set_len(5).unwrap();
        let error = source.read_into(4, &mut [0; 3]).unwrap_err();
        assert!(error.get_ref().is_some_and(|error| error.is::<Changed>()), "{error}");
    }
}
