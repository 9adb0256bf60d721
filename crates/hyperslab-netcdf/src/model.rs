//! The netCDF data model as values.

use crate::attribute::Attribute;
use crate::types::{GroupId, TypeId, UserType, VariableType, parts};
use hyperslab::Dataset;
use hyperslab_format::Address;
use hyperslab_format::message::Datatype;

/// The number of a dimension in [`Netcdf::dimensions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DimensionId(pub usize);

/// A file, as netCDF-4 sees it.
pub struct Netcdf {
    pub(crate) file: hyperslab::File,
    /// All groups, a parent before its children.
    pub groups: Vec<Group>,
    /// All dimensions of all groups.
    pub dimensions: Vec<Dimension>,
    /// All user-defined types of all groups.
    pub types: Vec<UserType>,
    /// True where the file keeps to the classic data model (`_nc3_strict`).
    pub is_classic_model: bool,
    /// The kind of a file of netCDF's older formats, as `ncdump -k` calls it: `classic`, `64-bit offset`, `cdf5`.
    pub older_kind: Option<&'static str>,
    /// True where the objects bear at least two of netCDF-4's marks, which is how netCDF-C tells its own files.
    pub is_netcdf4: bool,
    /// Which libraries wrote the file (`_NCProperties`), where it says so.
    pub properties: Option<String>,
    /// What is not part of the view, and why.
    pub omitted: Vec<Omitted>,
    /// Attributes that are not, because they cannot be read: the path of their object, and why.
    pub damaged_attributes: Vec<Omitted>,
}

impl Netcdf {
    /// The file.
    pub fn file(&self) -> &hyperslab::File {
        &self.file
    }

    /// The root group.
    pub fn root(&self) -> &Group {
        &self.groups[0]
    }

    /// A group by its number.
    pub fn group(&self, id: GroupId) -> &Group {
        &self.groups[id.0]
    }

    /// A dimension by its number.
    pub fn dimension(&self, id: DimensionId) -> &Dimension {
        &self.dimensions[id.0]
    }

    /// A user-defined type by its number.
    pub fn user_type(&self, id: TypeId) -> &UserType {
        &self.types[id.0]
    }

    /// The user-defined types that a type is made of: of members and of elements, and what these are made of.
    pub fn parts_of_type(&self, id: TypeId) -> Vec<TypeId> {
        parts(&self.types, &self.types[id.0].datatype)
    }

    /// The group at a path such as `/model/run1`; `/` is the root.
    pub fn find_group(&self, path: &str) -> Option<&Group> {
        let wanted = path.trim_matches('/');
        self.groups.iter().find(|group| group.path.trim_matches('/') == wanted)
    }

    /// The variable at a path such as `/model/temperature`.
    pub fn find_variable(&self, path: &str) -> Option<&Variable> {
        let (group, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.find_group(group)?.variables.iter().find(|variable| variable.name == name)
    }

    /// Length along each axis of a variable, as netCDF has it: an unlimited dimension is as long as the longest
    /// variable that uses it, so that the dataset itself may be shorter.
    pub fn shape(&self, variable: &Variable) -> Vec<u64> {
        variable.dimensions.iter().map(|&id| self.dimension(id).len).collect()
    }
}

/// A group.
pub struct Group {
    /// Its name; `/` for the root group.
    pub name: String,
    /// Its path from the root group.
    pub path: String,
    /// The group that it lies in.
    pub parent: Option<GroupId>,
    /// Its dimensions, by netCDF's numbers.
    pub dimensions: Vec<DimensionId>,
    /// Its variables, in the order of the file.
    pub variables: Vec<Variable>,
    /// Its user-defined types, in the order of the file.
    pub types: Vec<TypeId>,
    /// Its child groups, in the order of the file.
    pub groups: Vec<GroupId>,
    /// Its attributes without those that netCDF reserves, in the order of the file.
    pub attributes: Vec<Attribute>,
}

/// A dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimension {
    /// Its name.
    pub name: String,
    /// Its length. For an unlimited dimension, that of the longest variable that uses it.
    pub len: u64,
    /// True where it can grow.
    pub is_unlimited: bool,
    /// The group that it lies in.
    pub group: GroupId,
    /// netCDF's number of it.
    pub netcdf_id: i64,
    /// Where it comes from.
    pub kind: DimensionKind,
}

/// Where a dimension comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DimensionKind {
    /// A dimension scale that is a variable, too, or a dimension with a variable of its name. The address is that of the
    /// variable.
    Coordinate(Address),
    /// A dimension scale that is only a dimension.
    NoVariable(Address),
    /// A dimension that has no dataset and is no variable: in formats that name their dimensions themselves.
    Bare,
    /// Made for an axis without a dimension scale.
    Phony,
}

/// A variable.
pub struct Variable {
    /// Its netCDF name.
    pub name: String,
    /// Its dataset, whose path has the HDF5 name.
    pub dataset: Dataset,
    /// Its dimensions, slowest first.
    pub dimensions: Vec<DimensionId>,
    /// Its type.
    pub variable_type: VariableType,
    /// True where it is the coordinate variable of a dimension of its name.
    pub is_coordinate: bool,
    /// True where the file says what the dimensions of its axes are.
    pub has_labels: bool,
    /// Its attributes without those that netCDF reserves, in the order of the file.
    pub attributes: Vec<Attribute>,
}

impl Variable {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The HDF5 datatype.
    pub fn datatype(&self) -> &Datatype {
        self.dataset.datatype()
    }
}

/// Something of the file that is not part of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omitted {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}
