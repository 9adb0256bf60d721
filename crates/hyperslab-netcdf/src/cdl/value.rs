//! Elements of user-defined types in CDL: `{1, 2.5}` for compounds and sequences, names for enumerations.

use super::number;
use super::text::{identifier, quoted};
use crate::types::AtomicType;
use hyperslab::Heap;
use hyperslab::number::integer_value;
use hyperslab_format::message::{Class, Datatype};

/// Parts of one element, at most: a few bytes of a file may claim any number.
const PARTS_MAX: usize = 1 << 16;

/// One element of a user-defined type. What cannot be read is printed as `NIL`.
pub(super) fn user_value(datatype: &Datatype, element: &[u8], heap: &mut Heap) -> String {
    let mut left = PARTS_MAX;
    value(datatype, element, heap, &mut left)
}

fn value(datatype: &Datatype, element: &[u8], heap: &mut Heap, left: &mut usize) -> String {
    if *left == 0 {
        return "...".to_owned();
    }
    *left -= 1;
    match &datatype.class {
        Class::Integer(integer) => integer_value(integer, element).to_string(),
        Class::Float(_) => number::of_element(datatype, element),
        Class::FixedString { .. } if AtomicType::of(datatype) == Some(AtomicType::Char) => quoted(element),
        Class::FixedString { .. } => quoted(until_nul(element)),
        Class::VlenString { .. } => match heap.sequence(element, 1) {
            Ok((count, text)) if count > 0 => quoted(until_nul(&text)),
            _ => "NIL".to_owned(),
        },
        Class::Enum { base, members } => match members.iter().find(|(_, value)| value[..] == element[..]) {
            Some((name, _)) => identifier(&name.to_string()),
            None => value(base, element, heap, left),
        },
        Class::Compound { members } => {
            let parts = members.iter().map(|member| {
                let start = member.offset as usize;
                (&member.datatype, &element[start..start + member.datatype.size as usize])
            });
            list(parts.collect(), heap, left)
        }
        Class::Array { base, .. } => list(side_by_side(base, element), heap, left),
        Class::VlenSequence { base } => match heap.sequence(element, base.size) {
            Ok((_, elements)) => list(side_by_side(base, &elements), heap, left),
            Err(_) => "NIL".to_owned(),
        },
        _ => format!("0X{}", element.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
    }
}

fn list(parts: Vec<(&Datatype, &[u8])>, heap: &mut Heap, left: &mut usize) -> String {
    let mut texts = Vec::new();
    for (datatype, part) in parts {
        if *left == 0 {
            texts.push("...".to_owned());
            break;
        }
        texts.push(value(datatype, part, heap, left));
    }
    format!("{{{}}}", texts.join(", "))
}

fn side_by_side<'e>(base: &'e Datatype, elements: &'e [u8]) -> Vec<(&'e Datatype, &'e [u8])> {
    elements.chunks_exact(base.size.max(1) as usize).map(|part| (base, part)).collect()
}

fn until_nul(text: &[u8]) -> &[u8] {
    &text[..text.iter().position(|&byte| byte == 0).unwrap_or(text.len())]
}
