//! Revised references, introduced in HDF5 1.12: to an object, to a region of a dataset, or to an attribute, in this
//! file or another one (specification VIII.C, "Reference Encoding (Revised)").
//!
//! ```text
//! element    type 1 | flags 1 | encoded object, if it is an object of this file
//!            type 1 | flags 1 | size 4 | address O | index 4 of the rest in the global heap
//!
//! encoded    length 1 | object | [file] | [region or attribute]
//! file       length 2 | name               if flag 0 is set
//! region     size 4 | rank 4 | selection   in references to regions
//! attribute  length 2 | name
//! ```
//!
//! The types are 2 (object), 3 (region) and 4 (attribute). Type 0 without a heap object is a null reference. The object
//! is the address of its header. Storage connectors other than libhdf5's own write other tokens, which are not
//! supported.

use crate::selection::EncodedSelection;
use crate::{Address, Bytes, Cursor, FormatError, Name, Widths};

/// An element of a dataset of references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredReference {
    /// A null reference.
    Null,
    /// A complete reference.
    Here(RevisedReference),
    /// A reference whose encoding continues in the global heap.
    InHeap {
        /// Its type and flags.
        kind: Kind,
        /// The address of the global heap collection.
        collection: Address,
        /// The index of the object in it.
        index: u32,
    },
}

/// The type and flags of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    class: u8,
    external: bool,
}

/// The target of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisedReference {
    /// The address of the object header.
    pub object: Address,
    /// The file that contains the object, if it is another file.
    pub file: Option<Name>,
    /// The part of the object that the reference refers to.
    pub target: ReferenceTarget,
}

/// The part of an object that a reference refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// The object itself.
    Object,
    /// A region of it; the bytes are an [`EncodedSelection`].
    Region(Bytes),
    /// One of its attributes.
    Attribute(Name),
}

const STRUCTURE: &str = "reference";
const NOTHING: u8 = 0;
const OBJECT: u8 = 2;
const REGION: u8 = 3;
const ATTRIBUTE: u8 = 4;
const EXTERNAL: u8 = 0x01;

impl StoredReference {
    /// Parses an element of a file with these widths.
    pub fn parse(element: Bytes, widths: Widths) -> Result<Self, FormatError> {
        let mut cursor = Cursor::new(STRUCTURE, 0, element, widths);
        let at = cursor.at();
        let class = cursor.u8("reference type")?;
        let flags = cursor.u8("flags")?;
        if !matches!(class, NOTHING | OBJECT..=ATTRIBUTE) {
            return Err(cursor.invalid_at(
                at,
                "reference type",
                format!("type {class} is not one of 2 to 4"),
            ));
        }
        let kind = Kind { class, external: flags & EXTERNAL != 0 };
        if class == OBJECT && !kind.external {
            return RevisedReference::parse(kind, cursor).map(Self::Here);
        }
        cursor.skip("size", 4)?;
        let collection = cursor.address("collection address")?.filter(|address| address.0 > 0);
        match collection {
            None => Ok(Self::Null),
            Some(_) if class == NOTHING => {
                Err(cursor.invalid_at(at, "reference type", "a reference of type 0 is not null"))
            }
            Some(collection) => Ok(Self::InHeap { kind, collection, index: cursor.u32("object index")? }),
        }
    }
}

impl RevisedReference {
    /// Parses the encoding of a reference in the global heap.
    pub fn parse_in_heap(kind: Kind, object: Bytes, widths: Widths) -> Result<Self, FormatError> {
        Self::parse(kind, Cursor::new(STRUCTURE, 0, object, widths))
    }

    fn parse(kind: Kind, mut cursor: Cursor) -> Result<Self, FormatError> {
        let at = cursor.at();
        let len = cursor.u8("length of the object token")?;
        if len != cursor.widths().offset {
            let what = format!("a token of {len} bytes is not an address in this file");
            return Err(FormatError::unsupported(STRUCTURE, "length of the object token", at, what));
        }
        let object = cursor.address_defined("object")?;
        let file = if kind.external { Some(text(&mut cursor, "file name")?) } else { None };
        let target = match kind.class {
            REGION => ReferenceTarget::Region(region(cursor)?),
            ATTRIBUTE => ReferenceTarget::Attribute(text(&mut cursor, "attribute name")?),
            _ => ReferenceTarget::Object,
        };
        Ok(Self { object, file, target })
    }
}

fn text(cursor: &mut Cursor, field: &'static str) -> Result<Name, FormatError> {
    let len = cursor.u16(field)?;
    cursor.bytes(field, len.into()).map(Name::new)
}

/// The encoded selection, which is parsed here once to check that it is valid.
fn region(mut cursor: Cursor) -> Result<Bytes, FormatError> {
    let size = cursor.u32("size of the selection")?;
    cursor.u32("rank")?;
    let encoded = cursor.bytes("selection", size as usize)?;
    EncodedSelection::parse(&mut Cursor::new(STRUCTURE, 0, encoded.clone(), cursor.widths()))?;
    Ok(encoded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    const WIDE: Widths = Widths { offset: 8, length: 8 };
    const NARROW: Widths = Widths { offset: 4, length: 4 };

    fn element(build: &Build, widths: Widths) -> Result<StoredReference, FormatError> {
        StoredReference::parse(build.done(), widths)
    }

    #[test]
    fn an_object_of_this_file_stands_in_the_element() {
        for widths in [WIDE, NARROW] {
            let build = Build::new(widths).u8(2).u8(0).u8(widths.offset).address(0x320);
            let object =
                RevisedReference { object: Address(0x320), file: None, target: ReferenceTarget::Object };
            assert_eq!(element(&build, widths), Ok(StoredReference::Here(object)));
            for len in 0..build.len() {
                assert!(StoredReference::parse(build.done().slice(..len), widths).is_err());
            }
        }
    }

    #[test]
    fn everything_else_lies_in_the_heap() {
        let build = Build::default().u8(4).u8(1).u32(30).address(0x800).u32(3);
        let Ok(StoredReference::InHeap { kind, collection, index }) = element(&build, WIDE) else { panic!() };
        assert_eq!((collection, index), (Address(0x800), 3));
        let object = Build::default().u8(8).address(0x60).u16(4).bytes(b"f.h5").u16(5).bytes(b"units");
        let expected = RevisedReference {
            object: Address(0x60),
            file: Some("f.h5".into()),
            target: ReferenceTarget::Attribute("units".into()),
        };
        assert_eq!(RevisedReference::parse_in_heap(kind, object.done(), WIDE), Ok(expected));
        for len in 0..object.len() {
            assert!(RevisedReference::parse_in_heap(kind, object.done().slice(..len), WIDE).is_err());
        }
    }

    #[test]
    fn a_region_is_a_selection() {
        let all = Build::default().u32(3).u32(1).zeros(8);
        let kind = Kind { class: REGION, external: false };
        let object = Build::default().u8(8).address(0x60).u32(16).u32(2).and(&all);
        let found = RevisedReference::parse_in_heap(kind, object.done(), WIDE).unwrap();
        assert_eq!(found.target, ReferenceTarget::Region(all.done()));
        for len in 0..object.len() {
            assert!(RevisedReference::parse_in_heap(kind, object.done().slice(..len), WIDE).is_err());
        }
    }

    #[test]
    fn null_and_nonsense() {
        for class in [0, 2, 3, 4] {
            let null = Build::default().u8(class).u8(1).u32(0).address(0).u32(0);
            assert_eq!(element(&null, WIDE), Ok(StoredReference::Null));
        }
        assert!(element(&Build::default().u8(0).u8(0).u32(0).address(9).u32(0), WIDE).is_err());
        assert!(element(&Build::default().u8(5).u8(0).zeros(16), WIDE).is_err());
        let foreign = Build::default().u8(2).u8(0).u8(16).zeros(16);
        assert!(element(&foreign, WIDE).unwrap_err().is_unsupported());
    }
}
