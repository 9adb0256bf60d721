//! Data Layout message (specification IV.A.2.i, type 0x08): how and where the raw data of a dataset is stored.
//!
//! ```text
//! version 1, 2   rank | class | reserved 5 | [not compact: address] | sizes 4 each | [compact: size 4 | data]
//! version 3      class | compact: size 2 | data
//!                      | contiguous: address | size L
//!                      | chunked: rank | address | sizes 4 each
//! version 4, 5   class | as version 3, but chunked: see `chunked`; virtual: global heap address | index 4
//! ```
//!
//! Version 5 (HDF5 2.0, not in the specification) has the same fields as version 4. It changes the width in which chunk
//! indexes store the sizes of filtered chunks.

mod chunked;
mod early;

use crate::{Address, Bytes, Cursor, Encoder, FormatError};

/// How and where the raw data of a dataset is stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// In the object header.
    Compact {
        /// The data.
        data: Bytes,
        /// The absolute offset of `data` in the file.
        at: u64,
    },
    /// In one contiguous block.
    Contiguous {
        /// The address; `None` until something was written.
        address: Option<Address>,
        /// The size in bytes; `None` in layout versions 1 and 2, where it follows from dataspace and datatype.
        size: Option<u64>,
    },
    /// In chunks.
    Chunked(ChunkedLayout),
    /// In other datasets (virtual).
    Virtual {
        /// The global heap collection that contains the mapping.
        heap: Option<Address>,
        /// The index of the mapping in that collection.
        index: u32,
    },
}

/// A chunked layout: the chunk shape and the chunk index.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkedLayout {
    /// The shape of a chunk in elements, slowest dimension first (without the element size, which the file stores as
    /// another dimension).
    pub chunk_dims: Vec<u64>,
    /// The element size in the layout message, in bytes.
    pub element_bytes: u32,
    /// The kind of chunk index.
    pub index: ChunkIndex,
    /// The address of the index; `None` until the first chunk was written.
    pub address: Option<Address>,
    /// True if partial edge chunks are stored without filters (layout version 4 and later, flag 0x01).
    pub edge_chunks_unfiltered: bool,
    /// The version of the layout message. In version 5 the size of a filtered chunk has more bytes.
    pub version: u8,
}

/// The kinds of chunk index (specification VII; version 1 B-trees: III.A.1).
#[derive(Debug, Clone, PartialEq)]
pub enum ChunkIndex {
    /// Version 1 B-tree, before HDF5 1.10.
    BTreeV1,
    /// The dataset consists of one chunk.
    Single {
        /// The stored size in bytes and the filter mask, if the chunk is filtered.
        filtered: Option<(u64, u32)>,
    },
    /// All chunks in order, unfiltered, allocated together.
    Implicit,
    /// For datasets with fixed dimensions.
    FixedArray {
        /// log2 of the number of entries in a page.
        page_bits: u8,
    },
    /// For datasets with one unlimited dimension.
    ExtensibleArray {
        /// The number of bits needed for the number of elements.
        max_bits: u8,
        /// The number of elements in the index block.
        index_elements: u8,
        /// The minimum number of data block pointers in a super block.
        super_block_min_pointers: u8,
        /// The minimum number of elements in a data block.
        data_block_min_elements: u8,
        /// log2 of the number of elements in a data block page.
        page_bits: u8,
    },
    /// For datasets with more than one unlimited dimension.
    BTreeV2 {
        /// The size of a node in bytes.
        node_bytes: u32,
        /// The fill level in percent at which a node is split.
        split_percent: u8,
        /// The fill level in percent at which nodes are merged.
        merge_percent: u8,
    },
}

const COMPACT: u8 = 0;
const CONTIGUOUS: u8 = 1;
const CHUNKED: u8 = 2;
const VIRTUAL: u8 = 3;

impl Layout {
    /// Parses the message.
    pub fn parse(mut cursor: Cursor) -> Result<Self, FormatError> {
        let version = cursor.version(1..=5)?;
        if version < 3 {
            return early::parse(cursor, version);
        }
        let at = cursor.at();
        match cursor.u8("layout class")? {
            COMPACT => {
                let len = cursor.u16("size")?;
                compact(cursor, len.into())
            }
            CONTIGUOUS => Ok(Self::Contiguous {
                address: cursor.address("address")?,
                size: Some(cursor.length("size")?),
            }),
            CHUNKED if version == 3 => chunked::parse_version_3(cursor),
            CHUNKED => chunked::parse_version_4(cursor, version),
            VIRTUAL if version > 3 => {
                Ok(Self::Virtual { heap: cursor.address("address")?, index: cursor.u32("index")? })
            }
            class => Err(cursor.invalid_at(at, "layout class", unknown_class(version, class))),
        }
    }

    /// Encodes the message, in version 3 to 5. Version 3 has only version 1 B-trees as chunk indexes, and no virtual
    /// layouts. A chunked layout is encoded in its own version.
    pub fn encode(&self, out: &mut Encoder, version: u8) {
        match self {
            Self::Chunked(layout) => layout.encode(out),
            Self::Compact { data, .. } => {
                out.u8(version);
                out.u8(COMPACT);
                out.count("size", data.len(), 2);
                out.bytes(data);
            }
            Self::Contiguous { address, size } => {
                out.u8(version);
                out.u8(CONTIGUOUS);
                out.address("address", *address);
                match size {
                    Some(size) => out.length("size", *size),
                    None => out.refuse("size", "the size is not known"),
                }
            }
            Self::Virtual { heap, index } => {
                if version < 4 {
                    out.refuse("layout class", format!("version {version} has no virtual layouts"));
                }
                out.u8(version);
                out.u8(VIRTUAL);
                out.address("address", *heap);
                out.u32(*index);
            }
        }
    }
}

fn compact(mut cursor: Cursor, len: usize) -> Result<Layout, FormatError> {
    let at = cursor.at();
    Ok(Layout::Compact { data: cursor.bytes("raw data", len)?, at })
}

fn unknown_class(version: u8, class: u8) -> String {
    format!("layout class {class} does not exist in version {version}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Widths;
    use crate::testing::Build;

    #[test]
    fn compact_data_knows_its_place_in_the_file() {
        let body = Build::default().u8(3).u8(0).u16(3).bytes(b"abc").zeros(1);
        let layout = Layout::parse(body.cursor());
        assert_eq!(layout, Ok(Layout::Compact { data: Bytes::from_static(b"abc"), at: 4 }));
        let body = Build::default().u8(4).u8(0).u16(3).bytes(b"abc");
        body.each_prefix(|cursor| assert!(Layout::parse(cursor).is_err()));
    }

    #[test]
    fn contiguous_data_may_not_be_allocated_yet() {
        for widths in [Widths::default(), Widths { offset: 2, length: 4 }] {
            let body = Build::new(widths).u8(3).u8(1).address(u64::MAX).length(80);
            assert_eq!(
                Layout::parse(body.cursor()),
                Ok(Layout::Contiguous { address: None, size: Some(80) })
            );
            body.each_prefix(|cursor| assert!(Layout::parse(cursor).is_err()));
        }
    }

    #[test]
    fn virtual_data_needs_version_4() {
        let body = Build::default().u8(4).u8(3).address(0x800).u32(1);
        let layout = Layout::parse(body.cursor()).unwrap();
        assert_eq!(layout, Layout::Virtual { heap: Some(Address(0x800)), index: 1 });
        body.each_prefix(|cursor| assert!(Layout::parse(cursor).is_err()));
        assert_eq!(Layout::parse(body.with_byte(0, 3).cursor()).unwrap_err().field, "layout class");
        assert!(Layout::parse(body.with_byte(0, 6).cursor()).unwrap_err().is_unsupported());
    }
}
