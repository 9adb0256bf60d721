//! The engines that the command line asks for, and the libraries that are found for them.

use super::arguments::BenchArgs;
use crate::failure::{self, Failure};
use crate::schema;
use hyperslab_bench::engine::{Engine, OpenOptions};
use hyperslab_bench::library::{Family, Found, Libraries, find_all};
use hyperslab_bench::process::{Launcher, Operation, Outcome, RunError, Task};
use hyperslab_bench::study::{Access, Format};
use serde_json::{Map, Value, json};
use std::cell::OnceCell;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// The engines that read, and others that write what these read.
pub(super) struct EngineChoice {
    pub(super) readers: Vec<Engine>,
    pub(super) writers: Vec<Engine>,
    /// Libraries that would take part, had they been found.
    pub(super) missing: Vec<Family>,
}

/// The libraries, looked for when the first is wanted: that takes a second.
struct LibraryFinder<'a> {
    args: &'a BenchArgs,
    found: OnceCell<Libraries>,
}

impl LibraryFinder<'_> {
    /// Libraries of a kind: those that are named, or the first that is found, or all.
    fn libraries(&self, family: Family) -> Vec<Found> {
        let named = match family {
            Family::Hdf5 => &self.args.libhdf5,
            Family::Netcdf => &self.args.netcdf,
            Family::Hdf4 => &self.args.hdf4,
        };
        if !named.is_empty() {
            let own = |path: &PathBuf| Found {
                path: path.clone(),
                origin: path.display().to_string(),
                plugins: None,
            };
            return named.iter().map(own).collect();
        }
        let most = if self.args.all_libraries { usize::MAX } else { 1 };
        family.among(self.found.get_or_init(find_all)).iter().take(most).cloned().collect()
    }

    fn engines(&self, family: Family) -> Vec<Engine> {
        self.libraries(family).into_iter().map(|found| Engine::of(family, found)).collect()
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
        let family = match name.as_str() {
            "hyperslab" => {
                readers.push(Engine::Hyperslab);
                continue;
            }
            "null" => {
                readers.push(Engine::Null);
                continue;
            }
            "libhdf5" => Family::Hdf5,
            "netcdf" => Family::Netcdf,
            "hdf4" => Family::Hdf4,
            other => {
                return Err(Failure::wrong_request(format!("there is no engine {other:?}"))
                    .hint("there are: hyperslab, libhdf5, netcdf, hdf4, null"));
            }
        };
        let engines = finder.engines(family);
        if engines.is_empty() {
            return Err(
                Failure::wrong_request(format!("no {} was found", family.name())).hint(family.how_to_get())
            );
        }
        readers.extend(engines);
    }
    if args.engine.is_empty() {
        let is_hdf4_alone = !formats.is_empty() && formats.iter().all(|format| *format == Format::Hdf4);
        let families: Vec<Family> = formats.iter().map(|format| Family::of(*format)).collect();
        let takes_part = |family: &Family| match family {
            Family::Hdf5 => !is_hdf4_alone,
            Family::Netcdf => is_netcdf || families.contains(family),
            Family::Hdf4 => families.contains(family),
        };
        for family in Family::ALL.into_iter().filter(takes_part) {
            let engines = finder.engines(family);
            missing.extend(engines.is_empty().then_some(family));
            readers.extend(engines);
        }
        if !is_hdf4_alone {
            readers.push(Engine::Hyperslab);
        }
    }
    let is_missing = |format: &&Format| !readers.iter().any(|engine| engine.writes(**format));
    let writers =
        formats.iter().filter(is_missing).flat_map(|format| finder.engines(Family::of(*format))).collect();
    Ok(EngineChoice { readers, writers, missing })
}

/// hyperslab, and the first library of each kind that is found.
pub(super) fn one_of_each(args: &BenchArgs) -> Vec<Engine> {
    let finder = LibraryFinder { args, found: OnceCell::new() };
    let libraries = Family::ALL.into_iter().filter_map(|family| finder.engines(family).into_iter().next());
    libraries.chain([Engine::Hyperslab]).collect()
}

/// Loads an engine in a process of its own, and asks it of itself.
pub(super) fn inspect(engine: Engine, launcher: &Launcher) -> Result<Outcome, RunError> {
    let task = Task {
        engine,
        file: PathBuf::new(),
        dataset: String::new(),
        access: Access::none(),
        options: OpenOptions::default(),
        operation: Operation::Inspect,
    };
    launcher.run(&task, &AtomicBool::new(false))
}

/// Every library that is found, with its version and its default cache; each is loaded in a process of its own.
pub(super) fn list(args: &BenchArgs, launcher: &Launcher, out: &mut dyn Write) -> Result<i32, Failure> {
    let finder = LibraryFinder { args, found: OnceCell::from(find_all()) };
    let mut document = Map::new();
    for (family, key) in Family::ALL.into_iter().zip(["libhdf5", "netcdf", "hdf4"]) {
        let mut described = Vec::new();
        let found = family.among(finder.found.get_or_init(find_all));
        if found.is_empty() && !args.json {
            writeln!(out, "{}: none was found; {}", family.name(), family.how_to_get())?;
        }
        for library in found {
            let outcome = inspect(Engine::of(family, library.clone()), launcher);
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
                write!(out, "{} {version}: {origin}: {}", family.name(), path.display())?;
                match plugins {
                    Some(folder) => writeln!(out, " (plug-ins in {})", folder.display())?,
                    None => writeln!(out)?,
                }
            }
            described.push(value);
        }
        document.insert(key.to_owned(), Value::Array(described));
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
        assert_eq!(alone.missing, [Family::Hdf5, Family::Netcdf]);
        assert_eq!(cast("hyperslab bench f.h5 /d", false).unwrap().missing, [Family::Hdf5]);
        let named = cast("hyperslab bench f.h5 /d --libhdf5 /x/libhdf5.so", false).unwrap();
        assert_eq!((named.readers.len(), named.missing.len()), (2, 0));
        let asked = cast("hyperslab bench f.h5 /d --engine libhdf5", false).err().unwrap();
        assert!(asked.message.contains("no libhdf5 was found") && asked.hint.is_some(), "{asked:?}");
    }
}
