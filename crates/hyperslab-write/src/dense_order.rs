//! The order of links whose creation order is not tracked and that are not in object headers.
//!
//! Dense storage and symbol tables of links have no order but that of their indexes, so a reader can only list the names in
//! sorted order. They are stored in that order, too: otherwise a copy of a file would depend on an order that nothing in the
//! file records. (The index of dense attributes records their order, whether it is tracked or not.)

use crate::encode::{LinkStorage, link_storage};
use crate::error::WriteError;
use crate::tree::{FileTree, ObjectSpec};
use crate::versions::Versions;

/// Sorts by name all links that will not be in object headers and whose creation order is not tracked.
pub(crate) fn sort_dense(tree: &mut FileTree, versions: &Versions) -> Result<(), WriteError> {
    for (number, object) in tree.objects.iter_mut().enumerate() {
        let in_object = |error| WriteError::Object { object: number, error };
        if let ObjectSpec::Group(group) = &mut object.spec
            && !group.order.tracked
            && link_storage(group, versions).map_err(in_object)? != LinkStorage::Compact
        {
            group.links.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }
    Ok(())
}
