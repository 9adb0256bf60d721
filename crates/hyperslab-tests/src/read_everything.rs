//! Reading everything in a file, even if it is damaged: objects, chunk indexes, values, attributes, and the targets of
//! references. The tests of damaged files and the fuzz targets use this.

use hyperslab::hdf5::{OrError, RegionSummary};
use hyperslab::{
    Attributes, Bytes, Dataset, Datatype, Endianness, Error, File, Group, Heap, LinkTarget, Object,
    ReferenceTarget, Result, RevisedReference, Selection,
};
use hyperslab_format::message::Class;
use hyperslab_format::message::datatype::Reference;
use hyperslab_format::selection::EncodedSelection;
use hyperslab_format::{Cursor, FormatError, Problem, Widths};
use std::collections::HashSet;

/// The values of a larger dataset are not read.
const VALUE_BYTES_MAX: u64 = 4 << 20;
/// The most references and variable-length elements that are followed in one file.
const REFERRING_MAX: usize = 10_000;

/// The outcome of reading a whole file.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Objects that were found.
    pub objects: usize,
    /// Values of datasets and attributes that were read, and targets of references.
    pub values: usize,
    /// All errors.
    pub errors: Vec<Error>,
    /// References and variable-length elements that were followed.
    referring: usize,
}

impl Outcome {
    /// The outcome of a file that cannot be opened.
    pub fn of(error: Error) -> Self {
        Self { errors: vec![error], ..Self::default() }
    }

    /// The numbers of objects, values and errors.
    pub fn counts(&self) -> (usize, usize, usize) {
        (self.objects, self.values, self.errors.len())
    }

    /// Corrects the checksums that the errors report as wrong. Returns whether there were any.
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
pub fn read_everything(file: &File) -> Outcome {
    let mut outcome = Outcome::default();
    let Some(root) = outcome.note(file.root()) else { return outcome };
    outcome.objects += 1;
    let mut seen = HashSet::new();
    let mut groups = vec![root];
    while let Some(group) = groups.pop() {
        attributes(&group.attributes(), file, group.path(), &mut outcome);
        members(&group, file, &mut groups, &mut seen, &mut outcome);
    }
    outcome
}

fn members(
    group: &Group,
    file: &File,
    groups: &mut Vec<Group>,
    seen: &mut HashSet<u64>,
    outcome: &mut Outcome,
) {
    let Some(links) = outcome.note(group.links()) else { return };
    for link in links {
        let Some(link) = outcome.note(link) else { continue };
        // Also looked up by its name, because that is not the same code as listing.
        outcome.note(group.link(&link.name.text()));
        match &link.target {
            LinkTarget::Hard(address) if seen.insert(address.0) => {}
            _ => continue,
        }
        outcome.objects += 1;
        match outcome.note(group.open(&link)) {
            Some(Object::Group(group)) => groups.push(group),
            Some(object) => {
                attributes(&object.attributes(), file, object.path(), outcome);
                if let Object::Dataset(dataset) = &object {
                    values(dataset, file, outcome);
                }
            }
            None => {}
        }
    }
}

fn values(dataset: &Dataset, file: &File, outcome: &mut Outcome) {
    if dataset.chunk_shape().is_some() {
        outcome.note(dataset.chunk_map());
    }
    if dataset.logical_bytes() > VALUE_BYTES_MAX {
        return;
    }
    if let Some(bytes) = outcome.value(dataset.read_bytes(&Selection::All, Endianness::File)) {
        follow(dataset.datatype(), &bytes, file, dataset.path(), outcome);
    }
}

fn attributes(attributes: &Attributes<'_>, file: &File, object: &str, outcome: &mut Outcome) {
    let Some(list) = outcome.note(attributes.list()) else { return };
    for attribute in list {
        if let Some(attribute) = outcome.value(attribute) {
            follow(&attribute.datatype, &attribute.data, file, object, outcome);
        }
    }
}

/// Follows the references of the elements of one object.
struct Follow<'w> {
    file: &'w File,
    /// The path of the object.
    object: &'w str,
    heap: Heap,
    outcome: &'w mut Outcome,
}

fn follow(datatype: &Datatype, elements: &[u8], file: &File, object: &str, outcome: &mut Outcome) {
    if datatype.is_variable() || datatype.contains_reference() {
        Follow { file, object, heap: file.heap(), outcome }.each(datatype, elements);
    }
}

impl Follow<'_> {
    fn each(&mut self, datatype: &Datatype, elements: &[u8]) {
        for element in elements.chunks_exact(datatype.size.max(1) as usize) {
            if self.outcome.referring > REFERRING_MAX {
                return;
            }
            self.outcome.referring += 1;
            self.one(&datatype.class, element);
        }
    }

    fn value<T>(&mut self, result: Result<T>) -> Option<T> {
        self.outcome.value(result.map_err(|error| error.in_file(self.file.name()).at_object(self.object)))
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
                    self.outcome.note(self.file.object_at(address));
                }
            }
            Class::Reference(Reference::Region) => {
                let region = self.heap.region(element);
                if let Some(region) = self.value(region).flatten() {
                    self.selection(region.selection);
                }
            }
            Class::Reference(Reference::Standard { .. }) => {
                let found = self.heap.reference(element);
                let Some(RevisedReference { object, file: None, target }) = self.value(found).flatten()
                else {
                    return;
                };
                self.outcome.note(self.file.object_at(object));
                if let ReferenceTarget::Region(selection) = target {
                    self.selection(selection);
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

    fn selection(&mut self, encoded: Bytes) {
        let mut cursor = Cursor::new("dataset region", 0, encoded.clone(), Widths::default());
        if self.value(EncodedSelection::parse(&mut cursor).or_error()).is_some() {
            let _ = RegionSummary::parse(&encoded, None);
        }
    }
}
