//! Enumerations and compounds in DAP4's words.
//!
//! ```text
//! <Enumeration name="cloud" basetype="UInt8"><EnumConst name="clear" value="0"/></Enumeration>
//! <Enum name="sky" enum="/cloud">…
//! <Structure name="points"><Float32 name="x"/><Int16 name="v"><Dim size="2"/></Int16>…
//!   <dmrpp:chunks structOffset="4 8" …>
//! ```
//!
//! `structOffset` has the offset of each member but the first, and the size of an element. In the file, Hyrax reads members
//! that are numbers or arrays of numbers, all in one byte order (`is_simple_dap_structure_internal` in its `DMZ.cc`).

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

/// A compound of numbers and texts.
pub(super) struct Structure {
    pub members: Vec<Member>,
    /// How its elements lie in the file; or why Hyrax cannot read them there.
    pub in_file: Result<InFile, &'static str>,
}

/// A member of a compound.
pub(super) struct Member {
    pub name: String,
    pub dap_type: &'static str,
    /// The lengths of its axes, if it is an array.
    pub dims: Vec<u32>,
}

/// Where the members of a compound lie in an element.
pub(super) struct InFile {
    /// The value of `structOffset`.
    pub offsets: String,
    /// The byte order of all members; `None` if each has one byte.
    pub order: Option<&'static str>,
}

impl Structure {
    /// The structure of a compound, if Hyrax reads it.
    pub fn of(datatype: &Datatype) -> Option<Self> {
        let Class::Compound { members: stored } = &datatype.class else { return None };
        let first = stored.first()?;
        let (mut members, mut orders, mut has_text) = (Vec::with_capacity(stored.len()), Vec::new(), false);
        for member in stored {
            let (part, dims) = array_of(&member.datatype);
            let name = match &part.class {
                Class::Integer(_) | Class::Float(_) => {
                    let (name, order) = dap_type(part)?;
                    orders.extend(order.filter(|_| part.size > 1));
                    name
                }
                Class::FixedString { .. } | Class::VlenString { .. } => {
                    has_text = true;
                    "String"
                }
                _ => return None,
            };
            members.push(Member {
                name: member.name.as_str()?.to_owned(),
                dap_type: name,
                dims: dims.to_vec(),
            });
        }
        let in_file = if has_text {
            Err("a member of it is text")
        } else if first.offset != 0 || !stored.is_sorted_by_key(|member| member.offset) {
            Err("its members are not in the order of their offsets")
        } else if orders.windows(2).any(|pair| pair[0] != pair[1]) {
            Err("its members have several byte orders")
        } else {
            let offsets = stored.iter().skip(1).map(|member| u64::from(member.offset));
            let offsets: Vec<u64> = offsets.chain([u64::from(datatype.size)]).collect();
            Ok(InFile { offsets: joined(&offsets, " "), order: orders.first().copied() })
        };
        Some(Self { members, in_file })
    }
}

/// The type of the elements of a member that is an array, and its shape; of another member itself.
pub(super) fn array_of(datatype: &Datatype) -> (&Datatype, &[u32]) {
    match &datatype.class {
        Class::Array { dims, base } => (base, dims),
        _ => (datatype, &[]),
    }
}
