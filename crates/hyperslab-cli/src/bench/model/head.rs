//! What is said of a bench before it measures: the question, the engines, the machine.

use super::machine::Machine;
use super::names::settings;
use crate::bench::arguments::BenchArgs;
use crate::bench::command;
use crate::bench::engines::inspect;
use crate::bench::request::{Request, pipeline_of, unique};
use crate::failure::Failure;
use crate::size;
use hyperslab_bench::matrix::{Matrix, ReadLimit, Row, Subject};
use hyperslab_engines::{Engine, FileBuffers};
use hyperslab_listing::dtype;
use hyperslab_measure::process::Launcher;
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pipeline_text;
use hyperslab_units::counted_text;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The question, the engines, the machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::bench) struct Head {
    /// Release of hyperslab.
    pub(in crate::bench) hyperslab: String,
    /// When measuring began, UTC.
    pub(in crate::bench) date: String,
    /// The command line.
    pub(in crate::bench) command: String,
    /// What was stored and read.
    pub(in crate::bench) data: Data,
    /// What was varied, in words.
    pub(in crate::bench) asked: Vec<String>,
    /// How much each access counts where all of them are added up, by its words; 1 for others.
    #[serde(default)]
    pub(in crate::bench) weights: Vec<(String, f64)>,
    /// What was done about the system's page cache, in words.
    pub(in crate::bench) page_cache: String,
    /// The engines that took part.
    pub(in crate::bench) engines: Vec<Participant>,
    /// Where.
    pub(in crate::bench) machine: Machine,
}

/// What was stored and read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::bench) struct Data {
    /// The file; none for made-up values.
    pub(in crate::bench) file: Option<PathBuf>,
    /// The dataset in it.
    pub(in crate::bench) dataset: Option<String>,
    /// The extent.
    pub(in crate::bench) shape: Vec<u64>,
    /// The type of an element; of made-up values there may be several.
    pub(in crate::bench) element: String,
    /// Bytes of one element, of the first type.
    pub(in crate::bench) element_bytes: u64,
    /// The chunk shape in the file.
    pub(in crate::bench) chunks: Option<Vec<u64>>,
    /// The pipeline of filters in the file, as `--filter` takes it.
    #[serde(default)]
    pub(in crate::bench) filters: Option<String>,
    /// Bytes of the dataset in the file.
    pub(in crate::bench) stored_bytes: Option<u64>,
}

/// One engine, as it was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::bench) struct Participant {
    /// Its name in the rows.
    pub(in crate::bench) name: String,
    /// Its release.
    pub(in crate::bench) version: String,
    /// The release of the libhdf5 inside.
    pub(in crate::bench) hdf5_version: Option<String>,
    /// The library file.
    pub(in crate::bench) path: Option<PathBuf>,
    /// The chunk cache that it gives a dataset where none is set.
    pub(in crate::bench) default_cache: Option<CacheSettings>,
}

impl Head {
    /// What can be said before measuring begins.
    pub(in crate::bench) fn before(
        args: &BenchArgs,
        asked: &Request,
        launcher: &Launcher,
        folder: &Path,
    ) -> Result<Self, Failure> {
        let matrices = &asked.matrices;
        let engines: Vec<Engine> = unique(matrices.iter().flat_map(|matrix| &matrix.engines));
        Ok(Self {
            hyperslab: env!("CARGO_PKG_VERSION").to_owned(),
            date: jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
            command: command::own(),
            data: Data::of(matrices)?,
            asked: in_words(matrices),
            weights: asked.weights.clone(),
            page_cache: page_cache(args.cold),
            engines: engines.iter().map(|engine| Participant::ask(engine, launcher)).collect(),
            machine: Machine::look(folder),
        })
    }

    /// How much an access counts.
    pub(in crate::bench) fn weight_of(&self, read_as: &str) -> f64 {
        self.weights.iter().find(|(known, _)| known == read_as).map_or(1.0, |(_, weight)| *weight)
    }
}

impl Data {
    fn of(matrices: &[Matrix]) -> Result<Self, Failure> {
        match matrices.first().map(|matrix| &matrix.subject) {
            Some(Subject::Dataset { file, path, shape }) => {
                let dataset = hyperslab_apps::files::open(file)?.dataset(path)?;
                Ok(Self {
                    file: Some(file.clone()),
                    dataset: Some(path.clone()),
                    shape: shape.clone(),
                    element: dtype::short(dataset.datatype()),
                    element_bytes: dataset.datatype().size.into(),
                    chunks: dataset.chunk_shape().map(<[u64]>::to_vec),
                    filters: Some(pipeline_text(&pipeline_of(&dataset))),
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

    /// Bytes of the file that was made, or of the dataset in the file as it is.
    pub(in crate::bench) fn bytes_of(&self, row: &Row) -> Option<u64> {
        match (&row.write, &row.storage) {
            (Some(write), _) => Some(write.file_bytes),
            (None, None) => self.stored_bytes,
            (None, Some(_)) => None,
        }
    }

    /// Bytes of values for a byte that is stored.
    pub(in crate::bench) fn ratio_of(&self, row: &Row) -> Option<f64> {
        let logical = match &row.storage {
            Some(storage) => storage.logical_bytes(),
            None => self.shape.iter().fold(self.element_bytes, |bytes, dim| bytes.saturating_mul(*dim)),
        };
        size::ratio(logical, self.bytes_of(row)?)
    }

    /// The shape of a chunk of what was read.
    pub(in crate::bench) fn chunks_of<'a>(&'a self, row: &'a Row) -> Option<&'a Vec<u64>> {
        row.storage.as_ref().map_or(self.chunks.as_ref(), |storage| storage.chunks.as_ref())
    }

    /// How the file stores it: `60x30x9x717 >f4 in chunks of 4x30x9x717, gzip=6, 41.2 MiB`.
    pub(in crate::bench) fn storage(&self) -> String {
        let mut text = format!("{} {}", size::shape(&self.shape), self.element);
        if self.file.is_some() {
            text += &match &self.chunks {
                Some(chunks) => format!(" in chunks of {}", size::shape(chunks)),
                None => " without chunks".to_owned(),
            };
            text += &self
                .filters
                .as_ref()
                .filter(|text| *text != "none")
                .map_or(String::new(), |text| format!(", {text}"));
            text += &self.stored_bytes.map_or(String::new(), |bytes| format!(", {}", size::bytes(bytes)));
        }
        text
    }

    /// What was read, and how it is stored.
    pub(in crate::bench) fn headline(&self) -> String {
        match self.file {
            Some(_) => format!("{}: {}", self.name(), self.storage()),
            None => self.name(),
        }
    }

    /// `/t2m of era5.nc`, or what was made up.
    pub(in crate::bench) fn name(&self) -> String {
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
        let told = inspect(engine, launcher).ok();
        Self {
            name: engine.name(),
            version: told.as_ref().map(|told| told.version.clone()).unwrap_or_default(),
            hdf5_version: told.as_ref().and_then(|told| told.hdf5_version.clone()),
            path: engine.library().map(|found| found.path.clone()),
            default_cache: told.and_then(|told| told.default_cache),
        }
    }
}

/// What was varied, in words.
fn in_words(matrices: &[Matrix]) -> Vec<String> {
    let listed = |name: &str, words: Vec<String>| match words.as_slice() {
        [] => None,
        [one] => Some(format!("{name}: {one}")),
        many => Some(format!("{name}: {} ({})", many.join("; "), many.len())),
    };
    let storages = unique(matrices.iter().flat_map(|matrix| &matrix.storages));
    let accesses = unique(matrices.iter().flat_map(|matrix| &matrix.accesses));
    let caches = unique(matrices.iter().flat_map(|matrix| &matrix.caches));
    let buffers = unique(matrices.iter().flat_map(|matrix| &matrix.buffers));
    let engines = unique(matrices.iter().flat_map(|matrix| &matrix.engines));
    let stored =
        storages.iter().map(|one| one.as_ref().map_or("the file as it is".to_owned(), |s| s.to_string()));
    let cached = caches.iter().map(|one| match one {
        None => "the library's default".to_owned(),
        Some(cache) => settings(*cache),
    });
    let set = |of: fn(&FileBuffers) -> Option<u64>| {
        let sizes: Vec<u64> = unique(buffers.iter().filter_map(of).collect::<Vec<_>>().iter());
        sizes.into_iter().map(size::bytes).collect::<Vec<_>>()
    };
    let repeats = matrices.first().map(|matrix| {
        let most = counted_text(matrix.repeats as u64, "measured run");
        let reads = match &matrix.reads {
            ReadLimit::All => None,
            ReadLimit::AtMost(reads) => {
                Some(format!("; only {} of each access", counted_text(*reads, "read")))
            }
            ReadLimit::Of(limits) if limits.is_empty() => None,
            ReadLimit::Of(_) => {
                Some("; only some reads of accesses that take long, from all over the dataset".to_owned())
            }
        };
        format!(
            "{most} of each cell at most, in turns, after one that compares the values of all engines and counts \
             decodes; not again once a cell took {} s{}",
            matrix.seconds_max,
            reads.unwrap_or_default()
        )
    });
    let lines = [
        listed("Stored", stored.collect()),
        listed("Read in blocks of", accesses.iter().map(ToString::to_string).collect()),
        listed("Chunk cache", cached.collect()),
        listed("Page buffer", set(|set| set.page_buffer)),
        listed("Metadata cache", set(|set| set.metadata_cache)),
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
