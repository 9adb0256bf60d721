//! Symbol table nodes (specification III.B and III.C): up to 2K links of an old-style group, by name.
//!
//! ```text
//! "SNOD" | version 1 | reserved | number of symbols 2 | entries
//! entry:  link name offset | object header | cache type 4 | reserved 4 | scratch-pad space 16
//! ```
//!
//! Names and the targets of soft links are offsets in the group's local heap. A soft link is an entry with cache type
//! 2. The data that other cache types store is in the object headers too, and is not read from here.

use super::names::Names;
use crate::message::datatype::Charset;
use crate::message::{Link, LinkTarget};
use crate::{Address, Encoder, FormatError, Name, Parse, View, Widths};

/// An entry of a node, whose name and target have not been read from the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The absolute offset of the entry.
    pub at: u64,
    /// The offset of the name in the heap.
    pub name_offset: u64,
    /// The object header; `None` for soft links.
    pub header: Option<Address>,
    /// The offset of a soft link's target in the heap.
    pub soft_target: Option<u32>,
}

/// A node.
#[derive(Debug, Clone)]
pub struct SymbolTableNode {
    /// The absolute offset of the node.
    pub at: u64,
    /// The size in bytes of the node up to its last entry.
    pub bytes: u64,
    /// The entries in use.
    pub entries: Vec<Entry>,
}

const STRUCTURE: &str = "symbol table node";
/// The usual capacity of a node, used only to choose how many bytes to request at first.
const USUAL_ENTRIES: u64 = 8;
const CACHED_SOFT_LINK: u32 = 2;

impl SymbolTableNode {
    /// Parses the node at `address`.
    pub fn parse(view: &View, address: Address) -> Parse<Self> {
        let widths = view.widths;
        let entry = u64::from(widths.length) + u64::from(widths.offset) + 24;
        let mut cursor = view.cursor_up_to(STRUCTURE, address, 8 + USUAL_ENTRIES * entry)?;
        let at = cursor.at();
        cursor.signature(b"SNOD")?;
        cursor.version(1..=1)?;
        cursor.skip("reserved", 1)?;
        let symbols = u64::from(cursor.u16("number of symbols")?);
        let bytes = 8 + symbols * entry;
        if symbols * entry > cursor.left() as u64 {
            cursor = view.cursor(STRUCTURE, address, bytes)?;
            cursor.skip("header", 8)?;
        }
        // Space is allocated for all entries that a node may have.
        view.parsed(STRUCTURE, address, bytes.max(8 + USUAL_ENTRIES * entry));
        let mut entries = Vec::with_capacity(symbols as usize);
        for _ in 0..symbols {
            let at = cursor.at();
            let name_offset = cursor.length("link name offset")?;
            let header = cursor.address("object header address")?;
            let cache_type = cursor.u32("cache type")?;
            cursor.skip("reserved", 4)?;
            let mut scratch = cursor.sub("scratch-pad space", 16)?;
            let soft_target = match cache_type {
                CACHED_SOFT_LINK => Some(scratch.u32("offset to link value")?),
                _ => None,
            };
            entries.push(Entry { at, name_offset, header, soft_target });
        }
        Ok(Self { at, bytes, entries })
    }

    /// The size in bytes of a node with room for `entries` entries.
    pub fn full_bytes(entries: u64, widths: Widths) -> u64 {
        8 + entries * (u64::from(widths.length) + u64::from(widths.offset) + 24)
    }

    /// Encodes a node with these entries (in the order of their names), and with room for `room` entries.
    pub fn encode(entries: &[Entry], room: usize, out: &mut Encoder) {
        let end = out.position() + Self::full_bytes(room as u64, out.widths()) as usize;
        if entries.len() > room {
            return out.refuse("number of symbols", format!("{} entries for {room} places", entries.len()));
        }
        out.bytes(b"SNOD");
        out.u8(1);
        out.u8(0);
        out.count("number of symbols", entries.len(), 2);
        for entry in entries {
            out.length("link name offset", entry.name_offset);
            out.address("object header address", entry.header);
            out.u32(if entry.soft_target.is_some() { CACHED_SOFT_LINK } else { 0 });
            out.zeros(4);
            out.u32(entry.soft_target.unwrap_or_default());
            out.zeros(12);
        }
        out.zeros(end - out.position());
    }
}

impl Entry {
    /// The name of the link.
    pub(super) fn name(&self, view: &View, names: &Names) -> Parse<Name> {
        let name = names.text(view, "link name", self.name_offset)?;
        if name.as_bytes().is_empty() {
            let what = "the link has no name";
            return Err(FormatError::invalid(STRUCTURE, "link name offset", self.at, what).into());
        }
        Ok(name)
    }

    /// The link.
    pub(super) fn link(&self, view: &View, names: &Names) -> Parse<Link> {
        let name = self.name(view, names)?;
        let target = match (self.soft_target, self.header) {
            (Some(offset), _) => LinkTarget::Soft(names.text(view, "soft link value", offset.into())?),
            (None, Some(header)) => LinkTarget::Hard(header),
            (None, None) => {
                let what = format!("the link {name} has no target");
                let field = "object header address";
                return Err(FormatError::invalid(STRUCTURE, field, self.at, what).into());
            }
        };
        Ok(Link { name, charset: Charset::Ascii, creation_order: None, target })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::heap::local::tests::heap;
    use crate::testing::{Build, every_prefix_fails};

    /// Appends a node to `image`. Each link is a name offset, an object header and (for soft links) a target offset.
    pub(crate) fn node(image: Build, links: &[(u64, u64, Option<u32>)]) -> Build {
        let mut image = image.text("SNOD").u8(1).u8(0).u16(links.len() as u16);
        for &(name, header, soft) in links {
            image = image.u64(name).u64(header).u32(if soft.is_some() { 2 } else { 0 }).u32(0);
            image = image.u32(soft.unwrap_or(0)).bytes(&[0; 12]);
        }
        image
    }

    #[test]
    fn reads_hard_and_soft_links() {
        let links = [(8, 800, None), (16, u64::MAX, Some(24)), (0, 800, None), (8, u64::MAX, None)];
        let image = node(Build::default(), &links);
        let at = image.here();
        let image = heap(image, b"\0\0\0\0\0\0\0\0hard\0\0\0\0soft\0\0\0\0/hard\0\0\0");
        let view = image.view();
        let names = Names::all(&view, at).unwrap();
        let node = SymbolTableNode::parse(&view, Address(0)).unwrap();
        let links: Vec<_> = node.entries.iter().map(|entry| entry.link(&view, &names)).collect();
        let [Ok(hard), Ok(soft), Err(nameless), Err(nowhere)] = &links[..] else { panic!("{links:?}") };
        assert_eq!((&hard.name, &hard.target), (&Name::from("hard"), &LinkTarget::Hard(Address(800))));
        assert_eq!((&soft.name, &soft.target), (&Name::from("soft"), &LinkTarget::Soft("/hard".into())));
        assert!(format!("{nameless:?}").contains("no name"));
        assert!(format!("{nowhere:?}").contains("has no target"));
    }

    #[test]
    fn reads_nodes_larger_than_usual() {
        let image = node(Build::default(), &[(8, 800, None); 100]);
        let node = SymbolTableNode::parse(&image.view(), Address(0)).unwrap();
        assert_eq!((node.entries.len(), node.bytes), (100, image.here().0));
        every_prefix_fails(&image, |view| SymbolTableNode::parse(view, Address(0)));
    }
}
