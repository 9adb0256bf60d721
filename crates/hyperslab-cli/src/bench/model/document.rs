//! The results as one document: the question, the engines, the machine, and every row with the command line that
//! measures it again. What is printed, drawn or kept is made of it, so that it can be made again later.

use super::change::Changes;
use super::head::Head;
use super::measured::Measured;
use super::names::Names;
use super::verdict::{self, Choice, Verdict};
use crate::bench::command::Commands;
use crate::failure::Failure;
use hyperslab_apps::schema;
use hyperslab_bench::matrix::{Row, Rows, Skipped};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Changes when a program that reads an older document would misread a newer one.
const FORMAT: u32 = 1;

/// Everything about one bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::bench) struct Document {
    /// The form of this document.
    pub(in crate::bench) format: u32,
    #[serde(flatten)]
    pub(in crate::bench) head: Head,
    /// What was measured.
    pub(in crate::bench) rows: Vec<Measured>,
    /// What was not, and why.
    pub(in crate::bench) skipped: Vec<Skipped>,
    /// What has to be said of it all, and is not a failure.
    #[serde(default)]
    pub(in crate::bench) notes: Vec<String>,
    /// What to store, for each library.
    #[serde(default)]
    pub(in crate::bench) verdicts: Vec<Verdict>,
    /// What differs from an older document (`--compare`).
    #[serde(default)]
    pub(in crate::bench) changes: Option<Changes>,
}

impl Document {
    /// Of what was measured.
    pub(in crate::bench) fn new(head: Head, mut rows: Rows, commands: &Commands<'_>) -> Self {
        let measured = |row: Row| Measured { command: commands.of(&row), row };
        let measured: Vec<Measured> = std::mem::take(&mut rows.rows).into_iter().map(measured).collect();
        let mut document = Self { rows: measured, ..Self::empty(head, rows) };
        document.judge();
        document
    }

    /// Comes to verdicts on the rows.
    pub(in crate::bench) fn judge(&mut self) {
        self.verdicts = verdict::all(&self.head, self.rows());
    }

    /// With everything but what was measured.
    pub(in crate::bench) fn empty(head: Head, rows: Rows) -> Self {
        let Rows { skipped, notes, .. } = rows;
        Self { format: FORMAT, head, rows: Vec::new(), skipped, notes, verdicts: Vec::new(), changes: None }
    }

    /// One that was kept.
    pub(in crate::bench) fn read(path: &Path) -> Result<Self, Failure> {
        let fail = |why: String| Failure::wrong_request(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let not_ours = |error: serde_json::Error| {
            fail(format!("not a document of hyperslab bench: {error}"))
                .hint("it is what `hyperslab bench ... --json` prints")
        };
        #[derive(Deserialize)]
        struct Form {
            format: u32,
        }
        let form: Form = serde_json::from_str(&text).map_err(not_ours)?;
        if form.format != FORMAT {
            return Err(fail(format!("its format is {}, this version reads {FORMAT}", form.format))
                .hint("use the hyperslab that wrote it"));
        }
        let mut document: Self = serde_json::from_str(&text).map_err(not_ours)?;
        // An older release may have come to others, or to none.
        document.judge();
        Ok(document)
    }

    /// How engines and caches are called here.
    pub(in crate::bench) fn names(&self) -> Names {
        Names::of(self.rows())
    }

    /// Compares with an older document, as it was named.
    pub(in crate::bench) fn compare(&mut self, older: &str, then: &Document) {
        let (then, names) = ((&then.head, then.rows.as_slice()), self.names());
        self.changes = Some(Changes::between(older, then, &self.rows, &names));
    }

    /// What a choice was, among the rows.
    pub(in crate::bench) fn row_of(&self, choice: &Choice) -> Option<&Row> {
        self.rows().find(|row| row.stored_as == choice.stored_as)
    }

    pub(in crate::bench) fn json(&self) -> Result<String, Failure> {
        Ok(schema::document(schema::BENCH, self)?)
    }

    /// The rows alone.
    pub(in crate::bench) fn rows(&self) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().map(|measured| &measured.row)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::row;
    use super::*;

    fn document() -> Document {
        let rows =
            vec![Measured { row: row("hyperslab", 1.0, Some(3)), command: "hyperslab bench f /d".into() }];
        let mut document = Document { rows, ..Document::empty(Head::default(), Rows::default()) };
        document.judge();
        document
    }

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        std::fs::write(&path, document().json().unwrap()).unwrap();
        assert_eq!(Document::read(&path).unwrap(), document());
    }

    #[test]
    fn what_is_no_document_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        let newer = Document { format: 2, ..document() };
        for (text, says) in [
            (newer.json().unwrap(), "format is 2"),
            ("{}".to_owned(), "not a document"),
            ("[1, 2".to_owned(), "not a document"),
            (r#"{"format": 1}"#.to_owned(), "not a document"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Document::read(&path).unwrap_err();
            assert!(error.message.contains(says) && error.hint.is_some(), "{error:?}");
        }
        assert!(Document::read(&folder.path().join("absent")).is_err());
    }
}
