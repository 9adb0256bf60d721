//! Other files that a file refers to: external links, references, sources of virtual datasets, external raw data.
//!
//! As libhdf5 does, a relative name is sought beside the file that holds it, then below the working directory; an
//! absolute one where it says, then by its last part beside the file. A prefix from the environment comes first
//! (`HDF5_EXT_PREFIX`, `HDF5_VDS_PREFIX`, `HDF5_EXTFILE_PREFIX`).

use crate::file::FileInner;
use crate::{Error, ErrorKind, File, Result};
use hyperslab_io::LocalFile;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What another file is wanted for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    ExternalLink,
    Reference,
    VirtualSource,
    RawData,
}

impl Purpose {
    fn prefix_variable(self) -> &'static str {
        match self {
            Purpose::ExternalLink | Purpose::Reference => "HDF5_EXT_PREFIX",
            Purpose::VirtualSource => "HDF5_VDS_PREFIX",
            Purpose::RawData => "HDF5_EXTFILE_PREFIX",
        }
    }
}

/// Files opened on behalf of each other, by their absolute paths: two that refer to each other are two, not a chain of
/// ever new openings. They stay open as long as something of them is in use (a virtual dataset keeps its sources), and
/// nothing here keeps them so: they would own each other in a circle.
#[derive(Clone, Default)]
pub(crate) struct Siblings {
    opened: Arc<Mutex<HashMap<PathBuf, Weak<FileInner>>>>,
}

impl Siblings {
    fn known(&self, path: &Path) -> Option<File> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.get(path).and_then(Weak::upgrade).map(|inner| File { inner })
    }

    /// Remembers a file, unless another thread has opened it in the meantime.
    fn keep(&self, path: PathBuf, file: File) -> File {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(inner) = opened.get(&path).and_then(Weak::upgrade) {
            return File { inner };
        }
        opened.retain(|_, file| file.strong_count() > 0);
        opened.insert(path, Arc::downgrade(&file.inner));
        file
    }
}

impl FileInner {
    /// Opens an HDF5 file that this one refers to.
    pub(crate) fn sibling(self: &Arc<Self>, name: &str, purpose: Purpose) -> Result<File> {
        let path = self.find(name, purpose)?;
        // `..` stays as it is: behind a symbolic link it may lead elsewhere.
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let known_as = absolute(&path);
        if self.source.path().is_some_and(|own| absolute(own) == known_as) {
            return Ok(File { inner: self.clone() });
        }
        if let Some(file) = self.siblings.known(&known_as) {
            return Ok(file);
        }
        if let Some(own) = self.source.path() {
            self.siblings.keep(absolute(own), File { inner: self.clone() });
        }
        let mut file = File::open(&path)?;
        if let Some(inner) = Arc::get_mut(&mut file.inner) {
            inner.siblings = self.siblings.clone();
        }
        Ok(self.siblings.keep(known_as, file))
    }

    /// Opens a file of raw data that this one refers to.
    pub(crate) fn raw_sibling(&self, name: &str) -> Result<LocalFile> {
        let path = self.find(name, Purpose::RawData)?;
        LocalFile::open(&path).map_err(|error| Error::from(error).in_file(path.display().to_string()))
    }

    fn find(&self, name: &str, purpose: Purpose) -> Result<PathBuf> {
        let Some(own) = self.source.path() else {
            let what = format!("refers to the file {name}, and only local files can refer to others");
            return Err(Error::unsupported(what).in_file(self.source.name()));
        };
        let beside = own.parent().unwrap_or(Path::new(""));
        let wanted = Path::new(name);
        let mut candidates = Vec::new();
        if let Some(prefixes) = std::env::var_os(purpose.prefix_variable()) {
            candidates.extend(std::env::split_paths(&prefixes).map(|prefix| {
                let origin = prefix.strip_prefix("${ORIGIN}").map(|rest| beside.join(rest));
                origin.unwrap_or(prefix).join(wanted)
            }));
        }
        candidates.push(if wanted.is_absolute() { wanted.to_path_buf() } else { beside.join(wanted) });
        match (wanted.is_absolute(), wanted.file_name()) {
            (true, Some(last)) => candidates.push(beside.join(last)),
            _ => candidates.push(wanted.to_path_buf()),
        }
        candidates.into_iter().find(|path| path.is_file()).ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("refers to the file {name}, which is not there"))
                .in_file(self.source.name())
                .hint(format!("put it beside this file, or name its folder in {}", purpose.prefix_variable()))
        })
    }
}
