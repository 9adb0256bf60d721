//! Elements with variable-length or reference parts as JSON text.

use super::describe_type::members_in_memory;
use super::region::Region;
use super::sink::{Sink, TooLong};
use crate::element::{
    self, Enumeration, NativeFloat, integer_value, is_native_integer, significant_bits, text,
};
use crate::json::{push_hex, write_text};
use crate::places::Places;
use hyperslab::format::message::datatype::{Float, Reference};
use hyperslab::format::message::{Class, Datatype};
use hyperslab::{Error, Heap};

/// Why the text of a value was not written to its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A part cannot be read.
    Failed(Error),
    /// There is more than wanted.
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

/// Writes elements, following what they refer to.
pub(crate) struct ElementWriter<'p> {
    heap: Heap,
    places: &'p Places,
}

impl<'p> ElementWriter<'p> {
    pub fn new(heap: Heap, places: &'p Places) -> Self {
        Self { heap, places }
    }

    /// Writes one element.
    pub fn write(&mut self, datatype: &Datatype, element: &[u8], sink: &mut Sink) -> Result<(), Stop> {
        let out = &mut sink.text;
        match &datatype.class {
            Class::Integer(integer) if is_native_integer(datatype.size) => {
                out.push_str(&integer_value(integer, element).to_string());
            }
            Class::Bitfield { order, bit_offset, precision } if is_native_integer(datatype.size) => {
                out.push_str(&significant_bits(element, *order, *bit_offset, *precision).to_string());
            }
            Class::Enum { base, members } => {
                let enumeration = Enumeration::new(base, members).ok_or_else(|| no_text(datatype))?;
                let value = enumeration.value(element);
                let value = if enumeration.is_boolean() { i128::from(value != 0) } else { value };
                out.push_str(&value.to_string());
            }
            Class::Float(float) => {
                let native = NativeFloat::of(float, datatype.size).ok_or_else(|| no_text(datatype))?;
                write_float(float, native, element, out);
            }
            Class::Complex { base } => {
                let Class::Float(float) = &base.class else { return Err(no_text(datatype).into()) };
                let (real, imaginary) = element.split_at(base.size as usize);
                out.push('[');
                let native =
                    NativeFloat::of_complex_part(float, base.size).ok_or_else(|| no_text(datatype))?;
                write_float(float, native, real, out);
                out.push(',');
                write_float(float, native, imaginary, out);
                out.push(']');
            }
            Class::FixedString { padding, .. } => write_string(text(*padding, element), out),
            Class::VlenString { .. } => {
                let (_, bytes) = self.heap.sequence(element, 1)?;
                // In memory it is a C string.
                let len = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                write_string(&bytes[..len], out);
            }
            Class::Opaque { .. } => write_bytes(element, out),
            Class::Compound { members } => {
                let members = members_in_memory(datatype, members);
                let parts = members.into_iter().map(|member| {
                    let start = member.offset as usize;
                    (&member.datatype, &element[start..start + member.datatype.size as usize])
                });
                self.write_list(parts, sink)?;
            }
            Class::Array { base, .. } => {
                self.write_list(
                    element.chunks_exact(base.size.max(1) as usize).map(|part| (&**base, part)),
                    sink,
                )?;
            }
            Class::VlenSequence { base } => {
                let (_, bytes) = self.heap.sequence(element, base.size)?;
                self.write_list(
                    bytes.chunks_exact(base.size.max(1) as usize).map(|part| (&**base, part)),
                    sink,
                )?;
            }
            Class::Reference(Reference::Object) => self.write_object_reference(element, out),
            Class::Reference(Reference::Region) => self.write_region_reference(element, out),
            _ => return Err(no_text(datatype).into()),
        }
        Ok(())
    }

    fn write_list<'e>(
        &mut self,
        parts: impl Iterator<Item = (&'e Datatype, &'e [u8])>,
        sink: &mut Sink,
    ) -> Result<(), Stop> {
        sink.text.push('[');
        for (number, (datatype, part)) in parts.enumerate() {
            if number > 0 {
                sink.text.push(',');
            }
            self.write(datatype, part, sink)?;
            sink.settle()?;
        }
        sink.text.push(']');
        Ok(())
    }

    fn write_object_reference(&self, element: &[u8], out: &mut String) {
        out.push_str("{\"ref\":");
        match self.heap.object_reference(element).map(|address| self.places.get(address)) {
            None => out.push_str("null"),
            Some(None) => out.push_str("\"?\""),
            Some(Some(place)) => write_text(&place.path, out),
        }
        out.push('}');
    }

    fn write_region_reference(&mut self, element: &[u8], out: &mut String) {
        let found = match self.heap.region(element) {
            Ok(None) => return out.push_str("{\"regref\":null}"),
            Ok(Some(object)) => self.region(object),
            Err(_) => None,
        };
        let Some((path, region)) = found else { return out.push_str("{\"regref\":\"?\"}") };
        out.push_str("{\"regref\":");
        write_text(path, out);
        out.push_str(&format!(",\"sel\":\"{}\",\"n\":{}", region.kind, region.elements));
        if let Some((first, last)) = &region.bounds {
            let list = |corner: &[u64]| corner.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
            out.push_str(&format!(",\"bounds\":[[{}],[{}]]", list(first), list(last)));
        }
        out.push('}');
    }

    /// The dataset that a region lies in, and the region; `None` where either cannot be found.
    fn region(&self, object: hyperslab::format::Bytes) -> Option<(&'p [u8], Region)> {
        let mut cursor = Region::cursor(object, self.heap.widths());
        let place = self.places.get(cursor.address("dataset").ok()??)?;
        let region = Region::parse(cursor, place.extent.as_ref()?).ok()?;
        Some((&place.path, region))
    }
}

fn no_text(datatype: &Datatype) -> Error {
    Error::unsupported(format!("values of the datatype {datatype} cannot be written as text"))
}

fn write_float(float: &Float, native: NativeFloat, element: &[u8], out: &mut String) {
    let converted = element::convert(float, element, native);
    out.push_str("\"0x");
    converted.as_slice().iter().rev().for_each(|byte| push_hex(&[*byte], out));
    out.push('"');
}

/// Text if it is UTF-8, else its bytes.
fn write_string(bytes: &[u8], out: &mut String) {
    if std::str::from_utf8(bytes).is_ok() { write_text(bytes, out) } else { write_bytes(bytes, out) }
}

fn write_bytes(bytes: &[u8], out: &mut String) {
    out.push_str("{\"b\":\"");
    push_hex(bytes, out);
    out.push_str("\"}");
}
