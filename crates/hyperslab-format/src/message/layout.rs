use crate::{Address, Bytes};

/// Where the raw data of a dataset lies.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// Inside the object header.
    Compact {
        /// The data.
        data: Bytes,
        /// Absolute offset of `data` in the file.
        at: u64,
    },
    /// In one piece.
    Contiguous {
        /// Where; `None` until something was written.
        address: Option<Address>,
        /// Bytes; `None` in layout versions 1 and 2, which leave it to dataspace and datatype.
        size: Option<u64>,
    },
    /// In chunks.
    Chunked(ChunkedLayout),
    /// In other datasets.
    Virtual {
        /// Global heap collection of the mapping.
        heap: Option<Address>,
        /// Object in that collection.
        index: u32,
    },
}

/// Chunks and their index.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkedLayout {
    /// Sizes of a chunk in elements, slowest dimension first (without the element size that the file appends).
    pub chunk_dims: Vec<u64>,
    /// Bytes of an element, as the layout message says.
    pub element_bytes: u32,
    /// How chunks are found.
    pub index: ChunkIndex,
    /// Where the index begins; `None` until the first chunk was written.
    pub address: Option<Address>,
    /// Partial chunks at the edge are stored without filters (layout 4 and later, flag 0x01).
    pub edge_chunks_unfiltered: bool,
    /// Version of the layout message; 5 widens the size of filtered chunks.
    pub version: u8,
}

/// The kinds of chunk index (specification VII; version 1 B-trees: III.A.1).
#[derive(Debug, Clone, PartialEq)]
pub enum ChunkIndex {
    /// Version 1 B-tree, before HDF5 1.10.
    BTreeV1,
    /// The dataset is one chunk.
    Single {
        /// Stored bytes and filter mask, if the chunk is filtered.
        filtered: Option<(u64, u32)>,
    },
    /// All chunks in order, unfiltered, allocated at once.
    Implicit,
    /// Fixed dimensions.
    FixedArray {
        /// log2 of the entries in a page.
        page_bits: u8,
    },
    /// One unlimited dimension.
    ExtensibleArray {
        /// Bits to count the elements.
        max_bits: u8,
        /// Elements in the index block.
        index_elements: u8,
        /// Fewest data block pointers in a super block.
        super_block_min_pointers: u8,
        /// Fewest elements in a data block.
        data_block_min_elements: u8,
        /// log2 of the elements in a data block page.
        page_bits: u8,
    },
    /// More than one unlimited dimension.
    BTreeV2 {
        /// Bytes of a node.
        node_bytes: u32,
        /// Percent full at which a node is split.
        split_percent: u8,
        /// Percent full at which nodes are merged.
        merge_percent: u8,
    },
}
