//! Keeps calibrations on disk: a file for each machine and library.
//!
//! A folder that cannot be written to only costs the calibration each time.

use super::Calibration;
use hyperslab_engines::library::Found;
use hyperslab_units::hex;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// Changes when what is measured, or how, changes.
const VERSION: u32 = 1;

/// The calibration that was kept for this library on this machine.
pub fn load(library: &Found) -> Option<Calibration> {
    let text = std::fs::read_to_string(path(library)?).ok()?;
    serde_json::from_str(&text).ok()
}

/// Keeps a calibration. Returns where, or `None` if that was not possible.
pub fn save(library: &Found, calibration: &Calibration) -> Option<PathBuf> {
    let path = path(library)?;
    let folder = path.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    let file = tempfile::NamedTempFile::new_in(folder).ok()?;
    serde_json::to_writer_pretty(&file, calibration).ok()?;
    // Renamed when it is whole, so that another process never reads half of it.
    file.persist(&path).ok()?;
    Some(path)
}

fn path(library: &Found) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    let folder = caches.join("hyperslab").join("calibration");
    let modified = std::fs::metadata(&library.path).and_then(|metadata| metadata.modified()).ok()?;
    let key = format!("{VERSION} {} {:?} {modified:?}", machine(), library.path);
    Some(folder.join(format!("{}.json", &hex(&Sha256::digest(key.as_bytes()))[..16])))
}

/// Processor and release of the kernel: what makes the same library run at another speed.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find(|line| line.starts_with("model name")).unwrap_or_default();
    format!("{model} {}", read("/proc/sys/kernel/osrelease"))
}
