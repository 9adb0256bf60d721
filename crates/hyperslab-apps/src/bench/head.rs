//! What is said of a bench before it measures: the question, the engines, the machine.

use super::Request;
use super::asked::{Measurements, pipeline_of, unique};
use super::engines::inspect;
use crate::{Result, files};
use hyperslab_bench::document::names::settings;
use hyperslab_bench::document::{Data, Head, Machine, Participant};
use hyperslab_bench::matrix::{Matrix, ReadLimit, Subject};
use hyperslab_engines::{Engine, FileBuffers};
use hyperslab_listing::dtype;
use hyperslab_measure::process::Launcher;
use hyperslab_storage::pipeline_text;
use hyperslab_units::{counted_text, size};
use std::path::Path;

/// What can be said before measuring begins.
pub(super) fn before(
    request: &Request,
    asked: &Measurements,
    launcher: &Launcher,
    folder: &Path,
) -> Result<Head> {
    let matrices = &asked.matrices;
    let engines: Vec<Engine> = unique(matrices.iter().flat_map(|matrix| &matrix.engines));
    Ok(Head {
        hyperslab: env!("CARGO_PKG_VERSION").to_owned(),
        date: jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC").to_string(),
        command: request.command_line.clone(),
        data: data(matrices)?,
        asked: in_words(matrices),
        weights: asked.weights.clone(),
        page_cache: page_cache(request.cold),
        engines: engines.iter().map(|engine| participant(engine, launcher)).collect(),
        machine: Machine::look(folder),
    })
}

fn data(matrices: &[Matrix]) -> Result<Data> {
    match matrices.first().map(|matrix| &matrix.subject) {
        Some(Subject::Dataset { file, path, shape, .. }) => {
            let dataset = files::open(file)?.dataset(path)?;
            Ok(Data {
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
        Some(Subject::Synthetic(synthetic)) => Ok(Data {
            shape: synthetic.shape.clone(),
            element: types(matrices).join(", "),
            element_bytes: synthetic.element.bytes(),
            ..Data::default()
        }),
        None => Ok(Data::default()),
    }
}

/// Loads the engine in a process of its own, and asks it.
fn participant(engine: &Engine, launcher: &Launcher) -> Participant {
    // One that cannot be loaded says so in each of its cells.
    let told = inspect(engine, launcher).ok();
    Participant {
        name: engine.name(),
        version: told.as_ref().map(|told| told.version.clone()).unwrap_or_default(),
        hdf5_version: told.as_ref().and_then(|told| told.hdf5_version.clone()),
        path: engine.library().map(|found| found.path.clone()),
        default_cache: told.and_then(|told| told.default_cache),
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
