//! Which files netCDF-C wrote.

use hyperslab::File;

/// True for a file that netCDF-C wrote, or whose name says so.
pub fn is_netcdf(file: &File) -> bool {
    let name = file.name();
    [".nc", ".nc4"].iter().any(|ending| name.ends_with(ending)) || is_by_netcdf(file)
}

/// True for a file that netCDF-C wrote.
pub fn is_by_netcdf(file: &File) -> bool {
    file.root().is_ok_and(|root| root.attributes().get("_NCProperties").is_ok())
}
