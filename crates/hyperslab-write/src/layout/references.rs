//! How often objects are used, which their headers say.

use crate::error::WriteError;
use crate::tree::{FileTree, LinkTargetSpec, Object, ObjectSpec};
use crate::value::ObjectId;

/// The number of hard links to each object and, for committed datatypes, of datasets and attributes that use it. It is at
/// least 1: an object that only references lead to would count as deleted otherwise.
pub(super) fn count(tree: &FileTree) -> Result<Vec<u32>, WriteError> {
    let mut counts = vec![0u32; tree.objects.len()];
    let mut add = |object: ObjectId| match counts.get_mut(object.0 as usize) {
        Some(count) => {
            *count += 1;
            Ok(())
        }
        None => Err(WriteError::Invalid(format!("the tree has no object {}", object.0))),
    };
    if !matches!(tree.objects.first(), Some(Object { spec: ObjectSpec::Group(_), .. })) {
        return Err(WriteError::Invalid("the first object of the tree is not a group".into()));
    }
    add(FileTree::ROOT)?;
    for object in &tree.objects {
        for attribute in &object.attributes {
            attribute.datatype.committed.map_or(Ok(()), &mut add)?;
        }
        match &object.spec {
            ObjectSpec::Group(group) => {
                for link in &group.links {
                    if let LinkTargetSpec::Hard(target) = link.target {
                        add(target)?;
                    }
                }
            }
            ObjectSpec::Dataset(dataset) => dataset.datatype.committed.map_or(Ok(()), &mut add)?,
            ObjectSpec::Datatype(_) => {}
        }
    }
    counts.iter_mut().for_each(|count| *count = (*count).max(1));
    Ok(counts)
}
