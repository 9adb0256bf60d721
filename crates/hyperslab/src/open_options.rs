//! Opening files: the settings of a file (its cache and its threads), and the source of its bytes.

use crate::file::File;
use crate::{Error, Result};
use hyperslab_array::runtime::Runtime;
use hyperslab_array::settings;
use hyperslab_io::{LocalFiles, Location, Opener, Source};
use std::path::Path;
use std::sync::Arc;

/// The settings of one file. The defaults are the settings of the process: see
/// [`set_cache_bytes`](crate::set_cache_bytes) and [`set_threads`](crate::set_threads). Other files that the file
/// refers to are opened with the same settings.
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
    allow_truncated: bool,
}

impl OpenOptions {
    /// The settings of the process.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the file its own cache for this many bytes of decoded chunks; 0 disables caching. The cache is dropped with
    /// the file, and does not count towards the cache size of the process.
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = Some(bytes);
        self
    }

    /// Limits the number of threads that a read of the file uses, including the calling thread. With 1, the calling
    /// thread decodes alone.
    pub fn threads(mut self, count: usize) -> Self {
        self.threads = Some(count);
        self
    }

    /// Opens a file that ends before the end that its superblock names, such as one whose transfer was interrupted. What lies
    /// behind its end is an error when it is read. Without this, such a file is refused.
    pub fn allow_truncated(mut self, allow: bool) -> Self {
        self.allow_truncated = allow;
        self
    }

    /// Opens a local file; see [`File::open`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), [`ErrorKind::NotHdf5`](crate::ErrorKind::NotHdf5),
    /// [`ErrorKind::Damaged`](crate::ErrorKind::Damaged) (for example a truncated file), and
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for invalid settings.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<File> {
        self.open_through(Arc::new(LocalFiles), path.as_ref(), |source| source)
    }

    /// Opens the file at a location through an opener, and reads it through the source that `wrap` returns for the
    /// file's own source.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_through(
        &self,
        opener: Arc<dyn Opener>,
        location: impl Into<Location>,
        wrap: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>,
    ) -> Result<File> {
        File::open_location(opener, location.into(), self.runtime()?, self.allow_truncated, wrap)
    }

    /// Opens the file at a location through an opener; see [`File::open_with`].
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(&self, opener: Arc<dyn Opener>, location: impl Into<Location>) -> Result<File> {
        self.open_through(opener, location, |source| source)
    }

    /// Opens the file that a source contains.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_source(&self, source: Arc<dyn Source>) -> Result<File> {
        File::open_source(source, self.runtime()?, self.allow_truncated)
    }

    fn runtime(&self) -> Result<Runtime> {
        settings::check_environment()?;
        let mut runtime = settings::runtime();
        if let Some(bytes) = self.cache_bytes {
            runtime = runtime.with_cache_bytes(bytes);
        }
        match self.threads {
            None => Ok(runtime),
            Some(0) => Err(Error::invalid("0 is not a valid number of threads")
                .with_hint("with 1 thread, the calling thread decodes alone")),
            Some(count) => Ok(runtime.with_threads(count)),
        }
    }
}

impl File {
    /// Opens a local file. Only the superblock and its extension are read.
    ///
    /// A file of libhdf5's family, split or multi driver consists of several members. It is opened by the path of its
    /// first member; the others must be in the same folder. A family may also be opened by its pattern, such as
    /// `data%05d.h5`.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`NotHdf5`](crate::ErrorKind::NotHdf5),
    /// [`Damaged`](crate::ErrorKind::Damaged) (for example a truncated file).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::options().open(path)
    }

    /// Opens the file at a location through an opener. The opener also opens the files that this file refers to: the
    /// members of its driver, targets of external links, sources of virtual datasets, and external raw data.
    ///
    /// # Errors
    /// As [`File::open`].
    pub fn open_with(opener: Arc<dyn Opener>, location: impl Into<Location>) -> Result<Self> {
        Self::options().open_with(opener, location)
    }

    /// Opens the file that a source contains. If the source has a path, the file can refer to other local files.
    ///
    /// # Errors
    /// As [`File::open`].
    pub fn from_source(source: Arc<dyn Source>) -> Result<Self> {
        Self::options().open_source(source)
    }

    /// Settings with which a file can be opened: its cache and its threads.
    pub fn options() -> OpenOptions {
        OpenOptions::new()
    }
}
