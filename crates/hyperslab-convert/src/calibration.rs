//! Scaled values: in files of HDF-EOS2, a value is `scale_factor * (stored - add_offset)`; by netCDF's rule, it is
//! `scale_factor * stored + add_offset`. A file of netCDF has the offset that gives the same values.

use hyperslab::Heap;
use hyperslab_netcdf::{Netcdf, Values, Variable};

/// Attributes of files that NASA's libraries write, which follow HDF4's rule.
const MARKS: [&str; 2] = ["HDFEOSVersion", "StructMetadata.0"];
/// The attribute that the offset of the older file is kept in.
pub(crate) const ORIGINAL: &str = "hdf4_add_offset";
/// The attributes that change.
pub(crate) const NAMES: [&str; 2] = ["scale_factor", "add_offset"];

/// True for a file whose scaled values follow HDF4's rule.
pub(crate) fn follows_hdf4(netcdf: &Netcdf) -> bool {
    let is_mark = |name: &str| MARKS.contains(&name);
    netcdf.file().format_word() == "hdf4" && netcdf.root().attributes.iter().any(|one| is_mark(&one.name))
}

/// The values of [`NAMES`] by netCDF's rule, of a variable that follows HDF4's with another offset than 0.
pub(crate) fn by_netcdf(variable: &Variable, heap: &mut Heap) -> Option<[f64; 2]> {
    let mut number = |name: &str| match variable.attribute(name)?.values(heap).ok()? {
        Values::Integer(_, values) => <[i128; 1]>::try_from(values).ok().map(|[one]| one as f64),
        Values::Float(values) => <[f32; 1]>::try_from(values).ok().map(|[one]| one.into()),
        Values::Double(values) => <[f64; 1]>::try_from(values).ok().map(|[one]| one),
        _ => None,
    };
    let [scale, offset] = [number(NAMES[0])?, number(NAMES[1])?];
    (offset != 0.0).then_some([scale, -scale * offset])
}

/// What is told of a variable whose attributes change.
pub(crate) fn note(path: &str) -> String {
    format!(
        "{path}: add_offset is by netCDF's rule, scale_factor * stored + add_offset; {ORIGINAL} is that of HDF4's"
    )
}
