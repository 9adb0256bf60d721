//! Creates files and variables: everything that is decided at creation.

use super::api::{File, Netcdf};
use crate::error::{EngineError, unsupported};
use crate::library::call::{Handle, call, close};
use crate::library::load::{c_name, c_path};
use crate::storage::{CreationProperties, Element, FillTime, Format, Kind};
use hyperslab_storage::FilterRequest;
use hyperslab_storage::filter::number::{DEFLATE, FLETCHER32, NBIT, SCALEOFFSET, SHUFFLE, SZIP};
use std::ffi::{c_int, c_uint};
use std::path::Path;
use std::rc::Rc;

const CLOBBER: c_int = 0;
const NETCDF4: c_int = 0x1000;
const OFFSET_64BIT: c_int = 0x0200;
const CDF5: c_int = 0x0020;
const NO_FILL: c_int = 0x0100;
const UNLIMITED: usize = 0;
const CHUNKED: c_int = 0;
const CONTIGUOUS: c_int = 1;
const LITTLE_ENDIAN: c_int = 1;
const BIG_ENDIAN: c_int = 2;

/// Creates a file of a format.
pub(super) fn file(library: &Netcdf, path: &Path, format: Format) -> Result<Rc<File>, EngineError> {
    let mode = match format {
        Format::Netcdf4 => NETCDF4,
        Format::Classic => OFFSET_64BIT,
        Format::Cdf5 => CDF5,
        Format::Hdf5 | Format::Hdf4 => return unsupported(format!("netCDF-C writes no {format} files")),
    };
    let (mut id, path) = (0, c_path(path)?);
    // SAFETY: a string, and a place for the answer.
    unsafe { call!(library.nc_create(path.as_ptr(), CLOBBER | mode, &mut id)) }?;
    Ok(Rc::new(Handle::new(library, id, close!(nc_close))))
}

/// The dimensions of a variable; the first may grow where that is asked for.
pub(super) fn dimensions(file: &File, storage: &CreationProperties) -> Result<Vec<c_int>, EngineError> {
    let library = &file.library;
    let define = |(axis, dim): (usize, &u64)| {
        let (mut id, label) = (0, c_name(&format!("d{axis}"))?);
        let length = if storage.unlimited && axis == 0 { UNLIMITED } else { *dim as usize };
        // SAFETY: an open file, a string, and a place for the answer.
        unsafe { call!(library.nc_def_dim(file.id, label.as_ptr(), length, &mut id)) }?;
        Ok(id)
    };
    storage.shape.iter().enumerate().map(define).collect()
}

/// Defines a variable in a file or group; answers with its number.
pub(super) fn variable(
    library: &Netcdf,
    group: c_int,
    name: &str,
    storage: &CreationProperties,
    dimensions: &[c_int],
) -> Result<c_int, EngineError> {
    let element = number_of(&storage.element, storage.format)?;
    let (name, mut id) = (c_name(name)?, 0);
    let (rank, dimensions) = (dimensions.len() as c_int, dimensions.as_ptr());
    // SAFETY: an open file, a string, an array of so many dimensions, and a place for the answer.
    unsafe { call!(library.nc_def_var(group, name.as_ptr(), element, rank, dimensions, &mut id)) }?;
    fill(library, group, id, storage)?;
    if storage.format == Format::Netcdf4 {
        layout(library, group, id, storage)?;
        for filter in &storage.filters {
            add_filter(library, group, id, filter, storage)?;
        }
        check_filters(library, group, id, storage)?;
    }
    Ok(id)
}

fn fill(library: &Netcdf, group: c_int, id: c_int, storage: &CreationProperties) -> Result<(), EngineError> {
    let no_fill = storage.fill_time == FillTime::Never;
    let value = storage.fill_value.map(|value| storage.element.bytes_of(value));
    let pointer = value.as_ref().map_or(std::ptr::null(), |value| value.as_ptr().cast());
    // SAFETY: an open file and variable, a value of its type or none, and a place for what was set before.
    let done = unsafe {
        if no_fill && storage.format != Format::Netcdf4 {
            call!(library.nc_set_fill(group, NO_FILL, &mut 0))
        } else if no_fill || value.is_some() {
            call!(library.nc_def_var_fill(group, id, c_int::from(no_fill), pointer))
        } else {
            Ok(0)
        }
    };
    done.map(drop)
}

/// Chunks as asked for; where a variable needs chunks of which nothing is said, they are the library's choice. And the
/// order of bytes.
fn layout(
    library: &Netcdf,
    group: c_int,
    id: c_int,
    storage: &CreationProperties,
) -> Result<(), EngineError> {
    let chunks: Option<Vec<usize>> =
        storage.chunks.as_ref().map(|chunks| chunks.iter().map(|dim| *dim as usize).collect());
    let needs_chunks = storage.unlimited || !storage.filters.is_empty();
    // SAFETY: a variable that is being defined; an array of its rank, or none.
    unsafe {
        if let Some(chunks) = &chunks {
            call!(library.nc_def_var_chunking(group, id, CHUNKED, chunks.as_ptr()))?;
        } else if !needs_chunks {
            call!(library.nc_def_var_chunking(group, id, CONTIGUOUS, std::ptr::null()))?;
        }
        if let Element::Scalar(scalar) = &storage.element
            && scalar.unit() > 1
        {
            let order = if scalar.is_big_endian { BIG_ENDIAN } else { LITTLE_ENDIAN };
            call!(library.nc_def_var_endian(group, id, order))?;
        }
    }
    Ok(())
}

fn add_filter(
    library: &Netcdf,
    group: c_int,
    id: c_int,
    filter: &FilterRequest,
    storage: &CreationProperties,
) -> Result<(), EngineError> {
    // The call for deflate also decides about shuffle.
    let has_shuffle = c_int::from(storage.filters.iter().any(|filter| filter.id == SHUFFLE));
    // SAFETY: a variable that is being defined, and arrays of so many numbers.
    let done = unsafe {
        match (filter.id, &filter.parameters[..]) {
            (SHUFFLE, _) => call!(library.nc_def_var_deflate(group, id, 1, 0, 0)),
            (DEFLATE, [level]) => {
                call!(library.nc_def_var_deflate(group, id, has_shuffle, 1, *level as c_int))
            }
            (FLETCHER32, _) => call!(library.nc_def_var_fletcher32(group, id, 1)),
            (SZIP, [coding, pixels]) => {
                call!(library?.nc_def_var_szip(group, id, *coding as c_int, *pixels as c_int))
            }
            (NBIT | SCALEOFFSET, _) => return unsupported(format!("netCDF-C writes no {filter}")),
            (number, parameters) => {
                let (count, values) = (parameters.len(), parameters.as_ptr());
                call!(library?.nc_def_var_filter(group, id, number.into(), count, values))
            }
        }
    };
    done.map(drop).or_else(|error| {
        unsupported(format!(
            "netCDF-C {} does not take the filter {filter} ({error}); a plug-in for it is found by HDF5_PLUGIN_PATH (pip \
             install hdf5plugin brings many)",
            library.release()
        ))
    })
}

/// netCDF-C has an order of its own for some filters: what is written must be what was asked for.
fn check_filters(
    library: &Netcdf,
    group: c_int,
    id: c_int,
    storage: &CreationProperties,
) -> Result<(), EngineError> {
    if library.functions.nc_inq_var_filter_ids.is_none() {
        return Ok(());
    }
    let mut count = 0;
    // SAFETY: a variable that is being defined, and a place for the count; then for so many numbers.
    let found = unsafe {
        call!(library?.nc_inq_var_filter_ids(group, id, &mut count, std::ptr::null_mut()))?;
        let mut found = vec![0; count];
        call!(library?.nc_inq_var_filter_ids(group, id, &mut count, found.as_mut_ptr()))?;
        found
    };
    let asked: Vec<c_uint> = storage.filters.iter().map(|filter| filter.id.into()).collect();
    if found != asked {
        return unsupported(format!(
            "netCDF-C applies these filters in another order, {found:?}, than {asked:?}"
        ));
    }
    Ok(())
}

/// netCDF's number of a type.
fn number_of(element: &Element, format: Format) -> Result<c_int, EngineError> {
    let scalar = if let Element::Scalar(scalar) = element { Some((scalar.kind, scalar.bytes)) } else { None };
    let number = match scalar {
        Some((Kind::Signed, 1)) => 1,
        Some((Kind::Text, 1)) => 2,
        Some((Kind::Signed, 2)) => 3,
        Some((Kind::Signed, 4)) => 4,
        Some((Kind::Float, 4)) => 5,
        Some((Kind::Float, 8)) => LAST_CLASSIC,
        Some((Kind::Unsigned, 1)) => 7,
        Some((Kind::Unsigned, 2)) => 8,
        Some((Kind::Unsigned, 4)) => 9,
        Some((Kind::Signed, 8)) => 10,
        Some((Kind::Unsigned, 8)) => 11,
        _ => {
            return unsupported(format!(
                "netCDF has no type {element}; strings of fixed length are S1 there, and records are left to HDF5"
            ));
        }
    };
    if format == Format::Classic && number > LAST_CLASSIC {
        return unsupported(format!("netCDF classic has no type {element}; cdf5 and netcdf4 have"));
    }
    Ok(number)
}

/// `NC_DOUBLE`, the last of the types that all classic files have.
const LAST_CLASSIC: c_int = 6;
