//! Files of older formats, seen as the netCDF-4 files that hold the same: what rewrites HDF5 files converts them, too. And files
//! of netCDF classic as copies of others ([`classic`]).
//!
//! ```text
//! File ─► netCDF view ─► netcdf4: a new file's metadata, with places for data ─┐
//!   ├─► hdf5_h4: the same, as h4toh5 names objects of HDF4 ──────────────────┤
//!   └──── values, read where they are asked for ─────────────────────────────── view: a Source ─► File of HDF5
//! ```
//!
//! The file that is seen is never written: its metadata is in memory, and its values are those of the older file, read when a
//! place of them is. A copy of it is the conversion, with every option that copies have.
//!
//! Dimensions are dimension scales, with `_Netcdf4Dimid`; a variable with the name of a dimension that is not its coordinate variable is
//! `_nc4_non_coord_NAME`; attributes and links keep their order. All datasets are contiguous. The record dimension has the
//! length that it has, unless that is 0, which only a dimension that grows can have.
//!
//! Deliberately absent: storage (`hyperslab-repack` changes it), the older formats (`hyperslab`).

mod calibration;
pub mod classic;
mod element_range;
mod fits;
mod hdf5_h4;
mod netcdf4;
mod view;

use hyperslab::{Dataset, Error, File, Result};
use hyperslab_create::{NewFile, WriteOptions};
use hyperslab_netcdf::{Netcdf, Omitted};
use std::sync::Arc;
use view::{Metadata, View};

/// A file as another format would have it.
pub struct Converted {
    /// The file. It is read from the older one.
    pub file: File,
    /// What is not the same in it, a sentence each.
    pub notes: Vec<String>,
    /// Datasets with another path: that in the older file, and the new one.
    pub moved: Vec<(String, String)>,
    /// The path of each dataset with values in the new file, and where these are now.
    pub values: Vec<(String, Dataset)>,
    /// The paths of datasets whose first axis could grow in the older file; it cannot in this one.
    pub growing: Vec<String>,
    /// What is left out because it cannot be read: whether it is the object or an attribute of it, its path, and why.
    pub lost: Vec<(&'static str, Omitted)>,
}

/// The netCDF-4 file that holds what a file of an older format holds. With `keeps_going`, what cannot be read is left out;
/// otherwise they are an error.
///
/// ```no_run
/// # fn main() -> hyperslab::Result<()> {
/// let old = hyperslab::File::open("model.nc")?;
/// let new = hyperslab_convert::as_netcdf4(&old, false)?;
/// println!("{} is {}", new.file.name(), new.file.format_name());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// What has no place in a netCDF-4 file, by name; a variable whose place in the older file is damaged.
pub fn as_netcdf4(file: &File, keeps_going: bool) -> Result<Converted> {
    let netcdf = Netcdf::open(file)?;
    fits::check(&netcdf, keeps_going)?;
    let netcdf4::Planned { file: new, values, notes } = netcdf4::plan(&netcdf)?;
    let lost = |what| move |one: Omitted| (what, one);
    let attributes = netcdf.damaged_attributes.into_iter().map(lost("an attribute"));
    let lost = netcdf.omitted.into_iter().map(lost("the object")).chain(attributes).collect();
    Ok(Converted { lost, ..converted(file, new, values, notes)? })
}

/// The HDF5 file that `h4toh5` would make of a file of HDF4, or close to it: see `docs/older-formats.md`.
///
/// # Errors
/// A file of another format; what has no place in an HDF5 file, by name; an object that is damaged.
pub fn as_hdf5_h4(file: &File) -> Result<Converted> {
    let plain = hyperslab::hdf4::without_structures(file)?;
    let hdf5_h4::Planned { file: new, values, notes, growing } = hdf5_h4::plan(&plain)?;
    Ok(Converted { growing, ..converted(file, new, values, notes)? })
}

/// A file that is seen: what its objects are, and where their values are in the older one.
fn converted(
    file: &File,
    new: NewFile<'static>,
    values: Vec<(String, Dataset)>,
    notes: Vec<String>,
) -> Result<Converted> {
    let (bytes, len) = metadata(new).map_err(|error| error.in_file(file.name()))?;
    let options = File::options().cache_bytes(0);
    let metadata = Metadata { bytes, len, name: file.name() };
    // Read once without values, to see where they have their places.
    let shape = options.open_source(Arc::new(metadata.clone()))?;
    let is_moved =
        |(new, old): &(String, Dataset)| (new != old.path()).then(|| (old.path().to_owned(), new.clone()));
    let moved = values.iter().filter_map(is_moved).collect();
    let view = View::new(metadata, file.source(), &shape, values.clone())?;
    Ok(Converted {
        file: options.open_source(Arc::new(view))?,
        notes,
        moved,
        values,
        growing: Vec::new(),
        lost: Vec::new(),
    })
}

/// The metadata of a new file, and the length that the file has with its data. Values that cannot be read must not keep metadata from
/// being read, so that no block has both.
fn metadata(file: NewFile<'_>) -> Result<(Vec<u8>, u64)> {
    let options = WriteOptions { page_bytes: Some(view::ADVICE.block_bytes), ..WriteOptions::default() };
    file.metadata(options)
        .map_err(|error| Error::unsupported(format!("has no place in a netCDF-4 file: {error}")))
}

#[cfg(test)]
mod tests;
