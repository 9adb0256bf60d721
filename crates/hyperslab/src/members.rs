//! Reading some members of a compound datatype. The other members are not copied, and not fetched if they are large.

use crate::datatype::to_native;
use crate::element::{bytes_of, zeros};
use crate::{Dataset, Element, Endianness, Error, Result, Selection};
use hyperslab_array::memory::zeroed;
use hyperslab_array::selection::FieldSubset;
use hyperslab_format::Name;
use hyperslab_format::message::datatype::Member;
use hyperslab_format::message::{Class, Datatype};

/// Some members of a compound datatype, in any order.
#[derive(Debug, Clone)]
pub struct Members {
    wanted: Vec<Member>,
    packed: Datatype,
    parts: FieldSubset,
}

impl Members {
    /// The members of these names.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the datatype has no member of a name;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the datatype is not a compound.
    pub fn new(datatype: &Datatype, names: &[impl AsRef<[u8]>]) -> Result<Self> {
        let Class::Compound { members } = &datatype.class else {
            return Err(Error::invalid(format!("{datatype} is not a compound, so it has no members")));
        };
        let wanted = names.iter().map(|name| find(members, name.as_ref())).collect::<Result<Vec<_>>>()?;
        let range = |member: &Member| {
            let start = member.offset as usize;
            start..start.saturating_add(member.datatype.size as usize)
        };
        let parts = FieldSubset::new(wanted.iter().map(range).collect(), datatype.size as usize)?;
        let mut size = 0u32;
        let mut packed = wanted.clone();
        for member in &mut packed {
            member.offset = size;
            let beyond = || Error::invalid("the size of the members overflows that of a compound datatype");
            size = size.checked_add(member.datatype.size).ok_or_else(beyond)?;
        }
        let packed = Datatype { size, class: Class::Compound { members: packed }, committed: None };
        Ok(Self { wanted, packed, parts })
    }

    /// The datatype of the result: a compound of these members alone, one after the other, without gaps.
    pub fn datatype(&self) -> &Datatype {
        &self.packed
    }
}

fn find(members: &[Member], name: &[u8]) -> Result<Member> {
    let found = members.iter().find(|member| member.name.as_bytes() == name);
    found.cloned().ok_or_else(|| {
        let names: Vec<String> = members.iter().map(|member| member.name.to_string()).collect();
        let what = format!("the compound has no member {:?}", Name::new(name.to_vec()));
        let hint = match crate::suggest::suggest(&String::from_utf8_lossy(name), &names) {
            Some(nearest) => format!("did you mean {nearest:?}?"),
            None => format!("its members are {}", names.join(", ")),
        };
        Error::not_found(what).with_hint(hint)
    })
}

impl Dataset {
    /// Reads some members of the selected elements into `out`, in the layout of [`Members::datatype`] and in the byte
    /// order of the file. `out` must have exactly as many bytes as the result.
    pub fn read_members_into(&self, selection: &Selection, members: &Members, out: &mut [u8]) -> Result<()> {
        self.read_parts_into(selection, Endianness::File, Some(&members.parts), out)
    }

    /// Reads some members as bytes; see [`Self::read_members_into`].
    pub fn read_members(&self, selection: &Selection, members: &Members) -> Result<Vec<u8>> {
        let named = |error| self.inner.named(error);
        let elements = self.measure(selection)?.count;
        let mut out = zeroed(elements.checked_mul(members.packed.size.into())).map_err(named)?;
        self.read_members_into(selection, members, &mut out)?;
        Ok(out)
    }

    /// Reads one member as numbers.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the member has a different type: values are not converted
    /// implicitly.
    pub fn read_member<T: Element>(&self, selection: &Selection, name: &str) -> Result<Vec<T>> {
        let named = |error| self.inner.named(error);
        let members = Members::new(self.datatype(), &[name]).map_err(named)?;
        let stored = &members.wanted[0].datatype;
        let Some(conversion) = to_native(stored).filter(|_| T::holds(stored)) else {
            let what = format!("cannot read {name:?} as {}: its datatype is {stored}", T::NAME);
            return Err(named(Error::invalid(what)));
        };
        let elements = self.measure(selection)?.count;
        let mut values: Vec<T> = zeros(elements).map_err(named)?;
        let out = bytes_of(&mut values);
        self.read_members_into(selection, &members, out)?;
        conversion.in_place(out);
        Ok(values)
    }
}
