//! The tree of a file: what its Vgroups, data sets, tables and images are together.
//!
//! The root group has the data sets by their own names, then the Vgroups, Vdatas and images that nothing contains. Vgroups are
//! groups, and have their members under the same names. Fields of HDF-EOS2 grids and swaths are members of these alone; the root
//! group knows them by name without listing them.

use super::attribute::Attribute;
use super::contents::Contents;
use super::elements::Elements;
use super::eos::{self, Structures};
use super::facts::{Facts, Kind};
use super::format::ROOT;
use super::model::{Dimension, Group, Object};
use super::scientific::{self, Scientific};
use super::tables::Tables;
use super::{image, scientific_old, vdata};
use crate::named_dimensions::NamedDimension;
use hyperslab_format::{Address, Name};
use hyperslab_hdf4::{Names, Vgroup, roots, tag};
use std::collections::{HashMap, HashSet};

/// Vgroups deeper than this are not followed: only a circle is as deep.
const DEPTH_MAX: usize = 64;

/// No group has this address.
const NOWHERE: Address = Address(u64::MAX);

/// Reads the tree of a file, with the structures of HDF-EOS2 or with the Vgroups that they are.
pub(super) fn read(elements: &Elements, has_structures: bool) -> Contents {
    let mut tables = Tables::read(elements);
    let problems = std::mem::take(&mut tables.problems);
    let contents = Contents { problems, ..Contents::default() };
    let (by_key, renamed) = (HashMap::new(), HashSet::new());
    let mut builder = Builder { elements, tables: &tables, contents, by_key, renamed };
    builder.build(has_structures);
    builder.contents
}

/// The tree while it is made.
pub(super) struct Builder<'e> {
    pub(super) elements: &'e Elements,
    pub(super) tables: &'e Tables,
    pub(super) contents: Contents,
    /// Objects by the tags and the references that lead to them.
    pub(super) by_key: HashMap<(u16, u16), usize>,
    /// Dimensions of the root group that fields of structures have under other names.
    pub(super) renamed: HashSet<usize>,
}

impl Builder<'_> {
    fn build(&mut self, has_structures: bool) {
        let scientific = scientific::read(self.elements, self.tables)
            .unwrap_or_else(|| scientific_old::read(self.elements, self.tables));
        let described = if has_structures { &scientific.attributes[..] } else { &[] };
        let structures = Structures::read(described);
        let images = image::read(self.elements, self.tables);
        let keys_of_images = images.by_key();
        let mut attributes = self.file_annotations();
        self.contents.image_attributes = images.attributes.len();
        attributes.extend(images.attributes);
        let root = Group { at: 0, ..Group::default() };
        self.contents.objects.push(Object::Group(root));
        self.contents.problems.extend(images.problems);
        let sds = self.add_scientific(scientific, &mut attributes);
        let (mut pictures, mut palettes) = (Vec::new(), Vec::new());
        for picture in images.images {
            let index = self.add(Object::DataSet(Box::new(picture.dataset)));
            let facts = Facts::new(picture.kind, picture.name, picture.reference);
            self.contents.facts.insert(index, facts);
            palettes.extend(picture.palette.map(|palette| (index, palette)));
            pictures.push(index);
        }
        for (key, number) in keys_of_images {
            self.lead_to(pictures[number], vec![key]);
        }
        for (image, (_, reference)) in palettes {
            let keys = [(tag::PALETTE, reference), (tag::PALETTE_8, reference)];
            let palette = keys.iter().find_map(|key| self.by_key.get(key));
            if let Some(facts) = self.contents.facts.get_mut(&image) {
                facts.palette = palette.map(|index| Address(*index as u64));
            }
        }
        let groups = self.lone_vgroups(&structures);
        let mut in_structures = eos::Fields::default();
        let mut members: Vec<usize> = Vec::new();
        let mut eos_groups = Vec::new();
        for (reference, vgroup) in &groups {
            match eos::kind(vgroup).filter(|_| has_structures) {
                Some(kind) => {
                    let index = self.add_structure(*reference, vgroup, kind, &structures, &mut in_structures);
                    eos_groups.push(index);
                }
                None => members.extend(self.add_vgroup(*reference, vgroup, 0)),
            }
        }
        self.hide_renamed();
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
    }

    pub(super) fn add(&mut self, object: Object) -> usize {
        self.contents.objects.push(object);
        self.contents.objects.len() - 1
    }

    /// Takes the dimensions from the root group that nothing uses under their names there.
    fn hide_renamed(&mut self) {
        let dimensions = &mut self.contents.dimensions;
        let used: HashSet<usize> = dimensions.axes.values().flatten().copied().collect();
        for number in self.renamed.difference(&used) {
            dimensions.dimensions[*number].group = NOWHERE;
        }
    }

    /// Lets these tags and references lead to an object, if they lead to none yet.
    fn lead_to(&mut self, index: usize, keys: Vec<(u16, u16)>) {
        for key in keys {
            self.by_key.entry(key).or_insert(index);
        }
    }

    /// A name for a link to an object.
    pub(super) fn name(&self, names: &mut Names, index: usize) -> Name {
        let Facts { kind, name, reference, .. } = &self.contents.facts[&index];
        names.unique(name, kind.word(), *reference)
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
        let (mut indexes, mut keys) = (Vec::new(), Vec::new());
        for sds in found.data_sets {
            let index = self.add(Object::DataSet(Box::new(sds.dataset)));
            let facts = Facts::new(Kind::DataSet, sds.name, sds.reference);
            self.contents.facts.insert(index, facts);
            self.contents.dimensions.axes.insert(Address(index as u64), sds.dimensions);
            keys.push((index, sds.keys));
            indexes.push(index);
        }
        // Programs also write the reference that `SDidtoref` gives with other tags of data sets.
        let references = |(index, own): &(usize, Vec<(u16, u16)>)| {
            let group = own.iter().find(|key| key.0 == tag::DATA_GROUP)?;
            Some((*index, vec![(tag::DATA_GROUP_OLD, group.1), (tag::DATA, group.1)]))
        };
        let weak: Vec<_> = keys.iter().filter_map(references).collect();
        keys.into_iter().chain(weak).for_each(|(index, keys)| self.lead_to(index, keys));
        indexes
    }

    /// The Vgroups of users that are no members of others, and one of each circle that nothing else leads to.
    fn lone_vgroups(&self, structures: &Structures) -> Vec<(u16, Vgroup)> {
        let is_lone = |reference: u16| self.tables.is_lone((tag::VGROUP, reference));
        let roots = roots(&self.tables.vgroups, is_lone);
        let all = self.tables.vgroups.iter();
        let lone = all.filter(|(reference, vgroup)| {
            !is_internal(vgroup) && (roots.contains(*reference) || structures.has(vgroup))
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
    pub(super) fn vdata(&mut self, reference: u16, is_plain: bool) -> Option<usize> {
        if let Some(known) = self.by_key.get(&(tag::VDATA, reference)) {
            return Some(*known);
        }
        let vdata = self.tables.vdatas.get(&reference).filter(|vdata| vdata::is_a_users(vdata))?;
        let object = match vdata.record_bytes == 0 || vdata.fields.is_empty() {
            // No record has anything: what is left is a name.
            true => Ok(Object::Group(vdata::without_fields(self.elements, self.tables, reference, vdata))),
            false => vdata::data_set(self.elements, self.tables, reference, vdata, is_plain)
                .map(|data_set| Object::DataSet(Box::new(data_set))),
        };
        match object {
            Ok(object) => {
                let index = self.add(object);
                let facts = Facts::new(Kind::Vdata, vdata.name.clone(), reference);
                self.contents.facts.insert(index, facts);
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
        let facts = Facts::new(Kind::Vgroup, vgroup.name.clone(), reference);
        self.contents.facts.insert(index, facts);
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
        let at = self.elements.at((tag::VGROUP, reference));
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
    pub(super) fn attributes(&mut self, vgroup: &Vgroup) -> Vec<Attribute> {
        let own = self.tables.own_attributes(self.elements, vgroup);
        let inside = self.tables.attributes_of(self.elements, vgroup, scientific::class::ATTRIBUTE);
        [own, inside].concat()
    }
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
