//! Values with their addresses.

use super::Encoded;
use crate::options::WIDTHS;
use crate::value::{HeapItem, ObjectId, Patch, PatchTarget, Value};
use hyperslab_format::{Address, EncodeError, Encoder};
use std::borrow::Cow;

/// The addresses that encoded objects contain.
pub(crate) trait Addresses {
    /// The header of an object.
    fn object(&self, object: ObjectId) -> Address;
    /// The collection of a heap object, and its index there.
    fn heap(&self, item: HeapItem) -> (Address, u32);
}

/// Addresses before any are known.
pub(crate) struct NotPlaced;

impl Addresses for NotPlaced {
    fn object(&self, _: ObjectId) -> Address {
        Address(0)
    }

    fn heap(&self, _: HeapItem) -> (Address, u32) {
        (Address(0), 0)
    }
}

/// The bytes of a value, with its addresses.
pub(crate) fn value_bytes<'a>(value: &'a Value, addresses: &dyn Addresses) -> Encoded<Cow<'a, [u8]>> {
    patched(&value.bytes, &value.patches, addresses)
}

/// Bytes with addresses in place of those that patches cover.
pub(super) fn patched<'a>(
    bytes: &'a [u8],
    patches: &[Patch],
    addresses: &dyn Addresses,
) -> Encoded<Cow<'a, [u8]>> {
    if patches.is_empty() {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut patched = bytes.to_vec();
    for patch in patches {
        let mut out = Encoder::new("value", WIDTHS);
        match patch.target {
            PatchTarget::Object(object) => out.address("object address", Some(addresses.object(object))),
            PatchTarget::Heap(item) => {
                let (collection, index) = addresses.heap(item);
                out.address("collection address", Some(collection));
                out.u32(index);
            }
        }
        let end = patch.at.checked_add(patch.target.bytes());
        let place = end.and_then(|end| patched.get_mut(patch.at..end)).ok_or_else(|| EncodeError {
            structure: "value",
            field: "address",
            what: format!("an address at byte {} of {} bytes", patch.at, bytes.len()),
        })?;
        place.copy_from_slice(&out.finish()?);
    }
    Ok(Cow::Owned(patched))
}
