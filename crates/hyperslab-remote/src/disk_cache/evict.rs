//! Removing what was not used for the longest time when the cache is too large.

use super::{DiskCache, pack};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// A file takes at least so much of a disk.
const FILE_BYTES_MIN: u64 = 4 << 10;
/// After a process has written this part of the allowed size, it looks for files to remove.
const CHECKED_PART: u64 = 16;
/// So much is left, in sixteenths of the allowed size, so that files are not removed one by one.
const LEFT_SIXTEENTHS: u64 = 14;
/// Unfinished packs are removed after this time: the process that wrote them is gone.
const UNFINISHED_MAX: Duration = Duration::from_secs(24 * 3600);

/// Counts bytes that were written, and removes files when they are many.
pub(super) fn written(cache: &DiskCache, bytes: u64) {
    /// Written since the last removal. It begins so that the first write of a process removes.
    static WRITTEN: AtomicU64 = AtomicU64::new(u64::MAX / 2);
    let now = WRITTEN.fetch_add(bytes.max(FILE_BYTES_MIN), Ordering::Relaxed).saturating_add(bytes);
    if now >= cache.bytes_max / CHECKED_PART {
        WRITTEN.store(0, Ordering::Relaxed);
        remove(cache);
    }
}

/// Removes packs until the cache is smaller than allowed, those first that were not used for the longest time.
pub(super) fn remove(cache: &DiskCache) {
    let mut found: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    let folders = fs::read_dir(&cache.folder).into_iter().flatten().flatten();
    for file in folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten()) {
        let (path, Ok(metadata)) = (file.path(), file.metadata()) else { continue };
        let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(pack::EXTENSION) => found.push((used, metadata.len().max(FILE_BYTES_MIN), path)),
            Some("part") if used.elapsed().is_ok_and(|age| age > UNFINISHED_MAX) => {
                let _ = fs::remove_file(path);
            }
            _ => {}
        }
    }
    let mut bytes: u64 = found.iter().map(|(_, bytes, _)| bytes).sum();
    if bytes <= cache.bytes_max {
        return;
    }
    found.sort();
    for (_, len, path) in found {
        if bytes <= cache.bytes_max / 16 * LEFT_SIXTEENTHS {
            return;
        }
        if fs::remove_file(path).is_ok() {
            bytes -= len;
        }
    }
}
