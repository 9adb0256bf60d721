//! Objects by the names that netCDF users know them by.
//!
//! A variable with the name of a dimension that is not its coordinate variable is stored as `_nc4_non_coord_NAME`, because the
//! dataset NAME stands for the dimension. Who asks for NAME means the variable.

use crate::conventions::{NOT_COORDINATE, variable_name};
use crate::dimensions::Scale;
use hyperslab::{Dataset, Error, File, Object, Result};

/// True for a dataset that stands for a netCDF dimension only, and has no values.
///
/// # Errors
/// Attributes that cannot be read.
pub fn is_bare_dimension(dataset: &Dataset) -> Result<bool> {
    let attributes = dataset.attributes().list()?.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(Scale::of(dataset, &attributes).is_some_and(|scale| !scale.has_variable))
}

/// The name in the file of a variable that has the name of a dimension without being its coordinate variable.
pub fn stored_name(variable: &str) -> String {
    format!("{NOT_COORDINATE}{variable}")
}

/// The netCDF name of the object with this path, if it is another one.
pub fn netcdf_path(path: &str) -> Option<String> {
    let (group, name) = path.rsplit_once('/')?;
    let variable = variable_name(name);
    (variable != name).then(|| format!("{group}/{variable}"))
}

/// The object at a path, which may have the netCDF name of a variable.
///
/// # Errors
/// As [`File::get`].
pub fn find_object(file: &File, path: &str) -> Result<Object> {
    let found = file.get(path);
    let is_other = match &found {
        Ok(Object::Dataset(dataset)) => is_bare_dimension(dataset).unwrap_or(false),
        Ok(_) => false,
        Err(_) => true,
    };
    if !is_other {
        return found;
    }
    let path = path.trim_end_matches('/');
    let (group, name) = path.rsplit_once('/').map_or(("", path), |(group, name)| (group, name));
    let slash = if group.is_empty() && !path.starts_with('/') { "" } else { "/" };
    match file.get(&format!("{group}{slash}{}", stored_name(name))) {
        Ok(Object::Dataset(dataset)) => Ok(Object::Dataset(dataset)),
        _ => found,
    }
}

/// The dataset at a path, which may have the netCDF name of a variable.
///
/// # Errors
/// As [`File::dataset`].
pub fn find_dataset(file: &File, path: &str) -> Result<Dataset> {
    match find_object(file, path) {
        Ok(Object::Dataset(dataset)) => Ok(dataset),
        Ok(_) => file.dataset(path),
        Err(error) => Err::<Dataset, Error>(error),
    }
}
