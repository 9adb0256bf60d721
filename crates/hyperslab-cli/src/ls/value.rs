//! Single values, for reading: numbers as numbers, text as text. What a number or a text cannot say is left to
//! `hyperslab digest`.

use crate::element::{self, NativeFloat};
use crate::json::{Json, hex};
use hyperslab::format::message::datatype::{Float, Reference};
use hyperslab::format::message::{Class, Datatype};
use hyperslab::{Heap, Result};

/// More parts of one element than this are not shown.
const PARTS_MAX: usize = 16;
/// More bytes of text or of opaque data than this are not shown.
const BYTES_MAX: usize = 1000;

/// One element.
pub(super) fn json(datatype: &Datatype, element: &[u8], heap: &mut Heap) -> Result<Json> {
    Ok(match &datatype.class {
        Class::Integer(integer) if datatype.size <= 8 => element::integer_value(integer, element).into(),
        Class::Bitfield { order, bit_offset, precision } if datatype.size <= 8 => {
            element::significant_bits(element, *order, *bit_offset, *precision).into()
        }
        Class::Float(float) => match float_value(float, element) {
            Some(value) => value,
            None => bytes(element),
        },
        Class::FixedString { padding, .. } => text(element::text(*padding, element)),
        Class::VlenString { .. } => {
            let (_, found) = heap.sequence(element, 1)?;
            let len = found.iter().position(|&byte| byte == 0).unwrap_or(found.len());
            text(&found[..len])
        }
        Class::Enum { base, members } => match members.iter().find(|(_, value)| value[..] == element[..]) {
            Some((name, _)) => Json::lossy(name.as_bytes()),
            None => json(base, element, heap)?,
        },
        Class::Compound { members } => {
            let parts = members.iter().take(PARTS_MAX).map(|member| {
                let start = member.offset as usize;
                json(&member.datatype, &element[start..start + member.datatype.size as usize], heap)
            });
            Json::List(parts.collect::<Result<_>>()?)
        }
        Class::Array { base, .. } | Class::Complex { base } => list(base, element, heap)?,
        Class::VlenSequence { base } => {
            let (_, found) = heap.sequence(element, base.size)?;
            list(base, &found, heap)?
        }
        Class::Reference(Reference::Object) => match heap.object_reference(element) {
            Some(address) => format!("object at byte {:#x}", address.0).into(),
            None => Json::Null,
        },
        _ => bytes(element),
    })
}

fn list(base: &Datatype, elements: &[u8], heap: &mut Heap) -> Result<Json> {
    let parts = elements.chunks_exact(base.size.max(1) as usize).take(PARTS_MAX);
    Ok(Json::List(parts.map(|part| json(base, part, heap)).collect::<Result<_>>()?))
}

fn text(bytes: &[u8]) -> Json {
    Json::lossy(&bytes[..bytes.len().min(BYTES_MAX)])
}

fn bytes(element: &[u8]) -> Json {
    format!("0x{}", hex(&element[..element.len().min(BYTES_MAX)])).into()
}

fn float_value(float: &Float, element: &[u8]) -> Option<Json> {
    let native = NativeFloat::of(float, element.len() as u32)?;
    let converted = element::convert(float, element, native);
    let bytes = converted.as_slice();
    let value = match native {
        // By way of the shortest decimal, so that 0.1 stays 0.1.
        NativeFloat::Single => f32::from_le_bytes(bytes.try_into().ok()?).to_string().parse().ok()?,
        NativeFloat::Double => f64::from_le_bytes(bytes.try_into().ok()?),
        NativeFloat::Half => element::half_to_double(u16::from_le_bytes(bytes.try_into().ok()?)),
        NativeFloat::Extended => return None,
    };
    Some(if value.is_finite() { Json::Float(value) } else { value.to_string().into() })
}
