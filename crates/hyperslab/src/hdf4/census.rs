//! Who owns the bytes of a file of HDF4: its descriptors, the values of its datasets, and everything else that is an element.

use super::chunk_index::entries;
use super::contents::Contents;
use super::elements::Elements;
use super::extents;
use super::model::Object;
use super::place::Place;
use crate::census::{Census, Claims, Owner, Tree};
use hyperslab_hdf4::{Special, tag};
use hyperslab_io::Stretch;

/// The census of a file of `file_bytes` bytes.
pub(super) fn take(elements: &Elements, contents: &Contents, file_bytes: u64) -> Census {
    let mut claims = Claims::default();
    claims.add(0, 4, Owner::Metadata("magic number"), file_bytes);
    for block in elements.descriptors.blocks() {
        claims.add(block.start, block.end - block.start, Owner::Metadata("data descriptors"), file_bytes);
    }
    let (mut names, mut errors) = (Vec::new(), Vec::new());
    let mut tree = Tree::default();
    for (index, object) in contents.objects.iter().enumerate() {
        let Object::DataSet(data_set) = object else {
            tree.groups += 1;
            continue;
        };
        tree.datasets += 1;
        let Some(key) = data_set.values.element() else { continue };
        let path = contents.path(index);
        let owner = Owner::RawData(names.len());
        match values(elements, key) {
            Ok(parts) => {
                names.push(path);
                for Stretch { at, len } in parts {
                    at.into_iter().for_each(|at| claims.add(at, len, owner, file_bytes));
                }
            }
            Err(error) => errors.push(error.at_object(path)),
        }
    }
    for descriptor in elements.descriptors.iter() {
        let Some(range) = descriptor.range() else { continue };
        let kind = match tag::base(descriptor.tag) {
            tag::VGROUP => "Vgroup",
            tag::VDATA => "Vdata",
            tag::VDATA_RECORDS => "Vdata records",
            _ if descriptor.is_special() => "special element",
            _ => "element",
        };
        claims.add(range.start, range.end - range.start, Owner::Metadata(kind), file_bytes);
    }
    // The root group is not counted.
    let tree = Tree { groups: tree.groups.saturating_sub(1), ..tree };
    let objects = contents.objects.len() as u64;
    Census { objects, tree, errors, ..Census::of(claims.disjoint(), names, file_bytes) }
}

/// The bytes of the values of an element, wherever they are in the file.
fn values(elements: &Elements, key: (u16, u16)) -> crate::Result<Vec<Stretch>> {
    Ok(match Place::of(elements, key)? {
        Place::Nowhere | Place::External(_) => Vec::new(),
        Place::Extents(extents) => extents,
        Place::Coded { stored, .. } => stored,
        Place::Chunked(chunked) => {
            let mut parts = Vec::new();
            for entry in entries(elements, &chunked)? {
                let Some(descriptor) = elements.descriptors.get(entry.tag, entry.reference) else { continue };
                match elements.special(descriptor)? {
                    Some(Special::Compressed(compressed)) => {
                        parts.extend(extents::stored(elements, &compressed)?)
                    }
                    Some(_) => {}
                    None => parts.extend(descriptor.range().map(extents::whole)),
                }
            }
            parts
        }
    })
}
