//! Attributes: texts become characters, numbers change their byte order.

use hyperslab::{Error, Heap, Result};
use hyperslab_classic::{Attribute, Kind};
use hyperslab_netcdf::{self as netcdf, AtomicType, Values};

/// The attributes of an object at `path`. What is not the same is added to the notes.
pub(super) fn attributes(
    path: &str,
    all: &[netcdf::Attribute],
    heap: &mut Heap,
    notes: &mut Vec<String>,
) -> Result<Vec<Attribute>> {
    all.iter().map(|attribute| one(path, attribute, heap, notes)).collect()
}

fn one(
    path: &str,
    attribute: &netcdf::Attribute,
    heap: &mut Heap,
    notes: &mut Vec<String>,
) -> Result<Attribute> {
    let name = &attribute.name;
    let (kind, values) = match attribute.values(heap)? {
        Values::Char(text) => (Kind::Char, text),
        Values::String(mut texts) if texts.len() < 2 => {
            notes.push(format!("{path}: the attribute {name} becomes characters, as it is one string"));
            (Kind::Char, texts.pop().unwrap_or_default())
        }
        Values::Integer(atomic, values) => {
            let kind = kind(atomic).unwrap_or(Kind::Int64);
            let from = 16 - kind.bytes() as usize;
            (kind, values.iter().flat_map(|value| value.to_be_bytes()[from..].to_vec()).collect())
        }
        Values::Float(values) => (Kind::Float, values.iter().flat_map(|value| value.to_be_bytes()).collect()),
        Values::Double(values) => {
            (Kind::Double, values.iter().flat_map(|value| value.to_be_bytes()).collect())
        }
        Values::String(_) => return Err(no_place(path, name, "several strings")),
        Values::Elements(_) => return Err(no_place(path, name, "values of a type of its own")),
    };
    Ok(Attribute { name: name.as_str().into(), kind, values })
}

fn no_place(path: &str, name: &str, what: &str) -> Error {
    let what = format!("the attribute {name} has {what}, which netCDF classic has no place for");
    Error::unsupported(what).at_object(path)
}

/// The type of netCDF classic; `None` for strings.
pub(super) fn kind(atomic: AtomicType) -> Option<Kind> {
    Some(match atomic {
        AtomicType::Char => Kind::Char,
        AtomicType::Byte => Kind::Byte,
        AtomicType::UByte => Kind::UByte,
        AtomicType::Short => Kind::Short,
        AtomicType::UShort => Kind::UShort,
        AtomicType::Int => Kind::Int,
        AtomicType::UInt => Kind::UInt,
        AtomicType::Int64 => Kind::Int64,
        AtomicType::UInt64 => Kind::UInt64,
        AtomicType::Float => Kind::Float,
        AtomicType::Double => Kind::Double,
        AtomicType::String => return None,
    })
}
