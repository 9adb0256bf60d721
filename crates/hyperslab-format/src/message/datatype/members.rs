//! Datatypes with named members: compounds and enumerations (classes 6 and 8).
//!
//! ```text
//! compound      each: name | offset | [version 1: rank, reserved 3, permutation 4, reserved 4, 4 sizes] | datatype
//! enumeration   base datatype | all names | all values
//! ```

use super::parse::{Head, parse_nested};
use super::{Class, Datatype, Member};
use crate::{Cursor, FormatError, Name};
use std::collections::HashSet;

/// The maximum number of dimensions of a member in version 1.
const MEMBER_RANK_MAX: u8 = 4;

impl Head {
    pub fn compound(&self, cursor: &mut Cursor) -> Result<Vec<Member>, FormatError> {
        let count = self.bits & 0xffff;
        if count == 0 {
            return Err(self.invalid(cursor, "number of members", "the compound has no members"));
        }
        let mut members = Vec::new();
        let mut names = HashSet::new();
        for _ in 0..count {
            let at = cursor.at();
            let member = self.member(cursor)?;
            if !names.insert(member.name.clone()) {
                return Err(cursor.invalid_at(
                    at,
                    "name",
                    format!("two members have the name {}", member.name),
                ));
            }
            let end = u64::from(member.offset) + u64::from(member.datatype.size);
            if end > self.size.into() {
                let what = format!("member {} ends at byte {end} of {}", member.name, self.size);
                return Err(cursor.invalid_at(at, "byte offset of member", what));
            }
            members.push(member);
        }
        self.refuse_overlap(cursor, &members)?;
        Ok(members)
    }

    fn member(&self, cursor: &mut Cursor) -> Result<Member, FormatError> {
        let name = self.name(cursor)?;
        // Since version 3 the offset has as many bytes as the size of the compound needs.
        let offset_bytes = if self.version < 3 { 4 } else { 1 + (self.size.ilog2() / 8) as usize };
        let offset = cursor.uint("byte offset of member", offset_bytes)? as u32;
        let mut dims = Vec::new();
        if self.version == 1 {
            let at = cursor.at();
            let rank = cursor.u8("dimensionality")?;
            if rank > MEMBER_RANK_MAX {
                let what = format!("{rank} dimensions, but at most {MEMBER_RANK_MAX} are possible");
                return Err(cursor.invalid_at(at, "dimensionality", what));
            }
            cursor.skip("reserved and permutation", 11)?;
            for _ in 0..MEMBER_RANK_MAX {
                dims.push(cursor.u32("dimension size")?);
            }
            dims.truncate(rank.into());
        }
        let at = cursor.at();
        let mut datatype = parse_nested(cursor, self.depth + 1)?;
        if !dims.is_empty() {
            let size = dims.iter().try_fold(datatype.size, |size, &dim| size.checked_mul(dim));
            let Some(size) = size.filter(|&size| size > 0) else {
                let what = format!("dimensions {dims:?} of elements of {} bytes", datatype.size);
                return Err(cursor.invalid_at(at, "dimension size", what));
            };
            datatype =
                Datatype { size, class: Class::Array { dims, base: Box::new(datatype) }, committed: None };
        }
        Ok(Member { name, offset, datatype })
    }

    /// Members may be in any order and leave gaps, but must not overlap.
    fn refuse_overlap(&self, cursor: &Cursor, members: &[Member]) -> Result<(), FormatError> {
        let mut sorted: Vec<&Member> = members.iter().collect();
        sorted.sort_by_key(|member| member.offset);
        for pair in sorted.windows(2) {
            let end = u64::from(pair[0].offset) + u64::from(pair[0].datatype.size);
            if end > pair[1].offset.into() {
                let what = format!("members {} and {} overlap", pair[0].name, pair[1].name);
                return Err(self.invalid(cursor, "byte offset of member", what));
            }
        }
        Ok(())
    }

    pub fn enumeration(&self, cursor: &mut Cursor) -> Result<Class, FormatError> {
        let count = self.bits & 0xffff;
        let base = self.base(cursor)?;
        if base.size != self.size {
            let what = format!("{} bytes, but the base datatype has {}", self.size, base.size);
            return Err(self.invalid(cursor, "size", what));
        }
        let mut names = Vec::new();
        for _ in 0..count {
            let at = cursor.at();
            let name = self.name(cursor)?;
            if name.as_bytes().is_empty() {
                return Err(cursor.invalid_at(at, "name", "a member has no name"));
            }
            names.push(name);
        }
        let members = names
            .into_iter()
            .map(|name| Ok((name, cursor.bytes("value", base.size as usize)?)))
            .collect::<Result<_, FormatError>>()?;
        Ok(Class::Enum { base, members })
    }

    fn name(&self, cursor: &mut Cursor) -> Result<Name, FormatError> {
        let start = cursor.position();
        let name = cursor.nul_terminated("name")?;
        if self.version < 3 {
            let len = cursor.position() - start;
            cursor.skip("name padding", len.next_multiple_of(8) - len)?;
        }
        Ok(Name::new(name))
    }
}
