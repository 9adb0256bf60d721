//! Fill values as the attribute `fillValue`.

use super::types::float;
use super::user_types::array_of;
use crate::data_type::fill_json;
use hyperslab::datatypes::Class;
use hyperslab::number::{NativeFloat, native_float};
use hyperslab::storage::Fill;
use hyperslab::{Dataset, Datatype};

/// The fill value as Hyrax writes it: a number, a text, or the numbers of a compound with spaces between them. `None` if the
/// file says that there is none.
pub(super) fn fill_value(dataset: &Dataset) -> Option<String> {
    let datatype = dataset.datatype();
    let bytes = match &dataset.fill_value().value {
        Fill::Undefined => return None,
        Fill::User(bytes) if bytes.len() == datatype.size as usize => bytes.to_vec(),
        _ if matches!(datatype.class, Class::Compound { .. }) => return Some("0".into()),
        _ => vec![0; datatype.size as usize],
    };
    Some(match &datatype.class {
        Class::FixedString { .. } => {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        }
        Class::Compound { members } => {
            let mut numbers = Vec::new();
            for member in members {
                let (number, _) = array_of(&member.datatype);
                let start = member.offset as usize;
                let stored = bytes.get(start..).unwrap_or_default();
                let stored = stored.get(..member.datatype.size as usize).unwrap_or_default();
                let elements = stored.chunks_exact(number.size.max(1) as usize);
                numbers.extend(elements.map(|element| number_text(number, element)));
            }
            numbers.join(" ")
        }
        Class::Enum { base, .. } => number_text(base, &bytes),
        _ => number_text(datatype, &bytes),
    })
}

/// A number as C++ prints it, but with all of its digits.
fn number_text(datatype: &Datatype, bytes: &[u8]) -> String {
    let text = fill_json(datatype, bytes).unwrap_or_else(|| "0".into());
    let text = text.trim_matches('"');
    match &datatype.class {
        Class::Float(float_type) if datatype.size == 4 => {
            // The digits of a single, not those of the double that equals it.
            let single = native_float(float_type, bytes, NativeFloat::Single).in_memory(4).try_into();
            single.map_or_else(|_| float(text), |bytes| float(&format!("{:?}", f32::from_le_bytes(bytes))))
        }
        Class::Float(_) => float(text),
        _ => text.to_owned(),
    }
}
