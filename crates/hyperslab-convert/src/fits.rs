//! What every form of netCDF asks of a file: that all of it is in the view, under names that netCDF-C reads and tells apart.

use hyperslab::{Dataspace, Error, Result};
use hyperslab_netcdf::{Netcdf, Omitted};
use std::collections::HashSet;

/// `NC_MAX_NAME`: netCDF-C does not open a file with a longer name.
const NAME_BYTES_MAX: usize = 256;

/// Refuses what has no place in netCDF, by name; what cannot be read, unless that is to be left out.
pub(crate) fn check(netcdf: &Netcdf, keeps_going: bool) -> Result<()> {
    let name = netcdf.file().name();
    if let Some(Omitted { path, reason }) = netcdf.damaged_attributes.first().filter(|_| !keeps_going) {
        return Err(Error::damaged(reason).at_object(path).in_file(name));
    }
    for Omitted { path, reason } in &netcdf.omitted {
        // The reason is another error, which names both, or a sentence.
        match reason.strip_prefix(&format!("{name}: ")) {
            Some(_) if keeps_going => {}
            Some(reason) => return Err(Error::damaged(reason).in_file(name)),
            None => return Err(other_form(netcdf, Error::unsupported(reason).at_object(path))),
        }
    }
    for group in &netcdf.groups {
        let refused = |what: String| Err(other_form(netcdf, Error::unsupported(what).at_object(&group.path)));
        let dimensions = group.dimensions.iter().map(|id| &netcdf.dimension(*id).name);
        let variables = group.variables.iter().map(|variable| &variable.name);
        for long in variables.clone().chain(dimensions).chain([&group.name]) {
            if long.len() > NAME_BYTES_MAX {
                let (bytes, start) = (long.len(), long.chars().take(40).collect::<String>());
                let what = format!(
                    "the name {start}... has {bytes} bytes; netCDF-C reads names of up to {NAME_BYTES_MAX}"
                );
                return refused(what);
            }
        }
        if let Some(null) =
            group.variables.iter().find(|one| matches!(one.dataset.dataspace(), Dataspace::Null))
        {
            return refused(format!(
                "{} has no elements by its dataspace, which netCDF has no word for",
                null.name
            ));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = variables.clone().find(|name| !seen.insert(*name)) {
            return refused(format!("two variables are named {twice}, which netCDF cannot tell apart"));
        }
    }
    Ok(())
}

/// The error with its file, and the form that holds what netCDF does not.
fn other_form(netcdf: &Netcdf, error: Error) -> Error {
    let file = netcdf.file();
    let error = error.in_file(file.name());
    error.with_hint(match file.format_word() {
        "hdf4" => "`--to hdf5-h4` holds it",
        _ => "no form of netCDF holds it",
    })
}
