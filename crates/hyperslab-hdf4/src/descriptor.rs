//! Data descriptors: where the elements of a file are. They stand in blocks, each of which leads to the next.

use crate::cursor::{Cursor, Parsed};
use crate::tag;
use hyperslab_format::{FormatError, Problem};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The first bytes of every file.
pub const MAGIC: [u8; 4] = [0x0e, 0x03, 0x13, 0x01];
/// The header of a block: the number of its descriptors, and where the next block is.
const BLOCK_HEADER_BYTES: u64 = 6;
/// A tag, a reference, an offset and a length.
const DESCRIPTOR_BYTES: u64 = 12;
/// An element that was never written has this offset and this length.
const NOWHERE: u32 = u32::MAX;

/// A descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// What the element is; see [`tag`].
    pub tag: u16,
    /// Its number among the elements of this tag.
    pub reference: u16,
    /// The offset of its first byte.
    pub offset: u32,
    /// Its length in bytes.
    pub length: u32,
}

impl Descriptor {
    /// The bytes of the element, or of its description; `None` if it was never written.
    pub fn range(&self) -> Option<Range<u64>> {
        let exists = (self.offset, self.length) != (NOWHERE, NOWHERE);
        exists.then(|| u64::from(self.offset)..u64::from(self.offset) + u64::from(self.length))
    }

    /// True if a description stands in place of the element.
    pub fn is_special(&self) -> bool {
        tag::is_special(self.tag)
    }
}

/// All descriptors of a file.
#[derive(Debug, Clone, Default)]
pub struct Descriptors {
    all: Vec<Descriptor>,
    /// By the tag of the element and its reference.
    by_key: HashMap<(u16, u16), usize>,
    blocks: Vec<Range<u64>>,
}

impl Descriptors {
    /// Reads all blocks of a file of `file_len` bytes. `fetch` gives the bytes of a range; what is asked for lies in
    /// the file.
    ///
    /// # Errors
    /// Those of `fetch`; blocks beyond the end of the file, or that lead to one another in a circle.
    pub fn read<E: From<FormatError>>(
        file_len: u64,
        mut fetch: impl FnMut(Range<u64>) -> Result<Vec<u8>, E>,
    ) -> Result<Self, E> {
        let mut found = Self::default();
        let mut seen = HashSet::new();
        let mut next = MAGIC.len() as u64;
        while next != 0 {
            if !seen.insert(next) {
                return Err(invalid("next block", next, "the blocks lead back to this one").into());
            }
            check_end(next, BLOCK_HEADER_BYTES, file_len)?;
            let header = fetch(next..next + BLOCK_HEADER_BYTES)?;
            let mut header = Cursor::new("data descriptor block", &header, next);
            let count = u64::from(header.u16("number of descriptors")?);
            let following = u64::from(header.u32("next block")?);
            let start = next + BLOCK_HEADER_BYTES;
            check_end(start, count * DESCRIPTOR_BYTES, file_len)?;
            let end = start + count * DESCRIPTOR_BYTES;
            let bytes = fetch(start..end)?;
            found.add(&bytes, start)?;
            found.blocks.push(next..end);
            // Blocks that overlap could describe more elements than a file can hold.
            if found.all.len() as u64 * DESCRIPTOR_BYTES > file_len {
                return Err(invalid(
                    "number of descriptors",
                    next,
                    "more descriptors than the file has bytes for",
                )
                .into());
            }
            next = following;
        }
        Ok(found)
    }

    fn add(&mut self, bytes: &[u8], start: u64) -> Parsed<()> {
        let mut fields = Cursor::new("data descriptor", bytes, start);
        while fields.left() > 0 {
            let descriptor = Descriptor {
                tag: fields.u16("tag")?,
                reference: fields.u16("reference number")?,
                offset: fields.u32("offset")?,
                length: fields.u32("length")?,
            };
            if descriptor.tag == tag::NULL {
                continue;
            }
            let key = (tag::base(descriptor.tag), descriptor.reference);
            self.by_key.entry(key).or_insert(self.all.len());
            self.all.push(descriptor);
        }
        Ok(())
    }

    /// The descriptor of an element: its tag without the bit of special elements, and its reference.
    pub fn get(&self, tag: u16, reference: u16) -> Option<&Descriptor> {
        self.by_key.get(&(tag::base(tag), reference)).map(|index| &self.all[*index])
    }

    /// All of them, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Descriptor> {
        self.all.iter()
    }

    /// The elements of a tag, in the order of the file.
    pub fn of(&self, tag: u16) -> impl Iterator<Item = &Descriptor> {
        self.all.iter().filter(move |descriptor| tag::base(descriptor.tag) == tag)
    }

    /// Where the blocks are.
    pub fn blocks(&self) -> &[Range<u64>] {
        &self.blocks
    }
}

fn invalid(field: &'static str, at: u64, what: &str) -> FormatError {
    FormatError::invalid("data descriptor block", field, at, what)
}

fn check_end(at: u64, needed: u64, file_len: u64) -> Parsed<()> {
    match at + needed <= file_len {
        true => Ok(()),
        false => Err(FormatError {
            structure: "data descriptor block",
            field: "descriptors",
            at,
            problem: Problem::PastEnd { needed, file_len },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Descriptors, FormatError> {
        let fetch = |range: Range<u64>| Ok(bytes[range.start as usize..range.end as usize].to_vec());
        Descriptors::read(bytes.len() as u64, fetch)
    }

    /// A block with these descriptors that leads to `next`.
    fn block(next: u32, descriptors: &[(u16, u16, u32, u32)]) -> Vec<u8> {
        let mut bytes = (descriptors.len() as u16).to_be_bytes().to_vec();
        bytes.extend(next.to_be_bytes());
        for (tag, reference, offset, length) in descriptors {
            bytes.extend(tag.to_be_bytes());
            bytes.extend(reference.to_be_bytes());
            bytes.extend(offset.to_be_bytes());
            bytes.extend(length.to_be_bytes());
        }
        bytes
    }

    fn two_blocks(next: u32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(block(34, &[(tag::DATA, 2, 100, 8), (tag::NULL, 0, 0, 0)]));
        bytes.extend(block(next, &[(0x42BE, 3, NOWHERE, NOWHERE)]));
        bytes
    }

    #[test]
    fn blocks_are_followed_and_elements_found_by_their_base_tag() {
        let found = read(&two_blocks(0)).unwrap();
        assert_eq!(found.iter().count(), 2);
        assert_eq!(found.get(tag::DATA, 2).unwrap().range(), Some(100..108));
        let special = found.get(tag::DATA, 3).unwrap();
        assert_eq!((special.is_special(), special.range()), (true, None));
        assert_eq!(found.blocks(), [4..34, 34..52]);
        assert_eq!(found.of(tag::DATA).count(), 2);
    }

    #[test]
    fn circles_and_ends_are_errors() {
        let error = read(&two_blocks(4)).unwrap_err().to_string();
        assert!(error.contains("lead back to this one"), "{error}");
        let whole = two_blocks(0);
        for len in 4..whole.len() {
            let error = read(&whole[..len]).unwrap_err().to_string();
            assert!(error.contains("beyond the end of the file"), "{error}");
        }
        read(&two_blocks(0xFFFF_FFF0)).unwrap_err();
    }
}
