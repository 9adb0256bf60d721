//! Which dimensions the axes of variables have.
//!
//! An axis says its dimension in one of three ways, tried in this order (as `rec_match_dimscales` of netCDF-C does):
//!
//! 1. `_Netcdf4Coordinates` of the variable lists the numbers (`_Netcdf4Dimid`) of its dimensions;
//! 2. `DIMENSION_LIST` refers to dimension scales, for each axis a list whose last one counts;
//! 3. neither: the axis gets a phony dimension of its length, shared within the group with other such axes, though not
//!    within one variable.

use crate::conventions::{
    CLASS, COORDINATES, DIMENSION_ID, DIMENSION_LIST, DIMENSION_SCALE, NAME, NO_VARIABLE,
};
use crate::model::{Dimension, DimensionId, DimensionKind, Netcdf};
use crate::types::{GroupId, VariableType};
use hyperslab::{Dataset, File, NamedDimension, NamedDimensions, Object, Result, number};
use hyperslab_format::Address;
use hyperslab_format::message::datatype::Reference;
use hyperslab_format::message::{Attribute, Class};
use std::collections::HashMap;

/// A dataset that is a dimension scale.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// False for a dimension that is not a variable.
    pub has_variable: bool,
    /// netCDF's number of the dimension, where the file has it.
    netcdf_id: Option<i64>,
}

impl Scale {
    /// What makes this dataset a dimension scale, if it is one. A dataset without an axis cannot be one.
    pub(crate) fn of(dataset: &Dataset, attributes: &[Attribute]) -> Option<Self> {
        let fixed_text = |name: &str| {
            find(attributes, name)
                .filter(|found| matches!(found.datatype.class, Class::FixedString { .. }))
                .map(|found| &found.data[..])
        };
        let class = fixed_text(CLASS)?;
        let class = &class[..class.iter().position(|&byte| byte == 0).unwrap_or(class.len())];
        if class != DIMENSION_SCALE || dataset.shape().is_empty() {
            return None;
        }
        let has_variable = !fixed_text(NAME).is_some_and(|name| name.starts_with(NO_VARIABLE));
        let netcdf_id = find(attributes, DIMENSION_ID).and_then(|found| integers(found).first().copied());
        Some(Self { has_variable, netcdf_id: netcdf_id.filter(|&id| id >= 0) })
    }
}

/// What a variable says of its dimensions.
pub(crate) enum Axes {
    /// The variable is the coordinate variable of this dimension, its only one.
    Own(DimensionId),
    /// netCDF's numbers of them.
    Numbers(Vec<i64>),
    /// The dimension scales of the axes, each as the object that the file's reference leads to.
    Scales(File, Vec<Option<Address>>),
    /// These dimensions.
    Known(Vec<DimensionId>),
    /// Nothing.
    Unknown,
}

impl Axes {
    /// Reads what the attributes of a variable say. `own` is the dimension that it is the scale of.
    pub(crate) fn read(
        dataset: &Dataset,
        attributes: &[Attribute],
        own: Option<DimensionId>,
    ) -> Result<Self> {
        let rank = dataset.shape().len();
        if let Some(found) = find(attributes, COORDINATES) {
            let numbers = integers(found);
            if numbers.len() == rank {
                return Ok(Axes::Numbers(numbers));
            }
        }
        if let (Some(own), 1) = (own, rank) {
            return Ok(Axes::Own(own));
        }
        match find(attributes, DIMENSION_LIST) {
            Some(list) if rank > 0 => {
                let scales = dimension_list(list, &dataset.file(), rank)?;
                // As in H5DSget_num_scales, which netCDF-C asks for the first axis only.
                let is_labelled = scales.first().is_some_and(Option::is_some);
                Ok(if is_labelled { Axes::Scales(dataset.file(), scales) } else { Axes::Unknown })
            }
            _ => Ok(Axes::Unknown),
        }
    }
}

/// The last dimension scale of each axis.
fn dimension_list(list: &Attribute, file: &File, rank: usize) -> Result<Vec<Option<Address>>> {
    let mut scales = vec![None; rank];
    let Class::VlenSequence { base } = &list.datatype.class else { return Ok(scales) };
    let mut heap = file.heap();
    let elements = list.data.chunks_exact(list.datatype.size.max(1) as usize);
    for (scale, element) in scales.iter_mut().zip(elements) {
        let (_, references) = heap.sequence(element, base.size)?;
        let last = references.chunks_exact(base.size.max(1) as usize).next_back();
        *scale = match (&base.class, last) {
            (Class::Reference(Reference::Object), Some(reference)) => heap.object_reference(reference),
            (Class::Reference(Reference::Standard { .. }), Some(reference)) => {
                heap.reference(reference)?.filter(|found| found.file.is_none()).map(|found| found.object)
            }
            _ => None,
        };
    }
    Ok(scales)
}

/// The dimensions of a file while it is read.
pub(crate) struct Dimensions {
    /// The files that datasets lie in: this one, and those that external links lead to.
    files: Vec<File>,
    by_address: HashMap<(usize, Address), DimensionId>,
    by_netcdf_id: HashMap<i64, DimensionId>,
    next_netcdf_id: i64,
    /// By their numbers in a format that names them.
    by_number: HashMap<usize, DimensionId>,
    /// Of each variable, in the order in which they were read.
    axes: Vec<Axes>,
}

impl Dimensions {
    pub(crate) fn new(file: &File) -> Self {
        Self {
            files: vec![file.clone()],
            by_address: HashMap::new(),
            by_netcdf_id: HashMap::new(),
            next_netcdf_id: 0,
            by_number: HashMap::new(),
            axes: Vec::new(),
        }
    }

    /// Adds the dimension of a dimension scale.
    pub(crate) fn add_scale(
        &mut self,
        netcdf: &mut Netcdf,
        group: GroupId,
        name: &str,
        dataset: &Dataset,
        scale: Scale,
    ) -> DimensionId {
        let address = Object::Dataset(dataset.clone()).address();
        let dimension = Dimension {
            name: name.to_owned(),
            len: dataset.shape()[0],
            is_unlimited: dataset.max_shape().first() == Some(&None),
            group,
            netcdf_id: scale.netcdf_id.unwrap_or(self.next_netcdf_id),
            kind: match scale.has_variable {
                true => DimensionKind::Coordinate(address),
                false => DimensionKind::NoVariable(address),
            },
        };
        let id = self.add(netcdf, dimension);
        let file = self.file_number(&dataset.file());
        // Several links may lead to one scale: variables name it by the first.
        self.by_address.entry((file, address)).or_insert(id);
        id
    }

    /// Adds the dimensions that the format of the file names, to its root group.
    pub(crate) fn add_named(
        &mut self,
        netcdf: &mut Netcdf,
        group: GroupId,
        address: Address,
        named: &NamedDimensions,
    ) {
        let of_group = |(_, dimension): &(usize, &NamedDimension)| dimension.group == address;
        for (number, dimension) in named.dimensions.iter().enumerate().filter(of_group) {
            let (name, kind) = (dimension.name.to_string(), DimensionKind::Bare);
            let (len, is_unlimited, netcdf_id) = (dimension.len, dimension.is_unlimited, number as i64);
            let id = self.add(netcdf, Dimension { name, len, is_unlimited, group, netcdf_id, kind });
            self.by_number.insert(number, id);
        }
    }

    /// The dimensions of a dataset in a format that names them. A dataset may be in a group, too, that is not in that of its
    /// dimensions: there it has dimensions of the same names.
    pub(crate) fn named_axes(
        &mut self,
        netcdf: &mut Netcdf,
        group: GroupId,
        dataset: &Dataset,
        named: &NamedDimensions,
    ) -> Vec<DimensionId> {
        let address = Object::Dataset(dataset.clone()).address();
        let axes = named.axes.get(&address).into_iter().flatten();
        let around: Vec<GroupId> =
            std::iter::successors(Some(group), |id| netcdf.group(*id).parent).collect();
        let known =
            |netcdf: &Netcdf, id: DimensionId| around.contains(&netcdf.dimension(id).group).then_some(id);
        let mut found = Vec::new();
        for number in axes {
            let NamedDimension { name, len, is_unlimited, .. } = &named.dimensions[*number];
            let (name, len) = (name.to_string(), *len);
            let own = self.by_number.get(number).and_then(|id| known(netcdf, *id));
            let same = |id: &&DimensionId| {
                let other = netcdf.dimension(**id);
                (&other.name, other.len) == (&name, len)
            };
            let own = own.or_else(|| visible(netcdf, &around).find(same).copied());
            found.push(match own {
                Some(own) => own,
                None => {
                    // A dimension of the same name would hide one of a group around it.
                    let is_taken = visible(netcdf, &around).any(|id| netcdf.dimension(*id).name == name);
                    let name = if is_taken { format!("{name}_{len}") } else { name };
                    let (is_unlimited, kind, netcdf_id) =
                        (*is_unlimited, DimensionKind::Bare, self.next_netcdf_id);
                    self.add(netcdf, Dimension { name, len, is_unlimited, group, netcdf_id, kind })
                }
            });
        }
        found
    }

    /// True if this variable is the coordinate variable of its first dimension, which is then known as such.
    pub(crate) fn name_coordinate(
        &mut self,
        netcdf: &mut Netcdf,
        name: &str,
        dataset: &Dataset,
        axes: &[DimensionId],
    ) -> bool {
        let first = axes.first().map(|id| &mut netcdf.dimensions[id.0]);
        let Some(own) = first.filter(|first| first.name == name) else { return false };
        own.kind = DimensionKind::Coordinate(Object::Dataset(dataset.clone()).address());
        true
    }

    /// Adds what a variable says of its dimensions. To be called for each variable as it is added to its group.
    pub(crate) fn add_axes(&mut self, axes: Axes) {
        self.axes.push(axes);
    }

    fn add(&mut self, netcdf: &mut Netcdf, dimension: Dimension) -> DimensionId {
        let id = DimensionId(netcdf.dimensions.len());
        self.next_netcdf_id = self.next_netcdf_id.max(dimension.netcdf_id.saturating_add(1));
        self.by_netcdf_id.entry(dimension.netcdf_id).or_insert(id);
        netcdf.groups[dimension.group.0].dimensions.push(id);
        netcdf.dimensions.push(dimension);
        id
    }

    fn file_number(&mut self, file: &File) -> usize {
        self.files.iter().position(|known| known.is_same(file)).unwrap_or_else(|| {
            self.files.push(file.clone());
            self.files.len() - 1
        })
    }

    /// Gives every axis its dimension, and unlimited dimensions their length.
    pub(crate) fn assign(mut self, netcdf: &mut Netcdf) {
        let mut firsts = Vec::with_capacity(netcdf.groups.len());
        let mut first = 0;
        for group in &netcdf.groups {
            firsts.push(first);
            first += group.variables.len();
        }
        let axes = std::mem::take(&mut self.axes);
        // Variables that netCDF-C leaves out come last, so that phony dimensions get the same numbers as there.
        for has_type in [true, false] {
            self.assign_group(netcdf, GroupId(0), &axes, &firsts, has_type);
        }
        set_unlimited_lengths(netcdf);
        let Netcdf { groups, dimensions, .. } = netcdf;
        groups.iter_mut().for_each(|group| group.dimensions.sort_by_key(|&id| dimensions[id.0].netcdf_id));
    }

    /// Gives the variables of a group, and of those below it, their dimensions; those with a netCDF type or those
    /// without. Child groups come first, as in netCDF-C.
    fn assign_group(
        &mut self,
        netcdf: &mut Netcdf,
        id: GroupId,
        axes: &[Axes],
        firsts: &[usize],
        has_type: bool,
    ) {
        for child in netcdf.group(id).groups.clone() {
            self.assign_group(netcdf, child, axes, firsts, has_type);
        }
        for number in 0..netcdf.group(id).variables.len() {
            if (netcdf.group(id).variables[number].variable_type != VariableType::Other) != has_type {
                continue;
            }
            let known = self.known(&axes[firsts[id.0] + number]);
            let dataset = netcdf.group(id).variables[number].dataset.clone();
            let mut dimensions: Vec<DimensionId> = Vec::with_capacity(dataset.shape().len());
            for (axis, &len) in dataset.shape().iter().enumerate() {
                let is_unlimited = dataset.max_shape().get(axis) == Some(&None);
                let found = known.get(axis).copied().flatten();
                let dimension =
                    found.unwrap_or_else(|| self.phony(netcdf, id, len, is_unlimited, &dimensions));
                dimensions.push(dimension);
            }
            netcdf.groups[id.0].variables[number].dimensions = dimensions;
        }
    }

    /// The dimensions that a variable names, as far as they exist.
    fn known(&mut self, axes: &Axes) -> Vec<Option<DimensionId>> {
        match axes {
            Axes::Own(dimension) => vec![Some(*dimension)],
            Axes::Known(dimensions) => dimensions.iter().copied().map(Some).collect(),
            Axes::Numbers(numbers) => {
                numbers.iter().map(|number| self.by_netcdf_id.get(number).copied()).collect()
            }
            Axes::Scales(file, scales) => {
                let file = self.file_number(file);
                let dimension = |at: &Option<Address>| self.by_address.get(&(file, (*at)?)).copied();
                scales.iter().map(dimension).collect()
            }
            Axes::Unknown => Vec::new(),
        }
    }

    /// A dimension of this length in the group that the variable does not use yet, or a new one.
    fn phony(
        &mut self,
        netcdf: &mut Netcdf,
        group: GroupId,
        len: u64,
        is_unlimited: bool,
        used: &[DimensionId],
    ) -> DimensionId {
        let fits = |&id: &DimensionId| {
            let dimension = netcdf.dimension(id);
            dimension.len == len && dimension.is_unlimited == is_unlimited && !used.contains(&id)
        };
        if let Some(found) = netcdf.group(group).dimensions.iter().copied().find(fits) {
            return found;
        }
        let netcdf_id = self.next_netcdf_id;
        let name = format!("phony_dim_{netcdf_id}");
        let kind = DimensionKind::Phony;
        self.add(netcdf, Dimension { name, len, is_unlimited, group, netcdf_id, kind })
    }
}

/// An unlimited dimension is as long as the longest variable that uses it.
fn set_unlimited_lengths(netcdf: &mut Netcdf) {
    let is_named = netcdf.file.named_dimensions().is_some();
    let mut longest: HashMap<DimensionId, u64> = HashMap::new();
    for variable in netcdf.groups.iter().flat_map(|group| &group.variables) {
        for (&id, &len) in variable.dimensions.iter().zip(variable.dataset.shape()) {
            let known = longest.entry(id).or_default();
            *known = len.max(*known);
        }
    }
    for (number, dimension) in netcdf.dimensions.iter_mut().enumerate() {
        // A format that names its dimensions says how long they are.
        if dimension.is_unlimited && !is_named {
            dimension.len = longest.get(&DimensionId(number)).copied().unwrap_or(0);
        }
    }
}

/// The dimensions of these groups.
fn visible<'n>(netcdf: &'n Netcdf, groups: &'n [GroupId]) -> impl Iterator<Item = &'n DimensionId> {
    groups.iter().flat_map(|id| &netcdf.group(*id).dimensions)
}

fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.name.as_bytes() == name.as_bytes())
}

/// The values of an integer attribute; none where it is not one.
fn integers(attribute: &Attribute) -> Vec<i64> {
    let Class::Integer(integer) = &attribute.datatype.class else { return Vec::new() };
    let elements = attribute.data.chunks_exact(attribute.datatype.size.max(1) as usize);
    elements.filter_map(|element| i64::try_from(number::integer_value(integer, element)).ok()).collect()
}
