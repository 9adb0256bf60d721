//! Single values for display: numbers as numbers, text as text. Values that have no such form are in the output of
//! `hyperslab digest`.

use hyperslab::{Heap, ReferenceTarget, Result, RevisedReference};
use hyperslab_format::message::datatype::{Float, Reference};
use hyperslab_format::message::{Class, Datatype};
use hyperslab_listing::element::{self, NativeFloat};
use hyperslab_listing::json::Json;
use hyperslab_units::hex;

/// At most this many parts of one value are shown, however they are nested.
const PARTS_MAX: usize = 64;
/// At most this many bytes of text or of opaque data are shown.
const BYTES_MAX: usize = 1000;

/// Converts one value.
pub(super) struct Values<'h> {
    heap: &'h mut Heap,
    /// The number of parts that may still be shown.
    left: usize,
}

impl<'h> Values<'h> {
    /// For a new value, of any number of elements.
    pub fn new(heap: &'h mut Heap) -> Self {
        Self { heap, left: PARTS_MAX }
    }

    /// Converts one element.
    pub fn json(&mut self, datatype: &Datatype, element: &[u8]) -> Result<Json> {
        if self.left == 0 {
            return Ok("…".into());
        }
        self.left -= 1;
        Ok(match &datatype.class {
            Class::Integer(integer) if datatype.size <= 8 => element::integer_value(integer, element).into(),
            Class::Bitfield { order, bit_offset, precision } if datatype.size <= 8 => {
                element::significant_bits(element, *order, *bit_offset, *precision).into()
            }
            Class::Float(float) => float_value(float, element).unwrap_or_else(|| bytes(element)),
            Class::FixedString { padding, .. } => text(element::text(*padding, element)),
            Class::VlenString { .. } => {
                let (_, found) = self.heap.sequence(element, 1)?;
                let len = found.iter().position(|&byte| byte == 0).unwrap_or(found.len());
                text(&found[..len])
            }
            Class::Enum { base, members } => {
                match members.iter().find(|(_, value)| value[..] == element[..]) {
                    Some((name, _)) => name.to_string().into(),
                    None => self.json(base, element)?,
                }
            }
            Class::Compound { members } => self.list(members.iter().map(|member| {
                let start = member.offset as usize;
                (&member.datatype, &element[start..start + member.datatype.size as usize])
            }))?,
            Class::Array { base, .. } | Class::Complex { base } => self.list(side_by_side(base, element))?,
            Class::VlenSequence { base } => {
                let (_, found) = self.heap.sequence(element, base.size)?;
                self.list(side_by_side(base, &found))?
            }
            Class::Reference(Reference::Object) => match self.heap.object_reference(element) {
                Some(address) => format!("object at byte {:#x}", address.0).into(),
                None => Json::Null,
            },
            Class::Reference(Reference::Standard { .. }) => match self.heap.reference(element)? {
                Some(reference) => reference_text(&reference).into(),
                None => Json::Null,
            },
            _ => bytes(element),
        })
    }

    fn list<'e>(&mut self, parts: impl Iterator<Item = (&'e Datatype, &'e [u8])>) -> Result<Json> {
        // One part more than may be shown, to detect that some are left out.
        let parts = parts.take(self.left + 1);
        Ok(Json::List(parts.map(|(datatype, part)| self.json(datatype, part)).collect::<Result<_>>()?))
    }
}

fn side_by_side<'e>(
    base: &'e Datatype,
    elements: &'e [u8],
) -> impl Iterator<Item = (&'e Datatype, &'e [u8])> {
    elements.chunks_exact(base.size.max(1) as usize).map(move |part| (base, part))
}

fn reference_text(reference: &RevisedReference) -> String {
    let what = match &reference.target {
        ReferenceTarget::Object => String::new(),
        ReferenceTarget::Region(_) => "elements of the ".into(),
        ReferenceTarget::Attribute(name) => format!("attribute {name} of the "),
    };
    let of = reference.file.as_ref().map_or(String::new(), |file| format!(" of {file}"));
    format!("{what}object at byte {:#x}{of}", reference.object.0)
}

fn text(bytes: &[u8]) -> Json {
    Json::lossy(&bytes[..bytes.len().min(BYTES_MAX)])
}

fn bytes(element: &[u8]) -> Json {
    format!("0x{}", hex(&element[..element.len().min(BYTES_MAX)])).into()
}

fn float_value(float: &Float, element: &[u8]) -> Option<Json> {
    let native = NativeFloat::of(float, element.len() as u32)?;
    let converted = element::native_float(float, element, native);
    let bytes = converted.as_slice();
    let value = match native {
        // Converted through the shortest decimal representation, so that 0.1 stays 0.1.
        NativeFloat::Single => f32::from_le_bytes(bytes.try_into().ok()?).to_string().parse().ok()?,
        NativeFloat::Double => f64::from_le_bytes(bytes.try_into().ok()?),
        NativeFloat::Half => element::half_to_double(u16::from_le_bytes(bytes.try_into().ok()?)),
        NativeFloat::Extended => return None,
    };
    Some(if value.is_finite() { Json::Float(value) } else { value.to_string().into() })
}
