//! Takes a file out of the system's page cache, so that a first read meets the disk.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::Path;

/// What the page cache held of a file when it was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageCache {
    /// Nothing was done about it.
    #[default]
    Warm,
    /// The file was asked to be dropped; this share of it was still there.
    Emptied {
        /// From 0 to 1.
        still_resident: f64,
    },
    /// This system has no way to drop one file.
    NotPossible,
}

/// Writes a file's pages to the disk and asks the system to drop them (`posix_fadvise`), then looks what is left.
#[cfg(target_os = "linux")]
pub fn empty_page_cache(path: &Path) -> std::io::Result<PageCache> {
    use std::os::fd::AsRawFd;
    let file = File::open(path)?;
    file.sync_all()?;
    // SAFETY: an open descriptor; the advice changes no contents.
    unsafe {
        libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED);
    }
    Ok(PageCache::Emptied { still_resident: resident_share(&file)? })
}

/// Elsewhere a file cannot be dropped.
#[cfg(not(target_os = "linux"))]
pub fn empty_page_cache(path: &Path) -> std::io::Result<PageCache> {
    File::open(path)?;
    Ok(PageCache::NotPossible)
}

#[cfg(target_os = "linux")]
fn resident_share(file: &File) -> std::io::Result<f64> {
    // SAFETY: only looked at page by page through the kernel, never read.
    let map = unsafe { memmap2::Mmap::map(file)? };
    // SAFETY: a plain call.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
    let mut pages = vec![0u8; map.len().div_ceil(page)];
    // SAFETY: one byte for each page of the mapping.
    let answered = unsafe { libc::mincore(map.as_ptr().cast_mut().cast(), map.len(), pages.as_mut_ptr()) };
    if answered != 0 {
        return Err(std::io::Error::last_os_error());
    }
    let resident = pages.iter().filter(|page| **page & 1 == 1).count();
    Ok(resident as f64 / pages.len().max(1) as f64)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_written_can_be_dropped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![1; 4 << 20]).unwrap();
        assert_eq!(resident_share(file.as_file()).unwrap(), 1.0);
        let PageCache::Emptied { still_resident } = empty_page_cache(file.path()).unwrap() else { panic!() };
        // A file system in memory keeps everything, and says so.
        assert!((0.0..=1.0).contains(&still_resident));
        assert!(empty_page_cache(Path::new("/nowhere")).is_err());
    }
}
