//! New old-style groups: a version 1 B-tree of symbol table nodes, and a local heap with the names (see
//! [`old`](super::old)). All nodes but the last of a level are full.

use super::symbol_table::{Entry, SymbolTableNode};
use crate::btree::v1::NodeType;
use crate::btree::v1_layout::TreeLayout;
use crate::heap::{HeapPlaces, HeapTextBuilder};
use crate::message::datatype::Charset;
use crate::message::{BtreeK, Link, LinkTarget, SymbolTable};
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths};

/// A new old-style group whose structures have addresses.
#[derive(Debug, Clone)]
pub struct OldGroupLayout {
    widths: Widths,
    heap: HeapPlaces,
    tree: TreeLayout,
    /// The addresses of the symbol table nodes.
    symbols: Vec<Address>,
    /// The entries of a full symbol table node.
    symbols_max: usize,
}

const STRUCTURE: &str = "symbol table";

/// The names and soft targets of a group's links.
struct Names {
    text: HeapTextBuilder,
    /// The links by the order of their names, with the offsets of name and soft target.
    sorted: Vec<(usize, u64, Option<u64>)>,
}

impl Names {
    fn new(links: &[Link]) -> Self {
        let mut order: Vec<usize> = (0..links.len()).collect();
        order.sort_by(|&a, &b| links[a].name.cmp(&links[b].name));
        let mut text = HeapTextBuilder::default();
        let sorted = order.into_iter().map(|i| {
            let name = text.push(links[i].name.as_bytes());
            let target = match &links[i].target {
                LinkTarget::Soft(path) => Some(text.push(path.as_bytes())),
                _ => None,
            };
            (i, name, target)
        });
        let sorted = sorted.collect();
        Self { text, sorted }
    }
}

impl OldGroupLayout {
    /// Places a group of these links; the addresses of their objects are not used. `k` are the values of the superblock.
    pub fn place(links: &[Link], k: &BtreeK, widths: Widths, allocate: &mut Allocate<'_>) -> Self {
        let (symbols_max, children_max) =
            (2 * usize::from(k.group_leaf).max(1), 2 * usize::from(k.group_internal).max(1));
        let symbols = links.len().div_ceil(symbols_max);
        // A group without links has a tree without children.
        let tree = TreeLayout::place(NodeType::Group, symbols, children_max, widths, allocate);
        let heap = Names::new(links).text.place(widths, allocate);
        let symbol_bytes = SymbolTableNode::full_bytes(symbols_max as u64, widths);
        let symbols = (0..symbols).map(|_| allocate(symbol_bytes)).collect();
        Self { widths, heap, tree, symbols, symbols_max }
    }

    /// The message that says where the group is.
    pub fn message(&self) -> SymbolTable {
        SymbolTable { btree: self.tree.root(), heap: self.heap.header }
    }

    /// All blocks. `links` are those for which the group was placed.
    ///
    /// # Errors
    ///
    /// If they are others, or links that old-style groups do not have.
    pub fn encode(&self, links: &[Link]) -> Result<Vec<PlacedBlock>, EncodeError> {
        if links.len().div_ceil(self.symbols_max) != self.symbols.len() {
            let what = format!("{} links for {} nodes", links.len(), self.symbols.len());
            return Err(refuse("number of symbols", what));
        }
        let names = Names::new(links);
        let entries: Vec<Entry> = names
            .sorted
            .iter()
            .map(|&(i, name_offset, target)| entry(&links[i], name_offset, target))
            .collect::<Result<_, _>>()?;
        let mut blocks = names.text.encode(self.heap, self.widths)?.to_vec();
        for (entries, &address) in entries.chunks(self.symbols_max).zip(&self.symbols) {
            let mut out = Encoder::new(STRUCTURE, self.widths);
            SymbolTableNode::encode(entries, self.symbols_max, &mut out);
            blocks.push(PlacedBlock { address, bytes: out.finish()? });
        }
        // Key k is the last name before child k; before the first name it is the empty text at offset 0.
        blocks.extend(self.tree.encode(&self.symbols, self.symbols_max, |before, out| {
            let last = before.min(entries.len()).checked_sub(1).and_then(|last| entries.get(last));
            out.length("key", last.map_or(0, |entry| entry.name_offset));
        })?);
        Ok(blocks)
    }
}

/// The entry of a link whose name and soft target are at these offsets of the heap.
fn entry(link: &Link, name_offset: u64, target: Option<u64>) -> Result<Entry, EncodeError> {
    let name = link.name.as_bytes();
    if name.is_empty() || name.contains(&0) {
        return Err(refuse("link name", format!("the name {} is empty or contains a NUL", link.name)));
    }
    if link.charset != Charset::Ascii {
        return Err(refuse("link name", format!("the name {} is not ASCII", link.name)));
    }
    let header = match &link.target {
        LinkTarget::Hard(address) => Some(*address),
        LinkTarget::Soft(path) if path.as_bytes().is_empty() => {
            return Err(refuse("soft link value", "the path is empty"));
        }
        LinkTarget::Soft(path) if !path.as_bytes().contains(&0) => None,
        _ => return Err(refuse("link", format!("the link {} is neither hard nor soft", link.name))),
    };
    let soft_target = target.map(u32::try_from).transpose();
    let soft_target = soft_target.map_err(|_| refuse("offset to link value", "more than 32 bits"))?;
    Ok(Entry { at: 0, name_offset, header, soft_target })
}

fn refuse(field: &'static str, what: impl Into<String>) -> EncodeError {
    EncodeError { structure: STRUCTURE, field, what: what.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::group::old;
    use crate::testing::Build;

    /// A group of `count` links in a file, and its symbol table. Every third link is a soft link.
    fn group(count: usize, k: BtreeK) -> (Vec<Link>, SymbolTable, Build) {
        let links: Vec<Link> = (0..count)
            .map(|i| {
                let target = match i % 3 {
                    2 => LinkTarget::Soft(format!("/target/{i}").as_str().into()),
                    _ => LinkTarget::Hard(Address(i as u64 + 1)),
                };
                // Not in the order of the names.
                let name = format!("{}", (i * 7919) % count.max(1)).as_str().into();
                Link { name, charset: Charset::Ascii, creation_order: None, target }
            })
            .collect();
        let mut end = 64;
        let allocate = &mut |bytes| {
            let start = end;
            end += bytes;
            Address(start)
        };
        let layout = OldGroupLayout::place(&links, &k, Widths::default(), allocate);
        let mut image = vec![0; end as usize];
        for block in layout.encode(&links).unwrap() {
            image[block.address.0 as usize..][..block.bytes.len()].copy_from_slice(&block.bytes);
        }
        (links, layout.message(), Build::default().bytes(&image))
    }

    #[test]
    fn all_links_are_read_again() {
        // No node; one; a full tree node; two levels; three levels.
        let small = BtreeK { group_leaf: 1, group_internal: 2, ..BtreeK::default() };
        let usual = [0, 1, 8, 9, 256, 257, 8191, 8300].map(|count| (count, BtreeK::default()));
        for (count, k) in usual.into_iter().chain([0, 1, 8, 9, 700].map(|count| (count, small))) {
            let (mut links, table, image) = group(count, k);
            links.sort_by(|a, b| a.name.cmp(&b.name));
            let found = old::list(table).advance(&image.view()).unwrap();
            let found: Vec<Link> = found.into_iter().collect::<Result<_, _>>().unwrap();
            assert!(found == links, "{count}");
            for link in links.iter().step_by(97) {
                let found = old::lookup(table, link.name.clone()).advance(&image.view());
                assert_eq!(found.unwrap().as_ref(), Some(link));
            }
            assert_eq!(old::lookup(table, "none".into()).advance(&image.view()), Ok(None));
        }
    }

    #[test]
    fn links_of_other_kinds_are_refused() {
        let layout = |link: &Link| {
            let links = std::slice::from_ref(link);
            OldGroupLayout::place(links, &BtreeK::default(), Widths::default(), &mut |_| Address(0))
                .encode(links)
        };
        let target = LinkTarget::Hard(Address(8));
        let link = Link { name: "a".into(), charset: Charset::Ascii, creation_order: None, target };
        assert!(layout(&link).is_ok());
        layout(&Link { name: "".into(), ..link.clone() }).unwrap_err();
        layout(&Link { name: "a\0b".into(), ..link.clone() }).unwrap_err();
        layout(&Link { charset: Charset::Utf8, ..link.clone() }).unwrap_err();
        layout(&Link { target: LinkTarget::Soft("".into()), ..link.clone() }).unwrap_err();
        let target = LinkTarget::External { file: "f".into(), path: "/".into() };
        layout(&Link { target, ..link }).unwrap_err();
    }
}
