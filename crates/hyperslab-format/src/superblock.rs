use crate::{Address, Widths};

/// The first structure of a file: where everything else begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Superblock {
    /// 0 to 3.
    pub version: u8,
    /// Absolute offset of the signature (length of the user block).
    pub at: u64,
    /// What addresses are relative to. Equal to `at` unless the file says otherwise.
    pub base: u64,
    /// Sizes of offsets and lengths.
    pub widths: Widths,
    /// End of file as stored (relative to `base`).
    pub end_of_file: Address,
    /// Object header of the root group.
    pub root: Address,
    /// Symbol table of the root group, cached in the superblock (versions 0 and 1): B-tree and local heap.
    pub root_symbol_table: Option<(Address, Address)>,
    /// Object header with further properties of the file (versions 2 and 3).
    pub extension: Option<Address>,
    /// Driver information block (versions 0 and 1).
    pub driver_info: Option<Address>,
    /// "File Consistency Flags" (version 3).
    pub consistency_flags: u8,
    /// Half the most entries of a symbol table node (K of leaf nodes, versions 0 and 1; default 4).
    pub group_leaf_k: u16,
    /// Half the most children of a group B-tree node (default 16).
    pub group_internal_k: u16,
    /// Half the most children of a chunk B-tree node (versions 1; default 32).
    pub chunk_internal_k: u16,
}
