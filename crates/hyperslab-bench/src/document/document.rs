//! The results as one document: the question, the engines, the machine, and every row with the command line that
//! measures it again. What is printed, drawn or kept is made of it, so that it can be made again later.

use super::change::Changes;
use super::head::Head;
use super::measured::Measured;
use super::names::Names;
use super::verdict::{self, Choice, Verdict};
use crate::matrix::{Row, Rows, Skipped};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Changes when a program that reads an older document would misread a newer one.
const FORMAT: u32 = 1;

/// Why a document cannot be read.
#[derive(Debug)]
pub struct DocumentError {
    /// Why, with the name of the file.
    pub why: String,
    /// What the user can do.
    pub hint: Option<&'static str>,
}

/// Everything about one bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The form of this document.
    pub format: u32,
    /// The question, the engines, the machine.
    #[serde(flatten)]
    pub head: Head,
    /// What was measured.
    pub rows: Vec<Measured>,
    /// What was not, and why.
    pub skipped: Vec<Skipped>,
    /// What has to be said of it all, and is not a failure.
    #[serde(default)]
    pub notes: Vec<String>,
    /// What to store, for each library.
    #[serde(default)]
    pub verdicts: Vec<Verdict>,
    /// What differs from an older document (`--compare`).
    #[serde(default)]
    pub changes: Option<Changes>,
}

impl Document {
    /// Of what was measured; `command` is the line that measures a row again.
    pub fn new(head: Head, mut rows: Rows, command: impl Fn(&Row) -> String) -> Self {
        let measured = |row: Row| Measured { command: command(&row), row };
        let measured: Vec<Measured> = std::mem::take(&mut rows.rows).into_iter().map(measured).collect();
        let mut document = Self { rows: measured, ..Self::empty(head, rows) };
        document.judge();
        document
    }

    /// Comes to verdicts on the rows.
    pub fn judge(&mut self) {
        self.verdicts = verdict::all(&self.head, self.rows());
    }

    /// With everything but what was measured.
    pub fn empty(head: Head, rows: Rows) -> Self {
        let Rows { skipped, notes, .. } = rows;
        Self { format: FORMAT, head, rows: Vec::new(), skipped, notes, verdicts: Vec::new(), changes: None }
    }

    /// One that was kept.
    ///
    /// # Errors
    /// A file that cannot be read, or that is no such document.
    pub fn read(path: &Path) -> Result<Self, DocumentError> {
        let fail = |hint, why: String| DocumentError { why: format!("{}: {why}", path.display()), hint };
        let text = std::fs::read_to_string(path).map_err(|error| fail(None, error.to_string()))?;
        let not_ours = |error: serde_json::Error| {
            let hint = Some("it is what `hyperslab bench ... --json` prints");
            fail(hint, format!("not a document of hyperslab bench: {error}"))
        };
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let form: Form = serde_json::from_str(&text).map_err(not_ours)?;
        if form.format != FORMAT {
            let hint = Some("use the hyperslab that wrote it");
            return Err(fail(hint, format!("its format is {}, this version reads {FORMAT}", form.format)));
        }
        let mut document: Self = serde_json::from_str(&text).map_err(not_ours)?;
        // An older release may have come to others, or to none.
        document.judge();
        Ok(document)
    }

    /// How engines and caches are called here.
    pub fn names(&self) -> Names {
        Names::of(self.rows())
    }

    /// Compares with an older document, as it was named.
    pub fn compare(&mut self, older: &str, then: &Document) {
        let (then, names) = ((&then.head, then.rows.as_slice()), self.names());
        self.changes = Some(Changes::between(older, then, &self.rows, &names));
    }

    /// What a choice was, among the rows.
    pub fn row_of(&self, choice: &Choice) -> Option<&Row> {
        self.rows().find(|row| row.stored_as == choice.stored_as)
    }

    /// The rows alone.
    pub fn rows(&self) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().map(|measured| &measured.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::testing::row;

    fn document() -> Document {
        let rows =
            vec![Measured { row: row("hyperslab", 1.0, Some(3)), command: "hyperslab bench f /d".into() }];
        let mut document = Document { rows, ..Document::empty(Head::default(), Rows::default()) };
        document.judge();
        document
    }

    fn json(document: &Document) -> String {
        serde_json::to_string(document).unwrap()
    }

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        std::fs::write(&path, json(&document())).unwrap();
        assert_eq!(Document::read(&path).unwrap(), document());
    }

    #[test]
    fn what_is_no_document_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        let newer = Document { format: 2, ..document() };
        for (text, says) in [
            (json(&newer), "format is 2"),
            ("{}".to_owned(), "not a document"),
            ("[1, 2".to_owned(), "not a document"),
            (r#"{"format": 1}"#.to_owned(), "not a document"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Document::read(&path).unwrap_err();
            assert!(error.why.contains(says) && error.hint.is_some(), "{error:?}");
        }
        assert!(Document::read(&folder.path().join("absent")).is_err());
    }
}
