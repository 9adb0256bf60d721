//! Reading everything that a file holds, whatever is wrong with it: objects, chunk indexes, values, attributes, and
//! what values refer to. The tests of damage and the fuzz targets hold the engine to what is met here.

use hyperslab::{
    Attributes, Dataset, Datatype, Error, File, Group, Heap, LinkTarget, Object, Order, ReferenceTarget,
    Result, RevisedReference, Selection,
};
use hyperslab_format::message::Class;
use hyperslab_format::message::datatype::Reference;
use hyperslab_format::selection::EncodedSelection;
use hyperslab_format::{Cursor, FormatError, Problem};
use std::collections::HashSet;

/// Values of datasets larger than this are not read.
const VALUE_BYTES_MAX: u64 = 4 << 20;
/// Parts of values that refer to others are followed up to this many, in a whole file.
const REFERRING_MAX: usize = 10_000;

/// What was met on a walk through a whole file.
#[derive(Debug, Default)]
pub struct Met {
    pub objects: usize,
    pub values: usize,
    pub errors: Vec<Error>,
    /// Parts of values that refer to others.
    referring: usize,
}

impl Met {
    /// All that is met in a file that cannot be opened.
    pub fn of(error: Error) -> Self {
        Self { errors: vec![error], ..Self::default() }
    }

    /// Objects, values and errors.
    pub fn counts(&self) -> (usize, usize, usize) {
        (self.objects, self.values, self.errors.len())
    }

    /// Makes the checksums right that errors complain about. False where there are none.
    pub fn repair(&self, bytes: &mut [u8]) -> bool {
        let mut repaired = false;
        for error in self.errors.iter().filter_map(|error| error.cause()?.downcast_ref::<FormatError>()) {
            let Problem::Checksum { computed, .. } = error.problem else { continue };
            let place = usize::try_from(error.at).ok().and_then(|at| bytes.get_mut(at..at.checked_add(4)?));
            if let Some(place) = place {
                place.copy_from_slice(&computed.to_le_bytes());
                repaired = true;
            }
        }
        repaired
    }

    fn note<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    fn value<T>(&mut self, result: Result<T>) -> Option<T> {
        let value = self.note(result);
        self.values += usize::from(value.is_some());
        value
    }
}

/// Reads everything that can be reached in a file.
pub fn read_everything(file: &File) -> Met {
    let mut met = Met::default();
    let Some(root) = met.note(file.root()) else { return met };
    met.objects += 1;
    let mut seen = HashSet::new();
    let mut groups = vec![root];
    while let Some(group) = groups.pop() {
        attributes(&group.attributes(), file, group.path(), &mut met);
        members(&group, file, &mut groups, &mut seen, &mut met);
    }
    met
}

fn members(group: &Group, file: &File, groups: &mut Vec<Group>, seen: &mut HashSet<u64>, met: &mut Met) {
    let Some(links) = met.note(group.links()) else { return };
    for link in links {
        let Some(link) = met.note(link) else { continue };
        // By its name as well: a look-up goes another way than a listing.
        met.note(group.link(link.name.as_bytes()));
        match &link.target {
            LinkTarget::Hard(address) if seen.insert(address.0) => {}
            _ => continue,
        }
        met.objects += 1;
        match met.note(group.open(&link)) {
            Some(Object::Group(group)) => groups.push(group),
            Some(object) => {
                attributes(&object.attributes(), file, object.path(), met);
                if let Object::Dataset(dataset) = &object {
                    values(dataset, file, met);
                }
            }
            None => {}
        }
    }
}

fn values(dataset: &Dataset, file: &File, met: &mut Met) {
    if dataset.chunk_shape().is_some() {
        met.note(dataset.chunk_map());
    }
    if dataset.logical_bytes() > VALUE_BYTES_MAX {
        return;
    }
    if let Some(bytes) = met.value(dataset.read_bytes(&Selection::All, Order::File)) {
        follow(dataset.datatype(), &bytes, file, dataset.path(), met);
    }
}

fn attributes(attributes: &Attributes<'_>, file: &File, object: &str, met: &mut Met) {
    let Some(list) = met.note(attributes.list()) else { return };
    for attribute in list {
        if let Some(attribute) = met.value(attribute) {
            follow(&attribute.datatype, &attribute.data, file, object, met);
        }
    }
}

/// Follows what the elements of one object refer to.
struct Follow<'w> {
    file: &'w File,
    /// Path of the object.
    object: &'w str,
    heap: Heap,
    met: &'w mut Met,
}

fn follow(datatype: &Datatype, elements: &[u8], file: &File, object: &str, met: &mut Met) {
    if datatype.is_variable() || datatype.contains_reference() {
        Follow { file, object, heap: file.heap(), met }.each(datatype, elements);
    }
}

impl Follow<'_> {
    fn each(&mut self, datatype: &Datatype, elements: &[u8]) {
        for element in elements.chunks_exact(datatype.size.max(1) as usize) {
            if self.met.referring > REFERRING_MAX {
                return;
            }
            self.met.referring += 1;
            self.one(&datatype.class, element);
        }
    }

    fn value<T>(&mut self, result: Result<T>) -> Option<T> {
        self.met.value(result.map_err(|error| error.in_file(self.file.name()).at_object(self.object)))
    }

    fn one(&mut self, class: &Class, element: &[u8]) {
        match class {
            Class::VlenString { .. } => {
                let text = self.heap.sequence(element, 1);
                self.value(text);
            }
            Class::VlenSequence { base } => {
                let sequence = self.heap.sequence(element, base.size);
                if let Some((_, elements)) = self.value(sequence) {
                    self.each(base, &elements);
                }
            }
            Class::Reference(Reference::Object) => {
                if let Some(address) = self.heap.object_reference(element) {
                    self.met.note(self.file.object_at(address));
                }
            }
            Class::Reference(Reference::Region) => {
                let region = self.heap.region(element);
                if let Some(object) = self.value(region).flatten() {
                    self.region(Cursor::new("dataset region", 0, object, self.heap.widths()));
                }
            }
            Class::Reference(Reference::Standard) => {
                let found = self.heap.reference(element);
                let Some(RevisedReference { object, file: None, target }) = self.value(found).flatten()
                else {
                    return;
                };
                self.met.note(self.file.object_at(object));
                if let ReferenceTarget::Region(selection) = target {
                    self.selection(Cursor::new("dataset region", 0, selection, self.heap.widths()));
                }
            }
            Class::Compound { members } => {
                for member in members {
                    let (start, size) = (member.offset as usize, member.datatype.size as usize);
                    if let Some(part) = start.checked_add(size).and_then(|end| element.get(start..end)) {
                        self.each(&member.datatype, part);
                    }
                }
            }
            Class::Array { base, .. } => self.each(base, element),
            _ => {}
        }
    }

    fn region(&mut self, mut cursor: Cursor) {
        let dataset = cursor.address("dataset").map_err(Error::from);
        self.value(dataset);
        self.selection(cursor);
    }

    fn selection(&mut self, mut cursor: Cursor) {
        if let Some(selection) = self.value(EncodedSelection::parse(&mut cursor).map_err(Error::from)) {
            let _ = hyperslab::RegionSummary::of(&selection, None);
        }
    }
}
