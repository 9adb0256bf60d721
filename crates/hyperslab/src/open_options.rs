//! How a file is opened: the cache and the threads that its reads use, and the source of its bytes.

use crate::file::File;
use crate::{Error, Result};
use hyperslab_array::runtime::Runtime;
use hyperslab_array::settings;
use hyperslab_io::{LocalFiles, Location, Opener, Source};
use std::path::Path;
use std::sync::Arc;

/// Settings of one file. What is not set is as the process has it: see [`set_cache_bytes`](crate::set_cache_bytes) and
/// [`set_threads`](crate::set_threads). Files that the file refers to are opened with the same settings.
///
/// ```no_run
/// # fn main() -> hyperslab::Result<()> {
/// let file = hyperslab::File::options().cache_bytes(256 << 20).threads(4).open("era5.nc")?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "nothing is opened until `open` is called"]
pub struct OpenOptions {
    cache_bytes: Option<usize>,
    threads: Option<usize>,
}

impl OpenOptions {
    /// All settings as the process has them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the file a cache of its own, of so many bytes of decoded chunks; 0 keeps none. It goes with the file, and
    /// is not part of the process's budget.
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = Some(bytes);
        self
    }

    /// Has reads of the file use at most so many of the process's threads, the caller's included: 1 decodes on the
    /// caller's thread alone.
    pub fn threads(mut self, count: usize) -> Self {
        self.threads = Some(count);
        self
    }

    /// Opens a local file; see [`File::open`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), [`ErrorKind::NotHdf5`](crate::ErrorKind::NotHdf5),
    /// [`ErrorKind::Damaged`](crate::ErrorKind::Damaged) (for example a truncated file), and
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for settings that make no sense.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<File> {
        self.open_through(path, |source| source)
    }

    /// Opens a local file, and reads it through what `wrap` makes of its bytes.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_through(
        &self,
        path: impl AsRef<Path>,
        wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
    ) -> Result<File> {
        File::open_location(Arc::new(LocalFiles), path.as_ref().into(), self.runtime()?, wrap)
    }

    /// Opens the file at a location through an opener; see [`File::open_with`].
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(&self, opener: Arc<dyn Opener>, location: impl Into<Location>) -> Result<File> {
        File::open_location(opener, location.into(), self.runtime()?, |source| source)
    }

    /// Opens whatever answers ranges of bytes.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_source(&self, source: Arc<dyn Source>) -> Result<File> {
        File::open_source(source, self.runtime()?)
    }

    fn runtime(&self) -> Result<Runtime> {
        settings::check_environment()?;
        let mut runtime = settings::runtime();
        if let Some(bytes) = self.cache_bytes {
            runtime = runtime.with_cache_bytes(bytes);
        }
        match self.threads {
            None => Ok(runtime),
            Some(0) => Err(Error::invalid("a file cannot be read by 0 threads")
                .with_hint("1 decodes on the caller's thread alone")),
            Some(count) => Ok(runtime.with_threads(count)),
        }
    }
}

impl File {
    /// Opens a local file. Nothing but the superblock, and what extends it, is read.
    ///
    /// Where a file consists of several (those of libhdf5's family, split and multi drivers), the path is that of the
    /// first one; the others are found beside it. A family may also be opened by its pattern, `data%05d.h5`.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`NotHdf5`](crate::ErrorKind::NotHdf5),
    /// [`Damaged`](crate::ErrorKind::Damaged) (for example a truncated file).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::options().open(path)
    }

    /// Opens the file at a location through an opener, which also opens the files that it refers to: members of its
    /// driver, targets of external links, sources of virtual datasets, external raw data.
    ///
    /// # Errors
    /// As [`File::open`].
    pub fn open_with(opener: Arc<dyn Opener>, location: impl Into<Location>) -> Result<Self> {
        Self::options().open_with(opener, location)
    }

    /// Opens whatever answers ranges of bytes. Where it has a path, the file may refer to local files beside it.
    ///
    /// # Errors
    /// As [`File::open`].
    pub fn from_source(source: Arc<dyn Source>) -> Result<Self> {
        Self::options().open_source(source)
    }

    /// Settings for a file that is to be opened: its cache, its threads.
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }
}
