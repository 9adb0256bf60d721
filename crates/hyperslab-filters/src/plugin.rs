//! Filter plug-ins: shared libraries that libhdf5 loads when a dataset needs a filter that it does not have.
//!
//! ```text
//! filter 32017 ─► folders: added │ HDF5_PLUGIN_PATH │ packages `hdf5plugin` ─► libh5sz.so ─► H5PLget_plugin_info ─► id 32017
//! ```
//!
//! A plug-in is loaded when a pipeline is created that has its filter, and stays loaded. As libhdf5 does, files are
//! loaded one after the other until one of them is the wanted filter; those whose names resemble the filter's come first.
//! A plug-in runs one chunk at a time, because the libraries behind some are not safe to use from several threads.
//!
//! The callbacks that compute client data (`can_apply`, `set_local`) need handles of libhdf5 and are never called: client
//! data comes from the file or from the user.
//!
//! `HYPERSLAB_PLUGINS=0` switches plug-ins off, and so does libhdf5's `HDF5_PLUGIN_PRELOAD=::`. A plug-in is code of its
//! provider: it runs with all rights of this process, and how it treats damaged chunks is up to it.

mod folders;
mod library;

use crate::error::PluginSearch;
use crate::scratch::{Buffer, CodecState};
use crate::stage::{Setup, Stage};
use crate::{FilterError, registry};
pub use folders::{add_folder, of_python};
use library::{Direction, Library};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// A loaded plug-in.
struct Plugin {
    path: PathBuf,
    /// The name for errors. It is leaked: there are only as many as loaded plug-ins.
    name: &'static str,
    /// Locked while it runs.
    library: Mutex<Library>,
}

/// What has been loaded so far.
#[derive(Default)]
struct Loaded {
    by_id: HashMap<u16, Arc<Plugin>>,
    tried: HashSet<PathBuf>,
    failures: Vec<(PathBuf, String)>,
}

fn loaded() -> MutexGuard<'static, Loaded> {
    static LOADED: OnceLock<Mutex<Loaded>> = OnceLock::new();
    LOADED.get_or_init(Mutex::default).lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn are_off() -> bool {
    let is = |name, value: &str| std::env::var_os(name).is_some_and(|found| found == value);
    is("HYPERSLAB_PLUGINS", "0") || is("HDF5_PLUGIN_PRELOAD", "::")
}

/// Creates the filter from a plug-in. The error says where plug-ins were looked for.
pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, PluginSearch> {
    if are_off() {
        return Err(PluginSearch::Off);
    }
    let plugin = find(setup.id)?;
    Ok(Box::new(PluginStage { id: setup.id, plugin, parameters: setup.parameters.to_vec() }))
}

/// True if there is a plug-in for this filter that has a function for its client data (`set_local`).
pub(crate) fn computes_client_data(id: u16) -> bool {
    let computes = |plugin: Arc<Plugin>| {
        plugin.library.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).computes_client_data()
    };
    !are_off() && find(id).is_ok_and(computes)
}

fn find(id: u16) -> Result<Arc<Plugin>, PluginSearch> {
    let mut loaded = loaded();
    if let Some(plugin) = loaded.by_id.get(&id) {
        return Ok(plugin.clone());
    }
    let folders = folders::all();
    for path in candidates(&folders, id) {
        if !loaded.tried.insert(path.clone()) {
            continue;
        }
        match Library::load(&path) {
            Ok(None) => {}
            Ok(Some(library)) => {
                let found = library.id();
                let name = match registry::entry(found) {
                    Some(entry) => entry.name,
                    None => Box::leak(library.name().into_boxed_str()),
                };
                let plugin = Arc::new(Plugin { path, name, library: Mutex::new(library) });
                loaded.by_id.entry(found).or_insert(plugin);
            }
            Err(failure) => loaded.failures.push((path, failure)),
        }
        if let Some(plugin) = loaded.by_id.get(&id) {
            return Ok(plugin.clone());
        }
    }
    Err(PluginSearch::NotFound { folders, failures: loaded.failures.clone() })
}

/// The shared libraries in these folders, those first whose names contain that of the filter.
fn candidates(folders: &[PathBuf], id: u16) -> Vec<PathBuf> {
    let wanted = registry::entry(id).map(|entry| entry.name.to_lowercase());
    let resembles = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        wanted.as_ref().is_some_and(|wanted| name.contains(wanted.as_str()))
    };
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut paths: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| is_shared_library(path)).collect();
        paths.sort();
        found.extend(paths);
    }
    found.sort_by_key(|path| !resembles(path));
    found
}

fn is_shared_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".so") || name.contains(".so.") || name.ends_with(".dylib") || name.ends_with(".dll")
}

/// A plug-in in a pipeline.
struct PluginStage {
    id: u16,
    plugin: Arc<Plugin>,
    parameters: Vec<u32>,
}

impl PluginStage {
    fn run(&self, direction: Direction, bytes: &[u8], out: &mut Buffer) -> Result<usize, FilterError> {
        let library = self.plugin.library.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let found = library.run(direction, &self.parameters, bytes)?;
        let Some(found) = found else {
            return Err(FilterError::Plugin {
                id: self.id,
                name: self.plugin.name,
                path: self.plugin.path.clone(),
                what: match direction {
                    Direction::Decode => "could not decode the chunk",
                    Direction::Encode => "could not encode the chunk",
                },
            });
        };
        out.room(found.bytes().len())?.copy_from_slice(found.bytes());
        Ok(found.bytes().len())
    }
}

impl Stage for PluginStage {
    fn name(&self) -> &'static str {
        self.plugin.name
    }

    fn describe(&self) -> String {
        let file = self.plugin.path.file_name().unwrap_or_default();
        format!("{} (plug-in {})", self.plugin.name, file.to_string_lossy())
    }

    /// Decodes once with the maximum output size: a second time would cost as much.
    fn claimed(&self, _: &[u8]) -> Option<u64> {
        Some(u64::MAX)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let mut spare = std::mem::take(&mut state.spare);
        let decoded = self.run(Direction::Decode, stored, &mut spare).and_then(|len| {
            let room = out.get_mut(..len).ok_or(FilterError::TooLong { filter: self.plugin.name, max })?;
            room.copy_from_slice(spare.get(0..len));
            Ok(len)
        });
        state.spare = spare;
        decoded
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        self.run(Direction::Encode, raw, out)
    }
}
