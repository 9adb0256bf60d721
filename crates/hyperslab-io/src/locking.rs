//! The shared lock that libhdf5 takes on a file that it reads (`flock`), so that a program that writes the file is noticed, and
//! notices its readers.
//!
//! A lock belongs to the open file: it ends when the source is dropped, or when the opener releases it. Locks are advisory, and
//! libhdf5 truncates a file that it creates anew before it tries to lock it.

use crate::{Location, Opener, Source};
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Whether files are locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Locking {
    /// Never.
    Off,
    /// Where the file system has locks.
    #[default]
    BestEffort,
    /// Always: a file system without locks is an error.
    Strict,
}

impl Locking {
    /// What the environment variable `HDF5_USE_FILE_LOCKING` says, which counts more than an option. Other values than those of
    /// libhdf5 say nothing.
    pub fn from_environment() -> Option<Self> {
        match std::env::var("HDF5_USE_FILE_LOCKING").ok()?.as_str() {
            "FALSE" | "0" => Some(Self::Off),
            "TRUE" | "1" => Some(Self::Strict),
            "BEST_EFFORT" => Some(Self::BestEffort),
            _ => None,
        }
    }
}

/// What happens with a file that a writer has locked.
pub type OnWriter = Arc<dyn Fn(&Location, io::Error) -> io::Result<()> + Send + Sync>;

/// Opens files through another opener, and locks the local ones.
pub struct LockedFiles {
    files: Arc<dyn Opener>,
    locking: Locking,
    on_writer: OnWriter,
    held: Mutex<Vec<Weak<dyn Source>>>,
}

impl LockedFiles {
    /// A file that a writer has locked is an error of the kind [`io::ErrorKind::WouldBlock`].
    pub fn new(files: Arc<dyn Opener>, locking: Locking) -> Self {
        Self::with(files, locking, Arc::new(|_, error| Err(error)))
    }

    /// `on_writer` is called for each file that a writer has locked, and decides whether it is read without a lock.
    pub fn with(files: Arc<dyn Opener>, locking: Locking, on_writer: OnWriter) -> Self {
        Self { files, locking, on_writer, held: Mutex::default() }
    }

    /// Releases all locks. The files can still be read.
    pub fn release(&self) {
        let held = std::mem::take(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner));
        held.iter().filter_map(Weak::upgrade).for_each(|source| source.unlock());
    }
}

impl Opener for LockedFiles {
    fn open(&self, location: &Location) -> io::Result<Arc<dyn Source>> {
        let source = self.files.open(location)?;
        if self.locking == Locking::Off {
            return Ok(source);
        }
        match source.lock_shared() {
            Ok(()) => {
                let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
                held.retain(|other| other.strong_count() > 0);
                held.push(Arc::downgrade(&source));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let what = "another program has the file open for writing";
                (self.on_writer)(location, io::Error::new(io::ErrorKind::WouldBlock, what))?;
            }
            Err(error) if self.locking == Locking::Strict => return Err(error),
            // A file system without locks.
            Err(_) => {}
        }
        Ok(source)
    }

    fn is_file(&self, location: &Location) -> bool {
        self.files.is_file(location)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::LocalFiles;
    use rustix::fs::{FlockOperation, flock};
    use std::fs::File;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn is_free(file: &File) -> bool {
        let free = flock(file, FlockOperation::NonBlockingLockExclusive).is_ok();
        flock(file, FlockOperation::Unlock).unwrap();
        free
    }

    #[test]
    fn a_lock_lasts_as_long_as_the_source_or_until_it_is_released() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let location = Location::from(file.path());
        let files = LockedFiles::new(Arc::new(LocalFiles), Locking::BestEffort);
        let one = files.open(&location).unwrap();
        let other = LockedFiles::new(Arc::new(LocalFiles), Locking::Strict).open(&location).unwrap();
        assert!(!is_free(file.as_file()));
        drop(other);
        assert!(!is_free(file.as_file()));
        files.release();
        assert!(is_free(file.as_file()));
        drop(one);
        let unlocked = LockedFiles::new(Arc::new(LocalFiles), Locking::Off).open(&location).unwrap();
        assert!(is_free(file.as_file()));
        drop(unlocked);
    }

    #[test]
    fn a_file_that_is_written_is_refused_or_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let location = Location::from(file.path());
        flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
        let files = LockedFiles::new(Arc::new(LocalFiles), Locking::BestEffort);
        assert_eq!(files.open(&location).err().unwrap().kind(), io::ErrorKind::WouldBlock);
        let reported = Arc::new(AtomicU32::new(0));
        let count = reported.clone();
        let report: OnWriter = Arc::new(move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
        LockedFiles::with(Arc::new(LocalFiles), Locking::BestEffort, report).open(&location).unwrap();
        assert_eq!(reported.load(Ordering::Relaxed), 1);
        assert!(LockedFiles::new(Arc::new(LocalFiles), Locking::Off).open(&location).is_ok());
    }
}
