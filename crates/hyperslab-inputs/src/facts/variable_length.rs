//! What the elements of a variable-length dataset take in the global heap.

use hyperslab::datatypes::Class;
use hyperslab::{Dataset, Endianness, Result, Selection};
use hyperslab_doctor::VariableLength;

/// References that are followed; sizes are extrapolated from these.
const ELEMENTS_MAX: u64 = 1 << 16;
/// Bytes of the header of an object in the global heap; objects are padded to a multiple of 8.
const OBJECT_HEADER_BYTES: u64 = 16;

/// The heap space of a dataset's elements; `None` if its datatype is not of variable length, or nothing is stored.
pub(super) fn measure(dataset: &Dataset) -> Result<Option<VariableLength>> {
    let (base_bytes, is_text) = match &dataset.datatype().class {
        Class::VlenString { .. } => (1, true),
        Class::VlenSequence { base } => (base.size, false),
        _ => return Ok(None),
    };
    let elements = dataset.elements();
    if elements == 0 || dataset.stored_bytes()? == 0 {
        return Ok(None);
    }
    let references = dataset.read_bytes(&first_elements(dataset.shape())?, Endianness::File)?;
    let (mut looked_at, mut heap_bytes, mut text_bytes, mut longest, mut last) =
        (0u64, 0u64, 0u64, 0u64, 0u64);
    dataset.file().heap().each_sequence(&references, base_bytes, |value| {
        // The same reference again refers to the same object.
        if let Some(value) = value {
            last = value.len() as u64;
            if last > 0 {
                heap_bytes += OBJECT_HEADER_BYTES + last.next_multiple_of(8);
            }
        }
        looked_at += 1;
        text_bytes += last;
        longest = longest.max(last);
        Ok(())
    })?;
    let whole = |bytes: u64| (bytes as f64 * elements as f64 / looked_at.max(1) as f64) as u64;
    let (heap_bytes, text_bytes) = (whole(heap_bytes), whole(text_bytes));
    Ok(Some(VariableLength { elements, looked_at, heap_bytes, text_bytes, longest, is_text }))
}

/// About [`ELEMENTS_MAX`] elements from the beginning: as many whole rows as that, or a part of the first.
fn first_elements(shape: &[u64]) -> Result<Selection> {
    let mut room = ELEMENTS_MAX;
    let mut extents: Vec<u64> = Vec::new();
    for dim in shape.iter().rev() {
        let extent = (*dim).min(room.max(1));
        room /= extent.max(1);
        extents.push(extent);
    }
    let text: Vec<String> = extents.iter().rev().map(|extent| format!("0:{extent}")).collect();
    Selection::parse(&text.join(", "), shape)
}
