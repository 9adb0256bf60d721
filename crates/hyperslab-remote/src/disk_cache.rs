//! Responses that are kept on disk for later runs and other processes, if the user names a folder for them.
//!
//! ```text
//! FOLDER/
//! └── 3f6c…/                  a file, by the hash of its URL
//!     ├── state               its length and its entity tag when it was last opened
//!     └── 91ab…-x7Yt2q.pack   the responses of one call, of the state with this hash
//! ```
//!
//! When a file is opened, its server is asked whether it is still in that state. Only then are responses of the state used.
//! A part that is missing or damaged is requested as if it had never been kept, so the cache can be deleted at any time,
//! and an error of the disk is never an error of a read. Files are written under another name and renamed, so that other
//! processes never see half of one.

mod evict;
mod index;
mod pack;
mod state;

use crate::traffic;
use bytes::Bytes;
use hyperslab_io::{Location, PerProcess, Version};
use index::Index;
use pack::PackWriter;
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The environment variable with the folder of the cache.
pub const DISK_CACHE_VARIABLE: &str = "HYPERSLAB_DISK_CACHE";
/// The environment variable with the size that the cache may have, such as `2GiB`.
pub const DISK_CACHE_SIZE_VARIABLE: &str = "HYPERSLAB_DISK_CACHE_SIZE";
/// The size that the cache may have if none is given.
const BYTES_MAX: u64 = 4 << 30;
/// Responses of a call that are together larger than this part of the cache would displace everything else.
const CALL_PART_MAX: u64 = 4;

/// A folder in which responses are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskCache {
    /// The folder. It is made when it is needed.
    pub folder: PathBuf,
    /// The bytes that it may have. Above, the responses that were not used for the longest time are removed.
    pub bytes_max: u64,
}

impl DiskCache {
    /// The cache that the environment names, if it names one. A size that cannot be read is ignored.
    pub fn from_environment() -> Option<Self> {
        let folder = std::env::var_os(DISK_CACHE_VARIABLE).filter(|folder| !folder.is_empty())?;
        let size = std::env::var(DISK_CACHE_SIZE_VARIABLE).ok();
        let bytes_max = size.and_then(|size| hyperslab_units::parse_bytes(&size).ok()).unwrap_or(BYTES_MAX);
        Some(Self { folder: folder.into(), bytes_max })
    }

    /// The part of the cache for a file. `server` distinguishes files with the same URL on different servers.
    pub(crate) fn file(&self, location: &Location, server: &str) -> CachedFile {
        let hash = hash(format!("{server}\n{}", location.identity()).as_bytes());
        let folder = self.folder.join(&hash[..32]);
        CachedFile { cache: self.clone(), folder, name: location.to_string() }
    }
}

/// The responses of one file that are kept.
pub(crate) struct CachedFile {
    cache: DiskCache,
    folder: PathBuf,
    /// The URL, without user and query.
    name: String,
}

impl CachedFile {
    /// The state of the file when it was last opened, if responses of it may be there.
    pub fn state(&self) -> Option<Version> {
        state::read(&self.folder, &self.name)
    }

    /// The responses of this state of the file, if the server has given it an entity tag by which it is recognized.
    pub fn of_state(self, version: &Version) -> Option<CachedState> {
        let tag = crate::answer::strong_tag(version)?;
        let hash = hash(format!("{}\n{tag}", version.len).as_bytes());
        let (len, prefix) = (version.len, hash[..16].to_string());
        if self.state().as_ref() != Some(version) {
            make_folder(&self.folder)?;
            state::write(&self.folder, &self.name, version).ok()?;
            pack::remove_others(&self.folder, &prefix);
        }
        Some(CachedState { cache: self.cache, folder: self.folder, prefix, len, index: PerProcess::new() })
    }
}

/// The responses of one state of a file that are kept.
pub(crate) struct CachedState {
    cache: DiskCache,
    folder: PathBuf,
    /// With which the names of its packs begin.
    prefix: String,
    /// The length of the file.
    len: u64,
    /// Where each range lies; read on first use, also in a forked child.
    index: PerProcess<Mutex<Index>>,
}

impl CachedState {
    /// The bytes of a range, if all of them are kept and undamaged.
    pub fn get(&self, range: &Range<u64>) -> Option<Bytes> {
        let bytes = self.index().lock().unwrap_or_else(PoisonError::into_inner).get(range)?;
        traffic::read_from_disk(bytes.len() as u64);
        Some(bytes)
    }

    fn index(&self) -> &Mutex<Index> {
        self.index.get(|| Mutex::new(Index::read(&self.folder, &self.prefix, self.len)))
    }

    /// Begins to keep the responses of a call with so many bytes; `None` if they are too many, or if the folder cannot be
    /// written.
    pub fn keep(&self, bytes: u64) -> Option<Keep<'_>> {
        if bytes > self.cache.bytes_max / CALL_PART_MAX {
            return None;
        }
        make_folder(&self.folder)?;
        Some(Keep { state: self, writer: PackWriter::new(&self.folder).ok()? })
    }
}

/// Responses of one call that are being kept.
pub(crate) struct Keep<'s> {
    state: &'s CachedState,
    writer: PackWriter,
}

impl Keep<'_> {
    /// Adds the bytes from `start` on. False if the disk refuses them.
    pub fn add(&mut self, start: u64, bytes: &Bytes) -> bool {
        self.writer.add(start, bytes).is_ok()
    }

    /// Makes the added bytes available to all processes.
    pub fn finish(self) {
        let Ok(Some((path, bytes))) = self.writer.finish(&self.state.folder, &self.state.prefix) else {
            return;
        };
        self.state.index().lock().unwrap_or_else(PoisonError::into_inner).add(&path);
        evict::written(&self.state.cache, bytes);
    }
}

/// The SHA-256 of some bytes, in hexadecimal digits.
fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Makes a folder that only its user may read, because credentials may be needed for its content.
fn make_folder(folder: &Path) -> Option<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).ok()
}

#[cfg(test)]
mod tests;
