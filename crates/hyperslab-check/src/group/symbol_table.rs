//! The nodes of an old-style group.

use super::{NODE_ENTRIES, NODE_KEYS, SYMBOL_CACHE, SYMBOL_ORDER};
use crate::btree_v1::TreeShape;
use crate::checker::{Checked, Checker};
use hyperslab_format::heap::{HeapText, LocalHeap};
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Link, LinkTarget, SymbolTable};
use hyperslab_format::object_header::ObjectHeader;
use hyperslab_format::{Address, Cursor, Name};

const STRUCTURE: &str = "symbol table node";
const ENTRY: &str = "symbol table entry";
const NOTHING_CACHED: u32 = 0;
const SYMBOL_TABLE_CACHED: u32 = 1;
const SOFT_LINK: u32 = 2;

/// What is known of a group while its nodes are checked.
struct GroupNames {
    text: HeapText,
    /// Offset and bytes of the texts in use.
    used: Vec<(u64, u64)>,
    last: Option<Name>,
    links: Vec<Link>,
}

impl Checker<'_> {
    /// Checks the nodes and the heap of a group, and returns its links.
    pub(crate) fn check_old_group(&mut self, table: SymbolTable) -> Checked<Vec<Link>> {
        let text = LocalHeap::parse(&self.view, table.heap)?.read(&self.view)?;
        let shape = TreeShape {
            kind: 0,
            structure: "group B-tree node",
            key_bytes: self.view.widths.length.into(),
            k: self.node_sizes.group_internal,
        };
        let mut names = GroupNames { text: text.clone(), used: Vec::new(), last: None, links: Vec::new() };
        let key = |key: &Cursor| -> Checked<Name> { Ok(text.text("key", key.clone().length("key")?)?) };
        let checked = self.check_btree_v1(shape, table.btree, &key, &mut |checker, node| {
            for (i, &(child, _)) in node.children.iter().enumerate() {
                let bounds = (key(&node.keys[i])?, key(&node.keys[i + 1])?);
                let checked = checker.check_symbol_node(child, bounds, &mut names);
                checker.finish(checked);
            }
            Ok(())
        });
        self.finish(checked);
        let checked = self.check_local_heap(table.heap, names.used);
        self.finish(checked);
        Ok(names.links)
    }

    fn check_symbol_node(
        &mut self,
        address: Address,
        (low, high): (Name, Name),
        names: &mut GroupNames,
    ) -> Checked {
        let widths = self.view.widths;
        let entry_bytes = u64::from(widths.length) + u64::from(widths.offset) + 24;
        let room = 2 * self.node_sizes.group_leaf;
        let mut cursor = self.cursor(STRUCTURE, address, 8 + room * entry_bytes)?;
        let at = cursor.at();
        cursor.signature(b"SNOD")?;
        cursor.version(1..=1)?;
        self.reserved(&mut cursor, "reserved", 1)?;
        let symbols = u64::from(cursor.u16("number of symbols")?);
        self.demand(symbols <= room && symbols > 0, &NODE_ENTRIES, STRUCTURE, at, || {
            format!("{symbols} entries in a node with room for {room}")
        });
        for _ in 0..symbols.min(room) {
            let entry = cursor.sub("entry", entry_bytes as usize)?.renamed(ENTRY);
            let at = entry.at();
            let checked = self.check_entry(entry, names);
            let Some(name) = self.finish(checked) else { continue };
            self.demand(low < name && name <= high, &NODE_KEYS, ENTRY, at, || {
                format!("the name {name} is not between the keys {low:?} and {high:?}")
            });
            let ascends = names.last.as_ref().is_none_or(|last| *last < name);
            self.demand(ascends, &SYMBOL_ORDER, ENTRY, at, || {
                format!("the name {name} comes after {}", names.last.as_ref().expect("compared above"))
            });
            names.last = Some(name);
        }
        Ok(())
    }

    fn check_entry(&mut self, mut entry: Cursor, names: &mut GroupNames) -> Checked<Name> {
        let at = entry.at();
        let name_offset = entry.length("link name offset")?;
        let header = entry.address("object header address")?;
        let cache_type = entry.u32("cache type")?;
        self.reserved(&mut entry, "reserved", 4)?;
        let mut scratch = entry.sub("scratch-pad space", 16)?;
        let name = names.text.text("link name offset", name_offset)?;
        names.used.push((name_offset, name.as_bytes().len() as u64 + 1));
        if name.as_bytes().is_empty() {
            return Err(entry.invalid_at(at, "link name offset", "the link has no name").into());
        }
        let target = match cache_type {
            SOFT_LINK => {
                let offset = u64::from(scratch.u32("offset to link value")?);
                let path = names.text.text("offset to link value", offset)?;
                names.used.push((offset, path.as_bytes().len() as u64 + 1));
                self.demand(header.is_none_or(|header| header.0 == 0), &SYMBOL_CACHE, ENTRY, at, || {
                    format!("the soft link {name} has an object header")
                });
                LinkTarget::Soft(path)
            }
            NOTHING_CACHED | SYMBOL_TABLE_CACHED => {
                let header = header
                    .ok_or_else(|| entry.invalid_at(at, "object header address", "the link has no target"))?;
                if cache_type == SYMBOL_TABLE_CACHED {
                    let cached = (scratch.address("B-tree")?, scratch.address("name heap")?);
                    self.check_cached_table(header, cached, at);
                }
                LinkTarget::Hard(header)
            }
            other => return Err(entry.invalid_at(at, "cache type", format!("unknown type {other}")).into()),
        };
        names.links.push(Link { name: name.clone(), charset: Charset::Ascii, creation_order: None, target });
        Ok(name)
    }

    /// Compares the symbol table that an entry caches with that of the group. Errors of the group's header are reported
    /// where the group is checked.
    fn check_cached_table(&mut self, header: Address, cached: (Option<Address>, Option<Address>), at: u64) {
        let Ok(group) = ObjectHeader::parse(self.view, header) else { return };
        // The entry stays as it was if a group is converted to the new style, for example because of an external link.
        let Ok(Some(table)) = group.symbol_table(self.view.widths) else { return };
        let found = (Some(table.btree), Some(table.heap));
        self.demand(found == cached, &SYMBOL_CACHE, ENTRY, at, || {
            format!("cached B-tree and heap {cached:?}, but those of the object are {found:?}")
        });
    }
}
