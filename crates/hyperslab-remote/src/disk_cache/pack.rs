//! Packs: files with the responses of one call.
//!
//! ```text
//! "HSPACK1\n"  bytes of the responses  index: start, len, offset, CRC-32 of each  count, CRC-32 of the index, "HSPACKE\n"
//! ```
//!
//! All numbers are little-endian. The index lies at the end, because responses are written as they arrive.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::NamedTempFile;

const BEGIN: [u8; 8] = *b"HSPACK1\n";
const END: [u8; 8] = *b"HSPACKE\n";
/// The bytes of an entry of the index, and of what follows the index.
const ENTRY_BYTES: u64 = 28;
const TRAILER_BYTES: u64 = 20;
/// The ending of the names of packs.
pub(super) const EXTENSION: &str = "pack";

/// A response in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    /// The first byte, in the remote file.
    pub start: u64,
    pub len: u64,
    /// Where its bytes are in the pack.
    pub offset: u64,
    pub checksum: u32,
}

/// A pack that is being written.
pub(super) struct PackWriter {
    file: NamedTempFile,
    records: Vec<Record>,
    offset: u64,
}

impl PackWriter {
    pub fn new(folder: &Path) -> io::Result<Self> {
        let mut file = tempfile::Builder::new().prefix(".").suffix(".part").tempfile_in(folder)?;
        file.write_all(&BEGIN)?;
        Ok(Self { file, records: Vec::new(), offset: BEGIN.len() as u64 })
    }

    /// Adds the bytes from `start` on.
    pub fn add(&mut self, start: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        let len = bytes.len() as u64;
        self.records.push(Record { start, len, offset: self.offset, checksum: crc32fast::hash(bytes) });
        self.offset += len;
        Ok(())
    }

    /// Gives the pack its name, which begins with `prefix`; returns its path and its length. `None` if nothing was added.
    pub fn finish(mut self, folder: &Path, prefix: &str) -> io::Result<Option<(PathBuf, u64)>> {
        if self.records.is_empty() {
            return Ok(None);
        }
        let mut index = Vec::with_capacity(self.records.len() * ENTRY_BYTES as usize);
        for record in &self.records {
            index.extend(record.start.to_le_bytes());
            index.extend(record.len.to_le_bytes());
            index.extend(record.offset.to_le_bytes());
            index.extend(record.checksum.to_le_bytes());
        }
        self.file.write_all(&index)?;
        self.file.write_all(&(self.records.len() as u64).to_le_bytes())?;
        self.file.write_all(&crc32fast::hash(&index).to_le_bytes())?;
        self.file.write_all(&END)?;
        let unique = self.file.path().file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let path = folder.join(format!("{prefix}-{}.{EXTENSION}", unique.trim_start_matches('.')));
        self.file.persist_noclobber(&path)?;
        Ok(Some((path, self.offset + index.len() as u64 + TRAILER_BYTES)))
    }
}

/// The responses in a pack.
///
/// # Errors
/// If it cannot be read, or if its index is damaged.
pub(super) fn records(path: &Path) -> io::Result<Vec<Record>> {
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    let before_trailer = len.checked_sub(TRAILER_BYTES + BEGIN.len() as u64).ok_or_else(damaged)?;
    file.seek(SeekFrom::Start(len - TRAILER_BYTES))?;
    let mut trailer = [0; TRAILER_BYTES as usize];
    file.read_exact(&mut trailer)?;
    let count = number(&trailer[..8]);
    let index_bytes =
        count.checked_mul(ENTRY_BYTES).filter(|&bytes| bytes <= before_trailer).ok_or_else(damaged)?;
    file.seek(SeekFrom::Start(len - TRAILER_BYTES - index_bytes))?;
    let mut index = vec![0; index_bytes as usize];
    file.read_exact(&mut index)?;
    if trailer[12..] != END || crc32fast::hash(&index).to_le_bytes() != trailer[8..12] {
        return Err(damaged());
    }
    let record = |entry: &[u8]| Record {
        start: number(&entry[..8]),
        len: number(&entry[8..16]),
        offset: number(&entry[16..24]),
        checksum: number(&entry[24..]) as u32,
    };
    let is_inside = |record: &Record| {
        record.start.checked_add(record.len).is_some()
            && record
                .offset
                .checked_add(record.len)
                .is_some_and(|end| end <= len - TRAILER_BYTES - index_bytes)
    };
    let records: Vec<_> = index.chunks_exact(ENTRY_BYTES as usize).map(record).collect();
    if records.iter().all(is_inside) { Ok(records) } else { Err(damaged()) }
}

/// A little-endian number of at most 8 bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The bytes of a response.
///
/// # Errors
/// If they cannot be read, or if they are damaged.
pub(super) fn read(path: &Path, record: &Record) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    // The length was compared with that of the pack.
    let mut bytes = vec![0; usize::try_from(record.len).map_err(|_| io::ErrorKind::OutOfMemory)?];
    file.seek(SeekFrom::Start(record.offset))?;
    file.read_exact(&mut bytes)?;
    match crc32fast::hash(&bytes) == record.checksum {
        true => Ok(bytes),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Notes that a pack was used: it is removed after those that were not.
pub(super) fn touch(path: &Path) {
    if let Ok(file) = File::open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes the packs whose names do not begin with `prefix`: they are of other states of the file.
pub(super) fn remove_others(folder: &Path, prefix: &str) {
    for path in paths(folder) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !name.starts_with(prefix) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The packs in a folder.
pub(super) fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION)).collect()
}
