//! Finds the libraries that the user's programs load: those in their Python, in conda, in the system.

use super::python::{ask, pythons};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A library that was found, not loaded yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Where it lies.
    pub path: PathBuf,
    /// Whose it is: `h5py 3.16.0`, `netCDF4 1.7.5`, `the system's`.
    pub origin: String,
    /// Folder with filter plug-ins that come with it.
    pub plugins: Option<PathBuf>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Libraries {
    /// Builds of libhdf5, that of h5py first.
    pub hdf5: Vec<Found>,
    /// Builds of netCDF-C.
    pub netcdf: Vec<Found>,
    /// Builds of libmfhdf, beside which libdf lies.
    pub hdf4: Vec<Found>,
}

/// A Python that takes longer to import two packages is left alone.
const PYTHON_MAX: Duration = Duration::from_secs(60);

/// Imports what reads HDF5, and tells which libraries came along, one JSON document.
const ASK_PYTHON: &str = r#"
import json, sys
def mapped():
    try:
        with open("/proc/self/maps") as maps:
            return {line.split(None, 5)[5].strip() for line in maps if len(line.split(None, 5)) == 6}
    except OSError:
        return set()
def version(package, name):
    try:
        from importlib.metadata import version
        return getattr(package, "__version__", "") or version(name)
    except Exception:
        return ""
found, plugins = [], None
try:
    import hdf5plugin
    plugins = getattr(hdf5plugin, "PLUGIN_PATH", None) or getattr(hdf5plugin, "PLUGINS_PATH", None)
except Exception:
    pass
before = mapped() if plugins is None else set()
for name in ("h5py", "netCDF4", "tables", "pyhdf.SD"):
    try:
        package = __import__(name)
    except Exception:
        continue
    now = mapped()
    name = name.partition(".")[0]
    found += [[name, version(package, name), path] for path in sorted(now - before)]
    before |= now
json.dump({"libraries": found, "plugins": plugins and str(plugins)}, sys.stdout)
"#;

#[derive(Deserialize)]
struct Answer {
    libraries: Vec<(String, String, PathBuf)>,
    plugins: Option<PathBuf>,
}

/// All libraries that are found, each once, in the order in which they are preferred.
pub fn find_all() -> Libraries {
    let mut found = Libraries::default();
    for python in pythons() {
        if let Some(libraries) = of_python(&python) {
            found.add(libraries);
        }
    }
    found.add(of_folders(&folders()));
    found
}

impl Libraries {
    fn add(&mut self, others: Self) {
        for (mine, theirs) in
            [(&mut self.hdf5, others.hdf5), (&mut self.netcdf, others.netcdf), (&mut self.hdf4, others.hdf4)]
        {
            for library in theirs {
                if !mine.iter().any(|known| known.path == library.path) {
                    mine.push(library);
                }
            }
        }
    }

    fn note(&mut self, path: &Path, origin: &str, plugins: Option<&PathBuf>) {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return };
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let found = Found { path, origin: origin.to_owned(), plugins: plugins.cloned() };
        if is_library(name, &["libhdf5", "libhdf5_serial"]) {
            self.add(Self { hdf5: vec![found], ..Self::default() });
        } else if is_library(name, &["libnetcdf"]) {
            self.add(Self { netcdf: vec![found], ..Self::default() });
        } else if is_library(name, &["libmfhdf", "libmfhdfalt"]) {
            // The plug-ins are filters of HDF5.
            self.add(Self { hdf4: vec![Found { plugins: None, ..found }], ..Self::default() });
        }
    }
}

/// `libhdf5.so.310`, `libhdf5-9e18f0c6.so.320.0.0`, `libhdf5.200.dylib`, but not `libhdf5_hl.so`.
fn is_library(name: &str, stems: &[&str]) -> bool {
    let is_shared = name.contains(".so") || name.ends_with(".dylib");
    is_shared
        && stems.iter().any(|stem| name.strip_prefix(stem).is_some_and(|rest| rest.starts_with(['.', '-'])))
}

/// What a Python brings; `None` where it does not run.
pub fn of_python(python: &Path) -> Option<Libraries> {
    let answer: Answer = ask(python, ASK_PYTHON, PYTHON_MAX)?;
    let mut found = Libraries::default();
    for (package, version, path) in answer.libraries {
        found.note(&path, format!("{package} {version}").trim_end(), answer.plugins.as_ref());
    }
    Some(found)
}

fn folders() -> Vec<PathBuf> {
    let listed = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> =
        std::env::split_paths(&listed).filter(|path| path.is_absolute()).collect();
    folders.extend(std::env::var_os("CONDA_PREFIX").map(|prefix| Path::new(&prefix).join("lib")));
    let known = [
        "/usr/local/lib",
        "/usr/local/hdf5/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu/hdf5/serial",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu/hdf5/serial",
        "/usr/lib64",
        "/usr/lib",
        "/opt/homebrew/lib",
        "/opt/local/lib",
    ];
    folders.extend(known.map(PathBuf::from));
    folders
}

fn of_folders(folders: &[PathBuf]) -> Libraries {
    let mut found = Libraries::default();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| found.note(path, &format!("that in {}", folder.display()), None));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_by_their_names() {
        for name in
            ["libhdf5.so", "libhdf5-9e18f0c6.so.320.0.0", "libhdf5_serial.so.103", "libhdf5.310.dylib"]
        {
            assert!(is_library(name, &["libhdf5", "libhdf5_serial"]), "{name}");
        }
        for name in ["libhdf5_hl.so", "libhdf5_hl-69da.so.320", "libhdf5.a", "libhdf50.so"] {
            assert!(!is_library(name, &["libhdf5", "libhdf5_serial"]), "{name}");
        }
    }

    #[test]
    fn a_folder_is_looked_through_and_links_count_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["libhdf5.so.1", "libhdf5_hl.so.1", "libnetcdf.so.22", "libmfhdfalt.so.0", "notes.txt"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::os::unix::fs::symlink(at("libhdf5.so.1"), at("libhdf5.so")).unwrap();
        let found = of_folders(&[folder.path().to_owned(), folder.path().join("absent")]);
        assert_eq!((found.hdf5.len(), found.netcdf.len(), found.hdf4.len()), (1, 1, 1));
        assert!(found.hdf5[0].path.ends_with("libhdf5.so.1"));
    }

    #[test]
    fn a_python_that_is_none_brings_nothing() {
        assert_eq!(of_python(Path::new("/nowhere/python3")), None);
        assert_eq!(of_python(Path::new("/bin/false")), None);
    }
}
