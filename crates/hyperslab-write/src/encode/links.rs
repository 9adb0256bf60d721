//! Links: whether they are in a symbol table, in the object header or dense, and their messages.

use super::{Context, Encoded, MESSAGE_BYTES_MAX, Messages, body, message};
use crate::placed::{PlacedLinks, PlacedObject};
use crate::tree::{GroupSpec, LinkSpec, LinkTargetSpec};
use crate::versions::Versions;
use hyperslab_format::Name;
use hyperslab_format::group::dense_layout::DenseItems;
use hyperslab_format::message::{Link, LinkInfo, LinkTarget};
use hyperslab_format::object_header::MessageKind;

/// The default of libhdf5 for the maximum number of compact links.
const COMPACT_MAX: u16 = 8;

/// How the links of a group are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkStorage {
    /// In an old-style symbol table.
    SymbolTable,
    /// In messages of the object header.
    Compact,
    /// In a heap of their own.
    Dense,
}

/// How the links of a group are stored.
pub(crate) fn link_storage(group: &GroupSpec, versions: &Versions) -> Encoded<LinkStorage> {
    if versions.has_symbol_table(group) {
        return Ok(LinkStorage::SymbolTable);
    }
    let most = group.info.phase_change.map_or(COMPACT_MAX, |(most, _)| most);
    if group.links.len() > most.into() {
        return Ok(LinkStorage::Dense);
    }
    for link in &group.links {
        if link_message(group, 0, link, Context::without_addresses(*versions))?.len() > MESSAGE_BYTES_MAX {
            return Ok(LinkStorage::Dense);
        }
    }
    Ok(LinkStorage::Compact)
}

/// The link of this number in creation order.
pub(crate) fn link(group: &GroupSpec, number: usize, link: &LinkSpec, context: Context<'_>) -> Link {
    let target = match &link.target {
        LinkTargetSpec::Hard(object) => LinkTarget::Hard(context.addresses.object(*object)),
        LinkTargetSpec::Soft(path) => LinkTarget::Soft(Name::clone(path)),
        LinkTargetSpec::External(other) => {
            LinkTarget::External { file: other.file.clone(), path: other.path.clone() }
        }
        LinkTargetSpec::UserDefined(other) => {
            LinkTarget::UserDefined { class: other.class, data: other.data.clone() }
        }
    };
    let creation_order = group.order.tracked.then_some(number as i64);
    // A clone would leave a counter in memory for each name.
    Link { name: link.name.detached(), charset: link.charset, creation_order, target }
}

/// The message of the link of this number.
pub(crate) fn link_message(
    group: &GroupSpec,
    number: usize,
    spec: &LinkSpec,
    context: Context<'_>,
) -> Encoded<Vec<u8>> {
    let link = link(group, number, spec, context);
    body(MessageKind::LINK, |out| link.encode(out))
}

/// The links of a group, to be stored densely.
pub(crate) struct GroupLinks<'a> {
    pub group: &'a GroupSpec,
    pub context: Context<'a>,
}

impl DenseItems for GroupLinks<'_> {
    fn count(&self) -> usize {
        self.group.links.len()
    }

    fn name(&self, number: usize) -> &Name {
        &self.group.links[number].name
    }

    fn creation_order(&self, number: usize) -> u64 {
        number as u64
    }

    fn message(&self, number: usize) -> Encoded<Vec<u8>> {
        link_message(self.group, number, &self.group.links[number], self.context)
    }
}

impl Messages {
    /// The messages of a group.
    pub(super) fn group(
        &mut self,
        group: &GroupSpec,
        placed: &PlacedObject,
        context: Context<'_>,
    ) -> Encoded<()> {
        let dense = match &placed.links {
            PlacedLinks::SymbolTable(table) => {
                return self.push(MessageKind::SYMBOL_TABLE, 0, |out| table.message().encode(out));
            }
            PlacedLinks::Dense(dense) => Some(dense),
            PlacedLinks::InHeader => None,
        };
        let info = LinkInfo {
            max_creation_index: group.order.tracked.then_some(group.links.len() as u64),
            heap: dense.map(|links| links.heap()),
            name_index: dense.map(|links| links.name_index()),
            creation_order_index: dense.and_then(|links| links.creation_order_index()),
        };
        self.push(MessageKind::LINK_INFO, 0, |out| info.encode(out, group.order.indexed))?;
        self.push(MessageKind::GROUP_INFO, super::CONSTANT, |out| group.info.encode(out))?;
        if dense.is_none() {
            for (number, link) in group.links.iter().enumerate() {
                let body = link_message(group, number, link, context)?;
                self.0.push(message(MessageKind::LINK, 0, body));
            }
        }
        Ok(())
    }
}
