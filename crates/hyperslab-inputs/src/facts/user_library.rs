//! Which libhdf5 the user's Python loads: its column comes first, and its seconds are predicted.

use hyperslab_engines::library;
use hyperslab_engines::library::Found;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A Python that takes longer to import h5py is not waited for.
const PYTHON_MAX: Duration = Duration::from_secs(10);

/// Says which h5py there is, which libhdf5 it loads, and where filter plug-ins lie.
const ASK: &str = r"
import importlib.util, json, os, h5py
try:
    with open('/proc/self/maps') as maps:
        files = sorted({line.split(None, 5)[5].strip() for line in maps if 'libhdf5' in line})
except OSError:
    files = []
names = [file for file in files if os.path.basename(file).startswith('libhdf5') and '_hl' not in os.path.basename(file)]
plugins = importlib.util.find_spec('hdf5plugin')
folder = os.path.join(os.path.dirname(plugins.origin), 'plugins') if plugins and plugins.origin else None
print(json.dumps({'h5py': h5py.version.version, 'hdf5': h5py.version.hdf5_version,
                  'library': names[0] if names else None, 'plugins': folder}))
";

#[derive(Debug, Deserialize)]
struct Answer {
    h5py: String,
    hdf5: String,
    library: Option<PathBuf>,
    plugins: Option<PathBuf>,
}

/// A libhdf5 that the user's programs load.
pub(super) struct UserLibrary {
    /// Whose it is: `h5py 3.16.0`.
    pub(super) origin: String,
    /// Its release: `2.0.0`.
    pub(super) release: String,
    /// True if it has the plug-in for zstd.
    pub(super) has_zstd: bool,
    /// Its file; `None` where the system does not tell.
    pub(super) found: Option<Found>,
}

/// The libhdf5 that the first Python with h5py loads.
pub(super) fn find() -> Option<UserLibrary> {
    let Answer { h5py, hdf5, library, plugins } =
        library::pythons().iter().find_map(|python| library::ask(python, ASK, PYTHON_MAX))?;
    let origin = format!("h5py {h5py}");
    let has_zstd =
        plugins.as_deref().is_some_and(has_zstd) || environment_folders().any(|folder| has_zstd(&folder));
    let found = library.map(|path| Found { path, origin: origin.clone(), plugins });
    Some(UserLibrary { origin, release: hdf5, has_zstd, found })
}

/// The folders in which libhdf5 itself looks for plug-ins.
fn environment_folders() -> impl Iterator<Item = PathBuf> {
    let named = std::env::var_os("HDF5_PLUGIN_PATH").unwrap_or_default();
    std::env::split_paths(&named).collect::<Vec<_>>().into_iter()
}

/// True if a folder has a plug-in that is named for zstd.
fn has_zstd(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().to_lowercase();
        name.contains("h5zstd") || name.contains("h5zzstd")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_doctor::Profile;
    use hyperslab_testkit::files::python;
    use hyperslab_testkit::require;

    #[test]
    fn a_python_with_h5py_says_which_library_it_loads() {
        let python = require!(python());
        let answer: Answer = library::ask(&python, ASK, PYTHON_MAX).unwrap();
        assert!(Profile::installed("x", &answer.hdf5).is_some(), "{answer:?}");
        if cfg!(target_os = "linux") {
            assert!(answer.library.as_ref().is_some_and(|path| path.is_file()), "{answer:?}");
        }
        let has_hdf5plugin = answer.plugins.is_some();
        assert_eq!(answer.plugins.as_deref().is_some_and(has_zstd), has_hdf5plugin, "{answer:?}");
        assert!(library::ask::<Answer>("/nowhere/python3".as_ref(), ASK, PYTHON_MAX).is_none());
    }
}
