//! Keeps what was measured as it comes, so that an interrupted bench can go on.
//!
//! A journal is a file of lines, a row each: what a crash cuts off is a line, not the others. Without a name it lies in
//! the user's cache folder, named after the data that is measured, and goes when a bench comes to its end, unless
//! it remembers another one, too.

use super::Request;
use hyperslab_bench::matrix::{Matrix, Row, Subject};
use hyperslab_measure::runner::{CachedResult, ResultCache};
use hyperslab_units::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Rows that were measured, and a file that remembers them.
pub(super) struct Journal {
    path: PathBuf,
    file: Option<File>,
    known: HashMap<String, CachedResult<Row>>,
    is_named: bool,
    /// How many rows it held when it was opened: perhaps another bench's of the same data.
    held: usize,
    /// How many rows need not be measured again.
    pub(super) recalled: usize,
}

/// One line.
#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    kept: CachedResult<Row>,
}

impl Journal {
    /// The journal of this bench. It remembers earlier runs where `--resume` says so.
    pub(super) fn open(request: &Request, matrices: &[Matrix]) -> std::io::Result<Self> {
        let named = request.resume.clone().flatten();
        let path = match &named {
            Some(path) => path.clone(),
            None => unnamed(matrices)?,
        };
        let mut known = read(&path);
        let held = known.len();
        if request.resume.is_none() {
            known.clear();
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        // A line that was cut off stays alone.
        file.write_all(b"\n")?;
        Ok(Self { path, file: Some(file), known, is_named: named.is_some(), held, recalled: 0 })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The bench came to its end: nothing has to be remembered, unless the user wants to, or another bench of the same
    /// data was interrupted and may go on.
    pub(super) fn finish(self) {
        if !self.is_named && self.recalled >= self.held {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl ResultCache<Row> for Journal {
    fn recall(&mut self, key: &str) -> Option<CachedResult<Row>> {
        let kept = self.known.get(key).cloned();
        self.recalled += usize::from(kept.is_some());
        kept
    }

    fn keep(&mut self, key: &str, kept: &CachedResult<Row>) {
        let line = Line { key: key.to_owned(), kept: kept.clone() };
        let text = serde_json::to_string(&line).map(|text| text + "\n").unwrap_or_default();
        // In one call, so that two benches do not write into each other's lines. What cannot be written is measured
        // again one day; it is in this report all the same.
        if self.file.as_mut().is_some_and(|file| file.write_all(text.as_bytes()).is_err()) {
            self.file = None;
        }
    }
}

/// The rows of a journal. Lines that are not rows (cut off, or of another version) are as if they were not there.
fn read(path: &Path) -> HashMap<String, CachedResult<Row>> {
    let text = std::fs::read(path).unwrap_or_default();
    let lines =
        text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    lines.map(|line| (line.key, line.kept)).collect()
}

/// `~/.cache/hyperslab/bench-….jsonl`, by the data.
fn unnamed(matrices: &[Matrix]) -> std::io::Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let folder = folder.ok_or_else(|| std::io::Error::other("neither XDG_CACHE_HOME nor HOME is set"))?;
    let mut sum = Sha256::new();
    for matrix in matrices {
        match &matrix.subject {
            Subject::Dataset { file, path, .. } => {
                let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
                sum.update(whole.as_os_str().as_encoded_bytes());
                sum.update(path);
            }
            Subject::Synthetic(synthetic) => sum.update(serde_json::to_vec(synthetic)?),
        }
    }
    let name = hex(&sum.finalize()[..8]);
    Ok(folder.join("hyperslab").join(format!("bench-{name}.jsonl")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_bench::document::testing::row;

    #[test]
    fn what_another_bench_may_go_on_from_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        for (held, recalled, stays) in [(0, 0, false), (3, 3, false), (3, 0, true), (3, 2, true)] {
            let file = Some(File::create(&path).unwrap());
            let known = HashMap::new();
            Journal { path: path.clone(), file, known, is_named: false, held, recalled }.finish();
            assert_eq!(path.exists(), stays, "{held} {recalled}");
        }
    }

    #[test]
    fn lines_that_are_cut_off_cost_only_themselves() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let file = File::create(&path).unwrap();
        let known = HashMap::new();
        let mut journal =
            Journal { path: path.clone(), file: Some(file), known, is_named: true, held: 0, recalled: 0 };
        let kept = CachedResult { result: row("hyperslab", 1.0, None), checksum: Some("ab".into()) };
        journal.keep("first", &kept);
        journal.keep("second", &kept);
        let whole = std::fs::read(&path).unwrap();
        for cut in [whole.len() / 2 + 10, whole.len() - 5] {
            let mut text = whole[..cut].to_vec();
            text.extend(b"\n\xff not a line\n");
            std::fs::write(&path, text).unwrap();
            let found = read(&path);
            assert_eq!(found.keys().collect::<Vec<_>>(), ["first"], "{cut}");
            assert_eq!(found["first"], kept);
        }
        assert_eq!(read(&folder.path().join("absent")).len(), 0);
    }
}
