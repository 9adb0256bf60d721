//! A file of the local file system, read by positioned reads (no shared cursor, no lock, no mapping: a file that
//! shrinks while it is open gives an error instead of a signal).

use super::{Advice, Source};
use crate::{Changed, Version};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// An open local file.
#[derive(Debug)]
pub struct LocalFile {
    file: File,
    version: Version,
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
        Ok(Self { file, version: version(&metadata), path: path.to_path_buf() })
    }
}

fn version(metadata: &Metadata) -> Version {
    Version { len: metadata.len(), modified: metadata.modified().ok(), tag: None }
}

impl Source for LocalFile {
    fn len(&self) -> u64 {
        self.version.len
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        read_exact_at(&self.file, at, out).map_err(|error| match error.kind() {
            // Where the file got shorter, that is the reason to tell.
            io::ErrorKind::UnexpectedEof => self.check_unchanged().err().unwrap_or(error),
            _ => error,
        })
    }

    fn check_unchanged(&self) -> io::Result<()> {
        let found = version(&self.file.metadata()?);
        if found == self.version {
            return Ok(());
        }
        Err(Changed { name: self.name(), opened: self.version.clone(), found: found.to_string() }.into())
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

/// `seek_read` also moves the file's cursor, which nothing here looks at.
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
    use std::time::{Duration, SystemTime};

    fn ten_bytes() -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0123456789").unwrap();
        file
    }

    #[test]
    fn reads_exactly_what_was_asked_or_fails() {
        let file = ten_bytes();
        let source = LocalFile::open(file.path()).unwrap();
        let mut three = [0; 3];
        source.read_into(4, &mut three).unwrap();
        assert_eq!((source.len(), &three), (10, b"456"));
        assert_eq!(source.read_into(8, &mut three).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(LocalFile::open(file.path().parent().unwrap()).is_err());
    }

    #[test]
    fn a_file_that_changes_is_not_the_one_that_was_opened() {
        let changes: [fn(&mut std::fs::File); 3] = [
            |file| file.write_all(b"ten more.").unwrap(),
            |file| file.set_len(5).unwrap(),
            |file| file.set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap(),
        ];
        for change in changes {
            let mut file = ten_bytes();
            let source = LocalFile::open(file.path()).unwrap();
            source.check_unchanged().unwrap();
            change(file.as_file_mut());
            let error = source.check_unchanged().unwrap_err();
            assert!(error.get_ref().unwrap().is::<Changed>(), "{error}");
            assert!(error.to_string().contains("changed after it was opened (10 bytes modified "), "{error}");
        }
    }

    #[test]
    fn a_read_beyond_the_end_of_a_file_that_got_shorter_says_so() {
        let file = ten_bytes();
        let source = LocalFile::open(file.path()).unwrap();
        file.as_file().set_len(5).unwrap();
        let error = source.read_into(4, &mut [0; 3]).unwrap_err();
        assert!(error.get_ref().is_some_and(|error| error.is::<Changed>()), "{error}");
    }
}
