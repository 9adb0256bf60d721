//! The group of a grid, a swath or a point of HDF-EOS2: its fields, and the dimensions that they have in it.

use super::attribute::Attribute;
use super::eos::{self, Structures};
use super::facts::{Facts, Kind};
use super::model::{DataSet, Group, Object, Values};
use super::tree::Builder;
use crate::named_dimensions::NamedDimension;
use hyperslab_format::{Address, Name};
use hyperslab_hdf4::{Names, Vgroup, tag};

/// The usual name of a grid mapping.
const GRID_MAPPING: &str = "crs";

/// The attribute of a data set that fields share, which has their lengths along its first axis.
const FIELD_DIMS: &str = "Field Dims";

impl Builder<'_> {
    /// The group of a grid, a swath or a point of HDF-EOS2: its fields, with the names of dimensions as they are there.
    pub(super) fn add_structure(
        &mut self,
        reference: u16,
        vgroup: &Vgroup,
        kind: eos::Kind,
        structures: &Structures,
        in_structures: &mut eos::Fields,
    ) -> usize {
        let index = self.add(Object::Group(Group::default()));
        let facts = Facts::new(Kind::Vgroup, vgroup.name.clone(), reference);
        self.contents.facts.insert(index, facts);
        self.by_key.insert((tag::VGROUP, reference), index);
        let structure = structures.of(kind, &vgroup.name);
        let (mut names, mut links) = (Names::default(), Vec::new());
        let mut attributes = self.attributes(vgroup);
        let mut dimensions: Vec<(Name, u64, usize)> = Vec::new();
        let parts: Vec<Vgroup> = self.tables.vgroups_of(vgroup).map(|(_, part)| part.clone()).collect();
        parts.iter().for_each(|part| attributes.extend(self.attributes(part)));
        // Tables may also be members of the structure itself.
        let own = vgroup.members.iter().filter(|(member, _)| tag::base(*member) == tag::VDATA);
        for (member_tag, member) in parts.iter().flat_map(|part| &part.members).chain(own) {
            let key = (tag::base(*member_tag), *member);
            let found = match key.0 {
                tag::VDATA => self.vdata(*member, kind != eos::Kind::Point),
                _ => self.by_key.get(&key).copied(),
            };
            let is_new = |index: &usize| !links.iter().any(|(_, known)| known == index);
            let Some(field) = found.filter(is_new) else { continue };
            let is_first = in_structures.insert(field);
            let parts = self.divided(field, structure);
            for field in if parts.is_empty() { vec![field] } else { parts } {
                // A field of two structures has the dimensions of the first.
                if is_first {
                    self.name_axes(field, index, structure, &mut dimensions);
                }
                links.push((self.name(&mut names, field), field));
            }
        }
        if let Some(structure) = structure {
            attributes.extend(structure.attributes());
            for (coordinate, dataset) in structure.coordinates() {
                let is_there = links.iter().any(|(name, _)| *name == coordinate);
                // A grid may be described with another size than its fields have: then nobody knows where they lie.
                let is_its =
                    |(name, len, _): &&(Name, u64, usize)| *name == coordinate && dataset.shape == [*len];
                let axis = dimensions.iter().find(is_its).map(|found| found.2);
                if let (false, Some(axis)) = (is_there, axis) {
                    let index = self.add(Object::DataSet(Box::new(dataset)));
                    self.contents.dimensions.axes.insert(Address(index as u64), vec![axis]);
                    links.push((coordinate, index));
                }
            }
            self.add_grid_mapping(structure, &mut names, &mut links, &dimensions);
        }
        let at = self.elements.at((tag::VGROUP, reference));
        self.contents.objects[index] =
            Object::Group(Group { links, other_names: Vec::new(), attributes, at });
        index
    }

    /// The fields that share a data set, as data sets of their own: they lie one after the other along its first axis. None if it is a
    /// field of its own.
    fn divided(&mut self, shared: usize, structure: Option<&eos::Structure>) -> Vec<usize> {
        let Some(facts) = self.contents.facts.get(&shared).cloned() else { return Vec::new() };
        let Some(structure) = structure else { return Vec::new() };
        let Some(fields) = structure.merged(&facts.name) else { return Vec::new() };
        let Object::DataSet(all) = &self.contents.objects[shared] else { return Vec::new() };
        let (Values::Of(key), Some((&count, shape))) = (&all.values, all.shape.split_first()) else {
            return Vec::new();
        };
        let bytes = shape.iter().try_fold(all.element.bytes(), |bytes, len| bytes.checked_mul(*len));
        let layers = layers(all, fields.len());
        let covered = layers.iter().try_fold(0, |sum: u64, len| sum.checked_add(*len));
        let (Some(bytes), true) = (bytes, covered == Some(count)) else { return Vec::new() };
        let is_written = self.elements.descriptors.get(key.0, key.1).is_some();
        let (mut parts, mut before) = (Vec::new(), 0);
        for (field, len) in fields.iter().zip(layers) {
            let name = Name::from(&**field);
            // A field of one layer has the first axis only if it has a dimension for it.
            let rank = structure.dimensions_of(&name).map(|dimensions| dimensions.len());
            let is_flat = len == 1 && rank != Some(all.shape.len());
            let first = if is_flat { None } else { Some(len) };
            let part = DataSet {
                element: all.element.clone(),
                shape: first.into_iter().chain(shape.iter().copied()).collect(),
                is_unlimited: false,
                values: if is_written { Values::Within(*key, before * bytes) } else { Values::Nowhere },
                fill: all.fill.clone(),
                attributes: all.attributes.clone(),
                at: all.at,
            };
            parts.push((name, part, is_flat));
            before += len;
        }
        let axes = self.contents.dimensions.axes.get(&Address(shared as u64)).cloned().unwrap_or_default();
        self.renamed.extend(&axes);
        let mut indexes = Vec::new();
        for (name, part, is_flat) in parts {
            let index = self.add(Object::DataSet(Box::new(part)));
            self.contents.facts.insert(index, Facts { name, ..facts.clone() });
            if is_flat {
                let own = axes.get(1..).unwrap_or_default().to_vec();
                self.contents.dimensions.axes.insert(Address(index as u64), own);
            }
            indexes.push(index);
        }
        indexes
    }

    /// The grid mapping of a grid whose fields have both of its axes, and its name at those fields.
    fn add_grid_mapping(
        &mut self,
        structure: &eos::Structure,
        names: &mut Names,
        links: &mut Vec<(Name, usize)>,
        dimensions: &[(Name, u64, usize)],
    ) {
        let axis =
            |name: &str| dimensions.iter().find(|found| found.0 == Name::from(name)).map(|found| found.2);
        let (Some(mapping), Some(y), Some(x)) = (structure.grid_mapping(), axis("YDim"), axis("XDim")) else {
            return;
        };
        let name = names.unique(&Name::from(GRID_MAPPING), "grid_mapping", 0);
        for (_, field) in links.iter() {
            let axes = self.contents.dimensions.axes.get(&Address(*field as u64));
            let has_both = axes.is_some_and(|axes| axes.contains(&y) && axes.contains(&x));
            if let (true, Object::DataSet(field)) = (has_both, &mut self.contents.objects[*field]) {
                field.attributes.push(Attribute::text("grid_mapping", name.as_bytes()));
            }
        }
        let index = self.add(Object::DataSet(Box::new(mapping)));
        links.push((name, index));
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
        let own = self.contents.facts.get(&field).map(|facts| facts.name.clone()).unwrap_or_default();
        let listed = structure.and_then(|structure| structure.dimensions_of(&own)).unwrap_or_default();
        let mut axes = Vec::new();
        for (axis, len) in shape.iter().enumerate() {
            let given = known
                .get(axis)
                .map(|number| eos::short_name(&self.contents.dimensions.dimensions[*number].name));
            let name = given.or_else(|| listed.get(axis).map(|name| Name::from(&**name)));
            let Some(name) = name else { return };
            let is_unlimited = axis == 0 && can_grow(&self.contents.objects[field]);
            let all = &mut self.contents.dimensions.dimensions;
            // Fields may have grown to different lengths along a dimension.
            let found = dimensions.iter_mut().find(|(known, known_len, number)| {
                *known == name && (known_len == len || is_unlimited && all[*number].is_unlimited)
            });
            let number = match found {
                Some((_, known_len, number)) => {
                    *known_len = (*known_len).max(*len);
                    all[*number].len = *known_len;
                    *number
                }
                None => {
                    let number = all.len();
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
        self.renamed.extend(known);
    }
}

/// How long each of the fields that share a data set is along its first axis.
fn layers(shared: &DataSet, fields: usize) -> Vec<u64> {
    let said = shared.attributes.iter().find(|attribute| attribute.name == Name::from(FIELD_DIMS));
    let said = said.and_then(Attribute::counts).filter(|layers| layers.len() == fields);
    said.unwrap_or_else(|| vec![1; fields])
}

fn can_grow(object: &Object) -> bool {
    matches!(object, Object::DataSet(data_set) if data_set.is_unlimited)
}
