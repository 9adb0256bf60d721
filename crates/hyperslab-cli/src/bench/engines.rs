//! The engines that the command line asks for, and the libraries that are found for them.

use super::arguments::BenchArgs;
use crate::failure::{self, Failure};
use hyperslab_apps::schema;
use hyperslab_engines::Format;
use hyperslab_engines::{Engine, EngineKind};
use hyperslab_engines::{library::Found, library::Libraries, library::find_all};
use hyperslab_measure::process::{Launcher, Operation, Outcome, RunError, Task};
use serde_json::{Map, Value, json};
use std::cell::OnceCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The engines that read, and others that write what these read.
pub(super) struct EngineChoice {
    pub(super) readers: Vec<Engine>,
    pub(super) writers: Vec<Engine>,
    /// Libraries that would take part, had they been found.
    pub(super) missing: Vec<EngineKind>,
}

/// The libraries, looked for when the first is wanted: that takes a second.
struct LibraryFinder<'a> {
    args: &'a BenchArgs,
    found: OnceCell<Libraries>,
}

impl LibraryFinder<'_> {
    /// The engines of a kind; of libraries those that are named, or the first that is found, or all.
    fn engines(&self, kind: EngineKind) -> Vec<Engine> {
        if kind == EngineKind::Hyperslab {
            return vec![Engine::Hyperslab];
        }
        let own =
            |path: &PathBuf| Found { path: path.clone(), origin: path.display().to_string(), plugins: None };
        let libraries: Vec<Found> = match self.args.libraries(kind) {
            [] => {
                let most = if self.args.all_libraries { usize::MAX } else { 1 };
                kind.among(self.found.get_or_init(find_all)).iter().take(most).cloned().collect()
            }
            named => named.iter().map(own).collect(),
        };
        libraries.into_iter().map(|found| Engine::of(kind, found)).collect()
    }
}

/// The engines for these formats; `is_netcdf` where a file is read that netCDF-C wrote.
pub(super) fn choose(args: &BenchArgs, formats: &[Format], is_netcdf: bool) -> Result<EngineChoice, Failure> {
    choose_from(&LibraryFinder { args, found: OnceCell::new() }, formats, is_netcdf)
}

fn choose_from(
    finder: &LibraryFinder<'_>,
    formats: &[Format],
    is_netcdf: bool,
) -> Result<EngineChoice, Failure> {
    let args = finder.args;
    let (mut readers, mut missing) = (Vec::new(), Vec::new());
    for name in &args.engine {
        if name == "null" {
            readers.push(Engine::Null);
            continue;
        }
        let kind = EngineKind::ALL.into_iter().find(|kind| kind.key() == name).ok_or_else(|| {
            Failure::wrong_request(format!("there is no engine {name:?}"))
                .hint("there are: hyperslab, libhdf5, netcdf, hdf4, null")
        })?;
        let engines = finder.engines(kind);
        if engines.is_empty() {
            let why = format!("no {} was found", kind.name());
            return Err(Failure::wrong_request(why).hint(kind.how_to_get()));
        }
        readers.extend(engines);
    }
    if args.engine.is_empty() {
        let is_hdf4_alone = !formats.is_empty() && formats.iter().all(|format| *format == Format::Hdf4);
        let writes = |kind| formats.iter().any(|format| EngineKind::of(*format) == kind);
        let takes_part = |kind: &EngineKind| match kind {
            EngineKind::Libhdf5 | EngineKind::Hyperslab => !is_hdf4_alone,
            EngineKind::Netcdf => is_netcdf || writes(*kind),
            EngineKind::Hdf4 => writes(*kind),
        };
        for kind in EngineKind::ALL.into_iter().filter(takes_part) {
            let engines = finder.engines(kind);
            missing.extend(engines.is_empty().then_some(kind));
            readers.extend(engines);
        }
    }
    // Records, and times at which space is allocated and filled, are left to a libhdf5.
    let is_record = |element: &String| element.contains('{');
    let is_plain =
        !args.element.iter().any(is_record) && args.fill_time.is_empty() && args.alloc_time.is_empty();
    let is_missing = |format: &&Format| {
        let can = |engine: &Engine| engine.writes(**format) && (is_plain || *engine != Engine::Hyperslab);
        !readers.iter().any(can)
    };
    let writers = formats
        .iter()
        .filter(is_missing)
        .flat_map(|format| finder.engines(EngineKind::of(*format)))
        .collect();
    Ok(EngineChoice { readers, writers, missing })
}

/// hyperslab, and the first library of each kind that is found.
pub(super) fn one_of_each(args: &BenchArgs) -> Vec<Engine> {
    let finder = LibraryFinder { args, found: OnceCell::new() };
    EngineKind::ALL.into_iter().filter_map(|kind| finder.engines(kind).into_iter().next()).collect()
}

/// Loads an engine in a process of its own, and asks it of itself.
pub(super) fn inspect(engine: &Engine, launcher: &Launcher) -> Result<Outcome, RunError> {
    let task = Task::new(engine, Path::new(""), "", Operation::Inspect);
    launcher.run(&task, &AtomicBool::new(false))
}

/// Every library that is found, with its version and its default cache; each is loaded in a process of its own.
pub(super) fn list(args: &BenchArgs, launcher: &Launcher, out: &mut dyn Write) -> Result<i32, Failure> {
    let finder = LibraryFinder { args, found: OnceCell::from(find_all()) };
    let mut document = Map::new();
    for kind in EngineKind::LIBRARIES {
        let mut described = Vec::new();
        let found = kind.among(finder.found.get_or_init(find_all));
        if found.is_empty() && !args.json {
            writeln!(out, "{}: none was found; {}", kind.name(), kind.how_to_get())?;
        }
        for library in found {
            let outcome = inspect(&Engine::of(kind, library.clone()), launcher);
            let mut value = json!(library);
            match &outcome {
                Ok(outcome) => {
                    value["version"] = json!(outcome.version);
                    value["hdf5_version"] = json!(outcome.hdf5_version);
                    value["default_cache"] = json!(outcome.default_cache);
                }
                Err(error) => value["error"] = json!(error.to_string()),
            }
            if !args.json {
                let version = match &outcome {
                    Ok(outcome) => outcome.release(),
                    Err(error) => format!("that cannot be loaded ({error})"),
                };
                let Found { path, origin, plugins } = library;
                write!(out, "{} {version}: {origin}: {}", kind.name(), path.display())?;
                match plugins {
                    Some(folder) => writeln!(out, " (plug-ins in {})", folder.display())?,
                    None => writeln!(out)?,
                }
            }
            described.push(value);
        }
        document.insert(kind.key().to_owned(), Value::Array(described));
    }
    if args.json {
        out.write_all(schema::document(schema::BENCH_LIBRARIES, &document)?.as_bytes())?;
    }
    Ok(failure::DONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    #[test]
    fn who_is_not_found_is_named_and_asked_for_by_name_is_an_error() {
        let cast = |line: &str, is_netcdf| {
            let Command::Bench(args) = Cli::parse_from(line.split(' ')).command else { panic!() };
            let finder = LibraryFinder { args: &args, found: OnceCell::from(Libraries::default()) };
            choose_from(&finder, &[Format::Hdf5], is_netcdf)
        };
        let alone = cast("hyperslab bench f.nc /d", true).unwrap();
        assert_eq!(alone.readers, [Engine::Hyperslab]);
        assert_eq!(alone.missing, [EngineKind::Libhdf5, EngineKind::Netcdf]);
        assert_eq!(cast("hyperslab bench f.h5 /d", false).unwrap().missing, [EngineKind::Libhdf5]);
        let named = cast("hyperslab bench f.h5 /d --libhdf5 /x/libhdf5.so", false).unwrap();
        assert_eq!((named.readers.len(), named.missing.len()), (2, 0));
        let asked = cast("hyperslab bench f.h5 /d --engine libhdf5", false).err().unwrap();
        assert!(asked.message.contains("no libhdf5 was found") && asked.hint.is_some(), "{asked:?}");
    }
}
