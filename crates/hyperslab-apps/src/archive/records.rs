//! Files that were examined in earlier runs: lines of JSON, which `--json` prints and `--resume` keeps.

use super::file::FileSurvey;
use crate::Error;
use crate::runner::PassedOver;
use crate::schema::{self, ARCHIVE_FILE, ARCHIVE_SUMMARY};
use serde::Deserialize;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The ending of files with such lines.
pub const ENDING: &str = "jsonl";

#[derive(Deserialize)]
struct Line {
    schema: SchemaMember,
    #[serde(flatten)]
    content: serde_json::Value,
}

#[derive(Deserialize)]
struct SchemaMember {
    name: String,
    version: u32,
}

/// The files that the lines are about. A last line without an end, which a run that was ended has left, is passed over.
///
/// # Errors
/// If the file cannot be read, or has a line of another kind.
pub fn read(path: &Path) -> Result<Vec<FileSurvey>, Error> {
    let text = fs::read_to_string(path).map_err(|error| failed(path, &error))?;
    let mut surveys = Vec::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if !line.ends_with('\n') && serde_json::from_str::<serde_json::Value>(line).is_err() {
            break;
        }
        surveys.extend(parse(line).map_err(|problem| {
            let what = format!("{}: line {}: {problem}", path.display(), number + 1);
            Error::wrong_request(what).hint("such lines are printed by `hyperslab doctor --summary --json`")
        })?);
    }
    Ok(surveys)
}

/// What the runs that wrote the summaries among the lines have passed over.
pub fn passed_over(path: &Path) -> Result<Vec<PassedOver>, Error> {
    let text = fs::read_to_string(path).map_err(|error| failed(path, &error))?;
    let summary = |line: &str| {
        let Line { schema, mut content } = serde_json::from_str(line).ok()?;
        let is_summary = ARCHIVE_SUMMARY.is(&schema.name, schema.version);
        is_summary.then(|| serde_json::from_value(content.get_mut("passed_over")?.take()).ok())?
    };
    Ok(text.lines().filter_map(summary).collect())
}

/// `None` for the summary at the end.
fn parse(line: &str) -> Result<Option<FileSurvey>, String> {
    let Line { schema, content } = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if ARCHIVE_SUMMARY.is(&schema.name, schema.version) {
        return Ok(None);
    }
    if !ARCHIVE_FILE.is(&schema.name, schema.version) {
        return Err(format!("it is a line of {} version {}", schema.name, schema.version));
    }
    serde_json::from_value(content).map(Some).map_err(|error| error.to_string())
}

/// A log of the files that are done.
pub struct Log {
    path: PathBuf,
    file: fs::File,
}

impl Log {
    /// Opens a log, or makes one. Returns it with the files that it has. A last line without an end is cut off.
    pub fn open(path: &Path) -> Result<(Self, Vec<FileSurvey>), Error> {
        let opened = OpenOptions::new().create(true).append(true).open(path);
        let file = opened.map_err(|error| failed(path, &error))?;
        let known = read(path)?;
        let bytes = fs::read(path).map_err(|error| failed(path, &error))?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(|error| failed(path, &error))?;
        Ok((Self { path: path.to_owned(), file }, known))
    }

    /// Adds a file.
    pub fn add(&mut self, survey: &FileSurvey) -> Result<(), Error> {
        let line = schema::document(ARCHIVE_FILE, survey)?;
        self.file.write_all(line.as_bytes()).map_err(|error| failed(&self.path, &error))
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::unreadable(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::super::file::SurveyRequest;
    use super::*;

    fn survey(file: &str) -> FileSurvey {
        let asked = SurveyRequest { place: "local".into(), readers: Vec::new(), reads: Vec::new() };
        FileSurvey { file: file.into(), asked, bytes: 7, problem: None, datasets: Vec::new(), others: 2 }
    }

    #[test]
    fn a_log_goes_on_after_a_line_that_was_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("done.jsonl");
        let (mut log, known) = Log::open(&path).unwrap();
        assert!(known.is_empty());
        log.add(&survey("a.h5")).unwrap();
        log.add(&survey("b.h5")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 10]).unwrap();
        assert_eq!(read(&path).unwrap(), [survey("a.h5")]);
        let (mut log, known) = Log::open(&path).unwrap();
        assert_eq!(known, [survey("a.h5")]);
        log.add(&survey("c.h5")).unwrap();
        assert_eq!(read(&path).unwrap(), [survey("a.h5"), survey("c.h5")]);
    }

    #[test]
    fn lines_of_another_kind_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.jsonl");
        for (text, says) in [
            (
                "{\"schema\": {\"name\": \"hyperslab.ls\", \"version\": 1}}\n",
                "line 1: it is a line of hyperslab.ls",
            ),
            ("no JSON\n", "line 1: expected"),
            ("[]\n", "line 1: "),
        ] {
            fs::write(&path, text).unwrap();
            let message = read(&path).unwrap_err().message;
            assert!(message.contains(says), "{message}");
        }
    }
}
