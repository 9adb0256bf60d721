//! The results as one document: what was asked, of whom, on which machine, and every row with the command line that
//! measures it again. What is printed, drawn or kept is made of it, so that it can be made again later.

use super::arguments::BenchArgs;
use super::command::{self, Commands};
use super::engines::inspect;
use super::finding::{count, settings};
use super::machine::Machine;
use crate::failure::Failure;
use crate::{dtype, schema, size};
use hyperslab_bench::engine::Engine;
use hyperslab_bench::matrix::{Matrix, Row, Rows, Skipped, Subject};
use hyperslab_bench::process::Launcher;
use hyperslab_doctor::simulate::CacheSettings;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Changes when a program that reads an older document would misread a newer one.
const FORMAT: u32 = 1;

/// Everything about one bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Document {
    /// The form of this document.
    pub(super) format: u32,
    #[serde(flatten)]
    pub(super) head: Head,
    /// What was measured.
    pub(super) rows: Vec<Measured>,
    /// What was not, and why.
    pub(super) skipped: Vec<Skipped>,
    /// What has to be said of it all, and is not a failure.
    #[serde(default)]
    pub(super) notes: Vec<String>,
}

/// What was asked, of whom, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    /// Release of hyperslab.
    pub(super) hyperslab: String,
    /// When measuring began, UTC.
    pub(super) date: String,
    /// The command line.
    pub(super) command: String,
    /// What was stored and read.
    pub(super) data: Data,
    /// What was varied, in words.
    pub(super) asked: Vec<String>,
    /// What was done about the system's page cache, in words.
    pub(super) page_cache: String,
    /// The engines that took part.
    pub(super) engines: Vec<Participant>,
    /// Where.
    pub(super) machine: Machine,
}

/// What was stored and read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Data {
    /// The file; none for made-up values.
    pub(super) file: Option<PathBuf>,
    /// The dataset in it.
    pub(super) dataset: Option<String>,
    /// The extent.
    pub(super) shape: Vec<u64>,
    /// The type of an element; of made-up values there may be several.
    pub(super) element: String,
    /// Bytes of one element, of the first type.
    pub(super) element_bytes: u64,
    /// The chunk shape in the file.
    pub(super) chunks: Option<Vec<u64>>,
    /// Bytes of the dataset in the file.
    pub(super) stored_bytes: Option<u64>,
}

/// One engine, as it was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Participant {
    /// Its name in the rows.
    pub(super) name: String,
    /// Its release.
    pub(super) version: String,
    /// The release of the libhdf5 inside.
    pub(super) hdf5_version: Option<String>,
    /// The library file.
    pub(super) path: Option<PathBuf>,
    /// The chunk cache that it gives a dataset where none is set.
    pub(super) default_cache: Option<CacheSettings>,
}

/// A row, and the command line that measures it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    #[serde(flatten)]
    pub(super) row: Row,
    /// As a shell reads it.
    pub(super) command: String,
}

impl Head {
    /// What can be said before measuring begins.
    pub(super) fn before(
        args: &BenchArgs,
        matrices: &[Matrix],
        launcher: &Launcher,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let engines: Vec<Engine> = unique(matrices.iter().flat_map(|matrix| &matrix.engines));
        Ok(Self {
            hyperslab: env!("CARGO_PKG_VERSION").to_owned(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
            command: command::own(),
            data: Data::of(matrices)?,
            asked: asked(matrices),
            page_cache: page_cache(args.cold),
            engines: engines.iter().map(|engine| Participant::ask(engine, launcher)).collect(),
            machine: Machine::look(folder),
        })
    }
}

impl Data {
    fn of(matrices: &[Matrix]) -> Result<Self, Failure> {
        match matrices.first().map(|matrix| &matrix.subject) {
            Some(Subject::Dataset { file, path, shape }) => {
                let dataset = crate::failure::open(file)?.dataset(path)?;
                Ok(Self {
                    file: Some(file.clone()),
                    dataset: Some(path.clone()),
                    shape: shape.clone(),
                    element: dtype::short(dataset.datatype()),
                    element_bytes: dataset.datatype().size.into(),
                    chunks: dataset.chunk_shape().map(<[u64]>::to_vec),
                    stored_bytes: dataset.stored_bytes().ok(),
                })
            }
            Some(Subject::Synthetic(synthetic)) => Ok(Self {
                shape: synthetic.shape.clone(),
                element: types(matrices).join(", "),
                element_bytes: synthetic.element.bytes(),
                ..Self::default()
            }),
            None => Ok(Self::default()),
        }
    }

    /// `/t2m of era5.nc`, or what was made up.
    pub(super) fn name(&self) -> String {
        match (&self.file, &self.dataset) {
            (Some(file), Some(dataset)) => {
                let file = file.file_name().unwrap_or_else(|| file.as_os_str());
                format!("{dataset} of {}", file.to_string_lossy())
            }
            _ => format!("made-up values, {} of {}", size::shape(&self.shape), self.element),
        }
    }
}

impl Participant {
    /// Loads the engine in a process of its own, and asks it.
    fn ask(engine: &Engine, launcher: &Launcher) -> Self {
        // One that cannot be loaded says so in each of its cells.
        let told = inspect(engine.clone(), launcher).ok();
        Self {
            name: engine.name(),
            version: told.as_ref().map(|told| told.version.clone()).unwrap_or_default(),
            hdf5_version: told.as_ref().and_then(|told| told.hdf5_version.clone()),
            path: engine.library().map(|found| found.path.clone()),
            default_cache: told.and_then(|told| told.default_cache),
        }
    }
}

/// Each value once, in the order in which they come.
pub(super) fn unique<'a, T: PartialEq + Clone + 'a>(values: impl IntoIterator<Item = &'a T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for value in values {
        if !found.contains(value) {
            found.push(value.clone());
        }
    }
    found
}

/// What was varied, in words.
fn asked(matrices: &[Matrix]) -> Vec<String> {
    let listed = |name: &str, words: Vec<String>| match words.as_slice() {
        [] => None,
        [one] => Some(format!("{name}: {one}")),
        many => Some(format!("{name}: {} ({})", many.join("; "), many.len())),
    };
    let storages = unique(matrices.iter().flat_map(|matrix| &matrix.storages));
    let accesses = unique(matrices.iter().flat_map(|matrix| &matrix.accesses));
    let caches = unique(matrices.iter().flat_map(|matrix| &matrix.caches));
    let buffers = unique(matrices.iter().flat_map(|matrix| &matrix.page_buffers));
    let engines = unique(matrices.iter().flat_map(|matrix| &matrix.engines));
    let stored =
        storages.iter().map(|one| one.as_ref().map_or("the file as it is".to_owned(), |s| s.to_string()));
    let cached = caches.iter().map(|one| match one {
        None => "the library's default".to_owned(),
        Some(cache) => settings(*cache),
    });
    let buffered = buffers.iter().flatten().map(|bytes| size::bytes(*bytes)).collect();
    let repeats = matrices.first().map(|matrix| {
        let most = count(matrix.repeats as u64, "measured run");
        let reads = matrix.reads_max.map(|reads| format!("; only {} of each access", count(reads, "read")));
        format!(
            "{most} of each cell at most, in turns, after one that compares the values of all engines and counts \
             decodes; no more once a cell took {} s{}",
            matrix.seconds_max,
            reads.unwrap_or_default()
        )
    });
    let lines = [
        listed("Stored", stored.collect()),
        listed("Read in blocks of", accesses.iter().map(ToString::to_string).collect()),
        listed("Chunk cache", cached.collect()),
        listed("Page buffer", buffered),
        listed("Engines", engines.iter().map(Engine::name).collect()),
        repeats,
    ];
    lines.into_iter().flatten().collect()
}

/// The types of made-up values.
fn types(matrices: &[Matrix]) -> Vec<String> {
    let made = matrices.iter().filter_map(|matrix| match &matrix.subject {
        Subject::Synthetic(synthetic) => Some(synthetic.element.to_string()),
        Subject::Dataset { .. } => None,
    });
    made.collect()
}

fn page_cache(cold: bool) -> String {
    match (cold, cfg!(target_os = "linux")) {
        (false, _) => "warm: the file was in the system's page cache after the first run".to_owned(),
        (true, true) => "cold: the file was taken out of the system's page cache before each run \
             (posix_fadvise; what stayed is in each row's page_cache)"
            .to_owned(),
        (true, false) => {
            "this system has no way to take one file out of its page cache: it was warm".to_owned()
        }
    }
}

impl Document {
    /// Of what was measured.
    pub(super) fn new(head: Head, rows: Rows, commands: &Commands<'_>) -> Self {
        let measured = |row: Row| Measured { command: commands.of(&row), row };
        Self {
            format: FORMAT,
            head,
            rows: rows.rows.into_iter().map(measured).collect(),
            skipped: rows.skipped,
            notes: rows.notes,
        }
    }

    /// One that was kept.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
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
        serde_json::from_str(&text).map_err(not_ours)
    }

    pub(super) fn json(&self) -> Result<String, Failure> {
        schema::document(schema::BENCH, self)
    }

    /// The rows alone.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> + Clone {
        self.rows.iter().map(|measured| &measured.row)
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::testing::row;
    use super::*;

    fn document() -> Document {
        let rows =
            vec![Measured { row: row("hyperslab", 1.0, Some(3)), command: "hyperslab bench f /d".into() }];
        let (head, skipped) = (Head::default(), Vec::new());
        Document { format: FORMAT, head, rows, skipped, notes: Vec::new() }
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
