//! The command line that measures one cell again, and no other.

use super::Request;
use super::request::{
    DEFAULT_CELL_SECONDS, DEFAULT_MEMORY, DEFAULT_REPEATS, DEFAULT_SEED, DEFAULT_TIMEOUT,
    DEFAULT_WRITE_REPEATS,
};
use crate::files;
use crate::made_up::DEFAULT_RATIO;
use crate::shell_line::shell_line;
use hyperslab_bench::matrix::Row;
use hyperslab_engines::{AllocTime, CreationProperties, Engine, EngineKind, FillTime, Format, Libver};
use hyperslab_measure::access::{Access, BlockWalk};
use hyperslab_storage::pattern::shape_text;
use hyperslab_storage::{CacheSettings, pipeline_text};
use serde::Serialize;

/// What is asked of the same data in every cell.
pub(super) struct Commands<'a> {
    request: &'a Request,
    /// The engines that read, then those that only write.
    engines: Vec<Engine>,
}

/// A command line as it grows.
struct Words(Vec<String>);

impl Words {
    fn add(&mut self, option: &str, value: impl std::fmt::Display) {
        self.0.extend([option.to_owned(), value.to_string()]);
    }

    fn flag(&mut self, option: &str) {
        self.0.push(option.to_owned());
    }

    /// As a shell reads it.
    fn line(&self) -> String {
        shell_line(&self.0)
    }
}

impl<'a> Commands<'a> {
    pub(super) fn new(request: &'a Request, engines: Vec<Engine>) -> Self {
        Self { request, engines }
    }

    /// The line for one cell.
    pub(super) fn of(&self, row: &Row) -> String {
        let mut words = Words(vec!["hyperslab".to_owned(), "bench".to_owned()]);
        self.subject(&mut words, row);
        access(&mut words, "--read", "--order", &row.access);
        if !self.request.fields.is_empty() {
            words.add("--fields", self.request.fields.join(","));
        }
        if self.request.memory != DEFAULT_MEMORY {
            words.add("--memory", &self.request.memory);
        }
        if let Some(made) = &row.storage {
            storage(&mut words, made);
            if self.request.synthetic.is_none() {
                words.flag("--no-baseline");
            }
        }
        if let Some(write) = &row.write {
            access(&mut words, "--write", "--write-order", &write.access);
            if !write.is_default_cache {
                cache(&mut words, "--write-cache", write.cache);
            }
            if self.request.write_repeats != DEFAULT_WRITE_REPEATS {
                words.add("--write-repeats", self.request.write_repeats);
            }
        }
        self.engine(&mut words, row);
        if let Some(writer) = self.named(row.write.as_ref().map_or("", |write| &write.engine))
            && row.engine != writer.name()
        {
            self.library(&mut words, writer);
        }
        if !row.is_default_cache {
            cache(&mut words, "--cache", row.cache);
        }
        if let Some(bytes) = row.buffers.page_buffer {
            words.add("--page-buffer", bytes);
        }
        if let Some(bytes) = row.buffers.metadata_cache {
            words.add("--metadata-cache", bytes);
        }
        self.measuring(&mut words, row);
        words.line()
    }

    fn subject(&self, words: &mut Words, row: &Row) {
        let request = self.request;
        match &request.synthetic {
            Some(shape) => {
                words.add("--synthetic", shape);
                if let Some(storage) = &row.storage {
                    words.add("--type", storage.element);
                }
                if request.ratio != DEFAULT_RATIO {
                    words.add("--ratio", request.ratio);
                }
            }
            None => {
                words.0.extend(request.file.iter().map(|file| files::shown(file)));
                words.0.extend(request.dataset.clone());
            }
        }
        if request.seed != DEFAULT_SEED {
            words.add("--seed", request.seed);
        }
    }

    fn named(&self, name: &str) -> Option<&Engine> {
        self.engines.iter().find(|engine| engine.name() == name)
    }

    fn engine(&self, words: &mut Words, row: &Row) {
        let Some(engine) = self.named(&row.engine) else { return };
        words.add("--engine", engine.kind().map_or("null", EngineKind::key));
        self.library(words, engine);
    }

    /// A library by its place, unless it is the one that is found anyway.
    fn library(&self, words: &mut Words, engine: &Engine) {
        let (Some(kind), Some(found)) = (engine.kind(), engine.library()) else { return };
        let same = |other: &&Engine| other.kind() == Some(kind);
        let is_first = self.engines.iter().find(same) == Some(engine);
        if !(is_first && self.request.libraries(kind).is_empty()) {
            words.add(&format!("--{}", kind.key()), found.path.display());
        }
    }

    fn measuring(&self, words: &mut Words, row: &Row) {
        let request = self.request;
        let is_part = row.read.reads < row.read.reads_in_all;
        if let Some(reads) = request.reads.or(is_part.then_some(row.read.reads)) {
            words.add("--reads", reads);
        }
        if request.repeats != DEFAULT_REPEATS {
            words.add("--repeats", request.repeats);
        }
        if request.cell_seconds != DEFAULT_CELL_SECONDS {
            words.add("--cell-seconds", request.cell_seconds);
        }
        if request.timeout != DEFAULT_TIMEOUT {
            words.add("--timeout", request.timeout);
        }
        if request.cold {
            words.flag("--cold");
        }
        if let Some(folder) = &request.folder {
            words.add("--folder", folder.display());
        }
    }
}

fn access(words: &mut Words, block: &str, order: &str, access: &Access) {
    words.add(block, shape_text(&access.block));
    match &access.walk {
        BlockWalk::Sweep { order: dimensions } if dimensions.is_sorted() => {}
        BlockWalk::Sweep { order: dimensions } => {
            let dimensions: Vec<String> = dimensions.iter().map(usize::to_string).collect();
            words.add(order, dimensions.join(","));
        }
        BlockWalk::Random { count, .. } => words.add("--random", count),
        BlockWalk::Along { axis } => words.flag(&format!("--moved={axis}")),
        BlockWalk::Diagonal => words.flag("--moved=diagonal"),
    }
    if access.step.iter().any(|step| *step != 1) {
        words.add("--stride", shape_text(&access.step));
    }
}

fn storage(words: &mut Words, storage: &CreationProperties) {
    if storage.format != Format::Hdf5 {
        words.add("--format", word(&storage.format));
    }
    match &storage.chunks {
        Some(chunks) => words.add("--chunks", shape_text(chunks)),
        // netCDF-4 needs chunks for these, and chooses them.
        None if storage.unlimited || !storage.filters.is_empty() => words.add("--chunks", "default"),
        None => words.add("--chunks", "contiguous"),
    }
    words.add("--filter", pipeline_text(&storage.filters));
    if let Some(bytes) = storage.page_bytes {
        words.add("--page-size", bytes);
    }
    if storage.libver != Libver::default() {
        words.add("--libver", word(&storage.libver));
    }
    if let Some(value) = storage.fill_value {
        words.flag(&format!("--fill-value={value}"));
    }
    if storage.fill_time != FillTime::default() {
        words.add("--fill-time", word(&storage.fill_time));
    }
    if storage.alloc_time != AllocTime::default() {
        words.add("--alloc-time", word(&storage.alloc_time));
    }
    if storage.unlimited {
        words.flag("--unlimited");
    }
}

fn cache(words: &mut Words, option: &str, cache: Option<CacheSettings>) {
    if let Some(CacheSettings { nbytes, nslots, w0 }) = cache {
        words.add(option, format!("{nbytes},{nslots},{w0}"));
    }
}

/// A value as the command line and JSON name it.
pub fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_bench::document::testing::{row, write};
    use hyperslab_engines::library::Found;

    #[test]
    fn who_wrote_a_file_writes_it_again() {
        let request = Request {
            file: Some("f.h5".into()),
            dataset: Some("/d".into()),
            engine: vec!["hyperslab".into()],
            libhdf5: vec!["/x/libhdf5.so".into()],
            timeout: 60,
            ..Request::default()
        };
        let found = Found { path: "/x/libhdf5.so".into(), origin: "/x/libhdf5.so".into(), plugins: None };
        let writer = Engine::Libhdf5(found);
        let write = write(&writer.name(), 1.0, 1);
        let mut row = row("hyperslab", 1.0, None);
        let commands = Commands::new(&request, vec![Engine::Hyperslab, writer]);
        assert!(!commands.of(&row).contains("--libhdf5"), "a file of the user's was written by nobody here");
        row.write = Some(serde_json::from_value(write).unwrap());
        let line = commands.of(&row);
        assert!(line.contains("--engine hyperslab --libhdf5 /x/libhdf5.so"), "{line}");
        assert!(line.ends_with("--timeout 60"), "{line}");
    }
}
