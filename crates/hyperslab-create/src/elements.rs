//! Elements of a dataset or attribute, with what they refer to: texts and sequences of variable length, and objects.

use bytes::Bytes;
use hyperslab_tree::relocate::{HeapContent, PackedContents, Relocatable};
use hyperslab_write::ObjectId;

/// Bytes of an element of variable length: the number of its elements, and a reference into the global heap.
pub(crate) const VARIABLE_BYTES: usize = 16;
/// Bytes of an object reference.
pub(crate) const REFERENCE_BYTES: usize = 8;
/// Bytes of a region reference: a reference into the global heap.
pub(crate) const REGION_BYTES: usize = 12;
/// Bytes of the number of elements at the start of an element of variable length.
const COUNT_BYTES: usize = 4;

/// Elements in row-major order, in the datatype that they have in the file.
///
/// What is of variable length, and what refers to an object, is given beside the bytes, with its offset in them. What is
/// not given is zeros: a null text or sequence, a null reference.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements {
    bytes: Vec<u8>,
    sequences: Vec<(usize, u32, Elements)>,
    packed: Vec<PackedSequences>,
    references: Vec<(usize, ObjectId)>,
    regions: Vec<(usize, Region)>,
}

/// Texts or sequences of plain elements, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PackedSequences {
    /// The offset of each in the bytes of the elements, its number of elements, and where it ends in the content.
    places: Vec<(usize, u32, usize)>,
    content: Bytes,
}

/// A region of a dataset of the new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub(crate) dataset: ObjectId,
    /// The selection as the file stores it.
    pub(crate) selection: Vec<u8>,
}

impl Region {
    /// A region of a dataset: a selection that [`hyperslab::encode_region`] returned for its extent.
    pub fn new(dataset: ObjectId, selection: Vec<u8>) -> Self {
        Self { dataset, selection }
    }
}

impl From<Vec<u8>> for Elements {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }
}

impl Elements {
    /// Elements of zeros: `bytes` bytes.
    pub fn zeros(bytes: usize) -> Self {
        vec![0; bytes].into()
    }

    /// Makes the element at the offset `at` (in bytes) a sequence of `count` elements; of a text, `count` is its length in
    /// bytes.
    pub fn set_sequence(&mut self, at: usize, count: u32, content: impl Into<Self>) {
        self.sequences.push((at, count, content.into()));
    }

    /// Makes many elements sequences, which refer to nothing: the offset of each, its number of elements, and its length in
    /// bytes in `content`, where they follow each other. Returns false, and does nothing, if the lengths are not those of the
    /// content.
    #[must_use]
    pub fn set_sequences(
        &mut self,
        sequences: impl IntoIterator<Item = (usize, u32, usize)>,
        content: impl Into<Bytes>,
    ) -> bool {
        let content = content.into();
        let mut end = 0usize;
        let places = sequences.into_iter().map(|(at, count, length)| {
            end = end.checked_add(length)?;
            Some((at, count, end))
        });
        let Some(places) = places.collect::<Option<Vec<_>>>() else { return false };
        let is_all = end == content.len();
        if is_all && !places.is_empty() {
            self.packed.push(PackedSequences { places, content });
        }
        is_all
    }

    /// Makes the element at the offset `at` (in bytes) a reference to an object of the same new file.
    pub fn set_reference(&mut self, at: usize, object: ObjectId) {
        self.references.push((at, object));
    }

    /// Makes the element at the offset `at` (in bytes) a reference to a region, which
    /// [`NewFile::region`](crate::NewFile::region) returns.
    pub fn set_region(&mut self, at: usize, region: Region) {
        self.regions.push((at, region));
    }

    /// These elements `count` times.
    pub(crate) fn repeated(&self, count: usize) -> Self {
        let mut all = Self::from(self.bytes.repeat(count));
        for start in (0..count).map(|number| number * self.bytes.len()) {
            all.sequences
                .extend(self.sequences.iter().map(|(at, n, content)| (start + at, *n, content.clone())));
            all.packed.extend(self.packed.iter().map(|packed| PackedSequences {
                places: packed.places.iter().map(|(at, n, end)| (start + at, *n, *end)).collect(),
                content: packed.content.clone(),
            }));
            all.references.extend(self.references.iter().map(|(at, object)| (start + at, *object)));
            all.regions.extend(self.regions.iter().map(|(at, region)| (start + at, region.clone())));
        }
        all
    }

    /// The number of bytes, without what they refer to.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, if nothing is of variable length or a reference.
    pub(crate) fn into_plain(self) -> Option<Vec<u8>> {
        let is_plain = self.sequences.is_empty()
            && self.packed.is_empty()
            && self.references.is_empty()
            && self.regions.is_empty();
        is_plain.then_some(self.bytes)
    }

    /// The same as [`Self::into_relocatable`], where there is nothing but many texts or sequences, in the order of their offsets: without
    /// a value for each of them.
    fn into_packed(self) -> Result<Relocatable, Self> {
        let is_packed = self.sequences.is_empty() && self.references.is_empty() && self.regions.is_empty();
        let [PackedSequences { places, .. }] = &self.packed[..] else { return Err(self) };
        let len = self.bytes.len();
        let mut end = Some(0);
        for (at, ..) in places {
            let follows = end.is_some_and(|end| end <= *at);
            end = at.checked_add(VARIABLE_BYTES).filter(|end| follows && *end <= len);
        }
        if !is_packed || end.is_none() {
            return Err(self);
        }
        let mut bytes = self.bytes;
        let mut packed = self.packed;
        let PackedSequences { places, content } = packed.swap_remove(0);
        let places = places.into_iter().map(|(at, count, end)| {
            bytes[at..at + VARIABLE_BYTES].fill(0);
            bytes[at..at + COUNT_BYTES].copy_from_slice(&count.to_le_bytes());
            (at + COUNT_BYTES, end)
        });
        let packed = Some(PackedContents { places: places.collect(), content });
        Ok(Relocatable { bytes, packed, ..Relocatable::default() })
    }

    /// In the form that is written, with all parts in the order of their offsets. An error says which part is wrong.
    pub(crate) fn into_relocatable(self, objects: usize) -> Result<Relocatable, String> {
        match self.into_packed() {
            Ok(packed) => Ok(packed),
            Err(others) => others.into_relocatable_parts(objects),
        }
    }

    fn into_relocatable_parts(self, objects: usize) -> Result<Relocatable, String> {
        let len = self.bytes.len();
        let mut bytes = self.bytes;
        let packed: usize = self.packed.iter().map(|packed| packed.places.len()).sum();
        let count = self.sequences.len() + packed + self.references.len() + self.regions.len();
        let mut places: Vec<(usize, usize)> = Vec::with_capacity(count);
        let mut heap = Vec::with_capacity(self.sequences.len() + packed + self.regions.len());
        let mut element = |at: usize, count: u32| {
            let Some(field) = bytes.get_mut(at..).and_then(|rest| rest.get_mut(..VARIABLE_BYTES)) else {
                return Err(format!("a sequence at byte {at} of {len}"));
            };
            field.fill(0);
            field[..COUNT_BYTES].copy_from_slice(&count.to_le_bytes());
            places.push((at, VARIABLE_BYTES));
            Ok(at + COUNT_BYTES)
        };
        // Also without bytes: a reference to nothing would be a null pointer to C programs.
        for (at, count, content) in self.sequences {
            heap.push((element(at, count)?, content.into_relocatable(objects)?.into()));
        }
        for PackedSequences { places, content } in self.packed {
            let mut start = 0;
            for (at, count, end) in places {
                heap.push((element(at, count)?, HeapContent::Plain(content.slice(start..end))));
                start = end;
            }
        }
        let mut references = Vec::with_capacity(self.references.len());
        for (at, object) in self.references {
            let Some(field) = bytes.get_mut(at..).and_then(|rest| rest.get_mut(..REFERENCE_BYTES)) else {
                return Err(format!("a reference at byte {at} of {len}"));
            };
            field.fill(0);
            if object.0 as usize >= objects {
                return Err(format!("a reference to object {} of {objects}", object.0));
            }
            places.push((at, REFERENCE_BYTES));
            references.push((at, object));
        }
        for (at, Region { dataset, selection }) in self.regions {
            let Some(field) = bytes.get_mut(at..).and_then(|rest| rest.get_mut(..REGION_BYTES)) else {
                return Err(format!("a region reference at byte {at} of {len}"));
            };
            field.fill(0);
            if dataset.0 as usize >= objects {
                return Err(format!("a reference to object {} of {objects}", dataset.0));
            }
            places.push((at, REGION_BYTES));
            // The heap object is the address of the dataset, and the selection.
            let bytes = [&[0; REFERENCE_BYTES][..], &selection[..]].concat();
            let content = Relocatable { bytes, objects: vec![(0, dataset)], ..Relocatable::default() };
            heap.push((at, content.into()));
        }
        places.sort_unstable();
        if let Some(pair) = places.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
            return Err(format!("two values that overlap at byte {}", pair[1].0));
        }
        heap.sort_by_key(|(at, _)| *at);
        references.sort_by_key(|(at, _)| *at);
        Ok(Relocatable { bytes, heap, objects: references, ..Relocatable::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_sorted_and_checked() {
        let mut elements = Elements::zeros(40);
        elements.set_sequence(24, 2, vec![1, 2]);
        elements.set_sequence(0, 1, vec![3]);
        elements.set_reference(16, ObjectId(0));
        let found = elements.clone().into_relocatable(1).unwrap();
        assert_eq!(found.heap.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [4, 28]);
        assert_eq!((found.bytes[0], found.bytes[24]), (1, 2));
        assert!(elements.clone().into_relocatable(0).unwrap_err().contains("object 0 of 0"));
        elements.set_sequence(8, 0, vec![]);
        assert!(elements.into_relocatable(1).unwrap_err().contains("overlap at byte 8"));
        let mut outside = Elements::zeros(15);
        outside.set_sequence(0, 0, vec![]);
        assert!(outside.into_relocatable(0).is_err());
        let mut outside = Elements::zeros(7);
        outside.set_reference(0, ObjectId(0));
        assert!(outside.into_relocatable(1).is_err());
    }

    #[test]
    fn packed_sequences_are_those_that_are_set_one_by_one() {
        let mut packed = Elements::zeros(48);
        assert!(packed.set_sequences([(0, 2, 2), (32, 1, 1), (16, 0, 0)], vec![1, 2, 3]));
        let mut single = Elements::zeros(48);
        single.set_sequence(0, 2, vec![1, 2]);
        single.set_sequence(32, 1, vec![3]);
        single.set_sequence(16, 0, vec![]);
        assert_eq!(packed.repeated(2).into_relocatable(0), single.repeated(2).into_relocatable(0));
        assert_eq!(packed.clone().into_relocatable(0), single.into_relocatable(0));
        assert!(packed.clone().into_plain().is_none());
        let mut plain = Elements::zeros(8);
        assert!(plain.set_sequences([], Vec::new()));
        assert_eq!(plain.into_plain(), Some(vec![0; 8]), "no sequences are nothing");
        assert!(!packed.set_sequences([(0, 2, 2)], vec![1]));
        assert!(!packed.set_sequences([(0, 2, 1)], vec![1, 2]));
        assert!(!packed.set_sequences([(0, 2, usize::MAX), (16, 1, 2)], vec![1]));
    }

    #[test]
    fn regions_lead_to_the_heap_and_are_repeated() {
        let mut element = Elements::zeros(REGION_BYTES + VARIABLE_BYTES);
        element.set_region(0, Region { dataset: ObjectId(1), selection: vec![5, 6] });
        element.set_sequence(REGION_BYTES, 1, vec![9]);
        let found = element.repeated(2).into_relocatable(2).unwrap();
        assert_eq!(found.heap.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 16, 28, 44]);
        let HeapContent::Nested(region) = &found.heap[2].1 else { panic!("{:?}", found.heap[2]) };
        assert_eq!(region.bytes, [0, 0, 0, 0, 0, 0, 0, 0, 5, 6]);
        assert_eq!(region.objects, [(0, ObjectId(1))]);
        assert!(element.clone().into_relocatable(1).unwrap_err().contains("object 1 of 1"));
        element.set_reference(8, ObjectId(0));
        assert!(element.into_relocatable(2).unwrap_err().contains("overlap at byte 8"));
        let mut outside = Elements::zeros(11);
        outside.set_region(0, Region { dataset: ObjectId(0), selection: Vec::new() });
        assert!(outside.into_relocatable(1).is_err());
    }

    #[test]
    fn an_empty_sequence_is_not_a_null_one() {
        let mut elements = Elements::zeros(32);
        elements.set_sequence(16, 0, vec![]);
        let found = elements.into_relocatable(0).unwrap();
        assert_eq!(found.heap, [(16 + COUNT_BYTES, HeapContent::Plain(Bytes::new()))]);
        assert_eq!(found.bytes, [0; 32]);
    }
}
