//! The facts about a file as a whole.

/// What the bytes of a file belong to, in total.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileFacts {
    /// Bytes of the file.
    pub bytes: u64,
    /// Groups, datasets and named datatypes.
    pub objects: u64,
    /// Structures of metadata, each of which libhdf5 reads by itself.
    pub metadata_structures: u64,
    /// Their bytes.
    pub metadata_bytes: u64,
    /// Structures of metadata that lie behind the first raw data.
    pub metadata_structures_behind_data: u64,
    /// Bytes of raw data.
    pub raw_bytes: u64,
    /// Bytes that the file records as free.
    pub free_bytes: u64,
    /// Bytes that are unaccounted for.
    pub unaccounted_bytes: u64,
    /// The bytes of the file after a repack that changes nothing else, where that was predicted.
    pub repacked_bytes: Option<u64>,
    /// Size of a page, if the file is allocated in pages.
    pub page_bytes: Option<u64>,
    /// What pages of the present and of other sizes leave unused, if the file is allocated in pages.
    pub page_waste: Vec<PageWaste>,
    /// Pieces of raw data, such as chunks, that are larger than a page.
    pub pieces_above_page: u64,
    /// Groups, the root group not counted.
    pub groups: u64,
    /// Datasets.
    pub datasets: u64,
    /// Groups above the deepest dataset, the root group not counted.
    pub depth: u64,
    /// Structures of metadata that a group takes: its header, and what the old format needs beside it.
    pub structures_per_group: u64,
    /// Objects that keep few attributes in dense storage.
    pub dense_attributes: u64,
    /// Groups that keep few links in dense storage.
    pub dense_links: u64,
    /// Nodes of chunk B-trees that lie behind the first chunk of any dataset.
    pub index_nodes_behind_data: u64,
    /// Datasets with an unlimited dimension, several chunks, and a B-tree as their index.
    pub unlimited_datasets: u64,
    /// Of each chunked dataset, the bytes of a decoded chunk and of all of them.
    pub chunked: Vec<(u64, u64)>,
    /// What the checker of the packing for CMIP7 looks at; `None` for files of other projects.
    pub packing: Option<PackingFacts>,
}

/// What `check_cmip7_packing` looks at, beside the nodes of chunk indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PackingFacts {
    /// Chunks of the time coordinate, if there is one and it is chunked.
    pub time_chunks: Option<u64>,
    /// Chunks of the bounds of time, if there are any and they are chunked.
    pub bounds_chunks: Option<u64>,
    /// True if there are bounds of time without chunks.
    pub has_contiguous_bounds: bool,
    /// Chunks of the file's variable, if it is chunked.
    pub variable_chunks: Option<u64>,
    /// Bytes of one of them, decoded.
    pub variable_chunk_bytes: u64,
    /// By how many bytes it would grow with one more element along its leading dimension.
    pub variable_row_bytes: u64,
}

/// What pages of some size leave unused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageWaste {
    /// Size of a page.
    pub page_bytes: u64,
    /// Bytes that no piece of data uses.
    pub wasted_bytes: u64,
}
