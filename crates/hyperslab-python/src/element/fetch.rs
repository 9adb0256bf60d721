//! Looks up the variable-length data and references of elements, with the interpreter released.
//!
//! The results are queued in the order in which the elements are rebuilt afterwards.

use super::allowance::Allowance;
use super::layout::{Kind, Layout, Work};
use bytes::Bytes;
use hyperslab::{Address, Heap, RegionReference, Result, RevisedReference};

use std::collections::VecDeque;

/// The results, in order.
pub type Queue = VecDeque<Fetched>;

/// The data that one variable-length element or reference refers to.
pub enum Fetched {
    /// Elements in the representation of the file.
    Sequence(Bytes),
    /// The address of an object.
    Object(Option<Address>),
    /// The address of a dataset, and the encoded selection.
    Region(Option<RegionReference>),
    /// A reference of HDF5 1.12.
    Revised(Option<RevisedReference>),
}

/// Looks up the data that elements refer to.
pub struct Fetch {
    heap: Heap,
    queue: Queue,
    allowance: Allowance,
    last_text: Bytes,
}

impl Fetch {
    /// Starts with an empty queue.
    pub fn new(file: &hyperslab::File) -> Self {
        let allowance = Allowance::new(file);
        Self { heap: file.heap(), queue: Queue::new(), allowance, last_text: Bytes::new() }
    }

    /// Looks up everything that `elements` refer to.
    pub fn all(mut self, layout: &Layout, elements: &[u8]) -> Result<Queue> {
        self.allowance.add_elements(elements);
        self.elements(layout, elements)?;
        Ok(self.queue)
    }

    fn elements(&mut self, layout: &Layout, elements: &[u8]) -> Result<()> {
        if layout.file_bytes == 0 || layout.work < Work::Objects {
            return Ok(());
        }
        elements.chunks_exact(layout.file_bytes).try_for_each(|element| self.element(layout, element))
    }

    fn element(&mut self, layout: &Layout, element: &[u8]) -> Result<()> {
        match &layout.kind {
            Kind::VlenText => {
                let (_, text) = self.heap.sequence(element, 1)?;
                // The same text again, such as a fill value, costs nothing: it becomes the same Python object.
                if !is_same(&text, &self.last_text) {
                    self.allowance.spend(text.len())?;
                    self.last_text = text.clone();
                }
                self.queue.push_back(Fetched::Sequence(text));
                Ok(())
            }
            Kind::VlenSequence(base, _) => {
                let base_bytes = u32::try_from(base.file_bytes).unwrap_or(u32::MAX);
                let (_, found) = self.heap.sequence(element, base_bytes)?;
                self.allowance.spend(found.len())?;
                self.queue.push_back(Fetched::Sequence(found.clone()));
                self.elements(base, &found)
            }
            Kind::ObjectReference => {
                let target = self.heap.object_reference(element);
                self.queue.push_back(Fetched::Object(target));
                Ok(())
            }
            Kind::RegionReference => {
                self.queue.push_back(Fetched::Region(self.heap.region(element)?));
                Ok(())
            }
            Kind::RevisedReference => {
                let found = self.heap.reference(element)?;
                self.queue.push_back(Fetched::Revised(found));
                Ok(())
            }
            Kind::Array(base) => self.elements(base, element),
            Kind::Compound(fields) => fields.iter().try_for_each(|field| {
                self.elements(&field.layout, &element[field.file..field.file + field.layout.file_bytes])
            }),
            Kind::Same | Kind::Text(_) | Kind::Bool | Kind::Number(_) => Ok(()),
        }
    }
}

/// True if both are the same bytes in memory, not merely equal.
pub fn is_same(a: &Bytes, b: &Bytes) -> bool {
    a.as_ptr() == b.as_ptr() && a.len() == b.len()
}
