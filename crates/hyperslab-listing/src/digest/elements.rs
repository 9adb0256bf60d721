//! Elements with variable-length or reference members, as JSON text.

use super::text_hasher::{TextHasher, TooLong};
use super::text_plan::{ElementPart, TextPlan};
use crate::element::{self, NativeFloat, integer_value, text};
use crate::json::{push_hex, write_text};
use crate::object_paths::ObjectPaths;
use hyperslab::hdf5::RegionSummary;
use hyperslab::{Error, Heap, ReferenceTarget, RegionReference, RevisedReference};
use hyperslab_format::message::datatype::Float;

/// Why the text of a value was not written completely.
#[derive(Debug)]
pub enum Stop {
    /// A member cannot be read.
    Failed(Error),
    /// The text exceeds the limit.
    TooLong,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<TooLong> for Stop {
    fn from(_: TooLong) -> Self {
        Self::TooLong
    }
}

/// Writes elements as text, and resolves the references and heap objects in them.
pub struct ElementWriter<'p> {
    heap: Heap,
    paths: &'p ObjectPaths,
}

impl<'p> ElementWriter<'p> {
    pub fn new(heap: Heap, paths: &'p ObjectPaths) -> Self {
        Self { heap, paths }
    }

    /// Writes one element.
    pub fn write(
        &mut self,
        plan: &TextPlan,
        element: &[u8],
        text_hasher: &mut TextHasher,
    ) -> Result<(), Stop> {
        let out = &mut text_hasher.text;
        match plan {
            TextPlan::Integer(integer) => out.push_str(&integer_value(integer, element).to_string()),
            TextPlan::Enumeration(enumeration) => {
                let value = enumeration.value(element);
                let value = if enumeration.is_boolean() { i128::from(value != 0) } else { value };
                out.push_str(&value.to_string());
            }
            TextPlan::Float { float, native } => write_float(float, *native, element, out),
            TextPlan::FixedText(padding) => write_string(text(*padding, element), out),
            TextPlan::Text => {
                let (_, bytes) = self.heap.sequence(element, 1)?;
                // In memory it is a C string, which ends at the first NUL.
                let len = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                write_string(&bytes[..len], out);
            }
            TextPlan::Opaque => write_bytes(element, out),
            TextPlan::Compound(parts) => {
                let parts =
                    parts.iter().map(|part| (&part.plan, &element[part.start..part.start + part.size]));
                self.write_list(parts, text_hasher)?;
            }
            TextPlan::Repeat(part) => self.write_list(side_by_side(part, element), text_hasher)?,
            TextPlan::Sequence(part) => {
                let (_, bytes) = self.heap.sequence(element, part.size as u32)?;
                self.write_list(side_by_side(part, &bytes), text_hasher)?;
            }
            TextPlan::ObjectReference => self.write_object_reference(element, out),
            TextPlan::RegionReference => self.write_region_reference(element, out),
            TextPlan::RevisedReference => match self.heap.reference(element)? {
                Some(reference) => self.write_revised_reference(&reference, out),
                None => out.push_str("{\"ref\":null}"),
            },
        }
        Ok(text_hasher.flush_if_large()?)
    }

    fn write_list<'e>(
        &mut self,
        parts: impl Iterator<Item = (&'e TextPlan, &'e [u8])>,
        text_hasher: &mut TextHasher,
    ) -> Result<(), Stop> {
        text_hasher.text.push('[');
        for (number, (plan, part)) in parts.enumerate() {
            if number > 0 {
                text_hasher.text.push(',');
            }
            self.write(plan, part, text_hasher)?;
        }
        text_hasher.text.push(']');
        Ok(())
    }

    fn write_object_reference(&self, element: &[u8], out: &mut String) {
        out.push_str("{\"ref\":");
        match self.heap.object_reference(element).map(|address| self.paths.get(address)) {
            None => out.push_str("null"),
            Some(None) => out.push_str("\"?\""),
            Some(Some(object)) => write_text(&object.path, out),
        }
        out.push('}');
    }

    fn write_region_reference(&mut self, element: &[u8], out: &mut String) {
        let found = match self.heap.region(element) {
            Ok(None) => return out.push_str("{\"regref\":null}"),
            Ok(Some(region)) => self.region(&region),
            Err(_) => None,
        };
        let Some((path, region)) = found else { return out.push_str("{\"regref\":\"?\"}") };
        out.push_str("{\"regref\":");
        write_text(path, out);
        write_region(&region, out);
        out.push('}');
    }

    /// An object in another file is identified by that file and its address, because it was not listed.
    fn write_revised_reference(&self, reference: &RevisedReference, out: &mut String) {
        let object = if reference.file.is_none() { self.paths.get(reference.object) } else { None };
        out.push_str(match reference.target {
            ReferenceTarget::Object => "{\"ref\":",
            ReferenceTarget::Region(_) => "{\"regref\":",
            ReferenceTarget::Attribute(_) => "{\"attref\":",
        });
        match (&reference.file, object) {
            (None, Some(object)) => write_text(&object.path, out),
            (None, None) => out.push_str("\"?\""),
            (Some(file), _) => {
                out.push_str(&format!("{},\"file\":", reference.object.0));
                write_string(file.as_bytes(), out);
            }
        }
        match &reference.target {
            ReferenceTarget::Object => {}
            ReferenceTarget::Attribute(name) => {
                out.push_str(",\"name\":");
                write_string(name.as_bytes(), out);
            }
            ReferenceTarget::Region(encoded) => {
                let extent = object.and_then(|object| object.extent.as_ref());
                if let Some(region) = RegionSummary::parse(encoded, extent) {
                    write_region(&region, out);
                }
            }
        }
        out.push('}');
    }

    /// The path of the dataset that a region reference points into, and the region. `None` if either cannot be found.
    fn region(&self, region: &RegionReference) -> Option<(&'p [u8], RegionSummary)> {
        let object = self.paths.get(region.dataset)?;
        Some((&object.path, RegionSummary::parse(&region.selection, Some(object.extent.as_ref()?))?))
    }
}

fn write_region(region: &RegionSummary, out: &mut String) {
    out.push_str(&format!(",\"sel\":\"{}\",\"n\":{}", region.kind, region.elements));
    if let Some((first, last)) = &region.bounds {
        let list = |corner: &[u64]| corner.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        out.push_str(&format!(",\"bounds\":[[{}],[{}]]", list(first), list(last)));
    }
}

fn side_by_side<'e>(
    part: &'e ElementPart,
    elements: &'e [u8],
) -> impl Iterator<Item = (&'e TextPlan, &'e [u8])> {
    elements.chunks_exact(part.size.max(1)).map(|element| (&part.plan, element))
}

fn write_float(float: &Float, native: NativeFloat, element: &[u8], out: &mut String) {
    let converted = element::native_float(float, element, native);
    out.push_str("\"0x");
    converted.as_slice().iter().rev().for_each(|byte| push_hex(&[*byte], out));
    out.push('"');
}

/// Writes a JSON string if the bytes are UTF-8, otherwise the bytes in hexadecimal.
fn write_string(bytes: &[u8], out: &mut String) {
    if std::str::from_utf8(bytes).is_ok() { write_text(bytes, out) } else { write_bytes(bytes, out) }
}

fn write_bytes(bytes: &[u8], out: &mut String) {
    out.push_str("{\"b\":\"");
    push_hex(bytes, out);
    out.push_str("\"}");
}
