//! Datatypes of files whose addresses have 2 or 4 bytes, as they are in a new file, whose addresses have 8.

use hyperslab::Datatype;
use hyperslab::datatypes::{Class, Reference};
use hyperslab_encode::RepackError;
use hyperslab_format::Widths;
use hyperslab_format::message::datatype::Member;
use std::borrow::Cow;

/// The number and heap reference of a variable-length element.
const VARIABLE_BYTES: u32 = 16;
const OBJECT_BYTES: u32 = 8;
/// The heap reference of a region reference.
const REGION_BYTES: u32 = 12;

/// The datatype of the same elements in a new file. The offsets of members of a compound datatype change with the sizes of
/// those before them.
///
/// # Errors
///
/// [`RepackError::Unsupported`] for revised references in such files, and for elements that become larger than 4 GiB.
pub fn wide<'d>(datatype: &'d Datatype, widths: Widths) -> Result<Cow<'d, Datatype>, RepackError> {
    let has_addresses = datatype.is_variable() || datatype.contains_reference();
    if widths.offset == Widths::default().offset || !has_addresses {
        return Ok(Cow::Borrowed(datatype));
    }
    let unsupported = || RepackError::Unsupported {
        object: String::new(),
        what: format!("elements with addresses of {} bytes, of a kind that cannot be changed", widths.offset),
    };
    widened(datatype).map(Cow::Owned).ok_or_else(unsupported)
}

fn widened(datatype: &Datatype) -> Option<Datatype> {
    let boxed = |base: &Datatype| widened(base).map(Box::new);
    let (class, size) = match &datatype.class {
        Class::VlenString { padding, charset, base } => {
            let (padding, charset, base) = (*padding, *charset, boxed(base)?);
            (Class::VlenString { padding, charset, base }, VARIABLE_BYTES)
        }
        Class::VlenSequence { base } => (Class::VlenSequence { base: boxed(base)? }, VARIABLE_BYTES),
        Class::Reference(Reference::Object) => (datatype.class.clone(), OBJECT_BYTES),
        Class::Reference(Reference::Region) => (datatype.class.clone(), REGION_BYTES),
        Class::Reference(Reference::Standard { .. }) => return None,
        Class::Array { dims, base } => {
            let base = boxed(base)?;
            let size = dims.iter().try_fold(base.size, |size, dim| size.checked_mul(*dim))?;
            (Class::Array { dims: dims.clone(), base }, size)
        }
        Class::Compound { members } => {
            let wide: Vec<Datatype> =
                members.iter().map(|member| widened(&member.datatype)).collect::<Option<_>>()?;
            let growth = |before: u32| {
                let earlier = members.iter().zip(&wide).filter(|(member, _)| member.offset < before);
                earlier.map(|(member, wide)| wide.size.saturating_sub(member.datatype.size)).sum::<u32>()
            };
            let member = |(member, datatype): (&Member, &Datatype)| {
                let offset = member.offset.checked_add(growth(member.offset))?;
                Some(Member { name: member.name.clone(), offset, datatype: datatype.clone() })
            };
            let size = datatype.size.checked_add(growth(u32::MAX))?;
            (Class::Compound { members: members.iter().zip(&wide).map(member).collect::<Option<_>>()? }, size)
        }
        other => (other.clone(), datatype.size),
    };
    Some(Datatype { size, class, committed: datatype.committed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_format::message::datatype::{Charset, StringPadding};

    #[test]
    fn members_move_behind_those_that_grow() {
        let narrow = Widths { offset: 4, length: 4 };
        let of = |class, size| Datatype { class, size, committed: None };
        let text = || of(Class::text(StringPadding::NullPad, Charset::Ascii), 12);
        let tag = || of(Class::Opaque { tag: "tag".into() }, 3);
        let member = |name: &str, offset, datatype| Member { name: name.into(), offset, datatype };
        let references =
            Class::Array { dims: vec![2], base: of(Class::Reference(Reference::Object), 4).into() };
        // Not in the order of their offsets, and with a byte of padding after the first.
        let members = vec![
            member("references", 16, of(references, 8)),
            member("tag", 0, tag()),
            member("text", 4, text()),
            member("last", 24, tag()),
        ];
        let compound = of(Class::Compound { members }, 27);
        let found = wide(&compound, narrow).unwrap().into_owned();
        let Class::Compound { members } = &found.class else { panic!("a compound datatype") };
        let layout: Vec<_> = members.iter().map(|member| (member.offset, member.datatype.size)).collect();
        assert_eq!((layout, found.size), (vec![(20, 16), (0, 3), (4, 16), (36, 3)], 39));
        assert!(matches!(wide(&compound, Widths::default()).unwrap(), Cow::Borrowed(_)));
        assert!(matches!(wide(&tag(), narrow).unwrap(), Cow::Borrowed(_)));
        assert!(wide(&of(Class::Reference(Reference::Standard { version: 4 }), 16), narrow).is_err());
    }
}
