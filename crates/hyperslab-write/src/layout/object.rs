//! The places of an object's header, links and attributes.

use super::storage;
use crate::allocator::Allocator;
use crate::encode::{
    self, Context, LinkStorage, attribute_message, attribute_storage, link, link_message, link_storage,
};
use crate::options::WIDTHS;
use crate::placed::{PlacedLinks, PlacedObject, PlacedStorage};
use crate::tree::{GroupSpec, Object, ObjectSpec};
use crate::versions::Versions;
use hyperslab_format::group::dense_layout::{DenseKind, DenseLayout};
use hyperslab_format::group::old_layout::OldGroupLayout;
use hyperslab_format::message::BtreeK;
use hyperslab_format::{Address, Allocate, EncodeError};

/// Places the header of an object, its links and its attributes, and finds out how its data is stored.
pub(super) fn place(
    object: &Object,
    references: u32,
    versions: Versions,
    k: &BtreeK,
    space: &mut Allocator,
) -> Result<PlacedObject, EncodeError> {
    let attributes = attribute_storage(object, &versions)?;
    let context = Context::without_addresses(versions);
    let mut placed = PlacedObject {
        header: Address(0),
        header_version: attributes.header_version,
        references,
        links: PlacedLinks::InHeader,
        attributes: None,
        storage: match &object.spec {
            ObjectSpec::Dataset(dataset) => storage::without_addresses(dataset, &versions)?,
            _ => PlacedStorage::InHeader,
        },
    };
    // What is not in the header comes after it, but changes its size: it is placed twice, first anywhere.
    let place_links = |allocate: &mut Allocate<'_>| match &object.spec {
        ObjectSpec::Group(group) => links(group, context, k, allocate),
        _ => Ok(PlacedLinks::InHeader),
    };
    let sizes = if attributes.is_dense {
        let size = |attribute| Ok(attribute_message(attribute, context)?.len() as u64);
        object.attributes.iter().map(size).collect::<Result<Vec<_>, EncodeError>>()?
    } else {
        Vec::new()
    };
    let place_attributes = |allocate: &mut Allocate<'_>| {
        let (kind, indexed) = (DenseKind::Attributes, object.attribute_order.indexed);
        let place = || DenseLayout::place(kind, &sizes, indexed, WIDTHS, allocate).map(Box::new);
        attributes.is_dense.then(place).transpose()
    };
    let anywhere = &mut |_| Address(0);
    (placed.links, placed.attributes) = (place_links(anywhere)?, place_attributes(anywhere)?);
    let bytes = encode::header(object, &placed, context)?.len();
    placed.header = space.metadata(bytes as u64);
    let allocate = &mut |bytes| space.metadata(bytes);
    (placed.links, placed.attributes) = (place_links(allocate)?, place_attributes(allocate)?);
    if let ObjectSpec::Dataset(dataset) = &object.spec {
        storage::place_external_names(dataset, &mut placed.storage, allocate);
    }
    Ok(placed)
}

fn links(
    group: &GroupSpec,
    context: Context<'_>,
    k: &BtreeK,
    allocate: &mut Allocate<'_>,
) -> Result<PlacedLinks, EncodeError> {
    Ok(match link_storage(group, &context.versions)? {
        LinkStorage::Compact => PlacedLinks::InHeader,
        LinkStorage::SymbolTable => {
            let links: Vec<_> = group.links.iter().map(|spec| link(group, 0, spec, context)).collect();
            PlacedLinks::SymbolTable(Box::new(OldGroupLayout::place(&links, k, WIDTHS, allocate)))
        }
        LinkStorage::Dense => {
            let size = |(number, link)| Ok(link_message(group, number, link, context)?.len() as u64);
            let sizes = group.links.iter().enumerate().map(size).collect::<Result<Vec<_>, EncodeError>>()?;
            let indexed = group.order.indexed;
            let dense = DenseLayout::place(DenseKind::Links, &sizes, indexed, WIDTHS, allocate)?;
            PlacedLinks::Dense(Box::new(dense))
        }
    })
}
