//! Where samples lie for the user's libhdf5 to decode: a folder, in memory if the system can.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

/// A folder in memory, if the system has one.
const IN_MEMORY: &str = "/dev/shm";

/// The folders that there are now.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the folders that there are now: for a process that a signal ends.
pub fn remove_sample_folders() {
    for folder in folders().drain(..) {
        let _ = std::fs::remove_dir_all(folder);
    }
}

/// A folder that goes when it is dropped, or by [`remove_sample_folders`].
pub(super) struct SampleFolder(TempDir);

impl SampleFolder {
    /// A folder in which `write` succeeds: in memory, or where that is full, in the usual place.
    pub(super) fn with(write: impl Fn(&Path) -> Option<()>) -> Option<Self> {
        [Path::new(IN_MEMORY), &std::env::temp_dir()].into_iter().find_map(|place| {
            let prefix = format!("hyperslab-advise-{}-", std::process::id());
            let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(place).ok()?;
            folders().push(folder.path().to_owned());
            let folder = Self(folder);
            write(folder.0.path()).map(|()| folder)
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SampleFolder {
    fn drop(&mut self) {
        folders().retain(|folder| folder != self.0.path());
    }
}

fn folders() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_with_their_owner() {
        let folder = SampleFolder::with(|path| std::fs::write(path.join("a"), "x").ok()).unwrap();
        let path = folder.path().to_owned();
        assert!(path.join("a").exists() && folders().contains(&path));
        drop(folder);
        assert!(!path.exists() && !folders().contains(&path));
        assert!(SampleFolder::with(|_| None).is_none());
    }
}
