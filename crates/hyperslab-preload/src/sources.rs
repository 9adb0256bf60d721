//! The same file, read by the engine.

use crate::answer::Why;
use crate::opened::status;
use hyperslab::io::Version;
use hyperslab::{Address, Dataset, File};
use hyperslab_listing::layout_facts;
use hyperslab_simulate::Geometry;
use hyperslab_storage::FilterRequest;
use hyperslab_trace::TracedDataset;
use std::fs::OpenOptions;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// Files that the engine keeps open, at most.
const FILES_MAX: usize = 16;
/// A file that changed so recently may change again within a tick of its clock.
const SETTLED_SECONDS: f64 = 2.0;

/// The files that the engine has open.
#[derive(Default)]
pub struct Files {
    /// Each with its state, and the path if it was opened by that and not by a descriptor; the one that was used last at the end.
    open: Vec<(State, Option<String>, File)>,
}

/// Which file it is, and when it was changed.
pub type State = [i64; 7];

/// That of an open file.
pub fn state(descriptor: RawFd) -> Option<State> {
    let status = status(descriptor)?;
    Some([
        status.st_dev as i64,
        status.st_ino as i64,
        status.st_size,
        status.st_mtime,
        status.st_mtime_nsec,
        status.st_ctime,
        status.st_ctime_nsec,
    ])
}

/// That of the file that has a path now. It is not opened for reading: to close it then would end locks of the process.
pub fn state_of_path(path: &str) -> Option<State> {
    let place = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path).ok()?;
    state(place.as_raw_fd())
}

/// True if a file of this version, as the engine opened it, can be in this state.
pub fn is_version(state: &State, version: Option<Version>) -> bool {
    let [_, _, size, seconds, nanoseconds, ..] = *state;
    let modified = UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds as u32);
    version.is_some_and(|version| version.len == size as u64 && version.modified == Some(modified))
}

fn is_settled(state: &State) -> bool {
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    now.is_ok_and(|now| now.as_secs_f64() - state[5].max(state[3]) as f64 > SETTLED_SECONDS)
}

impl Files {
    /// The dataset at an address of the file that a descriptor is open for.
    pub fn dataset(&mut self, descriptor: RawFd, address: u64) -> Result<Dataset, Why> {
        self.dataset_by(descriptor, None, address)
    }

    /// The same by the path of the file, near which other files are that it refers to.
    pub fn dataset_by_path(&mut self, descriptor: RawFd, path: &str, address: u64) -> Result<Dataset, Why> {
        match state_of_path(path) == state(descriptor) {
            true => self.dataset_by(descriptor, Some(path), address),
            false => Err("its file has another name"),
        }
    }

    fn dataset_by(&mut self, descriptor: RawFd, path: Option<&str>, address: u64) -> Result<Dataset, Why> {
        let failed = "the engine could not open it";
        let state = state(descriptor).ok_or(failed)?;
        let is_it = |(known, by, _): &(State, Option<String>, File)| *known == state && by.as_deref() == path;
        let place = self.open.iter().position(is_it).filter(|_| is_settled(&state));
        let file = match place {
            Some(place) => self.open.remove(place).2,
            None => {
                let of_descriptor = || format!("/proc/self/fd/{descriptor}");
                File::open(path.map_or_else(of_descriptor, str::to_owned)).map_err(|_| failed)?
            }
        };
        let object = hyperslab::hdf5::object_at(&file, Address(address), "/").map_err(|_| failed)?;
        self.open.push((state, path.map(str::to_owned), file));
        if self.open.len() > FILES_MAX {
            self.open.remove(0);
        }
        match object {
            hyperslab::Object::Dataset(dataset) => Ok(dataset),
            _ => Err(failed),
        }
    }

    /// Closes those that no dataset uses.
    pub fn close(&mut self) {
        self.open.clear();
    }
}

/// How the data of the dataset at an address is stored in the file that a descriptor is open for. Its filters are noted in
/// `dataset`.
pub fn storage(
    descriptor: RawFd,
    address: u64,
    dataset: &mut TracedDataset,
) -> Result<Arc<Geometry>, String> {
    // The file that is open, whatever has its name by now.
    let path = format!("/proc/self/fd/{descriptor}");
    let file = File::options().threads(1).cache_bytes(0).open(path).map_err(|error| error.to_string())?;
    let object = hyperslab::hdf5::object_at(&file, Address(address), &dataset.traced);
    let found = object.map_err(|error| error.to_string())?;
    let hyperslab::Object::Dataset(found) = found else {
        return Err("the object is not a dataset".to_owned());
    };
    let facts = layout_facts(&found).map_err(|error| error.to_string())?;
    let requests = facts
        .filters
        .iter()
        .map(|filter| FilterRequest::of_stored(filter.id, &filter.parameters).to_string());
    dataset.filters = requests.collect::<Vec<_>>().join("+");
    Geometry::of(&facts)
        .map_err(|error| error.to_string())?
        .map(Arc::new)
        .ok_or_else(|| "it is not stored in chunks".to_owned())
}
