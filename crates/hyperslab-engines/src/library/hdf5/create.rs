//! Creates files and datasets: everything that is decided at creation.

use super::api::{Api, DEFAULT, Hid};
use super::dataset::Dataset;
use super::property::{access, id_of, list, space};
use super::{datatype, lzf};
use crate::error::{EngineError, unsupported};
use crate::library::call::{call, open};
use crate::library::load::{c_name, c_path};
use crate::storage::{CreationProperties, Element, Kind, Libver, Memory, Records};
use hyperslab_storage::filter::number::{FLETCHER32, LZF, NBIT, SCALEOFFSET, SZIP};
use hyperslab_storage::{CacheSettings, FilterRequest};
use std::ffi::c_int;
use std::path::Path;
use std::rc::Rc;

const TRUNCATE: u32 = 2;
const CONTIGUOUS: c_int = 1;
const FILTER_OPTIONAL: u32 = 1;
const FILTER_MANDATORY: u32 = 0;
/// `H5F_FSPACE_STRATEGY_PAGE`
const PAGE: c_int = 1;

/// Creates a file for datasets that will be stored so.
pub(super) fn file(api: &Rc<Api>, path: &Path, storage: &CreationProperties) -> Result<Rc<Hid>, EngineError> {
    let (creation, access) = (list(api, "FILE_CREATE")?, list(api, "FILE_ACCESS")?);
    let name = c_path(path)?;
    // SAFETY: open lists, and a string.
    unsafe {
        if let Some(bytes) = storage.page_bytes {
            call!(api?.H5Pset_file_space_strategy(creation.id, PAGE, false, 1))?;
            call!(api?.H5Pset_file_space_page_size(creation.id, bytes))?;
        }
        if let Some((low, high)) = version_bounds(api, storage.libver) {
            call!(api.H5Pset_libver_bounds(access.id, low, high))?;
        }
        open!(api.H5Fcreate(name.as_ptr(), TRUNCATE, creation.id, access.id), H5Fclose).map(Rc::new)
    }
}

/// `H5F_LIBVER_*`: the newest has another number in each release.
fn version_bounds(api: &Api, libver: Libver) -> Option<(c_int, c_int)> {
    const EARLIEST: c_int = 0;
    let latest = match api.version {
        version if version < (1, 10, 2) => 1,
        (1, 10, _) => 2,
        (1, 11 | 12, _) => 3,
        (1, ..) => 4,
        _ => 5,
    };
    match libver {
        Libver::Default => None,
        Libver::Earliest => Some((EARLIEST, latest)),
        Libver::Latest => Some((latest, latest)),
    }
}

/// Creates a dataset.
pub(super) fn dataset(
    file: &Rc<Hid>,
    name: &str,
    storage: &CreationProperties,
    cache: Option<CacheSettings>,
    memory: Memory,
) -> Result<Dataset, EngineError> {
    let (api, name) = (&file.library, c_name(name)?);
    let (file_type, space) =
        (datatype::in_file(api, storage.element)?, space(api, &storage.shape, storage.unlimited)?);
    let (creation, access) = (creation(api, storage)?, access(api, cache)?);
    let (type_id, access) = (file_type.id, id_of(&access));
    // SAFETY: a string, and open identifiers.
    let handle = unsafe {
        open!(
            api.H5Dcreate2(file.id, name.as_ptr(), type_id, space.id, DEFAULT, creation.id, access),
            H5Dclose
        )
    }?;
    // Numbers have but one form in memory.
    let memory = if matches!(storage.element, Element::Record(_)) { memory } else { Memory::default() };
    Dataset::new(file, handle, &Records { fields: None, memory })
}

fn creation(api: &Rc<Api>, storage: &CreationProperties) -> Result<Hid, EngineError> {
    let list = list(api, "DATASET_CREATE")?;
    // SAFETY: an open list, and values or arrays that outlive each call.
    unsafe {
        match &storage.chunks {
            Some(chunks) => call!(api.H5Pset_chunk(list.id, chunks.len() as c_int, chunks.as_ptr()))?,
            None => call!(api.H5Pset_layout(list.id, CONTIGUOUS))?,
        };
        call!(api.H5Pset_fill_time(list.id, storage.fill_time as c_int))?;
        call!(api.H5Pset_alloc_time(list.id, storage.alloc_time as c_int))?;
        if let Some(value) = &storage.fill_value {
            let double = api.constant("T_NATIVE_DOUBLE")?;
            call!(api.H5Pset_fill_value(list.id, double, std::ptr::from_ref(value).cast()))?;
        }
    }
    for filter in &storage.filters {
        add_filter(&list, filter, storage)?;
    }
    Ok(list)
}

fn add_filter(list: &Hid, filter: &FilterRequest, storage: &CreationProperties) -> Result<(), EngineError> {
    let element = storage.element;
    const FLOAT_BY_DIGITS: c_int = 0;
    const INTEGERS: c_int = 2;
    let (api, number) = (&list.library, c_int::from(filter.id));
    // SAFETY: a plain call, which may load a plug-in.
    if unsafe { (api.functions.H5Zfilter_avail)(number) } <= 0 {
        return unsupported(format!(
            "libhdf5 {} has no filter {filter} ({number}); a plug-in for it is found by HDF5_PLUGIN_PATH (pip install \
             hdf5plugin brings many)",
            api.release(),
        ));
    }
    let set = |flags: u32, parameters: &[u32]| {
        let (count, parameters) = (parameters.len(), parameters.as_ptr());
        // SAFETY: an open list, and an array of so many values.
        unsafe { call!(api.H5Pset_filter(list.id, number, flags, count, parameters)) }
    };
    // SAFETY: an open list.
    let done = unsafe {
        match (filter.id, &filter.parameters[..]) {
            (FLETCHER32, parameters) => set(FILTER_MANDATORY, parameters),
            (SZIP, [coding, pixels]) => call!(api.H5Pset_szip(list.id, *coding, *pixels)),
            (NBIT, _) => call!(api.H5Pset_nbit(list.id)),
            (SCALEOFFSET, parameters) => {
                let is_float = matches!(element, Element::Scalar(scalar) if scalar.kind == Kind::Float);
                let digits = parameters.last().map(|digits| digits.cast_signed());
                if is_float && digits.is_none() {
                    return unsupported(
                        "scaleoffset rounds floats to decimal places, whose number must be given: scaleoffset=2".to_owned(),
                    );
                }
                let kind = if is_float { FLOAT_BY_DIGITS } else { INTEGERS };
                call!(api.H5Pset_scaleoffset(list.id, kind, digits.unwrap_or_default()))
            }
            (LZF, []) => {
                let chunks = storage.chunks.iter().flatten();
                set(
                    FILTER_OPTIONAL,
                    &lzf::parameters(chunks.fold(element.bytes(), |n, dim| n.saturating_mul(*dim))),
                )
            }
            (_, parameters) => set(FILTER_OPTIONAL, parameters),
        }
    };
    done.map(drop)
}
