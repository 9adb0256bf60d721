//! Where the bytes of an element are that does not lie in one place.

use super::elements::{Elements, missing};
use crate::format_error::OrError;
use crate::{Error, Result};
use hyperslab_hdf4::{Compressed, LinkTable, Linked, Special, tag};
use std::collections::HashSet;

/// A part of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// The offset of its first byte in the file; `None` for a part that was never written.
    pub(super) at: Option<u64>,
    /// Its bytes.
    pub(super) len: u64,
}

/// The blocks of a linked element, in their order.
pub(super) fn linked(elements: &Elements, linked: &Linked) -> Result<Vec<Extent>> {
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
            push(&mut extents, Extent { at, len: len.min(left) });
            left -= len.min(left);
        }
        next = table.next;
    }
    push(&mut extents, Extent { at: None, len: left });
    Ok(extents)
}

/// The coded bytes of a compressed element.
pub(super) fn stored(elements: &Elements, compressed: &Compressed) -> Result<Vec<Extent>> {
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
pub(super) fn whole(range: std::ops::Range<u64>) -> Extent {
    Extent { at: Some(range.start), len: range.end - range.start }
}

/// Adds an extent; one that follows the last one directly becomes part of it.
pub(super) fn push(extents: &mut Vec<Extent>, next: Extent) {
    if next.len == 0 {
        return;
    }
    let follows = |last: &Extent| match (last.at, next.at) {
        (Some(at), Some(next)) => at + last.len == next,
        (None, None) => true,
        _ => false,
    };
    match extents.last_mut() {
        Some(last) if follows(last) => last.len += next.len,
        _ => extents.push(next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one() {
        let mut extents = Vec::new();
        for (at, len) in [(Some(10), 5), (Some(15), 5), (None, 3), (None, 0), (None, 4), (Some(20), 1)] {
            push(&mut extents, Extent { at, len });
        }
        let found: Vec<_> = extents.iter().map(|extent| (extent.at, extent.len)).collect();
        assert_eq!(found, [(Some(10), 10), (None, 7), (Some(20), 1)]);
    }
}
