//! Other files that a file refers to: external links, sources of virtual datasets, external raw data.
//!
//! As libhdf5 does, a relative name is sought beside the file that holds it, then below the working directory; an
//! absolute one where it says, then by its last part beside the file. A prefix from the environment comes first
//! (`HDF5_EXT_PREFIX`, `HDF5_VDS_PREFIX`, `HDF5_EXTFILE_PREFIX`).

use crate::file::FileInner;
use crate::{Error, ErrorKind, File, Result};
use hyperslab_io::LocalFile;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};

/// What another file is wanted for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    ExternalLink,
    VirtualSource,
    RawData,
}

impl Purpose {
    fn prefix_variable(self) -> &'static str {
        match self {
            Purpose::ExternalLink => "HDF5_EXT_PREFIX",
            Purpose::VirtualSource => "HDF5_VDS_PREFIX",
            Purpose::RawData => "HDF5_EXTFILE_PREFIX",
        }
    }
}

/// Files opened on behalf of one file. They stay open as long as something of them is in use.
#[derive(Default)]
pub(crate) struct Siblings {
    opened: Mutex<HashMap<PathBuf, Weak<FileInner>>>,
}

impl FileInner {
    /// Opens an HDF5 file that this one refers to.
    pub(crate) fn sibling(&self, name: &str, purpose: Purpose) -> Result<File> {
        let path = self.find(name, purpose)?;
        let known = |opened: &HashMap<PathBuf, Weak<FileInner>>| opened.get(&path).and_then(Weak::upgrade);
        if let Some(inner) = known(&self.siblings.opened.lock().expect("no panic while holding the lock")) {
            return Ok(File { inner });
        }
        let file = File::open(&path)?;
        let mut opened = self.siblings.opened.lock().expect("no panic while holding the lock");
        if let Some(inner) = known(&opened) {
            return Ok(File { inner });
        }
        opened.retain(|_, file| file.strong_count() > 0);
        opened.insert(path.clone(), Arc::downgrade(&file.inner));
        Ok(file)
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
