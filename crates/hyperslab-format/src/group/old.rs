//! Old-style groups: a version 1 B-tree of symbol table nodes, and a local heap with the names.
//!
//! Key i of a B-tree node is the name before which (or at which) child i - 1 ends, and after which child i begins.

use super::symbol_table::SymbolTableNode;
use crate::btree::v1::{Node, NodeType};
use crate::heap::LocalHeap;
use crate::message::{Link, SymbolTable};
use crate::walk::{Footprint, Item, Walk};
use crate::{Address, FormatError, Gather, Name, Parse, Stop, View};

/// All links of a group.
pub fn list(table: SymbolTable) -> List {
    List { walk: OldWalk::new(table, true) }
}

/// The link of this name.
pub fn lookup(table: SymbolTable, name: Name) -> Lookup {
    Lookup { walk: OldWalk::new(table, false), name }
}

/// A listing under way.
#[derive(Debug)]
pub struct List {
    walk: OldWalk,
}

impl List {
    /// Goes on, until it is `Ok` with all links, which the B-tree orders by the bytes of their names.
    pub fn advance(&mut self, view: &View) -> Parse<Vec<Result<Link, FormatError>>> {
        self.walk.advance(view, None)?;
        let heap = self.walk.heap.as_ref().expect("the walk has ended");
        let mut links = Vec::new();
        for node in self.walk.nodes.results() {
            match node {
                Ok(node) => links.extend(node.entries.iter().map(|entry| entry.link(heap))),
                Err(error) => links.push(Err(error)),
            }
        }
        Ok(links)
    }
}

/// A look-up under way.
#[derive(Debug)]
pub struct Lookup {
    walk: OldWalk,
    name: Name,
}

impl Lookup {
    /// Goes on, until it is `Ok`: with `None` if the group has no such link.
    pub fn advance(&mut self, view: &View) -> Parse<Option<Link>> {
        self.walk.advance(view, Some(&self.name))?;
        let heap = self.walk.heap.as_ref().expect("the walk has ended");
        for node in self.walk.nodes.results() {
            for entry in node?.entries {
                // The name of another link is of no concern here, even if it is broken.
                if entry.name(heap).is_ok_and(|name| name == self.name) {
                    return Ok(Some(entry.link(heap)?));
                }
            }
        }
        Ok(None)
    }
}

/// What is still to be visited.
#[derive(Debug)]
enum Pending {
    Tree { address: Address, level: Option<u8> },
    Symbols(Address),
}

const TREE: &str = "version 1 B-tree node";
const SYMBOLS: &str = "symbol table node";

#[derive(Debug)]
struct OldWalk {
    heap_address: Address,
    heap: Option<LocalHeap>,
    nodes: Walk<Pending, SymbolTableNode>,
}

impl OldWalk {
    fn new(table: SymbolTable, lenient: bool) -> Self {
        let root = Pending::Tree { address: table.btree, level: None };
        let nodes = if lenient { Walk::lenient(root) } else { Walk::strict(root) };
        Self { heap_address: table.heap, heap: None, nodes }
    }

    /// Visits the nodes of the tree: all of them, or those that may hold `name`.
    fn advance(&mut self, view: &View, name: Option<&Name>) -> Parse<()> {
        let mut gather = Gather::default();
        if self.heap.is_none() {
            self.heap = gather.take(LocalHeap::parse(view, self.heap_address))?;
        }
        // A look-up cannot compare names without the heap; only the root node is asked for together with it.
        let heap = self.heap.as_ref();
        let mut visit = |pending: &Pending, footprint: &mut Footprint| match pending {
            Pending::Symbols(address) => {
                footprint.claim(SYMBOLS, view, view.absolute(*address), 0)?;
                let node = SymbolTableNode::parse(view, *address)?;
                footprint.claim(SYMBOLS, view, node.at, node.bytes)?;
                Ok(vec![Item::Done(node)])
            }
            Pending::Tree { address, level } => {
                footprint.claim(TREE, view, view.absolute(*address), 0)?;
                let node = Node::parse(view, *address, NodeType::Group, *level)?;
                footprint.claim(TREE, view, node.at, node.bytes)?;
                let children = match (name, heap) {
                    (None, _) => 0..node.entries,
                    (Some(name), Some(heap)) => child_of(&node, heap, name)?,
                    (Some(_), None) => return Err(Stop::Need(Vec::new())),
                };
                let mut items = Vec::with_capacity(children.len());
                for i in children {
                    let address = node.child(i)?;
                    items.push(Item::Node(match node.level {
                        0 => Pending::Symbols(address),
                        level => Pending::Tree { address, level: Some(level - 1) },
                    }));
                }
                Ok(items)
            }
        };
        gather.take(self.nodes.advance(&mut visit))?;
        gather.finish()
    }
}

/// The children that may hold `name`: those between whose keys it lies.
fn child_of(node: &Node, heap: &LocalHeap, name: &Name) -> Result<std::ops::Range<usize>, FormatError> {
    // The number of keys, beginning with the second, that come before the name.
    let (mut low, mut high) = (0, node.entries);
    while low < high {
        let middle = (low + high) / 2;
        let offset = node.key(middle + 1)?.length("key")?;
        if heap.text("key", offset)? < *name {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    // Beyond the last key there is nothing.
    Ok(low..(low + 1).min(node.entries))
}

#[cfg(test)]
mod tests {
    use super::super::symbol_table::tests::node as symbols;
    use super::*;
    use crate::heap::local::tests::heap;
    use crate::message::LinkTarget;
    use crate::test_image::{Image, every_prefix_fails};

    const NAMES: [&str; 6] = ["", "apple", "banana", "cherry", "date", "elder"];
    const TREE: u64 = 300;

    fn table() -> SymbolTable {
        SymbolTable { btree: Address(TREE), heap: Address(0) }
    }

    /// Names at multiples of 8; the nodes hold apple and banana, cherry and date (soft, to elder).
    fn group() -> Image {
        let names: Vec<u8> = NAMES.iter().flat_map(|name| format!("{name:\0<8}").into_bytes()).collect();
        let image = heap(Image::new(), &names).pad_to(TREE);
        let image = image.text("TREE").u8(0).u8(0).u16(2).undefined().undefined();
        let image = image.u64(0).u64(400).u64(16).u64(500).u64(32);
        let image = symbols(image.pad_to(400), &[(8, 1000, None), (16, 1001, None)]).pad_to(500);
        symbols(image, &[(24, 1002, None), (32, u64::MAX, Some(40))])
    }

    fn found(image: &Image, name: &str) -> Option<LinkTarget> {
        lookup(table(), name.into()).advance(&image.view()).unwrap().map(|link| link.target)
    }

    #[test]
    fn lists_and_finds_links() {
        let links = list(table()).advance(&group().view()).unwrap();
        let names: Vec<_> = links.iter().flatten().map(|link| link.name.to_string()).collect();
        assert_eq!(names, ["apple", "banana", "cherry", "date"]);
        for (i, name) in ["apple", "banana", "cherry"].iter().enumerate() {
            assert_eq!(found(&group(), name), Some(LinkTarget::Hard(Address(1000 + i as u64))));
        }
        assert_eq!(found(&group(), "date"), Some(LinkTarget::Soft("elder".into())));
        for absent in ["", "aardvark", "b", "bananas", "elder", "zebra"] {
            assert_eq!(found(&group(), absent), None, "{absent}");
        }
        every_prefix_fails(&group(), |view| {
            let links = list(table()).advance(view)?;
            links.into_iter().collect::<Result<Vec<_>, _>>().map_err(Stop::Bad)
        });
        every_prefix_fails(&group(), |view| lookup(table(), "date".into()).advance(view));
    }

    #[test]
    fn what_is_broken_hides_nothing_else() {
        let node = group().patch(400, b"nope");
        let links = list(table()).advance(&node.view()).unwrap();
        assert_eq!(links.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, true]);
        assert_eq!(found(&node, "cherry"), Some(LinkTarget::Hard(Address(1002))));
        lookup(table(), "apple".into()).advance(&node.view()).unwrap_err();
        let entry = group().patch(408, &9999u64.to_le_bytes());
        let links = list(table()).advance(&entry.view()).unwrap();
        assert_eq!(links.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, true, true]);
        assert_eq!(found(&entry, "banana"), Some(LinkTarget::Hard(Address(1001))));
    }

    #[test]
    fn cycles_end() {
        let image = group().patch(TREE + 32, &TREE.to_le_bytes());
        let links = list(table()).advance(&image.view()).unwrap();
        assert_eq!(links.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, true]);
        let level = group().patch(TREE + 5, &[1]).patch(TREE + 32, &TREE.to_le_bytes());
        let links = list(table()).advance(&level.view()).unwrap();
        assert!(links.iter().all(Result::is_err));
    }
}
