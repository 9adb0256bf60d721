//! Vgroups: named lists of elements, and of Vgroups.

use crate::cursor::{Cursor, Parsed};
use crate::tag;
use hyperslab_format::{FormatError, Name};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes from the version of a Vgroup or a Vdata to the end of its element.
pub(crate) const VERSION_FROM_END: usize = 5;
/// From this version on, there are flags and attributes.
pub(crate) const VERSION_WITH_ATTRIBUTES: u16 = 4;
/// A Vgroup with this flag has attributes.
const HAS_ATTRIBUTES: u32 = 1;

/// A Vgroup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vgroup {
    /// Its name, which may be empty.
    pub name: Name,
    /// Its class: what it is for.
    pub class: Name,
    /// The tags and references of its members, in their order.
    pub members: Vec<(u16, u16)>,
    /// The tags and references of the Vdatas that are its attributes.
    pub attributes: Vec<(u16, u16)>,
}

impl Vgroup {
    /// Parses the Vgroup that begins at `at`.
    ///
    /// # Errors
    /// An element that is too short for what it says it contains.
    pub fn parse(bytes: &[u8], at: u64) -> Result<Self, FormatError> {
        let mut fields = Cursor::new("Vgroup", bytes, at);
        let version = version(&fields, bytes)?;
        let count = fields.u16("number of members")?;
        let count = fields.count_of("number of members", count.into(), 4)?;
        let tags = fields.u16s("tags", count)?;
        let references = fields.u16s("references", count)?;
        let name = fields.name("name")?;
        let class = fields.name("class")?;
        let _extension = (fields.u16("extension tag")?, fields.u16("extension reference")?);
        let mut attributes = Vec::new();
        if version >= VERSION_WITH_ATTRIBUTES && fields.u32("flags")? & HAS_ATTRIBUTES != 0 {
            let count = fields.length("number of attributes")?;
            for _ in 0..fields.count_of("number of attributes", count, 4)? {
                attributes.push((fields.u16("attribute tag")?, fields.u16("attribute reference")?));
            }
        }
        Ok(Self { name, class, members: tags.into_iter().zip(references).collect(), attributes })
    }
}

/// The Vgroups that lead to all others, by their references: those that are no members (`is_lone`), and the first of each circle that
/// these do not lead to.
pub fn roots(vgroups: &BTreeMap<u16, Vgroup>, is_lone: impl Fn(u16) -> bool) -> BTreeSet<u16> {
    let (mut roots, mut reached) = (BTreeSet::new(), BTreeSet::new());
    let lone = vgroups.keys().filter(|reference| is_lone(**reference));
    for root in lone.chain(vgroups.keys()) {
        if reached.contains(root) {
            continue;
        }
        roots.insert(*root);
        let mut next = vec![*root];
        while let Some(reference) = next.pop() {
            if let (true, Some(vgroup)) = (reached.insert(reference), vgroups.get(&reference)) {
                let members = vgroup.members.iter().filter(|(tag, _)| *tag == tag::VGROUP);
                next.extend(members.map(|(_, member)| *member));
            }
        }
    }
    roots
}

/// The version of a Vgroup or a Vdata.
pub(crate) fn version(fields: &Cursor<'_>, bytes: &[u8]) -> Parsed<u16> {
    let mut end = fields.clone();
    end.seek(bytes.len().saturating_sub(VERSION_FROM_END));
    end.u16("version")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vgroup(version: u16) -> Vec<u8> {
        let mut bytes = vec![0, 2];
        bytes.extend([0x07, 0xAD, 0x02, 0xD0, 0, 5, 0, 6]);
        bytes.extend([0, 3]);
        bytes.extend(b"abc");
        bytes.extend([0, 6]);
        bytes.extend(b"Var0.0");
        bytes.extend([0, 0, 0, 0]);
        if version == 4 {
            bytes.extend([0, 0, 0, 1, 0, 0, 0, 1, 0x07, 0xAA, 0, 9]);
        }
        bytes.extend(version.to_be_bytes());
        bytes.extend([0, 0, 0]);
        bytes
    }

    #[test]
    fn members_and_attributes_are_parsed() {
        let old = Vgroup::parse(&vgroup(3), 0).unwrap();
        assert_eq!(old.members, [(1965, 5), (720, 6)]);
        assert_eq!((old.name.as_bytes(), old.class.as_bytes()), (&b"abc"[..], &b"Var0.0"[..]));
        assert!(old.attributes.is_empty());
        assert_eq!(Vgroup::parse(&vgroup(4), 0).unwrap().attributes, [(1962, 9)]);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        Vgroup::parse(&[0, 9, 0, 0, 0, 0], 0).unwrap_err();
        Vgroup::parse(&[], 0).unwrap_err();
        let mut many = vgroup(4);
        let at = many.len() - 5 - 8;
        many[at..at + 4].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF]);
        Vgroup::parse(&many, 0).unwrap_err();
    }
}
