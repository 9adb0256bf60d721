//! The command line that measures one cell again, and no other.

use super::arguments::{
    BenchArgs, DEFAULT_CELL_SECONDS, DEFAULT_MEMORY, DEFAULT_REPEATS, DEFAULT_SEED, DEFAULT_TIMEOUT,
    DEFAULT_WRITE_REPEATS,
};
use crate::shell_line::shell_line;
use hyperslab_apps::files;
use hyperslab_apps::made_up::DEFAULT_RATIO;
use hyperslab_bench::matrix::Row;
use hyperslab_engines::{AllocTime, FillTime, Format, Libver, Storage};
use hyperslab_engines::{Engine, EngineKind};
use hyperslab_measure::access::{Access, BlockWalk};
use hyperslab_storage::CacheSettings;
use hyperslab_storage::pattern::shape_text;
use hyperslab_storage::pipeline_text;
use serde::Serialize;
use std::path::Path;

/// What is asked of the same data in every cell.
pub(super) struct Commands<'a> {
    args: &'a BenchArgs,
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

/// The command line of this process, as a shell reads it; URLs without what may be secret.
pub(super) fn own() -> String {
    let given = std::env::args_os().skip(1).map(|word| match files::is_url(Path::new(&word)) {
        true => files::shown(Path::new(&word)),
        false => word.to_string_lossy().into_owned(),
    });
    Words(std::iter::once("hyperslab".to_owned()).chain(given).collect()).line()
}

impl<'a> Commands<'a> {
    pub(super) fn new(args: &'a BenchArgs, engines: Vec<Engine>) -> Self {
        Self { args, engines }
    }

    /// The line for one cell.
    pub(super) fn of(&self, row: &Row) -> String {
        let mut words = Words(vec!["hyperslab".to_owned(), "bench".to_owned()]);
        self.subject(&mut words, row);
        access(&mut words, "--read", "--order", &row.access);
        if !self.args.fields.is_empty() {
            words.add("--fields", self.args.fields.join(","));
        }
        if self.args.memory != DEFAULT_MEMORY {
            words.add("--memory", &self.args.memory);
        }
        if let Some(made) = &row.storage {
            storage(&mut words, made);
            if self.args.synthetic.is_none() {
                words.flag("--no-baseline");
            }
        }
        if let Some(write) = &row.write {
            access(&mut words, "--write", "--write-order", &write.access);
            if !write.is_default_cache {
                cache(&mut words, "--write-cache", write.cache);
            }
            if self.args.write_repeats != DEFAULT_WRITE_REPEATS {
                words.add("--write-repeats", self.args.write_repeats);
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
        let args = self.args;
        match &args.synthetic {
            Some(shape) => {
                words.add("--synthetic", shape);
                if let Some(storage) = &row.storage {
                    words.add("--type", storage.element);
                }
                if args.ratio != DEFAULT_RATIO {
                    words.add("--ratio", args.ratio);
                }
            }
            None => {
                words.0.extend(args.file.iter().map(|file| files::shown(file)));
                words.0.extend(args.dataset.clone());
            }
        }
        if args.seed != DEFAULT_SEED {
            words.add("--seed", args.seed);
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
        if !(is_first && self.args.libraries(kind).is_empty()) {
            words.add(&format!("--{}", kind.key()), found.path.display());
        }
    }

    fn measuring(&self, words: &mut Words, row: &Row) {
        let args = self.args;
        let is_part = row.read.reads < row.read.reads_in_all;
        if let Some(reads) = args.reads.or(is_part.then_some(row.read.reads)) {
            words.add("--reads", reads);
        }
        if args.repeats != DEFAULT_REPEATS {
            words.add("--repeats", args.repeats);
        }
        if args.cell_seconds != DEFAULT_CELL_SECONDS {
            words.add("--cell-seconds", args.cell_seconds);
        }
        if args.timeout != DEFAULT_TIMEOUT {
            words.add("--timeout", args.timeout);
        }
        if args.cold {
            words.flag("--cold");
        }
        if let Some(folder) = &args.folder {
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

fn storage(words: &mut Words, storage: &Storage) {
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
pub(super) fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use crate::bench::model::testing::{row, write};
    use clap::Parser;
    use hyperslab_engines::library::Found;

    fn args(line: &str) -> BenchArgs {
        let Command::Bench(args) = Cli::parse_from(shlex::split(line).unwrap()).command else { panic!() };
        *args
    }

    #[test]
    fn what_is_left_out_is_what_the_command_line_has_anyway() {
        let args = args("hyperslab bench f.h5 /d");
        assert_eq!(args.memory, DEFAULT_MEMORY);
        assert_eq!((args.ratio, args.seed), (DEFAULT_RATIO, DEFAULT_SEED));
        assert_eq!((args.repeats, args.write_repeats), (DEFAULT_REPEATS, DEFAULT_WRITE_REPEATS));
        assert_eq!((args.cell_seconds, args.timeout), (DEFAULT_CELL_SECONDS, DEFAULT_TIMEOUT));
    }

    #[test]
    fn who_wrote_a_file_writes_it_again() {
        let args = args("hyperslab bench f.h5 /d --engine hyperslab --libhdf5 /x/libhdf5.so --timeout 60");
        let found = Found { path: "/x/libhdf5.so".into(), origin: "/x/libhdf5.so".into(), plugins: None };
        let writer = Engine::Libhdf5(found);
        let write = write(&writer.name(), 1.0, 1);
        let mut row = row("hyperslab", 1.0, None);
        let commands = Commands::new(&args, vec![Engine::Hyperslab, writer]);
        assert!(!commands.of(&row).contains("--libhdf5"), "a file of the user's was written by nobody here");
        row.write = Some(serde_json::from_value(write).unwrap());
        let line = commands.of(&row);
        assert!(line.contains("--engine hyperslab --libhdf5 /x/libhdf5.so"), "{line}");
        assert!(line.ends_with("--timeout 60"), "{line}");
    }

    #[test]
    fn names_with_spaces_and_quotes_are_read_by_a_shell() {
        let words = Words(["hyperslab", "bench", "my file.h5", "/it's"].map(str::to_owned).to_vec());
        assert_eq!(args(&words.line()).dataset.as_deref(), Some("/it's"));
    }
}
