//! The order of links and attributes whose creation order is not tracked and that are not in object headers.
//!
//! Dense storage and symbol tables have no order but that of their indexes, so a reader can only list the names in sorted
//! order. They are stored in that order, too: otherwise a copy of a file would depend on an order that nothing in the
//! file records.

use crate::encode::{LinkStorage, attribute_storage, link_storage};
use crate::error::WriteError;
use crate::tree::{FileTree, ObjectSpec};
use crate::versions::Versions;

/// Sorts by name all links and attributes that will not be in object headers and whose creation order is not tracked.
pub(crate) fn sort_dense(tree: &mut FileTree, versions: &Versions) -> Result<(), WriteError> {
    for (number, object) in tree.objects.iter_mut().enumerate() {
        let in_object = |error| WriteError::Object { object: number, error };
        if !object.attribute_order.tracked && attribute_storage(object, versions).map_err(in_object)?.is_dense
        {
            object.attributes.sort_by(|a, b| a.name.cmp(&b.name));
        }
        if let ObjectSpec::Group(group) = &mut object.spec
            && !group.order.tracked
            && link_storage(group, versions).map_err(in_object)? != LinkStorage::Compact
        {
            group.links.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }
    Ok(())
}
