//! Named ceilings for untrusted files. Each is far above what real files hold, and low enough that a hostile
//! file cannot exhaust the machine. Sizes are checked against the end of the file too, before any allocation.

/// Dimensions of a dataspace (`H5S_MAX_RANK`).
pub const RANK_MAX: u64 = 32;
/// Continuation blocks of one object header.
pub const HEADER_BLOCKS_MAX: u64 = 100_000;
/// Messages of one object header.
pub const HEADER_MESSAGES_MAX: u64 = 1_000_000;
/// Datatypes nested in datatypes.
pub const DATATYPE_DEPTH_MAX: u64 = 32;
/// Members of a compound or enumerated datatype.
pub const DATATYPE_MEMBERS_MAX: u64 = 65_536;
/// Levels of a version 2 B-tree. (One of version 1 says its level in a byte, and may use all of it: with nodes of two
/// children, libhdf5 makes a tree of 240 chunks 239 levels deep.)
pub const BTREE_DEPTH_MAX: u64 = 64;
/// Shared messages that refer to shared messages.
pub const SHARED_DEPTH_MAX: u64 = 8;
/// Filters of one pipeline (`H5Z_MAX_NFILTERS`).
pub const FILTERS_MAX: u64 = 32;
/// Levels of indirect blocks of a fractal heap.
pub const HEAP_DEPTH_MAX: u64 = 64;
/// Length of a link or attribute name in bytes.
pub const NAME_BYTES_MAX: u64 = 1 << 20;
/// Bytes of an object inside a heap (a "huge" object may be large, but not larger than this).
pub const HEAP_OBJECT_BYTES_MAX: u64 = 1 << 30;
/// Soft links followed by one path look-up.
pub const LINK_HOPS_MAX: u64 = 64;
