//! References in elements: to the global heap, and to objects.

use crate::checker::Checker;
use crate::global_heap::{Collections, HEAP_REFERENCE};
use hyperslab_format::message::Datatype;
use hyperslab_format::message::datatype::{Class, Reference};
use hyperslab_format::reference::{RevisedReference, StoredReference};
use hyperslab_format::{Address, Bytes, Cursor};
use std::collections::HashMap;

const ELEMENT: &str = "element";

/// References that have been found.
#[derive(Default)]
pub(crate) struct References {
    pub collections: Collections,
    /// Object headers that elements refer to, each with the offset of one of these elements and the path of its object.
    pub objects: HashMap<Address, (u64, String)>,
}

/// True if elements or parts of them refer to something else in the file.
pub(crate) fn has_references(datatype: &Datatype) -> bool {
    datatype.is_variable() || datatype.contains_reference()
}

impl Checker<'_> {
    /// Checks the references in elements of a datatype. `at` is the offset of the elements, or of what they were decoded
    /// from.
    pub(crate) fn check_references(
        &mut self,
        references: &mut References,
        datatype: &Datatype,
        elements: &Bytes,
        at: u64,
    ) {
        if !has_references(datatype) {
            return;
        }
        let size = datatype.size as usize;
        for start in (0..elements.len()).step_by(size.max(1)) {
            if start + size <= elements.len() {
                let element = elements.slice(start..start + size);
                self.check_element(references, datatype, element, at, 0);
            }
        }
    }

    fn check_element(
        &mut self,
        references: &mut References,
        datatype: &Datatype,
        element: Bytes,
        at: u64,
        depth: u32,
    ) {
        const DEPTH_MAX: u32 = 32;
        if depth > DEPTH_MAX || element.len() < datatype.size as usize || self.input.has_failed() {
            return;
        }
        match &datatype.class {
            Class::VlenString { .. } => {
                self.variable_length(references, &element, 1, at);
            }
            Class::VlenSequence { base } => {
                let found = self.variable_length(references, &element, base.size, at);
                if let Some(found) = found.filter(|_| has_references(base)) {
                    for start in (0..found.len()).step_by(base.size.max(1) as usize) {
                        let end = found.len().min(start + base.size as usize);
                        self.check_element(references, base, found.slice(start..end), at, depth + 1);
                    }
                }
            }
            Class::Compound { members } => {
                for member in members.iter().filter(|member| has_references(&member.datatype)) {
                    let start = member.offset as usize;
                    let part = element.slice(start..start + member.datatype.size as usize);
                    self.check_element(references, &member.datatype, part, at, depth + 1);
                }
            }
            Class::Array { base, .. } if has_references(base) => {
                for start in (0..element.len()).step_by(base.size.max(1) as usize) {
                    let end = element.len().min(start + base.size as usize);
                    self.check_element(references, base, element.slice(start..end), at, depth + 1);
                }
            }
            Class::Reference(Reference::Object) => {
                let mut cursor = Cursor::new(ELEMENT, at, element, self.view.widths);
                let address = cursor.address("object reference").ok().flatten();
                self.refer(references, address.filter(|address| address.0 > 0), at);
            }
            Class::Reference(Reference::Region) => {
                let mut cursor = Cursor::new(ELEMENT, at, element, self.view.widths);
                let found = cursor.address("collection address").ok().flatten().zip(cursor.u32("index").ok());
                let Some((collection, index)) = found.filter(|(address, _)| address.0 > 0) else { return };
                let object = self.global_heap_object(&mut references.collections, collection, index, at);
                let Some(object) = object else { return };
                let mut cursor = Cursor::new(ELEMENT, at, object, self.view.widths);
                let address = cursor.address("object address").ok().flatten();
                self.refer(references, address, at);
            }
            Class::Reference(Reference::Standard { .. }) => self.revised_reference(references, element, at),
            _ => {}
        }
    }

    fn refer(&mut self, references: &mut References, address: Option<Address>, at: u64) {
        if let Some(address) = address {
            let path = self.object().to_owned();
            references.objects.entry(address).or_insert((at, path));
        }
    }

    /// Follows a variable-length element, and returns its bytes.
    fn variable_length(
        &mut self,
        references: &mut References,
        element: &Bytes,
        base_bytes: u32,
        at: u64,
    ) -> Option<Bytes> {
        let mut cursor = Cursor::new(ELEMENT, at, element.clone(), self.view.widths);
        let count = cursor.u32("length").ok()?;
        let address = cursor.address("collection address").ok()?.filter(|address| address.0 > 0)?;
        let index = cursor.u32("object index").ok()?;
        if count == 0 {
            return None;
        }
        let object = self.global_heap_object(&mut references.collections, address, index, at)?;
        let needed = u64::from(count) * u64::from(base_bytes);
        self.demand(object.len() as u64 >= needed, &HEAP_REFERENCE, "global heap object", at, || {
            format!(
                "object {index} of the collection at {address} has {} bytes, expected {needed}",
                object.len()
            )
        });
        Some(object)
    }

    fn revised_reference(&mut self, references: &mut References, element: Bytes, at: u64) {
        let widths = self.view.widths;
        let parsed = match StoredReference::parse(element, widths) {
            Ok(StoredReference::Null) => return,
            Ok(StoredReference::Here(found)) => Ok(found),
            Ok(StoredReference::InHeap { kind, collection, index }) => {
                let object = self.global_heap_object(&mut references.collections, collection, index, at);
                let Some(object) = object else { return };
                RevisedReference::parse_in_heap(kind, object, widths)
            }
            Err(error) => Err(error),
        };
        match parsed {
            Ok(found) if found.file.is_none() => self.refer(references, Some(found.object), at),
            Ok(_) => {}
            Err(error) => {
                let message = format!("a revised reference, {}: {}", error.field, error.problem);
                self.report(&HEAP_REFERENCE, ELEMENT, at, message);
            }
        }
    }
}
