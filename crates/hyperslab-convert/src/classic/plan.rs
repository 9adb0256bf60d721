//! What of a file has a place in netCDF classic: one group, one dimension that grows, numbers and characters.

use super::attributes::{attributes, kind};
use super::{Classic, Version};
use crate::{calibration, fits};
use hyperslab::{Error, Result};
use hyperslab_classic::{Attribute, Dimension, Header, Kind, Variable};
use hyperslab_netcdf::{DimensionId, Netcdf, VariableType};
use std::collections::HashMap;

impl Classic {
    /// Plans a copy.
    ///
    /// # Errors
    /// What has no place in it, by name, with the form that would hold it.
    pub fn plan(netcdf: &Netcdf, version: Version) -> Result<Self> {
        check(netcdf)?;
        let file = netcdf.file();
        let (mut notes, mut heap) = (Vec::new(), file.heap());
        let record = record_dimension(netcdf, &mut notes);
        let root = netcdf.root();
        let follows_hdf4 = calibration::follows_hdf4(netcdf);
        let mut numbers = HashMap::new();
        let mut dimensions = Vec::new();
        for &id in &root.dimensions {
            let dimension = netcdf.dimension(id);
            let len = if record == Some(id) { 0 } else { dimension.len };
            if len == 0 && record != Some(id) {
                let what = format!(
                    "the dimension {} has no length, which only one that grows can have",
                    dimension.name
                );
                return Err(Error::unsupported(what));
            }
            numbers.insert(id, dimensions.len());
            dimensions.push(Dimension { name: dimension.name.as_str().into(), len });
        }
        let (mut variables, mut values) = (Vec::new(), Vec::new());
        for variable in &root.variables {
            let path = format!("/{}", variable.name);
            let own = variable.dimensions.iter().map(|id| {
                let number = numbers.get(id).copied();
                number.ok_or_else(|| Error::internal("a dimension of no group").at_object(path.clone()))
            });
            let mut of_variable = attributes(&path, &variable.attributes, &mut heap, &mut notes)?;
            let calibrated = if follows_hdf4 { calibration::by_netcdf(variable, &mut heap) } else { None };
            if let Some(numbers) = calibrated {
                for (name, number) in calibration::NAMES.into_iter().zip(numbers) {
                    let Some(own) = of_variable.iter_mut().find(|own| own.name == name.into()) else {
                        continue;
                    };
                    let values = number.to_be_bytes().to_vec();
                    let own =
                        std::mem::replace(own, Attribute { name: name.into(), kind: Kind::Double, values });
                    if name == calibration::NAMES[1] {
                        of_variable.push(Attribute { name: calibration::ORIGINAL.into(), ..own });
                    }
                }
                notes.push(calibration::note(&path));
            }
            variables.push(Variable {
                name: variable.name.as_str().into(),
                dimensions: own.collect::<Result<_>>()?,
                attributes: of_variable,
                kind: kind_of(netcdf, variable)?,
                stored_bytes: 0,
                begin: 0,
                at: 0,
            });
            values.push(variable.dataset.clone());
        }
        let of_file = attributes("/", &root.attributes, &mut heap, &mut notes)?;
        let records = record.map_or(0, |id| netcdf.dimension(id).len);
        let header = Header::new(version, records, dimensions, of_file, variables);
        let header = header.map_err(|error| Error::unsupported(error.to_string()))?;
        Ok(Self { header, values, notes })
    }
}

/// Groups, and what is not part of the view.
fn check(netcdf: &Netcdf) -> Result<()> {
    fits::check(netcdf, false)?;
    match netcdf.groups.get(1) {
        Some(group) => {
            let what = format!("netCDF classic has no groups, so that {} has no place in it", group.path);
            Err(Error::unsupported(what))
        }
        None => Ok(()),
    }
}

fn kind_of(netcdf: &Netcdf, variable: &hyperslab_netcdf::Variable) -> Result<Kind> {
    let what = match variable.variable_type {
        VariableType::Atomic(atomic) => match kind(atomic) {
            Some(kind) => return Ok(kind),
            None => "strings; it has characters of one byte".to_owned(),
        },
        VariableType::User(id) => format!("values of the type {}", netcdf.user_type(id).name),
        VariableType::Other => "values of this type".to_owned(),
    };
    Err(Error::unsupported(format!("netCDF classic has no {what}")).at_object(format!("/{}", variable.name)))
}

/// The dimension that grows: the only unlimited one, if variables have it as their first axis. Others get the length that they
/// have, which is noted.
fn record_dimension(netcdf: &Netcdf, notes: &mut Vec<String>) -> Option<DimensionId> {
    let root = netcdf.root();
    let can_be = |id: DimensionId| {
        let behind = |variable: &hyperslab_netcdf::Variable| {
            variable.dimensions.iter().skip(1).any(|axis| *axis == id)
        };
        !root.variables.iter().any(behind)
    };
    let unlimited = || root.dimensions.iter().copied().filter(|id| netcdf.dimension(*id).is_unlimited);
    // One without a length has no other form.
    let empty = unlimited().find(|id| netcdf.dimension(*id).len == 0 && can_be(*id));
    let chosen = empty.or_else(|| unlimited().find(|id| can_be(*id)));
    for other in unlimited().filter(|id| Some(*id) != chosen) {
        let dimension = netcdf.dimension(other);
        notes.push(format!(
            "the dimension {} does not grow any more: netCDF classic has one that does, and only as a first axis",
            dimension.name
        ));
    }
    chosen
}
