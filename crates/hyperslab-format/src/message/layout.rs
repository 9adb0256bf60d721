//! Data Layout message (specification IV.A.2.i, type 0x08): where the raw data of a dataset lies.
//!
//! ```text
//! version 1, 2   rank | class | reserved 5 | [not compact: address] | sizes 4 each | [compact: size 4 | data]
//! version 3      class | compact: size 2 | data
//!                      | contiguous: address | size L
//!                      | chunked: rank | address | sizes 4 each
//! version 4, 5   class | as version 3, but chunked: see `chunked`; virtual: global heap address | index 4
//! ```
//!
//! Version 5 (HDF5 2.0, not in the specification) has the bytes of version 4; it changes how wide the chunk indexes
//! store the sizes of filtered chunks.

mod chunked;
mod early;

use crate::{Address, Bytes, Cursor, FormatError};

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

const COMPACT: u8 = 0;
const CONTIGUOUS: u8 = 1;
const CHUNKED: u8 = 2;
const VIRTUAL: u8 = 3;

impl Layout {
    /// Reads the message.
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
