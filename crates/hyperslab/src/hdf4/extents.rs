//! Where the bytes of an element are that does not lie in one place.

use super::elements::{Elements, missing};
use crate::format_error::OrError;
use crate::{Error, Result};
use hyperslab_hdf4::{Compressed, LinkTable, Linked, Special, tag};
use hyperslab_io::Stretch;
use std::collections::HashSet;

/// The blocks of a linked element, in their order.
pub(super) fn linked(elements: &Elements, linked: &Linked) -> Result<Vec<Stretch>> {
    let (mut extents, mut left) = (Vec::new(), u64::from(linked.length));
    let (mut next, mut seen) = (linked.table, HashSet::new());
    while next != 0 && left > 0 {
        if !seen.insert(next) {
            return Err(Error::damaged(format!("the tables of linked blocks lead back to table {next}")));
        }
        let table = elements.need((tag::LINKED, next))?;
        let table = LinkTable::parse(&table.bytes, table.at).or_error()?;
        for block in table.blocks {
            if left == 0 {
                break;
            }
            let (at, len) = match block {
                0 => (None, linked.block_bytes.into()),
                reference => {
                    let key = (tag::LINKED, reference);
                    let found = elements.descriptors.get(key.0, reference).ok_or_else(|| missing(key))?;
                    match found.range() {
                        Some(range) => (Some(range.start), range.end - range.start),
                        None => (None, linked.block_bytes.into()),
                    }
                }
            };
            Stretch::push(&mut extents, Stretch { at, len: len.min(left) });
            left -= len.min(left);
        }
        next = table.next;
    }
    Stretch::push(&mut extents, Stretch { at: None, len: left });
    Ok(extents)
}

/// The coded bytes of a compressed element.
pub(super) fn stored(elements: &Elements, compressed: &Compressed) -> Result<Vec<Stretch>> {
    let Some(descriptor) = elements.descriptors.get(tag::COMPRESSED, compressed.data) else {
        return Ok(Vec::new());
    };
    match elements.special(descriptor)? {
        None => Ok(descriptor.range().map(whole).into_iter().collect()),
        Some(Special::Linked(blocks)) => linked(elements, &blocks),
        Some(_) => Err(Error::unsupported(
            "coded bytes that are themselves compressed, in chunks or in another file",
        )),
    }
}

/// All bytes of a range.
pub(super) fn whole(range: std::ops::Range<u64>) -> Stretch {
    Stretch { at: Some(range.start), len: range.end - range.start }
}
