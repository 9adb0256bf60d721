//! Virtual datasets: reads are answered where those of each source that they touch would be.
//!
//! A source that a read touches is opened by libhdf5, too, as its own read would do, and remains open as long: whether it can be
//! opened, and whether the program can open it for writing, is then the same.

use crate::answer::{Why, check_filter};
use crate::api::Api;
use crate::functions::Hid;
use crate::open_file::OpenFile;
use crate::opened::{Held, Quiet};
use crate::sources::{self, State};
use hyperslab::storage::{Fill, FillTime};
use hyperslab::{Dataset, Selection};
use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// `H5D_VDS_LAST_AVAILABLE`.
const LAST_AVAILABLE: c_int = 1;
/// `H5F_CLOSE_WEAK`: libhdf5 opens sources so, whatever the file of the virtual dataset was opened with.
const CLOSE_WEAK: c_int = 0;
/// Virtual datasets of more files are left.
const FILES_MAX: usize = 128;
/// How often a lock is asked for: in a child, a thread that it does not have may hold it.
const TRIES_MAX: u32 = 1000;
const UNKNOWN: Why = "libhdf5 does not tell";

/// The access list of a virtual dataset leaves its sources and its extent as they usually are.
pub fn check_access(api: &Api, id: Hid) -> Result<(), Why> {
    let functions = &api.functions;
    let unusual = "an unusual view of a virtual dataset";
    if std::env::var_os("HDF5_VDS_PREFIX").is_some() {
        return Err(unusual);
    }
    // SAFETY: functions of libhdf5, which check identifiers, with places for what they return; as for all calls here.
    let access = unsafe { functions.dget_access_plist.ok_or(UNKNOWN)?(id) };
    let access = Held::new(api, access, functions.pclose).ok_or(UNKNOWN)?;
    let (mut view, mut gap) = (0, 0);
    // SAFETY: as above; no text is asked for.
    let told = unsafe {
        (
            functions.pget_virtual_view.ok_or(UNKNOWN)?(access.id, &mut view),
            functions.pget_virtual_printf_gap.ok_or(UNKNOWN)?(access.id, &mut gap),
            // Versions without it look for sources elsewhere.
            functions.pget_virtual_prefix.ok_or(UNKNOWN)?(access.id, std::ptr::null_mut(), 0),
        )
    };
    if told != (0, 0, 0) || (view, gap) != (LAST_AVAILABLE, 0) { Err(unusual) } else { Ok(()) }
}

/// The sources of a virtual dataset.
pub struct Sources {
    /// An access list to open them with. Closed by [`Sources::close`] alone, as all identifiers here: wherever else this ends,
    /// libhdf5 cannot be asked.
    access: ManuallyDrop<Held>,
    /// The state of each file when the engine opened it, but for that of the virtual dataset.
    states: HashMap<String, State>,
    known: Mutex<Known>,
}

/// What was found of those that were read.
#[derive(Default)]
struct Known {
    /// Those that are open here, with the identifiers that keep them open.
    files: HashMap<String, (OpenFile, ManuallyDrop<Held>)>,
    datasets: HashMap<(String, String), Result<(), Why>>,
}

impl Sources {
    /// Looks at the sources of a dataset, and tells the bytes of their largest chunk. Its extent cannot change, and no source is
    /// missing: libhdf5 would look for it again at each read.
    pub fn of(api: &Api, dataset: &Dataset, access: Held) -> Result<(Self, u64), Why> {
        let names = dataset.virtual_sources().ok_or("not stored in chunks")?;
        let is_fixed = dataset.max_shape().iter().zip(dataset.shape()).all(|(most, dim)| *most == Some(*dim));
        if !is_fixed || names.iter().any(|(file, path)| file.contains('%') || path.contains('%')) {
            return Err("a virtual dataset that grows with its sources");
        }
        if names.iter().map(|(file, _)| file).collect::<HashSet<_>>().len() > FILES_MAX {
            return Err("many sources");
        }
        // SAFETY: a function of libhdf5 with an access list of our own.
        let told = unsafe { api.functions.pset_fclose_degree.ok_or(UNKNOWN)?(access.id, CLOSE_WEAK) };
        if told < 0 || hyperslab::hdf5::missing_virtual_source(dataset).is_some() {
            return Err("a source is missing");
        }
        let shape = dataset.shape();
        let all = Selection::block(&vec![0; shape.len()], shape);
        let found = hyperslab::hdf5::virtual_sources(dataset, &all).map_err(|_| "a source")?;
        let mut states = HashMap::new();
        for source in &found {
            let file = source.file();
            if is_own(dataset, source, &names) || states.contains_key(&file.name()) {
                continue;
            }
            let changed = "a source has changed";
            let state = sources::state_of_path(&file.name()).ok_or(changed)?;
            if !sources::is_version(&state, file.source().version()) {
                return Err(changed);
            }
            states.insert(file.name(), state);
        }
        let largest = found.iter().filter_map(Dataset::chunk_bytes).max().unwrap_or(0);
        Ok((Self { access: ManuallyDrop::new(access), states, known: Mutex::default() }, largest))
    }

    /// Reads of each source of a selection would be answered.
    pub fn check(&self, api: &Api, dataset: &Dataset, selection: &Selection) -> Result<(), Why> {
        let found = hyperslab::hdf5::virtual_sources(dataset, selection).map_err(|_| "a source")?;
        for source in &found {
            let key = (source.file().name(), source.path().to_owned());
            let known = {
                let known = self.known()?;
                if let Some((file, _)) = known.files.get(&key.0) {
                    file.check()?;
                }
                known.datasets.get(&key).copied()
            };
            let result = match known {
                Some(known) => known,
                // libhdf5 is asked without the lock.
                None => {
                    let result = self.look_at(api, dataset, source);
                    self.known()?.datasets.insert(key, result);
                    result
                }
            };
            result?;
        }
        Ok(())
    }

    fn look_at(&self, api: &Api, dataset: &Dataset, source: &Dataset) -> Result<(), Why> {
        let _quiet = Quiet::new(api);
        check_source(api, dataset, source)?;
        let name = source.file().name();
        let Some(state) = self.states.get(&name) else { return Ok(()) };
        if self.known()?.files.contains_key(&name) {
            return Ok(());
        }
        let (file, held) = OpenFile::open(api, &name, &self.access, *state)?;
        // Another thread may have opened it meanwhile: the second identifier is closed here, without the lock.
        let twice = self.known()?.files.insert(name, (file, ManuallyDrop::new(held)));
        if let Some((_, held)) = twice {
            drop(ManuallyDrop::into_inner(held));
        }
        Ok(())
    }

    fn known(&self) -> Result<MutexGuard<'_, Known>, Why> {
        for _ in 0..TRIES_MAX {
            match self.known.try_lock() {
                Ok(known) => return Ok(known),
                Err(TryLockError::Poisoned(known)) => return Ok(known.into_inner()),
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        }
        Err("another thread reads it")
    }

    /// Gives the identifiers back. libhdf5 is asked: not after a call that failed.
    pub fn close(self) {
        let known = self.known.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        known.files.into_values().for_each(|(_, held)| drop(ManuallyDrop::into_inner(held)));
        drop(ManuallyDrop::into_inner(self.access));
    }
}

/// True if a source is in the file of the virtual dataset, which names that file by `.` alone. By another name, libhdf5 opens it once
/// more.
fn is_own(dataset: &Dataset, source: &Dataset, names: &[(String, String)]) -> bool {
    let same = |path: &str| path.trim_matches('/') == source.path().trim_matches('/');
    source.file().name() == dataset.file().name()
        && names.iter().filter(|(_, path)| same(path)).all(|(file, _)| file == ".")
}

/// The bytes of a source are those of the virtual dataset, and libhdf5 would read them.
fn check_source(api: &Api, dataset: &Dataset, source: &Dataset) -> Result<(), Why> {
    if !matches!(source.layout_name(), "chunked" | "contiguous" | "compact") {
        return Err("a source that is not stored in its file");
    }
    if source.datatype() != dataset.datatype() {
        return Err("a source of another type");
    }
    let fill = source.fill_value();
    if fill.value == Fill::Undefined || fill.time == FillTime::Never {
        return Err("a source without a fill value");
    }
    source.filters().iter().try_for_each(|filter| check_filter(api, filter.id.into()))
}
