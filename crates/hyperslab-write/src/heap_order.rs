//! The order of heap objects: that in which the objects of the tree refer to them.
//!
//! The caller may have added them in any order. In this one, what an object needs is close together, and the same tree
//! has the same bytes however it was built. Heap objects that nothing refers to are left out.

use crate::error::WriteError;
use crate::tree::{FileTree, ObjectSpec, StorageSpec};
use crate::value::{HeapItem, Patch, PatchTarget, Value};
use std::sync::Arc;

/// Numbers all heap objects in the order of the references to them, each before those that it refers to.
pub(crate) fn number_heap(tree: &mut FileTree) -> Result<(), WriteError> {
    let FileTree { objects, heap } = tree;
    let mut order = Order { numbers: vec![None; heap.len()], heap, sorted: Vec::new() };
    for object in objects {
        for attribute in &mut object.attributes {
            order.patches(&mut attribute.value.patches)?;
        }
        let ObjectSpec::Dataset(dataset) = &mut object.spec else { continue };
        if !dataset.fill.patches.is_empty() {
            order.patches(&mut Arc::make_mut(&mut dataset.fill).patches)?;
        }
        match &mut dataset.storage {
            StorageSpec::Compact(value) => order.patches(&mut value.patches)?,
            StorageSpec::Virtual(item) => *item = order.item(*item)?,
            _ => {}
        }
    }
    *heap = order.sorted;
    Ok(())
}

struct Order<'a> {
    /// The heap objects as the caller numbered them; those that have a new number are empty.
    heap: &'a mut [Value],
    numbers: Vec<Option<HeapItem>>,
    sorted: Vec<Value>,
}

impl Order<'_> {
    fn patches(&mut self, patches: &mut [Patch]) -> Result<(), WriteError> {
        for patch in patches {
            if let PatchTarget::Heap(item) = &mut patch.target {
                *item = self.item(*item)?;
            }
        }
        Ok(())
    }

    /// The new number of an object, and of all that it refers to.
    fn item(&mut self, item: HeapItem) -> Result<HeapItem, WriteError> {
        let old = item.0 as usize;
        match self.numbers.get(old) {
            None => return Err(WriteError::Invalid(format!("the tree has no heap object {old}"))),
            Some(Some(number)) => return Ok(*number),
            Some(None) => {}
        }
        let number = HeapItem(self.sorted.len() as u32);
        self.numbers[old] = Some(number);
        let Value { bytes, mut patches } = std::mem::take(&mut self.heap[old]);
        self.sorted.push(Value::default());
        self.patches(&mut patches)?;
        self.sorted[number.0 as usize] = Value { bytes, patches };
        Ok(number)
    }
}
