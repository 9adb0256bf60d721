//! Old-style groups: a version 1 B-tree of symbol table nodes, and a local heap with the names (specification III.A.1,
//! III.B to III.D).

mod local_heap;
mod symbol_table;

use crate::rule::rules;

rules! { RULES:
    /// A version 1 B-tree node or a symbol table node has at most 2K entries, and only the root of an empty tree has none.
    NODE_ENTRIES = Error "node-entries", "III.A.1, III.B";
    /// The nodes of each level of a version 1 B-tree refer to their left and right siblings.
    NODE_SIBLINGS = Error "node-siblings", "III.A.1";
    /// The keys of version 1 B-tree nodes ascend, and enclose what is below them.
    NODE_KEYS = Error "node-keys", "III.A.1";
    /// The entries of symbol table nodes are in the order of their names, and no name occurs twice.
    SYMBOL_ORDER = Error "symbol-order", "III.B";
    /// The data that a symbol table entry caches is that of the object: its symbol table, or the path of a soft link.
    SYMBOL_CACHE = Error "symbol-cache", "III.C";
    /// The free list of a local heap leads through blocks inside its data segment that do not overlap, and ends.
    LOCAL_HEAP_FREE_LIST = Error "local-heap-free-list", "III.D";
    /// No name of a local heap lies in a free block.
    NAME_IN_FREE_SPACE = Error "name-in-free-space", "III.D";
}
