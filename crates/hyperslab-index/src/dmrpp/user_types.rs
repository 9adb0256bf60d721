//! Enumerations and compounds in DAP4's words.
//!
//! ```text
//! <Enumeration name="cloud" basetype="UInt8"><EnumConst name="clear" value="0"/></Enumeration>
//! <Enum name="sky" enum="/cloud">…
//! <Structure name="points"><Float32 name="x"/><Int16 name="v"><Dim size="2"/></Int16>…
//!   <dmrpp:chunks structOffset="4 8" …>
//! ```
//!
//! `structOffset` has the offset of each member but the first, and the size of an element. Hyrax reads members that are
//! numbers or arrays of numbers, all in one byte order (`is_simple_dap_structure_internal` in its `DMZ.cc`).

use super::types::{dap_type, joined};
use crate::data_type::fill_json;
use hyperslab::Datatype;
use hyperslab::datatypes::Class;
use hyperslab_netcdf::{Netcdf, TypeId, UserKind, UserType};

/// The integer type of an enumeration, and its names with their values. `None` for other types.
pub(super) fn constants(user: &UserType) -> Option<(&'static str, Vec<(String, String)>)> {
    let Class::Enum { base, members } = &user.datatype.class else { return None };
    let (base_type, _) = dap_type(base)?;
    let constant = |(name, value): &(hyperslab::Name, hyperslab::Bytes)| {
        Some((name.as_str()?.to_owned(), fill_json(base, value)?))
    };
    Some((base_type, members.iter().map(constant).collect::<Option<_>>()?))
}

/// The path of an enumeration that the document defines.
pub(super) fn enumeration(netcdf: &Netcdf, id: TypeId) -> Option<String> {
    let user = netcdf.user_type(id);
    (user.kind == UserKind::Enum && constants(user).is_some())
        .then(|| format!("{}/{}", netcdf.group(user.group).path.trim_end_matches('/'), user.name))
}

/// A compound of numbers.
pub(super) struct Structure {
    pub members: Vec<Member>,
    /// The value of `structOffset`.
    pub offsets: String,
    /// The byte order of all members; `None` if each has one byte.
    pub order: Option<&'static str>,
}

/// A member of a compound.
pub(super) struct Member {
    pub name: String,
    pub dap_type: &'static str,
    /// The lengths of its axes, if it is an array.
    pub dims: Vec<u32>,
}

impl Structure {
    /// The structure of a compound, if Hyrax reads it.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        let Class::Compound { members: stored } = &datatype.class else { return None };
        let starts_at_zero = stored.first().is_some_and(|first| first.offset == 0);
        if !starts_at_zero || !stored.is_sorted_by_key(|member| member.offset) {
            return None;
        }
        let (mut members, mut order) = (Vec::with_capacity(stored.len()), None);
        for member in stored {
            let (number, dims) = match &member.datatype.class {
                Class::Array { dims, base } => (&**base, dims.clone()),
                _ => (&member.datatype, Vec::new()),
            };
            if !matches!(number.class, Class::Integer(_) | Class::Float(_)) {
                return None;
            }
            let (name, of_member) = dap_type(number)?;
            if number.size > 1 && *order.get_or_insert(of_member) != of_member {
                return None;
            }
            members.push(Member { name: member.name.as_str()?.to_owned(), dap_type: name, dims });
        }
        let offsets = stored.iter().skip(1).map(|member| u64::from(member.offset));
        let offsets: Vec<u64> = offsets.chain([u64::from(datatype.size)]).collect();
        Some(Self { members, offsets: joined(&offsets, " "), order: order.flatten() })
    }
}
