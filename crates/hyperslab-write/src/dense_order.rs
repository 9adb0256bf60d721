//! The order of dense links and attributes whose creation order is not tracked.
//!
//! Dense storage has no order but that of its indexes, so a reader can only list the names in sorted order. They are
//! stored in that order, too: otherwise a copy of a file would depend on an order that nothing in the file records.

use crate::encode::{has_dense_attributes, has_dense_links};
use crate::error::WriteError;
use crate::tree::{FileTree, ObjectSpec};

/// Sorts by name all links and attributes that will be dense and whose creation order is not tracked.
pub(crate) fn sort_dense(tree: &mut FileTree) -> Result<(), WriteError> {
    for (number, object) in tree.objects.iter_mut().enumerate() {
        let in_object = |error| WriteError::Object { object: number, error };
        if !object.attribute_order.tracked && has_dense_attributes(object).map_err(in_object)? {
            object.attributes.sort_by(|a, b| a.name.cmp(&b.name));
        }
        if let ObjectSpec::Group(group) = &mut object.spec
            && !group.order.tracked
            && has_dense_links(group).map_err(in_object)?
        {
            group.links.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }
    Ok(())
}
