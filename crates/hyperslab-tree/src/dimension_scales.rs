//! The attributes by which datasets and their dimension scales refer to each other (HDF5 dimension scale specification),
//! without the objects that are not copied.
//!
//! `DIMENSION_LIST` of a dataset has a sequence of references for each axis. `REFERENCE_LIST` of a scale has a pair of a
//! reference and an axis for each dataset that uses it. A null reference in them is not what a detached scale leaves:
//! `H5DSdetach_scale` removes the element, and the attribute with its last one.

use crate::relocate::{HeapContent, Relocatable};
use hyperslab::datatypes::{Class, Reference};
use hyperslab::{Attribute, Dataspace, Name};

/// The attribute of a dataset that refers to the scales of its axes.
pub const DIMENSION_LIST: &str = "DIMENSION_LIST";
const REFERENCE_LIST: &str = "REFERENCE_LIST";
/// netCDF-4's numbers of a variable's dimensions, which are those of its scales.
const NETCDF_COORDINATES: &str = "_Netcdf4Coordinates";
/// Bytes of an object reference.
const REFERENCE_BYTES: usize = 8;

/// What is left of such an attribute.
pub enum Detached {
    /// Other attributes, and those of which nothing is omitted.
    Unchanged,
    /// With fewer elements.
    Changed,
    /// No element is left.
    Empty,
}

/// Removes the elements that refer to omitted objects from an attribute.
pub fn detach(attribute: &mut Attribute, found: &mut Relocatable) -> Detached {
    match (attribute.name.as_str(), &attribute.datatype.class) {
        (Some(DIMENSION_LIST), Class::VlenSequence { base })
            if base.class == Class::Reference(Reference::Object) =>
        {
            from_sequences(found)
        }
        (Some(REFERENCE_LIST), Class::Compound { members })
            if members.first().is_some_and(|first| {
                first.offset == 0 && first.datatype.class == Class::Reference(Reference::Object)
            }) =>
        {
            let size = attribute.datatype.size as usize;
            let detached = from_elements(found, size);
            if let Dataspace::Simple { dims, max_dims } = &mut attribute.dataspace {
                let count = (found.bytes.len() / size.max(1)) as u64;
                (*dims, *max_dims) = (vec![count], vec![Some(count)]);
            }
            detached
        }
        _ => Detached::Unchanged,
    }
}

/// True for an attribute that would name dimensions that a dataset with a detached scale no longer has.
pub fn is_netcdf_coordinates(name: &Name) -> bool {
    name.as_bytes() == NETCDF_COORDINATES.as_bytes()
}

/// Removes omitted references from the sequence of each axis.
fn from_sequences(found: &mut Relocatable) -> Detached {
    let mut is_changed = false;
    let axes = std::mem::take(&mut found.heap);
    for (at, sequence) in axes {
        let mut sequence = match sequence {
            HeapContent::Nested(sequence) => *sequence,
            HeapContent::Plain(_) => {
                found.heap.push((at, sequence));
                continue;
            }
        };
        if matches!(from_elements(&mut sequence, REFERENCE_BYTES), Detached::Unchanged) {
            found.heap.push((at, sequence.into()));
            continue;
        }
        is_changed = true;
        // An element is the number of references, and the place of the sequence in the heap.
        let count = (sequence.bytes.len() / REFERENCE_BYTES) as u32;
        found.bytes[at - 4..at].copy_from_slice(&count.to_le_bytes());
        if count == 0 {
            found.bytes[at..at + 12].fill(0);
        } else {
            found.heap.push((at, sequence.into()));
        }
    }
    match (is_changed, found.heap.is_empty()) {
        (false, _) => Detached::Unchanged,
        (true, false) => Detached::Changed,
        (true, true) => Detached::Empty,
    }
}

/// Removes the elements of `size` bytes that begin with an omitted reference.
fn from_elements(found: &mut Relocatable, size: usize) -> Detached {
    if found.omitted.is_empty() {
        return Detached::Unchanged;
    }
    let old = std::mem::take(found);
    for (number, element) in old.bytes.chunks_exact(size.max(1)).enumerate() {
        let at = number * size;
        if old.omitted.contains(&at) {
            continue;
        }
        let new = found.bytes.len();
        let objects = old.objects.iter().filter(|(place, _)| (at..at + size).contains(place));
        found.objects.extend(objects.map(|(place, object)| (place - at + new, *object)));
        found.bytes.extend_from_slice(element);
    }
    if found.bytes.is_empty() { Detached::Empty } else { Detached::Changed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_write::ObjectId;

    fn references(count: usize, omitted: &[usize]) -> Relocatable {
        let kept = (0..count).filter(|number| !omitted.contains(number));
        Relocatable {
            bytes: (0..count * REFERENCE_BYTES).map(|at| at as u8).collect(),
            objects: kept.map(|number| (number * REFERENCE_BYTES, ObjectId(number as u32))).collect(),
            omitted: omitted.iter().map(|number| number * REFERENCE_BYTES).collect(),
            ..Relocatable::default()
        }
    }

    #[test]
    fn elements_go_with_their_objects() {
        let mut found = references(3, &[1]);
        assert!(matches!(from_elements(&mut found, 8), Detached::Changed));
        assert_eq!(found.objects, [(0, ObjectId(0)), (8, ObjectId(2))]);
        assert_eq!((found.bytes.len(), found.bytes[8]), (16, 16));
        assert!(matches!(from_elements(&mut references(1, &[0]), 8), Detached::Empty));
        assert!(matches!(from_elements(&mut references(2, &[]), 8), Detached::Unchanged));
    }

    #[test]
    fn an_axis_without_scales_has_an_empty_sequence() {
        let heap = vec![(4, references(1, &[0])), (20, references(2, &[1])), (36, references(1, &[]))];
        let heap = heap.into_iter().map(|(at, content)| (at, content.into())).collect();
        let mut found = Relocatable { bytes: vec![9; 48], heap, ..Relocatable::default() };
        assert!(matches!(from_sequences(&mut found), Detached::Changed));
        assert_eq!(found.bytes[..16], [0; 16]);
        assert_eq!(found.bytes[16..20], [1, 0, 0, 0]);
        assert_eq!(found.heap.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [20, 36]);
    }
}
