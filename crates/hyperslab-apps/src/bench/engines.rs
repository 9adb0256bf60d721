//! The engines that the command line asks for, and the libraries that are found for them.

use super::Request;
use crate::{Error, Result};
use hyperslab_engines::library::{Found, Libraries, find_all};
use hyperslab_engines::{Engine, EngineKind, Format};
use hyperslab_measure::process::{Launcher, Operation, Outcome, RunError, Task};
use std::cell::OnceCell;
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
    request: &'a Request,
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
        let libraries: Vec<Found> = match self.request.libraries(kind) {
            [] => {
                let most = if self.request.all_libraries { usize::MAX } else { 1 };
                kind.among(self.found.get_or_init(find_all)).iter().take(most).cloned().collect()
            }
            named => named.iter().map(own).collect(),
        };
        libraries.into_iter().map(|found| Engine::of(kind, found)).collect()
    }
}

/// The engines for the formats that are written and that of a file which is read as it is; `is_netcdf` where netCDF-C wrote it.
pub(super) fn choose(
    request: &Request,
    formats: &[Format],
    as_is: Option<Format>,
    is_netcdf: bool,
) -> Result<EngineChoice> {
    choose_from(&LibraryFinder { request, found: OnceCell::new() }, formats, as_is, is_netcdf)
}

fn choose_from(
    finder: &LibraryFinder<'_>,
    formats: &[Format],
    as_is: Option<Format>,
    is_netcdf: bool,
) -> Result<EngineChoice> {
    let request = finder.request;
    let (mut readers, mut missing) = (Vec::new(), Vec::new());
    for name in &request.engine {
        if name == "null" {
            readers.push(Engine::Null);
            continue;
        }
        let kind = EngineKind::ALL.into_iter().find(|kind| kind.key() == name).ok_or_else(|| {
            Error::wrong_request(format!("there is no engine {name:?}"))
                .hint("there are: hyperslab, libhdf5, netcdf, hdf4, null")
        })?;
        let engines = finder.engines(kind);
        if engines.is_empty() {
            let why = format!("no {} was found", kind.name());
            return Err(Error::wrong_request(why).hint(kind.how_to_get()));
        }
        readers.extend(engines);
    }
    if request.engine.is_empty() {
        let any =
            |wanted: &dyn Fn(Format) -> bool| formats.iter().chain(&as_is).any(|format| wanted(*format));
        let takes_part = |kind: &EngineKind| match kind {
            EngineKind::Hyperslab => true,
            EngineKind::Libhdf5 => any(&Format::is_hdf5),
            EngineKind::Netcdf => is_netcdf || any(&|format| EngineKind::of(format) == EngineKind::Netcdf),
            EngineKind::Hdf4 => any(&|format| format == Format::Hdf4),
        };
        for kind in EngineKind::ALL.into_iter().filter(takes_part) {
            let engines = finder.engines(kind);
            missing.extend(engines.is_empty().then_some(kind));
            readers.extend(engines);
        }
    }
    // Records, and times at which space is allocated and filled, are left to a libhdf5.
    let is_record = |element: &String| element.contains('{');
    let is_plain = !request.element.iter().any(is_record)
        && request.fill_time.is_empty()
        && request.alloc_time.is_empty();
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
pub(super) fn one_of_each(request: &Request) -> Vec<Engine> {
    let finder = LibraryFinder { request, found: OnceCell::new() };
    EngineKind::ALL.into_iter().filter_map(|kind| finder.engines(kind).into_iter().next()).collect()
}

/// Loads an engine in a process of its own, and asks it of itself.
pub(super) fn inspect(engine: &Engine, launcher: &Launcher) -> Result<Outcome, RunError> {
    let task = Task::new(engine, Path::new(""), "", Operation::Inspect);
    launcher.run(&task, &AtomicBool::new(false))
}

/// A library that was found, and what it says of itself; or why it cannot be loaded.
pub struct Installed {
    /// The kind.
    pub kind: EngineKind,
    /// Where it is.
    pub library: Found,
    /// What it says.
    pub told: Result<Outcome, RunError>,
}

/// Every library of these kinds that is found; each is loaded in a process of its own.
pub(super) fn installed(launcher: &Launcher) -> Vec<Installed> {
    let libraries = find_all();
    let each = |kind: EngineKind| {
        let found = kind.among(&libraries).to_vec();
        found.into_iter().map(move |library| {
            let told = inspect(&Engine::of(kind, library.clone()), launcher);
            Installed { kind, library, told }
        })
    };
    EngineKind::LIBRARIES.into_iter().flat_map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_not_found_is_named_and_asked_for_by_name_is_an_error() {
        let cast = |request: Request, is_netcdf| {
            let finder = LibraryFinder { request: &request, found: OnceCell::from(Libraries::default()) };
            choose_from(&finder, &[], Some(Format::Hdf5), is_netcdf)
        };
        let alone = cast(Request::default(), true).unwrap();
        assert_eq!(alone.readers, [Engine::Hyperslab]);
        assert_eq!(alone.missing, [EngineKind::Libhdf5, EngineKind::Netcdf]);
        assert_eq!(cast(Request::default(), false).unwrap().missing, [EngineKind::Libhdf5]);
        let libhdf5 = vec!["/x/libhdf5.so".into()];
        let named = cast(Request { libhdf5, ..Request::default() }, false).unwrap();
        assert_eq!((named.readers.len(), named.missing.len()), (2, 0));
        let engine = vec!["libhdf5".into()];
        let asked = cast(Request { engine, ..Request::default() }, false).err().unwrap();
        assert!(asked.message.contains("no libhdf5 was found") && asked.hint.is_some(), "{asked:?}");
    }
}
