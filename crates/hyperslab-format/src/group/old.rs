//! Old-style groups: a version 1 B-tree of symbol table nodes, and a local heap with the names.
//!
//! Key i of a B-tree node is a name: names in child i - 1 are less than or equal to it, those in child i are greater.

use super::names::Names;
use super::symbol_table::{Entry, SymbolTableNode};
use crate::btree::v1::{Node, NodeType};
use crate::message::{Link, SymbolTable};
use crate::node_traversal::{Item, NodeTraversal, VisitedRanges};
use crate::{Address, FormatError, Gather, Name, Parse, Stop, View};

/// Lists all links of a group.
pub fn list(table: SymbolTable) -> List {
    List { walk: OldWalk::new(table, true), heap: table.heap, names: None }
}

/// Counts the links of a group.
pub fn count(table: SymbolTable) -> Count {
    Count { walk: OldWalk::new(table, true) }
}

/// Looks up a link by name.
pub fn lookup(table: SymbolTable, name: Name) -> Lookup {
    Lookup { walk: OldWalk::new(table, false), heap: table.heap, names: None, name, entries: None }
}

/// A listing in progress.
#[derive(Debug)]
pub struct List {
    walk: OldWalk,
    heap: Address,
    names: Option<Names>,
}

impl List {
    /// Continues the listing. Returns all links, ordered by the bytes of their names, as in the B-tree.
    pub fn advance(&mut self, view: &View) -> Parse<Vec<Result<Link, FormatError>>> {
        let mut gather = Gather::default();
        if self.names.is_none() {
            self.names = gather.take(Names::all(view, self.heap))?;
        }
        gather.take(self.walk.advance(view, &|node| Ok(0..node.entries)))?;
        gather.finish()?;
        let names = self.names.as_ref().expect("nothing is lacking");
        let mut links = Vec::new();
        for node in self.walk.nodes.results() {
            match node {
                Ok(node) => {
                    for entry in &node.entries {
                        // All names have been read, so nothing can be missing.
                        links.extend(Gather::default().take(entry.link(view, names)).transpose());
                    }
                }
                Err(error) => links.push(Err(error)),
            }
        }
        Ok(links)
    }
}

/// A count in progress.
#[derive(Debug)]
pub struct Count {
    walk: OldWalk,
}

impl Count {
    /// Continues the count. A damaged node counts as one link, because it is one entry in a listing.
    pub fn advance(&mut self, view: &View) -> Parse<u64> {
        self.walk.advance(view, &|node| Ok(0..node.entries))?;
        let nodes = self.walk.nodes.results().into_iter();
        Ok(nodes.map(|node| node.map_or(1, |node| node.entries.len() as u64)).sum())
    }
}

/// A lookup in progress.
#[derive(Debug)]
pub struct Lookup {
    walk: OldWalk,
    heap: Address,
    names: Option<Names>,
    name: Name,
    /// The entries that may be the wanted link, once they are known.
    entries: Option<Vec<Entry>>,
}

impl Lookup {
    /// Continues the lookup. Returns `None` if the group has no such link.
    pub fn advance(&mut self, view: &View) -> Parse<Option<Link>> {
        if self.entries.is_none() {
            self.entries = Some(self.search(view)?);
        }
        let Self { names: Some(names), entries: Some(entries), name, .. } = self else { return Ok(None) };
        let mut gather = Gather::default();
        for entry in entries {
            // An error in the name of another link does not matter here.
            if let Ok(Some(found)) = gather.take(entry.name(view, names))
                && found == *name
            {
                return entry.link(view, names).map(Some);
            }
        }
        gather.finish()?;
        Ok(None)
    }

    fn search(&mut self, view: &View) -> Parse<Vec<Entry>> {
        let mut gather = Gather::default();
        if self.names.is_none() {
            self.names = gather.take(Names::few(view, self.heap))?;
        }
        // Names cannot be compared without the heap; only the root node is requested together with it.
        let children = |node: &Node| match &self.names {
            Some(names) => child_of(node, view, names, &self.name),
            None => Err(Stop::Need(Vec::new())),
        };
        gather.take(self.walk.advance(view, &children))?;
        gather.finish()?;
        let mut entries = Vec::new();
        for node in self.walk.nodes.results() {
            entries.extend(node?.entries);
        }
        Ok(entries)
    }
}

/// A node that has not been visited yet.
#[derive(Debug)]
enum Pending {
    Tree { address: Address, level: Option<u8> },
    Symbols(Address),
}

const TREE: &str = "version 1 B-tree node";
const SYMBOLS: &str = "symbol table node";

/// Selects the children of a node to visit.
type Children<'c> = dyn Fn(&Node) -> Parse<std::ops::Range<usize>> + 'c;

#[derive(Debug)]
struct OldWalk {
    nodes: NodeTraversal<Pending, SymbolTableNode>,
}

impl OldWalk {
    fn new(table: SymbolTable, lenient: bool) -> Self {
        let root = Pending::Tree { address: table.btree, level: None };
        Self { nodes: if lenient { NodeTraversal::lenient(root) } else { NodeTraversal::strict(root) } }
    }

    fn advance(&mut self, view: &View, children: &Children<'_>) -> Parse<()> {
        self.nodes.advance(|pending: &Pending, visited: &mut VisitedRanges| match pending {
            Pending::Symbols(address) => {
                visited.claim(SYMBOLS, view, view.absolute(*address), 0)?;
                let node = SymbolTableNode::parse(view, *address)?;
                visited.claim(SYMBOLS, view, node.at, node.bytes)?;
                Ok(vec![Item::Done(node)])
            }
            Pending::Tree { address, level } => {
                visited.claim(TREE, view, view.absolute(*address), 0)?;
                let node = Node::parse(view, *address, NodeType::Group, *level)?;
                visited.claim(TREE, view, node.at, node.bytes)?;
                let children = children(&node)?;
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
        })
    }
}

/// The children that may contain `name`: those whose keys enclose it.
fn child_of(node: &Node, view: &View, names: &Names, name: &Name) -> Parse<std::ops::Range<usize>> {
    // Binary search for the number of keys, starting with the second, that are less than the name.
    let (mut low, mut high) = (0, node.entries);
    while low < high {
        let middle = (low + high) / 2;
        let mut gather = Gather::default();
        match gather.take(names.text(view, "key", key(node, middle + 1)?))? {
            Some(key) if key < *name => low = middle + 1,
            Some(_) => high = middle,
            None => {
                // Requests everything in this node that may be compared, at once.
                for i in low + 1..=high {
                    gather.take(names.ask(view, "key", key(node, i)?))?;
                }
                gather.finish()?;
            }
        }
    }
    // Beyond the last key there are no names.
    Ok(low..(low + 1).min(node.entries))
}

fn key(node: &Node, i: usize) -> Result<u64, FormatError> {
    node.key(i)?.length("key")
}

#[cfg(test)]
mod tests {
    use super::super::symbol_table::tests::node as symbols;
    use super::*;
    use crate::heap::local::tests::heap;
    use crate::message::LinkTarget;
    use crate::testing::{Build, drive, every_prefix_fails};

    const NAMES: [&str; 6] = ["", "apple", "banana", "cherry", "date", "elder"];
    const TREE: u64 = 300;

    fn table() -> SymbolTable {
        SymbolTable { btree: Address(TREE), heap: Address(0) }
    }

    /// Names at multiples of 8; the nodes contain apple and banana, cherry and date (soft, to elder).
    fn group() -> Build {
        let names: Vec<u8> = NAMES.iter().flat_map(|name| format!("{name:\0<8}").into_bytes()).collect();
        let image = heap(Build::default(), &names).pad_to(TREE);
        let image = image.text("TREE").u8(0).u8(0).u16(2).undefined().undefined();
        let image = image.u64(0).u64(400).u64(16).u64(500).u64(32);
        let image = symbols(image.pad_to(400), &[(8, 1000, None), (16, 1001, None)]).pad_to(500);
        symbols(image, &[(24, 1002, None), (32, u64::MAX, Some(40))])
    }

    fn found(image: &Build, name: &str) -> Option<LinkTarget> {
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
    fn counts_links_without_their_names() {
        assert_eq!(count(table()).advance(&group().patch(0, b"nope").view()), Ok(4));
        assert_eq!(count(table()).advance(&group().patch(400, b"nope").view()), Ok(3));
    }

    #[test]
    fn of_a_long_heap_few_names_are_read() {
        let names: Vec<u8> = (0..20_000).flat_map(|i| format!("{i:07}\0").into_bytes()).collect();
        // A tree of one level, whose nodes contain 100 names each.
        let image = heap(Build::default(), &names).pad_to(200_000);
        let image = image.text("TREE").u8(0).u8(0).u16(200).undefined().undefined().u64(0);
        let at = |i: u64| 300_000 + i * 5_000;
        let image = (0..200).fold(image, |image, i| image.u64(at(i)).u64((i * 100 + 99) * 8));
        let image = (0..200).fold(image, |image, i| {
            let links: Vec<_> =
                (i * 100..i * 100 + 100).map(|number| (number * 8, 7 + number, None)).collect();
            symbols(image.pad_to(at(i)), &links)
        });
        let table = SymbolTable { btree: Address(200_000), heap: Address(0) };
        for (name, expected) in [("0000000", Some(7)), ("0012345", Some(7 + 12_345)), ("x", None)] {
            let mut lookup = lookup(table, name.into());
            let (found, rounds) = drive(image.as_slice().to_vec().into(), |view| lookup.advance(&view));
            let target = found.unwrap().map(|link| link.target);
            assert_eq!(target, expected.map(|at| LinkTarget::Hard(Address(at))), "{name}");
            // Heap and node; the rest of the node; keys; symbols, the rest of them; names.
            assert!(rounds.len() <= 6, "{rounds:?}");
        }
        // A heap that claims to be longer than the file contains the names that are there.
        let short = image.clone().patch(8, &(1u64 << 40).to_le_bytes());
        assert!(lookup(table, "0000000".into()).advance(&short.view()).unwrap().is_some());
        assert!(matches!(list(table).advance(&short.view()), Err(Stop::Bad(_))));
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
