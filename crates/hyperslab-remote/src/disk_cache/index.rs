//! Which bytes of a file are kept, and in which packs.

use super::pack::{self, Record};
use bytes::Bytes;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The responses of one state of a file.
pub(super) struct Index {
    /// By their first byte. They may overlap.
    responses: BTreeMap<u64, Response>,
    /// The packs that this process has used.
    used: HashSet<Arc<PathBuf>>,
    file_len: u64,
    /// The response that was read last: small ranges of a large response often follow each other.
    last: Option<(u64, Bytes)>,
}

struct Response {
    record: Record,
    pack: Arc<PathBuf>,
}

/// A range may begin in one of so many responses before it.
const OVERLAPS_MAX: usize = 16;

impl Index {
    /// The responses in the packs of a folder whose names begin with `prefix`. Damaged packs are removed.
    pub fn read(folder: &Path, prefix: &str, file_len: u64) -> Self {
        let (responses, used) = Default::default();
        let mut index = Self { responses, used, file_len, last: None };
        for path in pack::paths(folder) {
            if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(prefix)) {
                index.add(&path);
            }
        }
        index
    }

    /// Adds the responses of a pack.
    pub fn add(&mut self, path: &Path) {
        let Ok(records) = pack::records(path) else {
            let _ = std::fs::remove_file(path);
            return;
        };
        let pack = Arc::new(path.to_path_buf());
        for record in records {
            let known = self.responses.get(&record.start).map_or(0, |response| response.record.len);
            if record.len > known && record.start + record.len <= self.file_len {
                self.responses.insert(record.start, Response { record, pack: pack.clone() });
            }
        }
    }

    /// The bytes of a range, if all of them are there. A response that cannot be read is forgotten.
    pub fn get(&mut self, range: &Range<u64>) -> Option<Bytes> {
        let mut joined: Option<Vec<u8>> = None;
        let mut next = range.start;
        while next < range.end {
            let (start, bytes) = self.response_at(next)?;
            let end = (start + bytes.len() as u64).min(range.end);
            let part = bytes.slice((next - start) as usize..(end - start) as usize);
            if next == range.start && end == range.end {
                return Some(part);
            }
            joined.get_or_insert_default().extend_from_slice(&part);
            next = end;
        }
        joined.map(Bytes::from)
    }

    /// The response with the byte `at` that reaches furthest: its first byte, and its bytes.
    fn response_at(&mut self, at: u64) -> Option<(u64, Bytes)> {
        if let Some((start, bytes)) = &self.last
            && (*start..start + bytes.len() as u64).contains(&at)
        {
            return self.last.clone();
        }
        let before = self.responses.range(..=at).rev().take(OVERLAPS_MAX).map(|(_, response)| response);
        let end = |response: &&Response| response.record.start + response.record.len;
        let best = before.filter(|response| end(response) > at).max_by_key(end)?;
        let (record, pack) = (best.record, best.pack.clone());
        match pack::read(&pack, &record) {
            Ok(bytes) => {
                if self.used.insert(pack.clone()) {
                    pack::touch(&pack);
                }
                let found = (record.start, Bytes::from(bytes));
                self.last = Some(found.clone());
                Some(found)
            }
            Err(_) => {
                // Another process has removed the pack, or it is damaged.
                self.responses.retain(|_, response| response.pack != pack);
                let _ = std::fs::remove_file(&*pack);
                None
            }
        }
    }
}
