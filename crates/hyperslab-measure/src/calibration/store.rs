//! Keeps calibrations on disk: a file for each machine and library, and one for each machine.
//!
//! A folder that cannot be written to only costs the calibration each time.

use super::{Calibration, MachineSeconds};
use hyperslab_engines::library::Found;
use hyperslab_units::hex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Changes when what is measured, or how, changes.
const VERSION: u32 = 5;

/// The calibration that was kept for this library on this machine.
pub fn load(library: &Found) -> Option<Calibration> {
    load_from(&path(&library_key(library)?)?)
}

/// Keeps a calibration. Returns where, or `None` if that was not possible.
pub fn save(library: &Found, calibration: &Calibration) -> Option<PathBuf> {
    save_to(path(&library_key(library)?)?, calibration)
}

/// The speed of this machine, kept from an earlier run or measured now.
pub fn machine() -> MachineSeconds {
    let path = path("no library");
    path.as_deref().and_then(load_from).unwrap_or_else(|| {
        let measured = MachineSeconds::measure();
        path.and_then(|path| save_to(path, &measured));
        measured
    })
}

fn load_from<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn save_to<T: Serialize>(path: PathBuf, value: &T) -> Option<PathBuf> {
    let folder = path.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    let file = tempfile::NamedTempFile::new_in(folder).ok()?;
    serde_json::to_writer_pretty(&file, value).ok()?;
    // Renamed when it is whole, so that another process never reads half of it.
    file.persist(&path).ok()?;
    Some(path)
}

/// A library is another one after it was replaced.
fn library_key(library: &Found) -> Option<String> {
    let modified = std::fs::metadata(&library.path).and_then(|metadata| metadata.modified()).ok()?;
    Some(format!("{:?} {modified:?}", library.path))
}

/// The file of what was measured on this machine under this key.
fn path(key: &str) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    let folder = caches.join("hyperslab").join("calibration");
    let key = format!("{VERSION} {} {key}", machine_key());
    Some(folder.join(format!("{}.json", &hex(&Sha256::digest(key.as_bytes()))[..16])))
}

/// Processor and release of the kernel: what makes the same library run at another speed.
fn machine_key() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find(|line| line.starts_with("model name")).unwrap_or_default();
    format!("{model} {}", read("/proc/sys/kernel/osrelease"))
}
