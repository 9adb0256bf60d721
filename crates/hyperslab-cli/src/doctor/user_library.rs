//! Which libhdf5 the user's Python loads: its column comes first.

use hyperslab_bench::library::pythons;
use hyperslab_doctor::Profile;
use serde::Deserialize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A Python that takes longer to import h5py is not waited for.
const SECONDS_MAX: u64 = 10;

/// Says which h5py there is, and which libhdf5 it loads.
const ASK: &str = "\
import json, h5py
print(json.dumps({'h5py': h5py.version.version, 'hdf5': h5py.version.hdf5_version}))
";

#[derive(Debug, Deserialize)]
struct Answer {
    h5py: String,
    hdf5: String,
}

/// The profile of the libhdf5 that the first Python with h5py loads. Python is asked once in the life of the process.
pub(super) fn find() -> Option<Profile> {
    static FOUND: OnceLock<Option<Profile>> = OnceLock::new();
    FOUND.get_or_init(look).clone()
}

fn look() -> Option<Profile> {
    let Answer { h5py, hdf5 } = pythons().iter().find_map(|python| ask(python))?;
    Profile::installed(&format!("h5py {h5py} (libhdf5 {hdf5})"), &hdf5)
}

fn ask(python: &Path) -> Option<Answer> {
    let mut child = Command::new(python)
        .args(["-c", ASK])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let began = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if began.elapsed() > Duration::from_secs(SECONDS_MAX) {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    serde_json::from_reader(child.stdout.take()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_testkit::files::python;
    use hyperslab_testkit::require;

    #[test]
    fn a_python_with_h5py_says_which_library_it_loads() {
        let python = require!(python());
        let answer = ask(&python).unwrap();
        assert!(Profile::installed("x", &answer.hdf5).is_some(), "{answer:?}");
        assert!(ask(Path::new("/nowhere/python3")).is_none());
    }
}
