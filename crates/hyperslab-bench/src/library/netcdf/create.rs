//! Makes a netCDF file with one variable.

use super::{LibraryError, Netcdf, NetcdfFile, NetcdfVariable};
use crate::library::{c_name, c_path};
use crate::study::{Element, FillTime, FilterSpec, Format, Kind, Storage};
use hyperslab_doctor::simulate::CacheSettings;
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

/// A variable that is being defined.
pub(super) struct Definition<'a> {
    library: &'a Netcdf,
    storage: &'a Storage,
    file: c_int,
    id: c_int,
}

impl Netcdf {
    /// Makes a file with one variable, open for writing.
    pub fn create(
        &self,
        path: &Path,
        variable: &str,
        storage: &Storage,
        cache: Option<CacheSettings>,
    ) -> Result<NetcdfVariable, LibraryError> {
        let file = self.create_file(path, storage.format)?;
        let id = file.id;
        let dimensions = self.dimensions(id, storage)?;
        let made = Definition::make(self, id, variable.trim_start_matches('/'), storage, &dimensions)?;
        let variable = NetcdfVariable::new(Rc::new(file), id, made, cache)?;
        // SAFETY: an open file.
        self.check("nc_enddef", unsafe { (self.functions.nc_enddef)(id) })?;
        Ok(variable)
    }

    /// Makes a file of a format.
    pub(super) fn create_file(&self, path: &Path, format: Format) -> Result<NetcdfFile, LibraryError> {
        let mode = match format {
            Format::Netcdf4 => NETCDF4,
            Format::Classic => OFFSET_64BIT,
            Format::Cdf5 => CDF5,
            Format::Hdf5 | Format::Hdf4 => {
                return Err(LibraryError::Unsupported(format!("netCDF-C writes no {format} files")));
            }
        };
        let (mut id, place) = (0, c_path(path)?);
        // SAFETY: a string, and a place for the answer.
        self.check("nc_create", unsafe {
            (self.functions.nc_create)(place.as_ptr(), CLOBBER | mode, &mut id)
        })?;
        Ok(NetcdfFile { library: self.clone(), id })
    }

    /// The dimensions of the variable; the first may grow where that is asked for.
    pub(super) fn dimensions(&self, file: c_int, storage: &Storage) -> Result<Vec<c_int>, LibraryError> {
        let define = |(axis, dim): (usize, &u64)| {
            let (mut id, label) = (0, c_name(&format!("d{axis}"))?);
            let length = if storage.unlimited && axis == 0 { UNLIMITED } else { *dim as usize };
            // SAFETY: an open file, a string, and a place for the answer.
            self.check("nc_def_dim", unsafe {
                (self.functions.nc_def_dim)(file, label.as_ptr(), length, &mut id)
            })?;
            Ok(id)
        };
        storage.shape.iter().enumerate().map(define).collect()
    }
}

impl<'a> Definition<'a> {
    /// Defines a variable in a file or group; answers with its number.
    pub(super) fn make(
        library: &'a Netcdf,
        group: c_int,
        variable: &str,
        storage: &'a Storage,
        dimensions: &[c_int],
    ) -> Result<c_int, LibraryError> {
        let element = number_of(&storage.element, storage.format)?;
        let (short, mut id) = (c_name(variable)?, 0);
        // SAFETY: an open file, a string, an array of so many dimensions, and a place for the answer.
        library.check("nc_def_var", unsafe {
            let (rank, dimensions) = (dimensions.len() as c_int, dimensions.as_ptr());
            (library.functions.nc_def_var)(group, short.as_ptr(), element, rank, dimensions, &mut id)
        })?;
        let definition = Self { library, storage, file: group, id };
        definition.fill()?;
        if storage.format == Format::Netcdf4 {
            definition.chunks()?;
            definition.endian()?;
            definition.filters()?;
        }
        Ok(id)
    }

    fn fill(&self) -> Result<(), LibraryError> {
        let f = &self.library.functions;
        let no_fill = self.storage.fill_time == FillTime::Never;
        if no_fill && self.storage.format != Format::Netcdf4 {
            let mut before = 0;
            // SAFETY: an open file, and a place for the answer.
            return self
                .library
                .check("nc_set_fill", unsafe { (f.nc_set_fill)(self.file, NO_FILL, &mut before) });
        }
        let value = self.storage.fill_value.map(|value| self.storage.element.bytes_of(value));
        if !no_fill && value.is_none() {
            return Ok(());
        }
        let value = value.as_ref().map_or(std::ptr::null(), |value| value.as_ptr().cast());
        // SAFETY: a value of the variable's type, or none.
        self.library.check("nc_def_var_fill", unsafe {
            (f.nc_def_var_fill)(self.file, self.id, c_int::from(no_fill), value)
        })
    }

    /// As asked for; where a variable needs chunks of which nothing is said, they are the library's choice.
    fn chunks(&self) -> Result<(), LibraryError> {
        let chunks: Option<Vec<usize>> =
            self.storage.chunks.as_ref().map(|chunks| chunks.iter().map(|dim| *dim as usize).collect());
        let (storage, chunks) = match &chunks {
            Some(chunks) => (CHUNKED, chunks.as_ptr()),
            None if self.storage.unlimited || !self.storage.filters.is_empty() => return Ok(()),
            None => (CONTIGUOUS, std::ptr::null()),
        };
        // SAFETY: an array of the variable's rank, or none.
        self.library.check("nc_def_var_chunking", unsafe {
            (self.library.functions.nc_def_var_chunking)(self.file, self.id, storage, chunks)
        })
    }

    fn endian(&self) -> Result<(), LibraryError> {
        let element = &self.storage.element;
        if element.bytes == 1 || element.kind == Kind::Text {
            return Ok(());
        }
        let order = if element.is_big_endian { BIG_ENDIAN } else { LITTLE_ENDIAN };
        // SAFETY: a variable that is being defined.
        self.library.check("nc_def_var_endian", unsafe {
            (self.library.functions.nc_def_var_endian)(self.file, self.id, order)
        })
    }

    fn filters(&self) -> Result<(), LibraryError> {
        for filter in &self.storage.filters {
            self.filter(filter)?;
        }
        // netCDF-C has an order of its own for some: what is written must be what was asked for.
        let Some(inquire) = self.library.functions.nc_inq_var_filter_ids else { return Ok(()) };
        let mut count = 0;
        // SAFETY: a variable that is being defined, and a place for the count; then for so many numbers.
        let found = unsafe {
            let answered = inquire(self.file, self.id, &mut count, std::ptr::null_mut());
            self.library.check("nc_inq_var_filter_ids", answered)?;
            let mut found = vec![0; count];
            let answered = inquire(self.file, self.id, &mut count, found.as_mut_ptr());
            self.library.check("nc_inq_var_filter_ids", answered)?;
            found
        };
        let asked: Vec<c_uint> = self.storage.filters.iter().map(|filter| filter.id().into()).collect();
        if found != asked {
            return Err(LibraryError::Unsupported(format!(
                "netCDF-C applies these filters in another order, {found:?}, than {asked:?}"
            )));
        }
        Ok(())
    }

    fn filter(&self, filter: &FilterSpec) -> Result<(), LibraryError> {
        const NEAREST_NEIGHBOUR: c_int = 32;
        const ENTROPY_CODING: c_int = 4;
        let (library, file, id) = (self.library, self.file, self.id);
        let f = &library.functions;
        // The call for deflate also decides about shuffle.
        let has_shuffle = c_int::from(self.storage.filters.contains(&FilterSpec::Shuffle));
        // SAFETY: a variable that is being defined, and arrays of so many numbers.
        let answered = unsafe {
            match filter {
                FilterSpec::Shuffle => (f.nc_def_var_deflate)(file, id, 1, 0, 0),
                FilterSpec::Gzip(level) => (f.nc_def_var_deflate)(file, id, has_shuffle, 1, *level as c_int),
                FilterSpec::Fletcher32 => (f.nc_def_var_fletcher32)(file, id, 1),
                FilterSpec::Szip { nearest_neighbour, pixels } => {
                    let coding = if *nearest_neighbour { NEAREST_NEIGHBOUR } else { ENTROPY_CODING };
                    let define = f.nc_def_var_szip.ok_or_else(|| library.lacks("nc_def_var_szip"))?;
                    define(file, id, coding, *pixels as c_int)
                }
                FilterSpec::Other { id: number, parameters } => {
                    let define = f.nc_def_var_filter.ok_or_else(|| library.lacks("nc_def_var_filter"))?;
                    define(file, id, (*number).into(), parameters.len(), parameters.as_ptr())
                }
                FilterSpec::Nbit | FilterSpec::ScaleOffset(_) => {
                    return Err(LibraryError::Unsupported(format!("netCDF-C writes no {filter}")));
                }
            }
        };
        library.check("defining a filter", answered).map_err(|error| {
            LibraryError::Unsupported(format!(
                "netCDF-C {} does not take the filter {filter} ({error}); a plug-in for it is found by \
                 HDF5_PLUGIN_PATH (pip install hdf5plugin brings many)",
                library.version()
            ))
        })
    }
}

/// netCDF's number of a type.
fn number_of(element: &Element, format: Format) -> Result<c_int, LibraryError> {
    let (number, is_classic) = match (&element.kind, element.bytes) {
        (Kind::Signed, 1) => (1, true),
        (Kind::Text, 1) => (2, true),
        (Kind::Signed, 2) => (3, true),
        (Kind::Signed, 4) => (4, true),
        (Kind::Float, 4) => (5, true),
        (Kind::Float, 8) => (6, true),
        (Kind::Unsigned, 1) => (7, false),
        (Kind::Unsigned, 2) => (8, false),
        (Kind::Unsigned, 4) => (9, false),
        (Kind::Signed, 8) => (10, false),
        (Kind::Unsigned, 8) => (11, false),
        _ => {
            return Err(LibraryError::Unsupported(format!(
                "netCDF has no type {element}; strings of fixed length are S1 there, and records are left to HDF5"
            )));
        }
    };
    if format == Format::Classic && !is_classic {
        return Err(LibraryError::Unsupported(format!(
            "netCDF classic has no type {element}; cdf5 and netcdf4 have"
        )));
    }
    Ok(number)
}
