//! What netCDF-4's readers need of a file of which some objects are left out: the dimensions of variables, and the variables that
//! attributes of the CF conventions name.
//!
//! A dimension is a dataset. If it is left out, netCDF-C and h5netcdf no longer open the file, or no longer find the variables
//! along it; so it stays, as a dimension without a variable.

use crate::link_tree::LinkTree;
use hyperslab::{Address, Dataset, File};
use hyperslab_netcdf::{Dimension, DimensionKind, GroupId, Netcdf, TypeId, Variable, VariableType};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Attributes of the CF conventions that name variables.
const COMPANIONS: [&str; 7] = [
    "coordinates",
    "bounds",
    "climatology",
    "grid_mapping",
    "ancillary_variables",
    "cell_measures",
    "formula_terms",
];

/// The netCDF objects among those of a [`LinkTree`], by their numbers there.
#[derive(Default)]
pub struct NetcdfObjects {
    /// The dimension scales of each variable, in the order of its axes.
    dimensions: HashMap<usize, Vec<usize>>,
    /// The variables that attributes of a variable name, and those attributes.
    companions: HashMap<usize, Vec<(usize, &'static str)>>,
    /// The datatypes that an object has, whether it refers to them or has an equal one, and those that a datatype is made of.
    datatypes: HashMap<usize, Vec<usize>>,
    /// Dimensions without a variable.
    bare: HashSet<usize>,
    /// netCDF's numbers of the dimensions.
    numbers: HashMap<usize, i64>,
    /// True for a file that a netCDF library wrote.
    pub is_netcdf4: bool,
}

impl NetcdfObjects {
    /// Those of a file; none if it cannot be seen as a netCDF file.
    pub fn of(file: &File, tree: &LinkTree) -> Self {
        let Ok(netcdf) = Netcdf::open(file) else { return Self::default() };
        let mut found = Self { is_netcdf4: netcdf.is_netcdf4, ..Self::default() };
        for (number, group) in netcdf.groups.iter().enumerate() {
            let group_id = GroupId(number);
            for variable in &group.variables {
                let Some(node) = own(file, tree, &variable.dataset) else { continue };
                let scales = variable.dimensions.iter().filter_map(|&id| {
                    let dimension = netcdf.dimension(id);
                    // netCDF-C looks for dimensions in the group of a variable and above it.
                    if !is_above(&netcdf, dimension.group, group_id) {
                        return None;
                    }
                    tree.at(address(dimension.kind)?)
                });
                found.dimensions.insert(node, scales.collect());
                let named = companions(&netcdf, variable, group_id);
                let named = named.filter_map(|(dataset, role)| Some((own(file, tree, dataset)?, role)));
                found.companions.insert(node, named.collect());
                let attributes = variable.attributes.iter().map(|attribute| attribute.attribute_type);
                let used = attributes.chain([variable.variable_type]).filter_map(|used| match used {
                    VariableType::User(id) => tree.at(netcdf.user_type(id).address),
                    VariableType::Atomic(_) | VariableType::Other => None,
                });
                found.datatypes.insert(node, used.collect());
            }
        }
        for (number, one) in netcdf.types.iter().enumerate() {
            let parts = netcdf.parts_of_type(TypeId(number));
            let parts = parts.into_iter().filter_map(|id| tree.at(netcdf.user_type(id).address));
            if let Some(node) = tree.at(one.address) {
                found.datatypes.insert(node, parts.collect());
            }
        }
        let bare = netcdf.dimensions.iter().filter_map(|dimension| match dimension.kind {
            DimensionKind::NoVariable(address) => tree.at(address),
            DimensionKind::Coordinate(_) | DimensionKind::Bare | DimensionKind::Phony => None,
        });
        found.bare = bare.collect();
        let numbered =
            |dimension: &Dimension| Some((tree.at(address(dimension.kind)?)?, dimension.netcdf_id));
        found.numbers = netcdf.dimensions.iter().filter_map(numbered).collect();
        found
    }

    /// The new number of each kept dimension by its number: netCDF-C does not open files in which one is missing. Empty if all
    /// dimensions are kept.
    pub fn renumbered(&self, is_kept: impl Fn(usize) -> bool) -> HashMap<i64, i64> {
        let kept: BTreeSet<i64> =
            self.numbers.iter().filter(|(node, _)| is_kept(**node)).map(|(_, &number)| number).collect();
        if kept.len() == self.numbers.len() {
            return HashMap::new();
        }
        kept.into_iter().zip(0..).collect()
    }

    /// The dimension scales of a variable.
    pub fn dimensions(&self, variable: usize) -> &[usize] {
        self.dimensions.get(&variable).map_or(&[], Vec::as_slice)
    }

    /// The variables that attributes of a variable name, with the names of the attributes.
    pub fn companions(&self, variable: usize) -> &[(usize, &'static str)] {
        self.companions.get(&variable).map_or(&[], Vec::as_slice)
    }

    /// The datatypes without which netCDF-C does not open a file that has this object, if a netCDF library wrote it.
    pub fn datatypes(&self, node: usize) -> &[usize] {
        self.datatypes.get(&node).filter(|_| self.is_netcdf4).map_or(&[], Vec::as_slice)
    }

    /// True for a dimension without a variable.
    pub fn is_bare(&self, node: usize) -> bool {
        self.bare.contains(&node)
    }
}

fn address(kind: DimensionKind) -> Option<Address> {
    match kind {
        DimensionKind::Coordinate(address) | DimensionKind::NoVariable(address) => Some(address),
        DimensionKind::Bare | DimensionKind::Phony => None,
    }
}

/// The number of a dataset, if it is in the file itself.
fn own(file: &File, tree: &LinkTree, dataset: &Dataset) -> Option<usize> {
    let address = hyperslab::Object::Dataset(dataset.clone()).address();
    if dataset.file().is_same(file) { tree.at(address) } else { None }
}

/// True if a group is another one, or one of those that contain it.
fn is_above(netcdf: &Netcdf, group: GroupId, of: GroupId) -> bool {
    std::iter::successors(Some(of), |&id| netcdf.group(id).parent).any(|id| id == group)
}

/// The datasets of the variables that attributes of a variable name, and those attributes.
fn companions<'n>(
    netcdf: &'n Netcdf,
    variable: &'n Variable,
    group: GroupId,
) -> impl Iterator<Item = (&'n Dataset, &'static str)> {
    COMPANIONS.into_iter().flat_map(move |role| {
        let text = variable
            .attribute(role)
            .and_then(|attribute| attribute.text(&mut netcdf.file().heap()))
            .unwrap_or_default();
        let names: Vec<String> = text.split_ascii_whitespace().filter_map(|word| named(word, role)).collect();
        names.into_iter().filter_map(move |name| Some((find(netcdf, group, &name)?, role)))
    })
}

/// The name in a word of an attribute. A word with a colon is a key, but in `grid_mapping` the name of a variable.
fn named(word: &str, role: &str) -> Option<String> {
    match word.strip_suffix(':') {
        Some(name) if role == "grid_mapping" => Some(name.to_owned()),
        Some(_) => None,
        None => Some(word.to_owned()),
    }
}

/// The dataset of a variable of this name in a group or above it, or at this path.
fn find<'n>(netcdf: &'n Netcdf, group: GroupId, name: &str) -> Option<&'n Dataset> {
    if name.contains('/') {
        let path = if name.starts_with('/') {
            name.to_owned()
        } else {
            format!("{}/{name}", netcdf.group(group).path.trim_end_matches('/'))
        };
        return netcdf.find_variable(&path).map(|variable| &variable.dataset);
    }
    std::iter::successors(Some(group), |&id| netcdf.group(id).parent).find_map(|id| {
        let variables = &netcdf.group(id).variables;
        variables.iter().find(|variable| variable.name == name).map(|variable| &variable.dataset)
    })
}
