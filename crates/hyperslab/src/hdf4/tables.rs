//! All Vgroups and Vdatas of a file, by their references, and the annotations of its objects.

use super::attribute::Attribute;
use super::elements::Elements;
use crate::format_error::OrError;
use crate::{Error, Result};
use hyperslab_format::FormatError;
use hyperslab_hdf4::{Annotation, Vdata, Vgroup, tag};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The tables.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) vgroups: BTreeMap<u16, Vgroup>,
    pub(super) vdatas: BTreeMap<u16, Vdata>,
    /// Labels and descriptions, by the tag and the reference of their object.
    annotations: HashMap<(u16, u16), Vec<Attribute>>,
    /// Those that are members of a Vgroup, or attributes.
    inside: BTreeSet<(u16, u16)>,
    /// What could not be read.
    pub(super) problems: Vec<Error>,
}

impl Tables {
    pub(super) fn read(elements: &Elements) -> Self {
        let mut tables = Self::default();
        tables.vgroups = tables.all(elements, tag::VGROUP, "Vgroup", Vgroup::parse);
        tables.vdatas = tables.all(elements, tag::VDATA, "Vdata", Vdata::parse);
        for vgroup in tables.vgroups.values() {
            tables.inside.extend(vgroup.members.iter().chain(&vgroup.attributes).copied());
        }
        for vdata in tables.vdatas.values() {
            tables.inside.extend(vdata.attributes.iter().map(|attribute| attribute.vdata));
        }
        tables.annotate(elements, tag::DESCRIPTION, "remarks");
        tables.annotate(elements, tag::LABEL, "anno_label");
        tables
    }

    /// The structures of a tag by their references, of each the first; what cannot be read is a problem.
    fn all<T>(
        &mut self,
        elements: &Elements,
        tag: u16,
        word: &str,
        parse: fn(&[u8], u64) -> std::result::Result<T, FormatError>,
    ) -> BTreeMap<u16, T> {
        let mut found = BTreeMap::new();
        for reference in elements.descriptors.of(tag).map(|descriptor| descriptor.reference) {
            match parsed(elements, (tag, reference), parse) {
                Ok(Some(one)) => {
                    found.entry(reference).or_insert(one);
                }
                Ok(None) => {}
                Err(error) => self.problems.push(error.at_object(format!("{word} {reference}"))),
            }
        }
        found
    }

    fn annotate(&mut self, elements: &Elements, tag: u16, word: &str) {
        let mut counts = HashMap::new();
        for descriptor in elements.descriptors.of(tag) {
            match parsed(elements, (tag, descriptor.reference), Annotation::parse) {
                Ok(Some(Annotation { of, text })) => {
                    let count = counts.entry(of).or_insert(0);
                    *count += 1;
                    let attribute = Attribute::text(format!("{word}-{count}"), &text);
                    self.annotations.entry(of).or_default().push(attribute);
                }
                Ok(None) => {}
                Err(error) => {
                    self.problems.push(error.at_object(format!("annotation {}", descriptor.reference)))
                }
            }
        }
    }

    /// The annotations of an object.
    pub(super) fn annotations(&self, keys: &[(u16, u16)]) -> Vec<Attribute> {
        keys.iter().flat_map(|key| self.annotations.get(key).into_iter().flatten()).cloned().collect()
    }

    /// True for a Vgroup or a Vdata that nothing refers to.
    pub(super) fn is_lone(&self, key: (u16, u16)) -> bool {
        !self.inside.contains(&key)
    }

    /// The Vgroups among the members of one, with their references.
    pub(super) fn vgroups_of<'t>(&'t self, vgroup: &'t Vgroup) -> impl Iterator<Item = (u16, &'t Vgroup)> {
        let members = vgroup.members.iter().filter(|(tag, _)| *tag == tag::VGROUP);
        members.filter_map(|(_, reference)| Some((*reference, self.vgroups.get(reference)?)))
    }

    /// The Vdatas among the members of a Vgroup, with their references.
    pub(super) fn vdatas_of<'t>(&'t self, vgroup: &'t Vgroup) -> impl Iterator<Item = (u16, &'t Vdata)> {
        let members = vgroup.members.iter().filter(|(tag, _)| *tag == tag::VDATA);
        members.filter_map(|(_, reference)| Some((*reference, self.vdatas.get(reference)?)))
    }

    /// The attributes that are Vdatas of a class among the members of a Vgroup.
    pub(super) fn attributes_of(&self, elements: &Elements, vgroup: &Vgroup, class: &[u8]) -> Vec<Attribute> {
        let of_class = self.vdatas_of(vgroup).filter(|(_, vdata)| vdata.class.as_bytes() == class);
        of_class.map(|(reference, vdata)| Attribute::read(elements, &vdata.name, vdata, reference)).collect()
    }

    /// The attributes of a Vgroup itself.
    pub(super) fn own_attributes(&self, elements: &Elements, vgroup: &Vgroup) -> Vec<Attribute> {
        let found = vgroup.attributes.iter().filter_map(|(_, reference)| {
            let vdata = self.vdatas.get(reference)?;
            Some(Attribute::read(elements, &vdata.name, vdata, *reference))
        });
        found.collect()
    }
}

/// A structure that is one element, if the element exists.
fn parsed<T>(
    elements: &Elements,
    key: (u16, u16),
    parse: impl Fn(&[u8], u64) -> std::result::Result<T, FormatError>,
) -> Result<Option<T>> {
    let Some(element) = elements.get(key)? else { return Ok(None) };
    parse(&element.bytes, element.at).or_error().map(Some)
}
