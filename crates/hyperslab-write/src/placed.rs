//! The addresses of what belongs to an object, once they are known.

use crate::chunk_places::ChunkPlaces;
use crate::tree::{ChunkedSpec, DatasetSpec};
use hyperslab_format::Address;
use hyperslab_format::chunk_index::ChunkIndexLayout;
use hyperslab_format::group::dense_layout::DenseLayout;
use hyperslab_format::group::old_layout::OldGroupLayout;
use hyperslab_format::heap::HeapPlaces;
use hyperslab_format::message::{ChunkIndex, ChunkedLayout};

/// The addresses of what belongs to an object.
#[derive(Debug)]
pub(crate) struct PlacedObject {
    pub header: Address,
    pub header_version: u8,
    /// Hard links and, for a committed datatype, uses.
    pub references: u32,
    pub links: PlacedLinks,
    pub attributes: Option<Box<DenseLayout>>,
    pub storage: PlacedStorage,
}

/// Where the links of a group are.
#[derive(Debug)]
pub(crate) enum PlacedLinks {
    /// In messages of the header, or the object is not a group.
    InHeader,
    SymbolTable(Box<OldGroupLayout>),
    Dense(Box<DenseLayout>),
}

/// Where the data of an object is, apart from single chunks.
#[derive(Debug)]
pub(crate) enum PlacedStorage {
    /// In the header, or nowhere.
    InHeader,
    Contiguous {
        address: Option<Address>,
        bytes: u64,
    },
    Chunked(Box<PlacedChunks>),
    External(Box<PlacedNames>),
}

/// The index and the chunks. What the layout message has beside them is in the tree.
#[derive(Debug)]
pub(crate) struct PlacedChunks {
    pub index: ChunkIndex,
    /// The address in the layout message: that of the index, or of the first chunk if no index is stored.
    pub address: Option<Address>,
    /// The version of the layout message.
    pub version: u8,
    /// The index, if it has blocks of its own.
    pub blocks: Option<Box<ChunkIndexLayout>>,
    /// Where the chunks were written so far.
    pub places: ChunkPlaces,
}

impl PlacedChunks {
    /// The layout message of the dataset.
    pub fn layout(&self, dataset: &DatasetSpec, chunked: &ChunkedSpec) -> ChunkedLayout {
        ChunkedLayout {
            chunk_dims: chunked.chunk_dims.to_vec(),
            element_bytes: dataset.datatype.datatype.size,
            index: self.index.clone(),
            address: self.address,
            edge_chunks_unfiltered: chunked.edge_chunks_unfiltered,
            version: self.version,
        }
    }
}

/// The local heap of the names of external files, and the offset of each name in it.
#[derive(Debug)]
pub(crate) struct PlacedNames {
    pub heap: HeapPlaces,
    pub names: Vec<u64>,
}
