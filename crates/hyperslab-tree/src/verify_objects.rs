//! Compares the objects of a new file with those that were to be written: attributes, links, types, extents, fill values,
//! filters, comments, and which chunks exist.
//!
//! The new file is read object by object, as a source is. What depends on the versions of structures (times, thresholds, the
//! order in which names without a creation order are listed) is not compared.

use crate::source_tree::WrittenObjects;
use hyperslab_encode::{Monitor, RepackError};
use hyperslab_write::{
    AttributeSpec, DatasetSpec, FileTree, GroupSpec, LinkSpec, Object, ObjectId, ObjectSpec, PatchTarget,
    StorageSpec, Value,
};

/// Compares all objects. `path` gives names for messages.
///
/// # Errors
///
/// [`RepackError::Differs`], and what cannot be read.
pub fn verify_objects<'p>(
    written: &mut WrittenObjects<'_>,
    tree: &FileTree,
    path: impl Fn(ObjectId) -> &'p str,
    monitor: &Monitor,
) -> Result<(), RepackError> {
    for (number, expected) in tree.objects.iter().enumerate() {
        monitor.check()?;
        let id = ObjectId(number as u32);
        let object = path(id);
        let (found, heap) = written.read(id, object)?;
        let comparison = Comparison { expected: &tree.heap, found: &heap };
        if let Some(what) = comparison.object(expected, &found) {
            return Err(RepackError::Differs { object: object.into(), what });
        }
    }
    Ok(())
}

/// The heaps of two trees.
struct Comparison<'a> {
    expected: &'a [Value],
    found: &'a [Value],
}

impl Comparison<'_> {
    /// What differs.
    fn object(&self, expected: &Object, found: &Object) -> Option<String> {
        if expected.comment != found.comment {
            return Some("its comment".into());
        }
        let own = match (&expected.spec, &found.spec) {
            (ObjectSpec::Group(expected), ObjectSpec::Group(found)) => links(expected, found),
            (ObjectSpec::Dataset(expected), ObjectSpec::Dataset(found)) => {
                self.dataset(expected, found).map(str::to_owned)
            }
            (ObjectSpec::Datatype(expected), ObjectSpec::Datatype(found)) => {
                (expected != found).then(|| "the datatype".into())
            }
            _ => Some("the kind of object".into()),
        };
        own.or_else(|| self.attributes(&expected.attributes, &found.attributes))
    }

    fn attributes(&self, expected: &[AttributeSpec], found: &[AttributeSpec]) -> Option<String> {
        if expected.len() != found.len() {
            return Some(format!("{} attributes instead of {}", found.len(), expected.len()));
        }
        let (mut expected, mut found): (Vec<_>, Vec<_>) = (expected.iter().collect(), found.iter().collect());
        expected.sort_by(|a, b| a.name.cmp(&b.name));
        found.sort_by(|a, b| a.name.cmp(&b.name));
        let differs = |(a, b): &(&&AttributeSpec, &&AttributeSpec)| {
            (&a.name, a.charset, &a.datatype, &a.dataspace) != (&b.name, b.charset, &b.datatype, &b.dataspace)
                || !self.same(&a.value, &b.value)
        };
        let (expected, _) = expected.iter().zip(&found).find(differs)?;
        Some(format!("attribute {}", expected.name))
    }

    fn dataset(&self, expected: &DatasetSpec, found: &DatasetSpec) -> Option<&'static str> {
        if expected.datatype != found.datatype {
            return Some("the datatype");
        }
        if expected.dataspace != found.dataspace {
            return Some("the extent");
        }
        let filters = |spec: &DatasetSpec| -> Vec<_> {
            spec.filters.filters.iter().map(|filter| (filter.id, filter.parameters.clone())).collect()
        };
        if filters(expected) != filters(found) {
            return Some("the filters");
        }
        let fill = |spec: &DatasetSpec| match &spec.fill.value.value {
            hyperslab::storage::Fill::User(bytes) => {
                Some(Value { bytes: bytes.to_vec().into(), patches: spec.fill.patches.clone() })
            }
            _ => None,
        };
        let same_fill = match (fill(expected), fill(found)) {
            (Some(expected), Some(found)) => self.same(&expected, &found),
            (None, None) => expected.fill.value.value == found.fill.value.value,
            _ => false,
        };
        if !same_fill {
            return Some("the fill value");
        }
        // Data of no bytes has no address.
        let is_without_data = expected.dataspace.elements() == Some(0)
            && matches!(expected.storage, StorageSpec::Contiguous { .. })
            && matches!(found.storage, StorageSpec::Contiguous { .. });
        (!is_without_data && !self.same_storage(&expected.storage, &found.storage))
            .then_some("the layout, or the chunks that exist")
    }

    fn same_storage(&self, expected: &StorageSpec, found: &StorageSpec) -> bool {
        match (expected, found) {
            (StorageSpec::Compact(expected), StorageSpec::Compact(found)) => self.same(expected, found),
            (StorageSpec::Virtual(expected), StorageSpec::Virtual(found)) => {
                match (self.expected.get(expected.0 as usize), self.found.get(found.0 as usize)) {
                    (Some(expected), Some(found)) => self.same(expected, found),
                    _ => false,
                }
            }
            _ => expected == found,
        }
    }

    /// True if two values have the same bytes and refer to the same objects and heap objects.
    fn same(&self, expected: &Value, found: &Value) -> bool {
        if expected.patches.len() != found.patches.len() || plain(expected) != plain(found) {
            return false;
        }
        let (mut left, mut right) = (expected.patches.clone(), found.patches.clone());
        left.sort_by_key(|patch| patch.at);
        right.sort_by_key(|patch| patch.at);
        left.iter().zip(&right).all(|(a, b)| {
            a.at == b.at
                && match (a.target, b.target) {
                    (PatchTarget::Object(a), PatchTarget::Object(b)) => a == b,
                    (PatchTarget::Heap(a), PatchTarget::Heap(b)) => {
                        match (self.expected.get(a.0 as usize), self.found.get(b.0 as usize)) {
                            (Some(a), Some(b)) => self.same(a, b),
                            _ => false,
                        }
                    }
                    _ => false,
                }
        })
    }
}

/// The bytes of a value without the addresses in it.
fn plain(value: &Value) -> Vec<u8> {
    let mut bytes = value.bytes.to_vec();
    for patch in &value.patches {
        let len = match patch.target {
            PatchTarget::Object(_) => 8,
            PatchTarget::Heap(_) => 12,
        };
        bytes.get_mut(patch.at..patch.at + len).into_iter().for_each(|address| address.fill(0));
    }
    bytes
}

fn links(expected: &GroupSpec, found: &GroupSpec) -> Option<String> {
    if expected.links.len() != found.links.len() {
        return Some(format!("{} links instead of {}", found.links.len(), expected.links.len()));
    }
    let by_name = |links: &[LinkSpec]| -> Vec<usize> {
        let mut order: Vec<usize> = (0..links.len()).collect();
        order.sort_by(|&a, &b| links[a].name.cmp(&links[b].name));
        order
    };
    let pairs = by_name(&expected.links).into_iter().zip(by_name(&found.links));
    let different = pairs.into_iter().find(|&(a, b)| expected.links[a] != found.links[b]);
    if let Some((link, _)) = different {
        return Some(format!("link {}", expected.links[link].name));
    }
    if expected.order.tracked && expected.links != found.links {
        return Some("the order of its links".into());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_write::{HeapItem, Patch};

    fn value(bytes: &[u8], patches: &[(usize, PatchTarget)]) -> Value {
        let patches = patches.iter().map(|&(at, target)| Patch { at, target }).collect();
        Value { bytes: bytes.to_vec().into(), patches }
    }

    #[test]
    fn addresses_are_compared_by_what_they_lead_to() {
        let [left, right] = [[value(b"text", &[]), value(b"", &[])], [value(b"", &[]), value(b"text", &[])]];
        let comparison = Comparison { expected: &left, found: &right };
        let heap = |byte: u8, item: u32| value(&[byte; 12], &[(0, PatchTarget::Heap(HeapItem(item)))]);
        assert!(comparison.same(&heap(1, 0), &heap(2, 1)));
        assert!(!comparison.same(&heap(1, 0), &heap(1, 0)), "other texts");
        let object = |byte: u8, id: u32| value(&[byte; 9], &[(0, PatchTarget::Object(ObjectId(id)))]);
        assert!(!comparison.same(&object(1, 7), &object(2, 7)), "the last byte is not of the address");
        assert!(
            comparison.same(&object(1, 7), &object(1, 7)) && !comparison.same(&object(1, 7), &object(1, 8))
        );
    }
}
