//! The objects of a file: the root group, and its variables.

use super::format::ROOT;
use super::{attribute, variable};
use crate::format_error::OrError;
use crate::known_attributes::AttributeEntry;
use crate::older::Form;
use crate::open_file::{Node, StoredObject};
use crate::stored_dataset::StoredDataset;
use crate::{Error, Result};
use hyperslab_array::array::Operation;
use hyperslab_classic::Header;
use hyperslab_format::Address;
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Link, LinkTarget};
use hyperslab_format::object_header::ObjectKind;
use std::sync::Arc;

/// The root group, which has the variables as its members and the attributes of the file.
pub(super) struct Root(pub Arc<Header>);

/// The variable with this number.
pub(super) struct Variable {
    pub header: Arc<Header>,
    pub number: usize,
}

fn link((number, variable): (usize, &hyperslab_classic::Variable)) -> Link {
    Link {
        name: variable.name.clone(),
        charset: Charset::Utf8,
        creation_order: Some(number as i64),
        target: LinkTarget::Hard(Address(variable.at)),
    }
}

impl StoredObject for Root {
    fn number(&self) -> Address {
        ROOT
    }

    fn kind(&self) -> ObjectKind {
        ObjectKind::Group
    }

    fn structure(&self) -> &'static str {
        "header"
    }

    fn links(&self) -> Result<Vec<Result<Link>>> {
        let mut links: Vec<Link> = self.0.variables.iter().enumerate().map(link).collect();
        links.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(links.into_iter().map(Ok).collect())
    }

    fn link_count(&self) -> Result<u64> {
        Ok(self.0.variables.len() as u64)
    }

    fn link(&self, name: &[u8]) -> Result<Option<Link>> {
        let mut variables = self.0.variables.iter().enumerate();
        Ok(variables.find(|(_, variable)| variable.name.as_bytes() == name).map(link))
    }

    fn attributes(&self, _: Option<&str>) -> Result<Vec<AttributeEntry>> {
        Ok(attribute::entries(&self.0.attributes))
    }

    fn dataset(&self, _: &Node, _: &Operation) -> Result<StoredDataset> {
        Err(Error::invalid("is a group, not a dataset"))
    }
}

impl StoredObject for Variable {
    fn number(&self) -> Address {
        Address(self.header.variables[self.number].at)
    }

    fn kind(&self) -> ObjectKind {
        ObjectKind::Dataset
    }

    fn structure(&self) -> &'static str {
        "variable"
    }

    fn attributes(&self, _: Option<&str>) -> Result<Vec<AttributeEntry>> {
        Ok(attribute::entries(&self.header.variables[self.number].attributes))
    }

    fn dataset(&self, node: &Node, _: &Operation) -> Result<StoredDataset> {
        variable::open(&self.header, self.number, node)
    }

    fn form(&self) -> Result<Option<Form>> {
        let place = self.header.place(self.number).or_error()?;
        Ok(Some(match place.record_bytes {
            Some(every) => Form::Records { begin: place.begin, every },
            None => Form::Whole,
        }))
    }
}
