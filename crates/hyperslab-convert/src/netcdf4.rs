//! The objects of the netCDF-4 file: variables, dimension scales, attributes.

use crate::calibration;
use crate::element_range::padded;
use hyperslab::datatypes::{ByteOrder, Class};
use hyperslab::storage::Fill;
use hyperslab::{Attribute, Dataset, Dataspace, Datatype, Error, Result};
use hyperslab_create::{
    Block, BlockSource, Data, DataError, Elements, Layout, NewAttribute, NewDataset, NewFile, ObjectId,
    datatypes,
};
use hyperslab_netcdf::{Dimension, DimensionId, DimensionKind, Group, Netcdf, Variable, stored_name};
use std::collections::HashMap;

/// What netCDF-4 keeps for itself: attributes of these names would be taken for its own.
const RESERVED: [&str; 8] = [
    "CLASS",
    "NAME",
    "DIMENSION_LIST",
    "REFERENCE_LIST",
    "_Netcdf4Dimid",
    "_Netcdf4Coordinates",
    "_nc3_strict",
    "_NCProperties",
];
/// What a dimension without a variable is called, with its length in ten places (netCDF-C, `DIM_WITHOUT_VARIABLE`).
const NO_VARIABLE: &str = "This is a netCDF dimension but not a netCDF variable.";
/// So many elements has a chunk of a dimension without elements, as netCDF-C has it.
const EMPTY_CHUNK: u64 = 1024;

/// A file that is planned.
pub(crate) struct Planned {
    /// Its objects, without values.
    pub file: NewFile<'static>,
    /// The path of each dataset with values in the new file, and where they are now.
    pub values: Vec<(String, Dataset)>,
    /// What is not the same.
    pub notes: Vec<String>,
}

/// Plans the file.
pub(crate) fn plan(netcdf: &Netcdf) -> Result<Planned> {
    let mut planner = Planner {
        netcdf,
        follows_hdf4: calibration::follows_hdf4(netcdf),
        planned: Planned { file: NewFile::new().in_creation_order(), values: Vec::new(), notes: Vec::new() },
        variables: HashMap::new(),
        scales: HashMap::new(),
    };
    let named = |error: hyperslab_create::CreateError| {
        Error::unsupported(format!("has no place in a netCDF-4 file: {error}")).in_file(netcdf.file().name())
    };
    for group in &netcdf.groups {
        planner.group(group).map_err(named)?;
    }
    for group in &netcdf.groups {
        planner.dimensions(group).map_err(named)?;
    }
    for group in &netcdf.groups {
        planner.attach(group).map_err(named)?;
    }
    Ok(planner.planned)
}

type Created<T> = std::result::Result<T, hyperslab_create::CreateError>;

struct Planner<'n> {
    netcdf: &'n Netcdf,
    planned: Planned,
    /// Scaled values are by HDF4's rule.
    follows_hdf4: bool,
    /// The dataset of each variable, by its path in the older file.
    variables: HashMap<String, ObjectId>,
    /// The scale of each dimension.
    scales: HashMap<DimensionId, ObjectId>,
}

impl Planner<'_> {
    /// Adds a group with its variables and attributes.
    fn group(&mut self, group: &Group) -> Created<()> {
        let id = match group.parent {
            None => self.planned.file.find("/"),
            Some(_) => Some(self.planned.file.group(&group.path)?),
        };
        if let Some(id) = id {
            self.attributes(id, &group.path, group.attributes.iter().map(|one| &one.stored))?;
        }
        group.variables.iter().try_for_each(|variable| self.variable(group, variable))
    }

    fn variable(&mut self, group: &Group, variable: &Variable) -> Created<()> {
        let dataset = &variable.dataset;
        let own = self.link_name(&variable.name);
        // The dataset of that name stands for the dimension.
        let is_other = !variable.is_coordinate
            && group.dimensions.iter().any(|&id| self.netcdf.dimension(id).name == variable.name);
        let path = below(group, &if is_other { stored_name(&own) } else { own });
        let shape = &self.shape(variable)[..];
        let mut new = NewDataset::new(of_netcdf(dataset.datatype()), shape);
        new = if shape.contains(&0) {
            let grows = |&len: &u64| if len == 0 { None } else { Some(len) };
            new.maximum(&shape.iter().map(grows).collect::<Vec<_>>()).automatic_chunks()
        } else {
            new.layout(Layout::Contiguous)
        };
        if let Fill::User(fill) = &dataset.fill_value().value {
            new = new.fill(fill.to_vec());
        }
        let id = self.planned.file.dataset(&path, new)?;
        if dataset.elements() > 0 {
            self.planned.file.set_data(id, Data::blocks(Blocks(dataset.clone())))?;
            self.planned.values.push((path.clone(), dataset.clone()));
        }
        let calibrated = match self.follows_hdf4 {
            true => calibration::by_netcdf(variable, &mut self.netcdf.file().heap()),
            false => None,
        };
        let stays = |name: &str| calibrated.is_none() || !calibration::NAMES.contains(&name);
        let own = variable.attributes.iter().filter(|one| stays(&one.name)).map(|one| &one.stored);
        self.attributes(id, &path, own)?;
        if let (Some(numbers), Some(datatype)) = (calibrated, datatypes::float_in(8, ByteOrder::Little)) {
            for (name, number) in calibration::NAMES.into_iter().zip(numbers) {
                let number = NewAttribute {
                    datatype: datatype.clone(),
                    dataspace: Dataspace::Simple { dims: vec![1], max_dims: vec![Some(1)] },
                    elements: number.to_le_bytes().to_vec().into(),
                    named_datatype: None,
                };
                self.planned.file.set_attribute(id, name, number)?;
            }
            if let Some(own) = variable.attribute(calibration::NAMES[1]) {
                let kept = Attribute { name: calibration::ORIGINAL.into(), ..own.stored.clone() };
                self.attributes(id, &path, std::iter::once(&kept))?;
            }
            self.planned.notes.push(calibration::note(&path));
        }
        self.variables.insert(below(group, &variable.name), id);
        Ok(())
    }

    /// The shape of a variable by its dimensions: what grows along one may have fewer records than another variable has.
    fn shape(&self, variable: &Variable) -> Vec<u64> {
        let mut shape = variable.dataset.shape().to_vec();
        let records = variable.dimensions.first().map(|&id| self.netcdf.dimension(id).len);
        if let (Some(first), Some(records)) = (shape.first_mut(), records) {
            *first = records.max(*first);
        }
        shape
    }

    /// Adds the dimension scales of a group: coordinate variables, and datasets that stand for dimensions only.
    fn dimensions(&mut self, group: &Group) -> Created<()> {
        for &id in &group.dimensions {
            let dimension = self.netcdf.dimension(id);
            let name = self.link_name(&dimension.name);
            let coordinate = self.variables.get(&below(group, &dimension.name)).copied();
            let scale = match (dimension.kind, coordinate) {
                (DimensionKind::Coordinate(_), Some(variable)) => {
                    self.planned.file.make_scale(variable, &name)?;
                    variable
                }
                _ => self.bare(&below(group, &name), dimension)?,
            };
            let number = i32::try_from(dimension.netcdf_id).unwrap_or(i32::MAX);
            let number = NewAttribute::new(datatypes::integer(4, true), &[], number.to_le_bytes().to_vec());
            self.planned.file.set_attribute(scale, "_Netcdf4Dimid", number)?;
            self.scales.insert(id, scale);
        }
        Ok(())
    }

    fn bare(&mut self, path: &str, dimension: &Dimension) -> Created<ObjectId> {
        let datatype = datatypes::float_in(4, ByteOrder::Big).unwrap_or_else(|| datatypes::integer(4, true));
        let new = NewDataset::new(datatype, &[dimension.len]);
        let new = match dimension.len {
            0 => new.maximum(&[None]).chunks(&[EMPTY_CHUNK]),
            _ => new.layout(Layout::Contiguous),
        };
        let id = self.planned.file.dataset(path, new)?;
        self.planned.file.make_scale(id, &format!("{NO_VARIABLE}{:10}", dimension.len))?;
        Ok(id)
    }

    /// Attaches the scales to the axes of the variables of a group.
    fn attach(&mut self, group: &Group) -> Created<()> {
        let is_scale = |variable: &Variable| variable.is_coordinate;
        // A scale of several axes has no list of its dimensions; all variables say them by numbers then.
        let all = self.netcdf.groups.iter().flat_map(|group| &group.variables);
        let by_number = all.into_iter().any(|variable| is_scale(variable) && variable.dimensions.len() > 1);
        for variable in &group.variables {
            let Some(&id) = self.variables.get(&below(group, &variable.name)) else { continue };
            if by_number && !variable.dimensions.is_empty() {
                let numbers =
                    variable.dimensions.iter().map(|&id| self.netcdf.dimension(id).netcdf_id as i32);
                let bytes: Vec<u8> = numbers.flat_map(i32::to_le_bytes).collect();
                let rank = variable.dimensions.len() as u64;
                let numbers = NewAttribute::new(datatypes::integer(4, true), &[rank], bytes);
                self.planned.file.set_attribute(id, "_Netcdf4Coordinates", numbers)?;
            }
            if is_scale(variable) {
                continue;
            }
            for (axis, dimension) in variable.dimensions.iter().enumerate() {
                if let Some(&scale) = self.scales.get(dimension) {
                    self.planned.file.attach_scale(id, axis, scale)?;
                }
            }
        }
        Ok(())
    }

    fn attributes<'a>(
        &mut self,
        object: ObjectId,
        path: &str,
        attributes: impl Iterator<Item = &'a Attribute>,
    ) -> Created<()> {
        for attribute in attributes {
            let name = attribute.name.to_string();
            if RESERVED.contains(&name.as_str()) {
                let note =
                    format!("{path}: the attribute {name} is left out, because netCDF-4 has it for itself");
                self.planned.notes.push(note);
                continue;
            }
            let is_empty =
                matches!(&attribute.dataspace, Dataspace::Simple { dims, .. } if dims.contains(&0));
            let dataspace = if is_empty { Dataspace::Null } else { attribute.dataspace.clone() };
            let new = NewAttribute {
                datatype: attribute.datatype.clone(),
                dataspace,
                elements: attribute.data.to_vec().into(),
                named_datatype: None,
            };
            self.planned.file.set_attribute(object, &name, new)?;
        }
        Ok(())
    }

    /// The name of a link: a slash would separate groups.
    fn link_name(&mut self, name: &str) -> String {
        if !name.contains('/') {
            return name.to_owned();
        }
        let new = name.replace('/', "_");
        let note = format!("{name} is {new}, because a name in HDF5 has no slash");
        if !self.planned.notes.contains(&note) {
            self.planned.notes.push(note);
        }
        new
    }
}

/// The values of a variable.
pub(crate) struct Blocks(pub Dataset);

impl BlockSource for Blocks {
    fn read(&self, block: &Block) -> std::result::Result<Elements, DataError> {
        Ok(padded(&self.0, block)?.into())
    }
}

/// The datatype with texts in records as arrays of characters: netCDF has no text of several bytes there, and netCDF-C takes it for one
/// character.
fn of_netcdf(datatype: &Datatype) -> Datatype {
    let mut datatype = datatype.clone();
    if let Class::Compound { members } = &mut datatype.class {
        for member in members {
            let size = member.datatype.size;
            if let (Class::FixedString { .. }, 2..) = (&member.datatype.class, size) {
                let base = Box::new(Datatype { size: 1, ..member.datatype.clone() });
                member.datatype.class = Class::Array { dims: vec![size], base };
            }
        }
    }
    datatype
}

fn below(group: &Group, name: &str) -> String {
    format!("{}/{name}", group.path.trim_end_matches('/'))
}
