//! An object of the tree as the engine sees it.

use super::contents::Contents;
use super::elements::Elements;
use super::model::{DataSet, Group, Object, Values};
use super::place::Place;
use super::{attribute, pixels, values};
use crate::known_attributes::AttributeEntry;
use crate::older::Form;
use crate::open_file::{Node, StoredObject};
use crate::stored_dataset::StoredDataset;
use crate::{Error, Result};
use hyperslab_array::array::Operation;
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Link, LinkTarget};
use hyperslab_format::object_header::ObjectKind;
use hyperslab_format::{Address, Name};
use std::sync::Arc;

/// The object with an index.
pub(super) struct Numbered {
    pub(super) elements: Arc<Elements>,
    pub(super) contents: Arc<Contents>,
    pub(super) index: usize,
}

impl Numbered {
    fn group(&self) -> Option<&Group> {
        match &self.contents.objects[self.index] {
            Object::Group(group) => Some(group),
            Object::DataSet(_) => None,
        }
    }

    fn data_set(&self) -> Option<&DataSet> {
        match &self.contents.objects[self.index] {
            Object::Group(_) => None,
            Object::DataSet(data_set) => Some(data_set),
        }
    }
}

fn link(name: &Name, index: usize, order: Option<i64>) -> Link {
    Link {
        name: name.clone(),
        charset: Charset::Utf8,
        creation_order: order,
        target: LinkTarget::Hard(Address(index as u64)),
    }
}

impl StoredObject for Numbered {
    fn number(&self) -> Address {
        Address(self.index as u64)
    }

    fn kind(&self) -> ObjectKind {
        if self.group().is_some() { ObjectKind::Group } else { ObjectKind::Dataset }
    }

    fn structure(&self) -> &'static str {
        if self.group().is_some() { "Vgroup" } else { "data set" }
    }

    fn links(&self) -> Result<Vec<Result<Link>>> {
        let Some(group) = self.group() else { return Ok(Vec::new()) };
        let numbered = group.links.iter().zip(0i64..);
        let mut links: Vec<Link> =
            numbered.map(|((name, index), order)| link(name, *index, Some(order))).collect();
        links.sort_by(|a, b| a.name.cmp(&b.name));
        let problems = self.contents.problems_of(self.index).map(Err);
        Ok(links.into_iter().map(Ok).chain(problems).collect())
    }

    fn link_count(&self) -> Result<u64> {
        Ok(self.group().map_or(0, |group| group.links.len() as u64))
    }

    fn link(&self, name: &[u8]) -> Result<Option<Link>> {
        let Some(group) = self.group() else { return Ok(None) };
        let mut links = group.links.iter().chain(&group.other_names);
        let found = links.find(|(known, _)| known.as_bytes() == name);
        Ok(found.map(|(name, index)| link(name, *index, None)))
    }

    fn attributes(&self, _: Option<&str>) -> Result<Vec<AttributeEntry>> {
        Ok(match &self.contents.objects[self.index] {
            Object::Group(group) => attribute::entries(&group.attributes),
            Object::DataSet(data_set) => attribute::entries(&data_set.attributes),
        })
    }

    fn dataset(&self, node: &Node, _: &Operation) -> Result<StoredDataset> {
        let data_set = self.data_set().ok_or_else(|| Error::invalid("is a group, not a dataset"))?;
        values::open(&self.elements, data_set, node)
    }

    fn form(&self) -> Result<Option<Form>> {
        let Some(data_set) = self.data_set() else { return Ok(None) };
        let (Values::Of(key) | Values::Pixels(key)) = data_set.values else { return Ok(Some(Form::Whole)) };
        Ok(Some(match Place::of(&self.elements, key)? {
            Place::Nowhere | Place::External(_) => Form::Whole,
            Place::Extents(extents) if extents.len() < 2 => Form::Whole,
            Place::Extents(extents) => Form::Blocks(extents.len() as u64),
            Place::Coded { compressed, .. } => Form::Stream(compressed.coder.name()),
            Place::Chunked(chunked)
                if matches!(data_set.values, Values::Pixels(_)) && !pixels::are_rows(&chunked, data_set) =>
            {
                Form::Whole
            }
            Place::Chunked(chunked) => Form::Chunks(chunked.coder.name()),
        }))
    }
}
