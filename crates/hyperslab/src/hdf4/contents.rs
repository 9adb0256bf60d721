//! The tree of a file: what its Vgroups, data sets, tables and images are together.
//!
//! The root group has the data sets by their own names, then the Vgroups, Vdatas and images that nothing contains. Vgroups are
//! groups, and have their members under the same names. Fields of HDF-EOS2 grids and swaths are members of these alone; the root
//! group knows them by name without listing them.

use super::attribute::Attribute;
use super::elements::Elements;
use super::eos::{self, Structures};
use super::format::ROOT;
use super::image;
use super::model::{Dimension, Group, Object};
use super::names::Names;
use super::scientific::{self, Scientific};
use super::scientific_old;
use super::tables::Tables;
use super::vdata;
use crate::named_dimensions::{NamedDimension, NamedDimensions};
use crate::{Error, Result};
use hyperslab_format::{Address, Name};
use hyperslab_hdf4::{Vgroup, tag};
use std::collections::HashMap;

/// Vgroups deeper than this are not followed: only a circle is as deep.
const DEPTH_MAX: usize = 64;

/// The tree.
#[derive(Default)]
pub(super) struct Contents {
    /// The root group, and all others.
    pub(super) objects: Vec<Object>,
    pub(super) dimensions: NamedDimensions,
    /// What could not be read; shown as members of the root group.
    problems: Vec<Error>,
}

/// The tree while it is made.
struct Builder<'e> {
    elements: &'e Elements,
    tables: &'e Tables,
    contents: Contents,
    /// Objects by the tags and the references that lead to them.
    by_key: HashMap<(u16, u16), usize>,
    /// The name of each object, what it is, and its reference.
    names: HashMap<usize, (Name, &'static str, u16)>,
}

impl Contents {
    /// Reads the tree.
    ///
    /// # Errors
    /// Only what concerns all objects. What a single one lacks is its own error.
    pub(super) fn read(elements: &Elements) -> Result<Self> {
        let mut tables = Tables::read(elements);
        let problems = std::mem::take(&mut tables.problems);
        let contents = Contents { problems, ..Contents::default() };
        let (by_key, names) = (HashMap::new(), HashMap::new());
        let mut builder = Builder { elements, tables: &tables, contents, by_key, names };
        builder.build()?;
        Ok(builder.contents)
    }

    /// The offset of the description of an object.
    pub(super) fn at(&self, index: usize) -> u64 {
        match self.objects.get(index) {
            Some(Object::Group(group)) => group.at,
            Some(Object::DataSet(data_set)) => data_set.at,
            None => 0,
        }
    }

    /// What could not be read, of the object with this index.
    pub(super) fn problems_of(&self, index: usize) -> impl Iterator<Item = Error> {
        let problems = if index == 0 { &self.problems[..] } else { &[] };
        problems.iter().map(|error| Error::new(error.kind(), error.to_string()))
    }

    /// A path of the object with this index.
    pub(super) fn path(&self, index: usize) -> String {
        let mut path = String::new();
        let mut wanted = index;
        for _ in 0..DEPTH_MAX {
            let parent = self.objects.iter().enumerate().find_map(|(parent, object)| match object {
                Object::Group(group) => {
                    let (name, _) = group.links.iter().find(|(_, member)| *member == wanted)?;
                    Some((parent, name))
                }
                Object::DataSet(_) => None,
            });
            let Some((parent, name)) = parent else { break };
            path = format!("/{name}{path}");
            wanted = parent;
            if parent == 0 {
                break;
            }
        }
        path
    }
}

impl Builder<'_> {
    fn build(&mut self) -> Result<()> {
        let scientific = match scientific::read(self.elements, self.tables)? {
            Some(found) => found,
            None => scientific_old::read(self.elements, self.tables),
        };
        let structures = Structures::read(&scientific.attributes);
        let images = image::read(self.elements, self.tables);
        let mut attributes = self.file_annotations();
        attributes.extend(images.attributes);
        let root = Group { at: 0, ..Group::default() };
        self.contents.objects.push(Object::Group(root));
        self.contents.problems.extend(images.problems);
        let sds = self.add_scientific(scientific, &mut attributes);
        let mut pictures = Vec::new();
        for picture in images.images {
            let index = self.add(Object::DataSet(Box::new(picture.dataset)));
            self.names.insert(index, (picture.name, picture.what, picture.reference));
            self.lead_to(index, picture.keys);
            pictures.push(index);
        }
        let groups = self.lone_vgroups(&structures);
        let mut in_structures = eos::Fields::default();
        let mut members: Vec<usize> = Vec::new();
        let mut eos_groups = Vec::new();
        for (reference, vgroup) in &groups {
            match eos::kind(vgroup) {
                Some(kind) => {
                    let index = self.add_structure(*reference, vgroup, kind, &structures, &mut in_structures);
                    eos_groups.push(index);
                }
                None => members.extend(self.add_vgroup(*reference, vgroup, 0)),
            }
        }
        let listed = sds.iter().filter(|index| !in_structures.contains(*index)).copied();
        let listed: Vec<usize> =
            listed.chain(eos_groups).chain(members).chain(self.lone_vdatas()).chain(pictures).collect();
        // Every data set has its name here, also those that are listed elsewhere.
        let mut names = Names::default();
        let known: HashMap<usize, Name> =
            sds.iter().map(|index| (*index, self.name(&mut names, *index))).collect();
        let mut links = Vec::new();
        for index in listed {
            let name = known.get(&index).cloned().unwrap_or_else(|| self.name(&mut names, index));
            links.push((name, index));
        }
        let hidden = known.into_iter().filter(|(index, _)| in_structures.contains(index));
        let other_names = hidden.map(|(index, name)| (name, index)).collect();
        self.contents.objects[0] = Object::Group(Group { links, other_names, attributes, at: 0 });
        Ok(())
    }

    fn add(&mut self, object: Object) -> usize {
        self.contents.objects.push(object);
        self.contents.objects.len() - 1
    }

    /// Lets these tags and references lead to an object, if they lead to none yet.
    fn lead_to(&mut self, index: usize, keys: Vec<(u16, u16)>) {
        for key in keys {
            self.by_key.entry(key).or_insert(index);
        }
    }

    /// A name for a link to an object.
    fn name(&self, names: &mut Names, index: usize) -> Name {
        let (own, what, reference) = &self.names[&index];
        names.unique(own, what, *reference)
    }

    fn file_annotations(&self) -> Vec<Attribute> {
        let kinds = [(tag::FILE_LABEL, "file_label"), (tag::FILE_DESCRIPTION, "file_description")];
        let mut attributes = Vec::new();
        for (kind, word) in kinds {
            for (descriptor, number) in self.elements.descriptors.of(kind).zip(1..) {
                let text = self.elements.get((kind, descriptor.reference));
                let text = text.ok().flatten().map(|element| element.bytes).unwrap_or_default();
                attributes.push(Attribute::text(format!("{word}-{number}"), &text));
            }
        }
        attributes
    }

    /// Adds the data sets, and returns their indexes in the order of the file.
    fn add_scientific(&mut self, found: Scientific, attributes: &mut Vec<Attribute>) -> Vec<usize> {
        attributes.splice(0..0, found.attributes);
        self.contents.problems.extend(found.problems);
        self.contents.dimensions.dimensions = found.dimensions.iter().map(named).collect();
        for sds in found.data_sets.iter().filter(|sds| sds.dataset.is_unlimited) {
            // The length of a dimension that grows is written when a program ends well.
            let own = sds.dimensions.first().map(|axis| &mut self.contents.dimensions.dimensions[*axis]);
            own.into_iter().for_each(|own| own.len = own.len.max(sds.dataset.shape[0]));
        }
        let mut indexes = Vec::new();
        for sds in found.data_sets {
            let index = self.add(Object::DataSet(Box::new(sds.dataset)));
            self.names.insert(index, (sds.name, "data_set", sds.reference));
            self.contents.dimensions.axes.insert(Address(index as u64), sds.dimensions);
            self.lead_to(index, sds.keys);
            indexes.push(index);
        }
        indexes
    }

    /// The Vgroups of users that are no members of others.
    fn lone_vgroups(&self, structures: &Structures) -> Vec<(u16, Vgroup)> {
        let all = self.tables.vgroups.iter();
        let lone = all.filter(|(reference, vgroup)| {
            let is_users = !is_internal(vgroup);
            is_users && (self.tables.is_lone((tag::VGROUP, **reference)) || structures.has(vgroup))
        });
        lone.map(|(reference, vgroup)| (*reference, vgroup.clone())).collect()
    }

    fn lone_vdatas(&mut self) -> Vec<usize> {
        let all = self.tables.vdatas.iter();
        let lone = all.filter(|(reference, vdata)| {
            vdata::is_a_users(vdata) && self.tables.is_lone((tag::VDATA, **reference))
        });
        let references: Vec<u16> = lone.map(|(reference, _)| *reference).collect();
        references.into_iter().filter_map(|reference| self.vdata(reference, false)).collect()
    }

    /// The object of a Vdata, which is added when it is first met.
    fn vdata(&mut self, reference: u16, is_plain: bool) -> Option<usize> {
        if let Some(known) = self.by_key.get(&(tag::VDATA, reference)) {
            return Some(*known);
        }
        let vdata = self.tables.vdatas.get(&reference).filter(|vdata| vdata::is_a_users(vdata))?;
        let object = match vdata.record_bytes == 0 || vdata.fields.is_empty() {
            // No record has anything: what is left is a name.
            true => vdata::without_fields(self.elements, self.tables, reference, vdata).map(Object::Group),
            false => vdata::data_set(self.elements, self.tables, reference, vdata, is_plain)
                .map(|data_set| Object::DataSet(Box::new(data_set))),
        };
        match object {
            Ok(object) => {
                let index = self.add(object);
                self.names.insert(index, (vdata.name.clone(), "vdata", reference));
                self.by_key.insert((tag::VDATA, reference), index);
                Some(index)
            }
            Err(error) => {
                self.contents.problems.push(error.at_object(format!("Vdata {}", vdata.name)));
                None
            }
        }
    }

    /// The group of a Vgroup, which is added when it is first met.
    fn add_vgroup(&mut self, reference: u16, vgroup: &Vgroup, depth: usize) -> Option<usize> {
        let key = (tag::VGROUP, reference);
        if let Some(known) = self.by_key.get(&key) {
            return Some(*known);
        }
        if is_internal(vgroup) || depth > DEPTH_MAX {
            return None;
        }
        let index = self.add(Object::Group(Group::default()));
        self.names.insert(index, (vgroup.name.clone(), "vgroup", reference));
        // Before its members: one of them may be the Vgroup itself.
        self.by_key.insert(key, index);
        let mut names = Names::default();
        let mut links = Vec::new();
        for member in self.members(vgroup, depth) {
            links.push((self.name(&mut names, member), member));
        }
        let mut attributes = self.attributes(vgroup);
        attributes.extend(self.tables.annotations(&[key]));
        if !vgroup.class.as_bytes().is_empty() {
            attributes.push(Attribute::text("HDF4_VGROUP_CLASS", vgroup.class.as_bytes()));
        }
        let at = self.elements.descriptors.get(tag::VGROUP, reference).map_or(0, |found| found.offset.into());
        self.contents.objects[index] =
            Object::Group(Group { links, other_names: Vec::new(), attributes, at });
        Some(index)
    }

    /// The objects that a Vgroup contains, each once.
    fn members(&mut self, vgroup: &Vgroup, depth: usize) -> Vec<usize> {
        let mut members = Vec::new();
        for (member_tag, reference) in &vgroup.members {
            let key = (tag::base(*member_tag), *reference);
            let found = match key.0 {
                tag::VDATA => self.vdata(*reference, false),
                tag::VGROUP => match self.tables.vgroups.get(reference) {
                    Some(member) => self.add_vgroup(*reference, member, depth + 1),
                    None => None,
                },
                _ => self.by_key.get(&key).copied(),
            };
            if let Some(index) = found.filter(|index| !members.contains(index)) {
                members.push(index);
            }
        }
        members
    }

    /// The attributes of a Vgroup: its own, and Vdatas among its members that are attributes.
    fn attributes(&mut self, vgroup: &Vgroup) -> Vec<Attribute> {
        let own = self.tables.own_attributes(self.elements, vgroup);
        let inside = self.tables.attributes_of(self.elements, vgroup, scientific::class::ATTRIBUTE);
        let mut attributes = Vec::new();
        for found in [own, inside] {
            match found {
                Ok(found) => attributes.extend(found),
                Err(error) => self.contents.problems.push(error.at_object(format!("Vgroup {}", vgroup.name))),
            }
        }
        attributes
    }

    /// The group of a grid, a swath or a point of HDF-EOS2: its fields, with the names of dimensions as they are there.
    fn add_structure(
        &mut self,
        reference: u16,
        vgroup: &Vgroup,
        kind: eos::Kind,
        structures: &Structures,
        in_structures: &mut eos::Fields,
    ) -> usize {
        let index = self.add(Object::Group(Group::default()));
        self.names.insert(index, (vgroup.name.clone(), "vgroup", reference));
        self.by_key.insert((tag::VGROUP, reference), index);
        let structure = structures.of(kind, &vgroup.name);
        let (mut names, mut links) = (Names::default(), Vec::new());
        let mut attributes = self.attributes(vgroup);
        let mut dimensions: Vec<(Name, u64, usize)> = Vec::new();
        let parts: Vec<Vgroup> = self.tables.vgroups_of(vgroup).map(|(_, part)| part.clone()).collect();
        for part in &parts {
            attributes.extend(self.attributes(part));
            for (member_tag, member) in &part.members {
                let key = (tag::base(*member_tag), *member);
                let found = match key.0 {
                    tag::VDATA => self.vdata(*member, kind != eos::Kind::Point),
                    _ => self.by_key.get(&key).copied(),
                };
                let is_new = |index: &usize| !links.iter().any(|(_, known)| known == index);
                let Some(field) = found.filter(is_new) else { continue };
                in_structures.insert(field);
                self.name_axes(field, index, structure, &mut dimensions);
                links.push((self.name(&mut names, field), field));
            }
        }
        if let Some(structure) = structure {
            attributes.extend(structure.attributes());
            for (coordinate, dataset) in structure.coordinates() {
                let is_there = links.iter().any(|(name, _)| *name == coordinate);
                let axis = dimensions.iter().find(|(name, ..)| *name == coordinate).map(|found| found.2);
                if let (false, Some(axis)) = (is_there, axis) {
                    let index = self.add(Object::DataSet(Box::new(dataset)));
                    self.contents.dimensions.axes.insert(Address(index as u64), vec![axis]);
                    links.push((coordinate, index));
                }
            }
        }
        let at = self.elements.descriptors.get(tag::VGROUP, reference).map_or(0, |found| found.offset.into());
        self.contents.objects[index] =
            Object::Group(Group { links, other_names: Vec::new(), attributes, at });
        index
    }

    /// Gives the axes of a field the dimensions of its structure, under their short names.
    fn name_axes(
        &mut self,
        field: usize,
        group: usize,
        structure: Option<&eos::Structure>,
        dimensions: &mut Vec<(Name, u64, usize)>,
    ) {
        let Object::DataSet(data_set) = &self.contents.objects[field] else { return };
        let shape = data_set.shape.clone();
        let address = Address(field as u64);
        let known = self.contents.dimensions.axes.get(&address).cloned().unwrap_or_default();
        let own = self.names.get(&field).map(|(name, ..)| name.clone()).unwrap_or_default();
        let listed = structure.and_then(|structure| structure.dimensions_of(&own)).unwrap_or_default();
        let mut axes = Vec::new();
        for (axis, len) in shape.iter().enumerate() {
            let given = known
                .get(axis)
                .map(|number| eos::short_name(&self.contents.dimensions.dimensions[*number].name));
            let name = given.or_else(|| listed.get(axis).map(|name| Name::from(&**name)));
            let Some(name) = name else { return };
            let found = dimensions.iter().find(|(known, known_len, _)| *known == name && known_len == len);
            let number = match found {
                Some((.., number)) => *number,
                None => {
                    let number = self.contents.dimensions.dimensions.len();
                    let is_unlimited = axis == 0 && can_grow(&self.contents.objects[field]);
                    let group = Address(group as u64);
                    let dimension = NamedDimension { name: name.clone(), len: *len, is_unlimited, group };
                    self.contents.dimensions.dimensions.push(dimension);
                    dimensions.push((name, *len, number));
                    number
                }
            };
            axes.push(number);
        }
        self.contents.dimensions.axes.insert(address, axes);
    }
}

fn can_grow(object: &Object) -> bool {
    matches!(object, Object::DataSet(data_set) if data_set.is_unlimited)
}

fn named(dimension: &Dimension) -> NamedDimension {
    NamedDimension {
        name: dimension.name.clone(),
        len: dimension.len,
        is_unlimited: dimension.is_unlimited,
        group: ROOT,
    }
}

/// True for a Vgroup that is a part of something else.
fn is_internal(vgroup: &Vgroup) -> bool {
    use scientific::class;
    let internal = [
        class::FILE,
        class::VARIABLE,
        class::DIMENSION,
        class::UNLIMITED,
        image::FILE_CLASS,
        image::IMAGE_CLASS,
    ];
    internal.contains(&vgroup.class.as_bytes())
}
