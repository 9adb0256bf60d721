//! Who owns the bytes of a file of HDF4: its descriptors, the values of its datasets, and everything else that is an element.

use super::contents::Contents;
use super::elements::Elements;
use super::extents::{self, Extent};
use super::model::{Object, Values};
use super::place::Place;
use crate::census::{Census, Claims, Owner, Tree, sum};
use hyperslab_hdf4::{Special, tag};

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
        let (Values::Of(key) | Values::Reordered(key, _)) = &data_set.values else { continue };
        let path = contents.path(index);
        let owner = Owner::RawData(names.len());
        match values(elements, *key) {
            Ok(parts) => {
                names.push(path);
                for Extent { at, len } in parts {
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
    let extents = claims.disjoint();
    let owned = sum(&extents);
    let bytes_of = |owner: Owner| owned.get(&owner).map_or(0, |sum| sum.bytes);
    let metadata = owned.iter().filter_map(|(owner, sum)| match owner {
        Owner::Metadata(kind) => Some((*kind, *sum)),
        Owner::RawData(_) | Owner::Free => None,
    });
    let numbered = names.into_iter().enumerate();
    let accounted: u64 = owned.values().map(|sum| sum.bytes).sum();
    Census {
        file_bytes,
        metadata: metadata.collect(),
        raw_data: numbered.map(|(number, name)| (name, bytes_of(Owner::RawData(number)))).collect(),
        chunked: Vec::new(),
        free_bytes: 0,
        unaccounted_bytes: file_bytes - accounted,
        objects: contents.objects.len() as u64,
        // The root group is not counted.
        tree: Tree { groups: tree.groups.saturating_sub(1), ..tree },
        page_bytes: None,
        extents,
        errors,
    }
}

/// The bytes of the values of an element, wherever they are in the file.
fn values(elements: &Elements, key: (u16, u16)) -> crate::Result<Vec<Extent>> {
    Ok(match Place::of(elements, key)? {
        Place::Nowhere | Place::External(_) => Vec::new(),
        Place::Extents(extents) => extents,
        Place::Coded { stored, .. } => stored,
        Place::Chunked(chunked) => {
            let mut parts = Vec::new();
            let Some(table) = elements.get((tag::VDATA_RECORDS, chunked.table.1))? else { return Ok(parts) };
            // The tag and the reference of a chunk stand at the end of its record.
            let record = 4 * chunked.dimensions.len() + 4;
            for record in table.bytes.chunks_exact(record) {
                let (_, key) = record.split_at(record.len() - 4);
                let reference = u16::from_be_bytes([key[2], key[3]]);
                let Some(descriptor) = elements.descriptors.get(tag::CHUNK, reference) else { continue };
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
