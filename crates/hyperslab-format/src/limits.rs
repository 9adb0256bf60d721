//! Limits for untrusted files. Each is far above what real files contain, and low enough that a malicious file cannot
//! exhaust the machine's memory. Sizes are also checked against the end of the file before any allocation.

/// Maximum number of dimensions of a dataspace (`H5S_MAX_RANK`).
pub const RANK_MAX: u64 = 32;
/// Maximum number of continuation blocks of one object header.
pub const HEADER_BLOCKS_MAX: u64 = 100_000;
/// Maximum number of messages of one object header.
pub const HEADER_MESSAGES_MAX: u64 = 1_000_000;
/// Maximum depth of datatypes nested in datatypes.
pub const DATATYPE_DEPTH_MAX: u64 = 32;
/// Maximum number of levels of a version 2 B-tree. (The level of a version 1 B-tree is stored in a byte and needs no
/// limit: with nodes of two children, libhdf5 makes a tree of 240 chunks 239 levels deep.)
pub const BTREE_DEPTH_MAX: u64 = 64;
/// Maximum length of a chain of shared messages that refer to shared messages.
pub const SHARED_DEPTH_MAX: u64 = 8;
/// Maximum number of filters of one pipeline (`H5Z_MAX_NFILTERS`).
pub const FILTERS_MAX: u64 = 32;
/// Maximum number of levels of indirect blocks in a fractal heap.
pub const HEAP_DEPTH_MAX: u64 = 64;
/// Maximum length of a link or attribute name, in bytes.
pub const NAME_BYTES_MAX: u64 = 1 << 20;
/// Maximum size of an object in a heap, including "huge" objects, in bytes.
pub const HEAP_OBJECT_BYTES_MAX: u64 = 1 << 30;
/// Maximum number of soft links followed by one path lookup.
pub const LINK_HOPS_MAX: u64 = 64;
