//! Reads a file's objects into the netCDF data model, in one pass.
//!
//! ```text
//! group ──► members, opened in parallel ──► types, dimension scales, variables ──► child groups, likewise
//!                                                          └── dimensions.rs: axes become dimensions, at the end
//! ```

use crate::attribute::{Attribute, variable_type};
use crate::conventions::{self, CLASSIC_MODEL, PROPERTIES, variable_name};
use crate::dimensions::{Axes, Dimensions, Scale};
use crate::model::{Group, Netcdf, Omitted, Variable};
use crate::types::{GroupId, TypeId, UserKind, UserType, VariableType};
use hyperslab::memory::in_parallel;
use hyperslab::{Dataset, File, NamedDimensions, Object, Prefetch, Result};
use hyperslab_format::Address;
use hyperslab_format::message::{Attribute as Stored, Link, LinkTarget};
use std::collections::HashSet;

/// Groups around a group, at most: each has a path, which is as long as the group is deep.
const DEPTH_MAX: usize = 1000;
/// So many reserved attributes make a file one of netCDF-4's.
const NETCDF4_MARKS_MIN: usize = 2;
/// So many objects of a local file are opened by one thread.
const FEW_OBJECTS: usize = 32;
/// Groups of one view that are read again, because another path leads to a group around them. Groups that contain each other without a
/// circle have twice as many with each group.
const READ_AGAIN_MAX: usize = 1 << 16;
/// At most this number of attributes that cannot be read are listed.
const OMITTED_ATTRIBUTES_MAX: usize = 1 << 16;
/// Objects of one view. Hard links may lead to the same group many times over.
const OBJECTS_MAX: usize = 1 << 22;

impl Netcdf {
    /// Reads the data model of a file: every object header and every attribute, but no data.
    ///
    /// # Errors
    /// Where the root group cannot be read. Other objects that cannot be read are listed in [`Netcdf::omitted`].
    pub fn open(file: &File) -> Result<Self> {
        Self::open_group(file, "/", Below::All)
    }

    /// Reads the group at a path, the groups around it, whose dimensions and types it may use, and what lies below it.
    /// Other groups are not read, and are not in [`Netcdf::groups`]. If there is no group at the path, the last group is
    /// the one that it would lie in.
    ///
    /// # Errors
    /// As [`Netcdf::open`].
    pub fn open_group(file: &File, path: &str, below: Below) -> Result<Self> {
        let root = file.root()?;
        let path: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        prefetch(&root, path.len(), below);
        let (attributes, damaged) = sorted(root.attributes().in_file_order()?);
        let stored = |name: &str| attributes.iter().find(|stored| stored.name.as_bytes() == name.as_bytes());
        let netcdf = Netcdf {
            file: file.clone(),
            groups: Vec::new(),
            dimensions: Vec::new(),
            types: Vec::new(),
            is_netcdf4: false,
            older_kind: conventions::older_kind(file),
            is_classic_model: file.named_dimensions().is_some() || stored(CLASSIC_MODEL).is_some(),
            properties: stored(PROPERTIES).map(|stored| conventions::text_of(stored, &mut file.heap())),
            omitted: Vec::new(),
            damaged_attributes: Vec::new(),
        };
        let mut reader =
            Reader { netcdf, dimensions: Dimensions::new(file), objects: 0, marks: 0, path, below };
        reader.omit_attributes("/", damaged);
        reader.tree(&root, attributes)?;
        let Reader { mut netcdf, dimensions, marks, .. } = reader;
        netcdf.is_netcdf4 = marks >= NETCDF4_MARKS_MIN;
        resolve_types(&mut netcdf);
        dimensions.assign(&mut netcdf);
        Ok(netcdf)
    }
}

/// Which of the groups below a group are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Below {
    /// All of them.
    All,
    /// None.
    Nothing,
}

struct Reader<'p> {
    netcdf: Netcdf,
    dimensions: Dimensions,
    objects: usize,
    /// Reserved attributes of datasets.
    marks: usize,
    /// The names of the groups on the way to the wanted one.
    path: Vec<&'p str>,
    /// Which groups below the wanted one are read.
    below: Below,
}

/// A member of a group, with what the view needs of it.
struct Member {
    name: String,
    object: Object,
    attributes: Vec<Stored>,
    /// Why other attributes cannot be read.
    damaged: Vec<String>,
    is_hard_link: bool,
}

/// Identifies a group among the groups around it, which may lie in several files.
type GroupKey = (File, Address);

/// A group whose child groups are being read.
struct Level {
    id: GroupId,
    key: GroupKey,
    /// Those that have not been read yet.
    children: std::vec::IntoIter<Child>,
    /// True if another path led to it before.
    is_again: bool,
}

/// A group that will be read.
struct Child {
    group: hyperslab::Group,
    name: String,
    attributes: Vec<Stored>,
}

impl Reader<'_> {
    /// Reads the root group and all that lies below it, a parent before its children.
    fn tree(&mut self, root: &hyperslab::Group, attributes: Vec<Stored>) -> Result<()> {
        // Not by recursion: the file says how deeply its groups are nested, and a stack has a limit.
        let mut above = vec![self.group(root, "/", None, attributes, 0)?];
        let (mut seen, mut read_again) = (Vec::<(File, HashSet<Address>)>::new(), 0);
        while let Some(Level { id, children, .. }) = above.last_mut() {
            let parent = *id;
            let Some(Child { group, name, attributes }) = children.next() else {
                above.pop();
                continue;
            };
            let (file, address) = key(&group);
            if above.iter().any(|level| level.key.1 == address && level.key.0.is_same(&file)) {
                self.omit(parent, &name, "its link leads back to a group around it");
                continue;
            }
            if above.len() > DEPTH_MAX {
                self.omit(parent, &name, &format!("its group has more than {DEPTH_MAX} groups around it"));
                continue;
            }
            let of_file = match seen.iter().position(|(known, _)| known.is_same(&file)) {
                Some(number) => &mut seen[number].1,
                None => {
                    seen.push((file, HashSet::new()));
                    let last = seen.len() - 1;
                    &mut seen[last].1
                }
            };
            let is_again = !of_file.insert(address);
            read_again += usize::from(is_again && above.last().is_some_and(|level| level.is_again));
            if read_again > READ_AGAIN_MAX {
                self.omit(
                    parent,
                    &name,
                    &format!("more than {READ_AGAIN_MAX} groups are reached by several paths"),
                );
                continue;
            }
            match self.group(&group, &name, Some(parent), attributes, above.len()) {
                Ok(level) => {
                    self.netcdf.groups[parent.0].groups.push(level.id);
                    above.push(Level { is_again, ..level });
                }
                Err(error) => self.omit(parent, &name, &error.to_string()),
            }
        }
        Ok(())
    }

    /// Reads a group with `depth` groups around it, and its members except for what lies below its child groups.
    fn group(
        &mut self,
        group: &hyperslab::Group,
        name: &str,
        parent: Option<GroupId>,
        attributes: Vec<Stored>,
        depth: usize,
    ) -> Result<Level> {
        let id = GroupId(self.netcdf.groups.len());
        let path = match parent {
            None => "/".to_owned(),
            Some(parent) => self.path_of(parent, name),
        };
        self.netcdf.groups.push(Group {
            name: name.to_owned(),
            path,
            parent,
            dimensions: Vec::new(),
            variables: Vec::new(),
            types: Vec::new(),
            groups: Vec::new(),
            attributes: Vec::new(),
        });
        if let Some(named) = group.file().named_dimensions() {
            let address = Object::Group(group.clone()).address();
            self.dimensions.add_named(&mut self.netcdf, id, address, named);
        }
        if (1..=self.path.len()).contains(&depth) {
            prefetch(group, self.path.len() - depth, self.below);
        }
        let mut children = Vec::new();
        for Member { name, object, attributes, is_hard_link, .. } in self.members(group, id)? {
            match object {
                Object::Group(_) if !self.is_wanted(depth, &name) => {}
                Object::Group(group) => children.push(Child { group, name, attributes }),
                Object::Datatype(ref datatype) => self.user_type(id, &name, datatype, object.address()),
                Object::Dataset(dataset) => {
                    // netCDF-C counts marks without following other links.
                    if is_hard_link {
                        self.count_marks(&attributes);
                    }
                    self.dataset(id, &name, dataset, attributes);
                }
            }
        }
        self.netcdf.groups[id.0].attributes = Attribute::of(&group.file(), attributes);
        Ok(Level { id, key: key(group), children: children.into_iter(), is_again: false })
    }

    /// True if the child with this name, of a group at this depth, is read.
    fn is_wanted(&self, depth: usize, child: &str) -> bool {
        self.path.get(depth).map_or(self.below == Below::All, |&wanted| wanted == child)
    }

    /// Opens the members of a group and reads their attributes, many of them in parallel; answers in the order of the file.
    fn members(&mut self, group: &hyperslab::Group, id: GroupId) -> Result<Vec<Member>> {
        let mut links = Vec::new();
        for link in group.links()? {
            match link {
                Ok(link) => links.push(link),
                Err(error) => self.omit(id, "?", &error.to_string()),
            }
        }
        if links.iter().any(|link| link.name.as_str().is_none()) {
            let mut texts: HashSet<String> =
                links.iter().filter_map(|link| link.name.as_str().map(str::to_owned)).collect();
            links.retain(|link| {
                let is_new = link.name.as_str().is_some() || texts.insert(link.name.to_string());
                if !is_new {
                    self.omit(id, &link.name.text(), "its name is not UTF-8, and another has the same text");
                }
                is_new
            });
        }
        if group.tracks_creation_order() {
            links.sort_by_key(|link| link.creation_order);
        }
        self.objects += links.len();
        if self.objects > OBJECTS_MAX {
            self.omit(id, "*", &format!("the view has more than {OBJECTS_MAX} objects"));
            return Ok(Vec::new());
        }
        // Other threads take longer to wake up than some objects of a local file take to parse.
        let opened = match links.len() <= FEW_OBJECTS && !group.file().heap().has_latency() {
            true => links.iter().map(|link| Member::open(group, link)).collect(),
            false => in_parallel(&group.file(), &links, |link| Member::open(group, link)),
        };
        let mut members = Vec::with_capacity(opened.len());
        for (link, member) in links.iter().zip(opened) {
            match member {
                Ok(mut member) => {
                    let path = self.path_of(id, &member.name);
                    self.omit_attributes(&path, std::mem::take(&mut member.damaged));
                    members.push(member);
                }
                Err(error) => self.omit(id, &link.name.to_string(), &error.to_string()),
            }
        }
        Ok(members)
    }

    fn user_type(
        &mut self,
        group: GroupId,
        name: &str,
        datatype: &hyperslab::NamedDatatype,
        address: Address,
    ) {
        let datatype = datatype.datatype().clone();
        let Some(kind) = UserKind::of(&datatype) else {
            return self.omit(group, name, &format!("netCDF has no type like {datatype}"));
        };
        let id = TypeId(self.netcdf.types.len());
        self.netcdf.types.push(UserType { name: name.to_owned(), group, address, datatype, kind });
        self.netcdf.groups[group.0].types.push(id);
    }

    fn dataset(&mut self, group: GroupId, link: &str, dataset: Dataset, attributes: Vec<Stored>) {
        if let Some(named) = dataset.file().named_dimensions() {
            return self.named(group, link, dataset, attributes, named);
        }
        let scale = Scale::of(&dataset, &attributes);
        let own =
            scale.map(|scale| self.dimensions.add_scale(&mut self.netcdf, group, link, &dataset, scale));
        if scale.is_some_and(|scale| !scale.has_variable) {
            return;
        }
        let axes = match Axes::read(&dataset, &attributes, own) {
            Ok(axes) => axes,
            Err(error) => return self.omit(group, link, &error.to_string()),
        };
        let has_labels = !matches!(axes, Axes::Unknown);
        self.dimensions.add_axes(axes);
        self.netcdf.groups[group.0].variables.push(Variable {
            name: variable_name(link).to_owned(),
            dataset,
            dimensions: Vec::new(),
            variable_type: VariableType::Other,
            is_coordinate: own.is_some(),
            has_labels,
            attributes: Attribute::visible(attributes),
        });
    }

    /// A variable of a format that names its dimensions.
    fn named(
        &mut self,
        group: GroupId,
        name: &str,
        dataset: Dataset,
        attributes: Vec<Stored>,
        named: &NamedDimensions,
    ) {
        let axes = self.dimensions.named_axes(&mut self.netcdf, group, &dataset, named);
        let is_coordinate = self.dimensions.name_coordinate(&mut self.netcdf, name, &dataset, &axes);
        self.dimensions.add_axes(Axes::Known(axes));
        self.netcdf.groups[group.0].variables.push(Variable {
            name: name.to_owned(),
            dataset,
            dimensions: Vec::new(),
            variable_type: VariableType::Other,
            is_coordinate,
            has_labels: true,
            attributes: Attribute::all(attributes),
        });
    }

    fn count_marks(&mut self, attributes: &[Stored]) {
        self.marks += attributes.iter().filter(|stored| conventions::is_mark(stored.name.as_bytes())).count();
    }

    fn omit(&mut self, group: GroupId, name: &str, reason: &str) {
        let path = self.path_of(group, name);
        self.netcdf.omitted.push(Omitted { path, reason: reason.to_owned() });
    }

    fn omit_attributes(&mut self, path: &str, reasons: Vec<String>) {
        let prefix = format!("{}: {path}: ", self.netcdf.file().name());
        for reason in reasons {
            // The error names the file, the object and, if it knows it, the attribute.
            let reason = reason.strip_prefix(&prefix).map_or(reason.clone(), str::to_owned);
            let omitted = Omitted { path: path.to_owned(), reason };
            // A path may lead to an object that others lead to.
            if self.netcdf.damaged_attributes.len() < OMITTED_ATTRIBUTES_MAX {
                self.netcdf.damaged_attributes.push(omitted);
            }
        }
    }

    fn path_of(&self, group: GroupId, name: &str) -> String {
        format!("{}/{name}", self.netcdf.group(group).path.trim_end_matches('/'))
    }
}

impl Member {
    fn open(group: &hyperslab::Group, link: &Link) -> Result<Self> {
        let object = group.open(link)?;
        let (attributes, damaged) = sorted(object.attributes().in_file_order()?);
        let is_hard_link = matches!(link.target, LinkTarget::Hard(_));
        Ok(Self { name: link.name.to_string(), attributes, damaged, object, is_hard_link })
    }
}

/// Attributes, and why others cannot be read.
fn sorted(all: Vec<Result<Stored>>) -> (Vec<Stored>, Vec<String>) {
    let (mut attributes, mut damaged) = (Vec::new(), Vec::new());
    for attribute in all {
        match attribute {
            Ok(attribute) => attributes.push(attribute),
            Err(error) => damaged.push(error.to_string()),
        }
    }
    (attributes, damaged)
}

/// Fetches the metadata of what is read of a group, if the source has latency. The wanted group is `levels` below it.
fn prefetch(group: &hyperslab::Group, levels: usize, below: Below) {
    // The groups on the way are fetched when they are reached: their siblings are not read.
    let depth = if levels == 0 && below == Below::All { usize::MAX } else { 1 };
    group.prefetch(&Prefetch { depth, chunk_indexes: false, attributes: true });
}

fn key(group: &hyperslab::Group) -> GroupKey {
    (group.file(), Object::Group(group.clone()).address())
}

/// Types may be used before they are defined, and in other groups.
fn resolve_types(netcdf: &mut Netcdf) {
    let Netcdf { groups, types, .. } = netcdf;
    for group in groups {
        group.attributes.iter_mut().for_each(|attribute| attribute.resolve_type(types));
        for variable in &mut group.variables {
            variable.variable_type = variable_type(variable.dataset.datatype(), types);
            variable.attributes.iter_mut().for_each(|attribute| attribute.resolve_type(types));
        }
    }
}
