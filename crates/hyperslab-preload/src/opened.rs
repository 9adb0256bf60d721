//! What is known of an open dataset: asked once for each identifier, before the first call with it.

use crate::api::Api;
use crate::functions::Hid;
use crate::{api, selection, sources};
use hyperslab_storage::CacheSettings;
use hyperslab_trace::{Description, PlannedCache, TracedDataset};
use std::ffi::{CString, c_int, c_uint, c_void};
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr;

/// `H5I_DATASET`.
pub const DATASET: c_int = 5;
/// `H5D_CHUNKED`.
const CHUNKED: c_int = 2;
/// `H5D_VIRTUAL`.
const VIRTUAL: c_int = 3;
/// `H5O_INFO_BASIC`.
const INFO_BASIC: c_uint = 1;
/// `H5F_ACC_RDONLY`.
pub const READ_ONLY: c_uint = 0;
/// `H5S_MAX_RANK`.
pub const RANK_MAX: usize = 32;

/// Which object an identifier stands for: the file, as its library numbers those that are open, and an address in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub file: u64,
    pub address: u64,
}

/// The object that is open as `id`. `None` if libhdf5 does not say.
pub fn key(api: &Api, id: Hid) -> Option<Key> {
    // More than any version's structure; both words are its first in all.
    let mut info = [0u64; 64];
    let place = info.as_mut_ptr().cast::<c_void>();
    let functions = &api.functions;
    let result = match (functions.oget_info3, functions.oget_info1, functions.oget_info) {
        // SAFETY: a function of libhdf5, which checks identifiers, with memory for what it returns.
        (Some(get), ..) => unsafe { get(id, place, INFO_BASIC) },
        // SAFETY: as above.
        (_, Some(get), _) | (_, _, Some(get)) => unsafe { get(id, place) },
        _ => return None,
    };
    (result >= 0).then_some(Key { file: info[0], address: info[1] })
}

/// Keeps libhdf5 from printing the errors of questions, as long as it lives.
pub struct Quiet<'a> {
    api: &'a Api,
    handler: Option<(*mut c_void, *mut c_void)>,
}

impl<'a> Quiet<'a> {
    pub fn new(api: &'a Api) -> Self {
        let mut handler = None;
        if let (Some(get), Some(set)) = (api.functions.eget_auto, api.functions.eset_auto) {
            let (mut function, mut data) = (ptr::null_mut(), ptr::null_mut());
            // SAFETY: places for two pointers. It fails where the program has a handler of the first kind, which then stays.
            if unsafe { get(0, &mut function, &mut data) } >= 0 {
                // SAFETY: no handler.
                unsafe { set(0, ptr::null_mut(), ptr::null_mut()) };
                handler = Some((function, data));
            }
        }
        Self { api, handler }
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        if let (Some((function, data)), Some(set)) = (self.handler, self.api.functions.eset_auto) {
            // SAFETY: what it was.
            unsafe { set(0, function, data) };
        }
    }
}

/// An identifier that is given back when it is no longer needed.
pub struct Held {
    pub id: Hid,
    close: Option<unsafe extern "C" fn(Hid) -> c_int>,
}

impl Held {
    pub fn new(api: &Api, id: Hid, close: Option<unsafe extern "C" fn(Hid) -> c_int>) -> Option<Self> {
        let id = api.id(id);
        (id >= 0).then_some(Self { id, close })
    }

    /// The identifier, which is not given back.
    pub fn keep(mut self) -> Hid {
        self.close = None;
        self.id
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(close) = self.close {
            // SAFETY: an identifier that was opened here.
            unsafe { close(self.id) };
        }
    }
}

/// A text that a function writes into memory of a given size, after it has told how long it is.
fn text(get: impl Fn(*mut std::ffi::c_char, usize) -> isize) -> Option<String> {
    let mut bytes = vec![0u8; 4096];
    let length = usize::try_from(get(bytes.as_mut_ptr().cast(), bytes.len())).ok()?;
    if length >= bytes.len() {
        bytes = vec![0u8; length + 1];
        get(bytes.as_mut_ptr().cast(), bytes.len());
    }
    bytes.truncate(length);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A word for the datatype `id`, such as `f4`.
pub fn type_word(api: &Api, id: Hid) -> Option<String> {
    // SAFETY: functions of libhdf5, which check identifiers.
    let (class, bytes) = unsafe { (api.functions.tget_class?(id), api.functions.tget_size?(id)) };
    let letter = match class {
        // SAFETY: as above.
        0 => match unsafe { api.functions.tget_sign?(id) } {
            0 => "u",
            _ => "i",
        },
        1 => "f",
        // SAFETY: as above.
        3 if unsafe { api.functions.tis_variable_str?(id) } > 0 => return Some("text".to_owned()),
        3 => "S",
        4 => "b",
        5 => "V",
        6 => "compound",
        7 => "reference",
        8 => "enum",
        9 => "vlen",
        10 => "array",
        11 => "complex",
        _ => return None,
    };
    Some(format!("{letter}{bytes}"))
}

/// The chunk cache that a dataset has, and where it is from.
fn cache(api: &Api, dataset: Hid, access: Option<&Held>) -> Option<(CacheSettings, &'static str)> {
    let functions = &api.functions;
    // SAFETY: functions of libhdf5, which check identifiers, with places for what they return.
    let own = Held::new(api, unsafe { functions.dget_access_plist?(dataset) }, functions.pclose)?;
    let (mut slots, mut bytes, mut w0) = (0usize, 0usize, 0f64);
    // SAFETY: as above.
    if unsafe { functions.pget_chunk_cache?(own.id, &mut slots, &mut bytes, &mut w0) } < 0 {
        return None;
    }
    let settings = CacheSettings { nbytes: bytes as u64, nslots: slots as u64, w0 };
    let of_file = access.and_then(|access| {
        let (mut elements, mut slots, mut bytes, mut w0) = (0, 0usize, 0usize, 0f64);
        // SAFETY: as above.
        let result =
            unsafe { functions.pget_cache?(access.id, &mut elements, &mut slots, &mut bytes, &mut w0) };
        (result >= 0).then_some(CacheSettings { nbytes: bytes as u64, nslots: slots as u64, w0 })
    });
    let defaults = [(1 << 20, 521), (8 << 20, 8191)];
    let from = if of_file.is_some_and(|of_file| of_file != settings) {
        "dataset"
    } else if defaults.contains(&(settings.nbytes, settings.nslots)) {
        "default"
    } else {
        "file"
    };
    Some((settings, from))
}

/// The descriptor of the file, if the library reads it as a local file.
pub fn descriptor(api: &Api, file: Hid, access: &Held) -> Option<RawFd> {
    let functions = &api.functions;
    // SAFETY: functions of libhdf5, which check identifiers; the variable is one of the same library.
    let (driver, local) = unsafe {
        let local = match functions.sec2_init {
            Some(init) => init(),
            None if !api.sec2_variable.is_null() => *api.sec2_variable,
            None => return None,
        };
        (functions.pget_driver?(access.id), local)
    };
    if api.id(driver) != api.id(local) {
        return None;
    }
    let mut handle: *mut c_void = ptr::null_mut();
    // SAFETY: a place for a pointer, which leads to the descriptor in this driver.
    let result = unsafe { functions.fget_vfd_handle?(file, 0, &mut handle) };
    // SAFETY: as above.
    (result >= 0 && !handle.is_null()).then(|| unsafe { *handle.cast::<c_int>() })
}

/// What the system knows of an open file.
pub fn status(descriptor: RawFd) -> Option<libc::stat> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: memory for the result, which is read only where there is one.
    unsafe { (libc::fstat(descriptor, status.as_mut_ptr()) == 0).then(|| status.assume_init()) }
}

pub fn inode(descriptor: RawFd) -> Option<[u64; 2]> {
    status(descriptor).map(|status| [status.st_dev, status.st_ino])
}

/// The cache of a trace for the dataset that is open as `id`: by its path, and the inode or the path of its file.
pub fn planned_cache(api: &Api, id: Hid, planned: &[PlannedCache]) -> Option<CacheSettings> {
    if planned.is_empty() {
        return None;
    }
    let FileAndPath { file, path } = file_and_path(api, id)?;
    // SAFETY: a function of libhdf5 with the identifier of a file.
    let access = Held::new(api, unsafe { api.functions.fget_access_plist?(file.id) }, api.functions.pclose);
    let found = access.and_then(|access| inode(descriptor(api, file.id, &access)?));
    let name = file_name(api, &file);
    let is_it = |planned: &&PlannedCache| {
        path.to_bytes() == planned.dataset.as_bytes()
            && ((found.is_some() && found == planned.inode) || name == planned.file)
    };
    planned.iter().find(is_it).map(|planned| planned.cache)
}

/// The path of a file, from the root.
pub fn file_name(api: &Api, file: &Held) -> String {
    // SAFETY: a function of libhdf5, which checks identifiers, with a place for the text.
    let name =
        text(|place, bytes| api.functions.fget_name.map_or(-1, |get| unsafe { get(file.id, place, bytes) }));
    absolute(&name.unwrap_or_default())
}

/// True if an identifier has not ended.
pub fn is_valid(api: &Api, id: Hid) -> bool {
    // SAFETY: a function of libhdf5, which takes any number.
    api.functions.iis_valid.is_none_or(|is_valid| unsafe { is_valid(id) } > 0)
}

/// True if an identifier is one of a dataset, as its upper bits say.
pub fn is_dataset(api: &Api, id: Hid) -> bool {
    api.type_bits(id) == DATASET
}

/// The chunk cache that an open dataset has.
pub fn cache_of(api: &Api, id: Hid) -> Option<CacheSettings> {
    cache(api, id, None).map(|(settings, _)| settings)
}

/// How a dataset is stored in chunks, as far as libhdf5 tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stored {
    pub shape: Vec<u64>,
    pub chunk: Vec<u64>,
    pub element_bytes: u64,
    pub is_filtered: bool,
}

impl Stored {
    /// The bytes of all elements without filters.
    pub fn bytes(&self) -> u64 {
        self.shape.iter().fold(self.element_bytes, |bytes, dim| bytes.saturating_mul(*dim))
    }
}

/// True for a virtual dataset. libhdf5 may change its extent when it is asked for that.
pub fn is_virtual(api: &Api, creation: &Held) -> bool {
    // SAFETY: a function of libhdf5 with a creation list.
    api.functions.pget_layout.is_some_and(|get| unsafe { get(creation.id) } == VIRTUAL)
}

/// How a dataset is stored; `None` if it is not in chunks.
pub fn stored(api: &Api, id: Hid) -> Option<Stored> {
    let functions = &api.functions;
    // SAFETY: for all calls here, functions of libhdf5, which check identifiers, with places for what they return.
    let creation = Held::new(api, unsafe { functions.dget_create_plist?(id) }, functions.pclose)?;
    // SAFETY: as above.
    if unsafe { functions.pget_layout?(creation.id) } != CHUNKED {
        return None;
    }
    let mut chunk = vec![0u64; RANK_MAX];
    // SAFETY: as above.
    let rank = unsafe { functions.pget_chunk?(creation.id, RANK_MAX as c_int, chunk.as_mut_ptr()) };
    chunk.truncate(usize::try_from(rank).ok()?);
    // SAFETY: as above.
    let is_filtered = unsafe { functions.pget_nfilters?(creation.id) } > 0;
    let (shape, element_bytes) = extent_and_bytes(api, id)?;
    Some(Stored { shape, chunk, element_bytes, is_filtered })
}

/// The extent of a dataset, and the bytes of an element.
pub fn extent_and_bytes(api: &Api, id: Hid) -> Option<(Vec<u64>, u64)> {
    let functions = &api.functions;
    // SAFETY: functions of libhdf5, which check identifiers.
    let (space, datatype) = unsafe {
        (
            Held::new(api, functions.dget_space?(id), functions.sclose)?,
            Held::new(api, functions.dget_type?(id), functions.tclose)?,
        )
    };
    // SAFETY: as above.
    let element_bytes = unsafe { functions.tget_size?(datatype.id) } as u64;
    Some((selection::extent(api, space.id)?.to_vec(), element_bytes))
}

/// The access list of a dataset, with another chunk cache.
pub fn access_with(api: &Api, id: Hid, cache: CacheSettings) -> Option<Held> {
    let functions = &api.functions;
    // SAFETY: functions of libhdf5, which check identifiers; the list is a copy.
    let access = Held::new(api, unsafe { functions.dget_access_plist?(id) }, functions.pclose)?;
    let (slots, bytes) = (cache.nslots as usize, cache.nbytes as usize);
    // SAFETY: as above.
    (unsafe { functions.pset_chunk_cache?(access.id, slots, bytes, cache.w0) } >= 0).then_some(access)
}

/// Where a dataset is.
pub struct FileAndPath {
    pub file: Held,
    pub path: CString,
}

/// The file that a dataset is in, and its path there.
pub fn file_and_path(api: &Api, id: Hid) -> Option<FileAndPath> {
    let functions = &api.functions;
    // SAFETY: functions of libhdf5, which check identifiers.
    let file = Held::new(api, unsafe { functions.iget_file_id?(id) }, functions.fclose)?;
    // SAFETY: as above.
    let path = text(|place, bytes| functions.iget_name.map_or(-1, |get| unsafe { get(id, place, bytes) }))?;
    let path = CString::new(path).ok().filter(|path| !path.is_empty())?;
    Some(FileAndPath { file, path })
}

/// Asks for all that a trace says of a dataset. `None` if it is something else.
pub fn describe(api: &Api, id: Hid, key: Key) -> Option<(Description, Option<CacheSettings>)> {
    let functions = &api.functions;
    // SAFETY: for all calls here, functions of libhdf5, which check identifiers, with places for what they return.
    let (space, datatype, file) = unsafe {
        (
            Held::new(api, functions.dget_space?(id), functions.sclose)?,
            Held::new(api, functions.dget_type?(id), functions.tclose)?,
            Held::new(api, functions.iget_file_id?(id), functions.fclose),
        )
    };
    let shape = selection::extent(api, space.id)?.to_vec();
    // SAFETY: as above.
    let element_bytes = unsafe { functions.tget_size?(datatype.id) } as u64;
    let mut dataset = TracedDataset {
        // SAFETY: as above.
        traced: text(|place, bytes| functions.iget_name.map_or(-1, |get| unsafe { get(id, place, bytes) }))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| format!("(object at {})", key.address)),
        shape,
        element: type_word(api, datatype.id).unwrap_or_default(),
        element_bytes,
        libhdf5: api.version.clone(),
        ..TracedDataset::default()
    };
    let Some(file) = file else { return Some((Description { dataset, geometry: None }, None)) };
    dataset.file = file_name(api, &file);
    // SAFETY: as above.
    let access = Held::new(api, unsafe { functions.fget_access_plist?(file.id) }, functions.pclose);
    let cache = cache(api, id, access.as_ref());
    let by_netcdf = |from| if from == "dataset" && api::is_called_by_netcdf() { "netCDF-C" } else { from };
    dataset.cache_from = cache.map(|(_, from)| by_netcdf(from).to_owned());
    let cache = cache.map(|(settings, _)| settings);
    let Some(stored) = stored(api, id) else { return Some((Description { dataset, geometry: None }, cache)) };
    dataset.chunks = Some(stored.chunk);
    let mut intent: c_uint = READ_ONLY;
    // SAFETY: as above.
    let is_known = unsafe { functions.fget_intent?(file.id, &mut intent) } >= 0;
    let descriptor = access.as_ref().and_then(|access| descriptor(api, file.id, access));
    dataset.inode = descriptor.and_then(inode);
    let geometry = match descriptor {
        Some(_) if !is_known || intent != READ_ONLY => Err("its file is open for writing".to_owned()),
        Some(descriptor) => sources::storage(descriptor, key.address, &mut dataset),
        None => Err("its file is not read as a local file".to_owned()),
    };
    Some((Description { dataset, geometry: Some(geometry) }, cache))
}

/// The path of a file that the program named, from the root.
fn absolute(name: &str) -> String {
    std::path::absolute(name).map_or_else(|_| name.to_owned(), |path| path.to_string_lossy().into_owned())
}
