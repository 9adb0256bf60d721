//! Virtual datasets: reads are answered where those of each source that they touch would be.
//!
//! A source that a read touches is opened by libhdf5, too, as its own read would do, and remains open as long: whether it can be
//! opened, and whether the program can open it for writing, is then the same.

use crate::answer::{Why, check_filter};
use crate::api::Api;
use crate::functions::Hid;
use crate::opened::{self, Held, Quiet, READ_ONLY};
use crate::sources::{self, State};
use hyperslab::storage::{Fill, FillTime};
use hyperslab::{Dataset, Selection};
use std::collections::HashMap;
use std::ffi::{CString, c_int, c_uint};
use std::os::fd::RawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, PoisonError};

/// `H5D_VDS_LAST_AVAILABLE`.
const LAST_AVAILABLE: c_int = 1;
/// No more files of sources are opened.
const FILES_MAX: usize = 128;
const UNKNOWN: Why = "libhdf5 does not tell";

/// A file that libhdf5 has open for reading only, as a local file.
pub struct OpenFile {
    /// The descriptor by which libhdf5 has it open.
    pub descriptor: RawFd,
    state: State,
}

impl OpenFile {
    /// That of a dataset, its access list and its path. It is not kept open.
    pub fn of_dataset(api: &Api, id: Hid) -> Result<(Self, Held, String), Why> {
        // SAFETY: a function of libhdf5, which checks identifiers.
        let file = unsafe { api.functions.iget_file_id.ok_or(UNKNOWN)?(id) };
        let file = Held::new(api, file, api.functions.fclose).ok_or(UNKNOWN)?;
        let (opened, access) = Self::new(api, &file)?;
        Ok((opened, access, opened::file_name(api, &file)))
    }

    fn new(api: &Api, file: &Held) -> Result<(Self, Held), Why> {
        let functions = &api.functions;
        let mut intent: c_uint = READ_ONLY + 1;
        // SAFETY: functions of libhdf5, which check identifiers, with a place for what is returned.
        let told = unsafe { functions.fget_intent.ok_or(UNKNOWN)?(file.id, &mut intent) };
        if told < 0 || intent != READ_ONLY {
            return Err("the file is open for writing");
        }
        // SAFETY: as above.
        let access = unsafe { functions.fget_access_plist.ok_or(UNKNOWN)?(file.id) };
        let access = Held::new(api, access, functions.pclose).ok_or(UNKNOWN)?;
        let descriptor = opened::descriptor(api, file.id, &access).ok_or("not a local file")?;
        let state = sources::state(descriptor).ok_or("not a local file")?;
        Ok((Self { descriptor, state }, access))
    }

    /// The file at a path, opened by libhdf5 as it opens sources, with the access list of their virtual dataset's file.
    fn open(api: &Api, path: &str, access: &Held) -> Result<(Self, Held), Why> {
        let failed = "a source that libhdf5 does not open";
        let name = CString::new(path).map_err(|_| failed)?;
        // SAFETY: a path that ends with 0, and an access list.
        let file = unsafe { api.functions.fopen.ok_or(UNKNOWN)?(name.as_ptr(), READ_ONLY, access.id) };
        let file = Held::new(api, file, api.functions.fclose).ok_or(failed)?;
        let (opened, _) = Self::new(api, &file)?;
        let named = std::fs::metadata(path).map_err(|_| failed)?;
        let is_same = opened::inode(opened.descriptor) == Some([named.dev(), named.ino()]);
        if is_same { Ok((opened, file)) } else { Err(failed) }
    }

    /// The file is as it was when it was looked at: chunks that the engine has decoded may be others by now.
    pub fn check(&self) -> Result<(), Why> {
        if sources::state(self.descriptor) == Some(self.state) { Ok(()) } else { Err("the file has changed") }
    }
}

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
            functions.pget_virtual_prefix.map_or(0, |get| get(access.id, std::ptr::null_mut(), 0)),
        )
    };
    if told != (0, 0, 0) || (view, gap) != (LAST_AVAILABLE, 0) { Err(unusual) } else { Ok(()) }
}

/// The bytes of the largest chunk of a source. No source is missing: libhdf5 would look for it again at each read.
pub fn largest_chunk(dataset: &Dataset) -> Result<u64, Why> {
    if hyperslab::hdf5::missing_virtual_source(dataset).is_some() {
        return Err("a source is missing");
    }
    let shape = dataset.shape();
    let all = Selection::block(&vec![0; shape.len()], shape);
    let sources = hyperslab::hdf5::virtual_sources(dataset, &all).map_err(|_| "a source")?;
    Ok(sources.iter().filter_map(Dataset::chunk_bytes).max().unwrap_or(0))
}

/// The sources of a virtual dataset that were looked at.
pub struct Sources {
    /// The access list of the virtual dataset's file.
    access: Held,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// Those that are open here, with the identifiers that keep them open.
    files: HashMap<String, Result<(OpenFile, Held), Why>>,
    datasets: HashMap<(String, String), Result<(), Why>>,
}

impl Sources {
    pub fn new(access: Held) -> Self {
        Self { access, known: Mutex::default() }
    }

    /// All sources of a selection exist, and reads of each would be answered.
    pub fn check(&self, api: &Api, dataset: &Dataset, selection: &Selection) -> Result<(), Why> {
        let found = hyperslab::hdf5::virtual_sources(dataset, selection).map_err(|_| "a source")?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Known { files, datasets } = &mut *known;
        for source in &found {
            let key = (source.file().name().to_owned(), source.path().to_owned());
            if let Some(found) = datasets.get(&key) {
                (*found)?;
                if let Some(Ok((file, _))) = files.get(&key.0) {
                    file.check()?;
                }
                continue;
            }
            let found = check_source(api, dataset, source).and_then(|()| {
                if source.file().name() == dataset.file().name() {
                    return Ok(());
                }
                if files.len() >= FILES_MAX && !files.contains_key(&key.0) {
                    return Err("many sources");
                }
                let _quiet = Quiet::new(api);
                let file =
                    files.entry(key.0.clone()).or_insert_with(|| OpenFile::open(api, &key.0, &self.access));
                file.as_ref().map(|_| ()).map_err(|why| *why)
            });
            datasets.insert(key, found);
            found?;
        }
        Ok(())
    }
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
