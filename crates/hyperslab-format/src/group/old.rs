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
                let node = SymbolTableNode::parse(view, *address)?;
                footprint.claim("symbol table node", view, node.at, node.bytes)?;
                Ok(vec![Item::Done(node)])
            }
            Pending::Tree { address, level } => {
                let node = Node::parse(view, *address, NodeType::Group, *level)?;
                let children = match name {
                    None => 0..node.entries,
                    Some(name) => match heap {
                        Some(heap) => child_of(&node, heap, name)?,
                        None => return Err(Stop::Need(Vec::new())),
                    },
                };
                footprint.claim("version 1 B-tree node", view, node.at, node.bytes)?;
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
