//! Chunked layouts of version 3 and later.
//!
//! ```text
//! version 3      rank | B-tree | sizes 4 each
//! version 4, 5   flags | rank | width | sizes of that width | index type | parameters | index
//!
//! parameters     1 single chunk   [flag 2: filtered size L | filter mask 4]
//!                2 implicit       none
//!                3 fixed array    page bits
//!                4 ext. array     max bits | index elements | min pointers | min elements | page bits
//!                5 B-tree         node size 4 | split % | merge %
//! ```
//!
//! The rank is one more than that of the dataset: the last size is the element size in bytes.

use super::{ChunkIndex, ChunkedLayout, Layout};
use crate::limits::RANK_MAX;
use crate::{Cursor, Encoder, FormatError};

const EDGE_CHUNKS_UNFILTERED: u8 = 0x01;
const SINGLE_FILTERED: u8 = 0x02;

pub(super) fn parse_version_3(mut cursor: Cursor) -> Result<Layout, FormatError> {
    let at = cursor.at();
    let rank = cursor.u8("dimensionality")?;
    let rank = dimensionality(&cursor, at, rank, 2)?;
    let address = cursor.address("address")?;
    let mut layout = chunk_dims(&mut cursor, rank, 4, 3)?;
    layout.address = address;
    Ok(Layout::Chunked(layout))
}

pub(super) fn parse_version_4(mut cursor: Cursor, version: u8) -> Result<Layout, FormatError> {
    let flags = cursor.flags(EDGE_CHUNKS_UNFILTERED | SINGLE_FILTERED)?;
    let at = cursor.at();
    let rank = cursor.u8("dimensionality")?;
    let rank = dimensionality(&cursor, at, rank, 2)?;
    let at = cursor.at();
    let width = cursor.u8("dimension size encoded length")?;
    if width == 0 || width > 8 {
        let what = format!("sizes have {width} bytes, but only 1 to 8 are possible");
        return Err(cursor.invalid_at(at, "dimension size encoded length", what));
    }
    let mut layout = chunk_dims(&mut cursor, rank, width.into(), version)?;
    layout.edge_chunks_unfiltered = flags & EDGE_CHUNKS_UNFILTERED != 0;
    let at = cursor.at();
    layout.index = match cursor.u8("chunk indexing type")? {
        1 => ChunkIndex::Single { filtered: single(&mut cursor, flags)? },
        2 => ChunkIndex::Implicit,
        3 => ChunkIndex::FixedArray { page_bits: positive(&mut cursor, "page bits")? },
        4 => ChunkIndex::ExtensibleArray {
            max_bits: positive(&mut cursor, "max bits")?,
            index_elements: positive(&mut cursor, "index elements")?,
            super_block_min_pointers: positive(&mut cursor, "min pointers")?,
            data_block_min_elements: positive(&mut cursor, "min elements")?,
            page_bits: positive(&mut cursor, "page bits")?,
        },
        5 => ChunkIndex::BTreeV2 {
            node_bytes: cursor.u32("node size")?,
            split_percent: percent(&mut cursor, "split percent")?,
            merge_percent: percent(&mut cursor, "merge percent")?,
        },
        other => {
            let what = format!("index type {other} does not exist in version {version}");
            return Err(cursor.invalid_at(at, "chunk indexing type", what));
        }
    };
    layout.address = cursor.address("address")?;
    Ok(Layout::Chunked(layout))
}

/// Checks a rank that includes the element size as a dimension.
pub(super) fn dimensionality(cursor: &Cursor, at: u64, rank: u8, fewest: u64) -> Result<usize, FormatError> {
    if (fewest..=RANK_MAX + 1).contains(&rank.into()) {
        return Ok(rank.into());
    }
    let what = format!("{rank} dimensions, but only {fewest} to {} are possible", RANK_MAX + 1);
    Err(cursor.invalid_at(at, "dimensionality", what))
}

/// Parses the sizes of a chunk. Index and address are set as for a dataset without chunks.
pub(super) fn chunk_dims(
    cursor: &mut Cursor,
    rank: usize,
    width: usize,
    version: u8,
) -> Result<ChunkedLayout, FormatError> {
    let start = cursor.at();
    let mut dims = Vec::with_capacity(rank);
    for _ in 0..rank {
        let at = cursor.at();
        let dim = cursor.uint("dimension size", width)?;
        if dim == 0 {
            return Err(cursor.invalid_at(at, "dimension size", "the size of a chunk is 0"));
        }
        dims.push(dim);
    }
    let bytes = dims.iter().try_fold(1u64, |bytes, &dim| bytes.checked_mul(dim));
    // The keys of version 1 B-trees store the size in bytes in 32 bits.
    let most = if version < 4 { u64::from(u32::MAX) } else { u64::MAX };
    if bytes.is_none_or(|bytes| bytes > most) {
        let what = format!("a chunk of {dims:?} (the last is bytes) has more than {most} bytes");
        return Err(cursor.invalid_at(start, "dimension size", what));
    }
    let element = dims.pop().unwrap_or_default();
    let element_bytes = u32::try_from(element).map_err(|_| {
        cursor.invalid_at(start, "dataset element size", format!("{element} is not a valid element size"))
    })?;
    Ok(ChunkedLayout {
        chunk_dims: dims,
        element_bytes,
        index: ChunkIndex::BTreeV1,
        address: None,
        edge_chunks_unfiltered: false,
        version,
    })
}

fn single(cursor: &mut Cursor, flags: u8) -> Result<Option<(u64, u32)>, FormatError> {
    if flags & SINGLE_FILTERED == 0 {
        return Ok(None);
    }
    Ok(Some((cursor.length("size of filtered chunk")?, cursor.u32("filters for chunk")?)))
}

fn positive(cursor: &mut Cursor, field: &'static str) -> Result<u8, FormatError> {
    let at = cursor.at();
    match cursor.u8(field)? {
        0 => Err(cursor.invalid_at(at, field, "the parameter must not be 0")),
        value => Ok(value),
    }
}

fn percent(cursor: &mut Cursor, field: &'static str) -> Result<u8, FormatError> {
    let at = cursor.at();
    match cursor.u8(field)? {
        value @ 1..=100 => Ok(value),
        value => Err(cursor.invalid_at(at, field, format!("{value} is not a valid percentage"))),
    }
}

impl ChunkedLayout {
    /// The class of chunked layouts, and everything after it.
    pub(super) fn encode(&self, out: &mut Encoder) {
        out.u8(self.version);
        out.u8(super::CHUNKED);
        match (&self.index, self.version) {
            (ChunkIndex::BTreeV1, 3) => self.encode_version_3(out),
            (ChunkIndex::BTreeV1, version) | (_, version @ ..=3) => {
                let kind = self.index.kind_name();
                out.refuse("chunk indexing type", format!("version {version} has no index of kind {kind}"));
            }
            _ => self.encode_version_4(out),
        }
    }

    /// The sizes of a chunk, with the element size.
    fn sizes(&self) -> impl Iterator<Item = u64> + '_ {
        self.chunk_dims.iter().copied().chain([self.element_bytes.into()])
    }

    fn encode_version_3(&self, out: &mut Encoder) {
        out.count("dimensionality", self.chunk_dims.len() + 1, 1);
        out.address("address", self.address);
        self.sizes().for_each(|size| out.uint("dimension size", size, 4));
    }

    fn encode_version_4(&self, out: &mut Encoder) {
        let mut flags = if self.edge_chunks_unfiltered { EDGE_CHUNKS_UNFILTERED } else { 0 };
        if let ChunkIndex::Single { filtered: Some(_) } = self.index {
            flags |= SINGLE_FILTERED;
        }
        out.u8(flags);
        out.count("dimensionality", self.chunk_dims.len() + 1, 1);
        let width = self.sizes().max().unwrap_or(1).max(1).ilog2() / 8 + 1;
        out.u8(width as u8);
        self.sizes().for_each(|size| out.uint("dimension size", size, width as usize));
        match &self.index {
            ChunkIndex::BTreeV1 => {}
            ChunkIndex::Single { filtered } => {
                out.u8(1);
                if let Some((bytes, mask)) = filtered {
                    out.length("size of filtered chunk", *bytes);
                    out.u32(*mask);
                }
            }
            ChunkIndex::Implicit => out.u8(2),
            ChunkIndex::FixedArray { page_bits } => out.bytes(&[3, *page_bits]),
            ChunkIndex::ExtensibleArray {
                max_bits,
                index_elements,
                super_block_min_pointers,
                data_block_min_elements,
                page_bits,
            } => out.bytes(&[
                4,
                *max_bits,
                *index_elements,
                *super_block_min_pointers,
                *data_block_min_elements,
                *page_bits,
            ]),
            ChunkIndex::BTreeV2 { node_bytes, split_percent, merge_percent } => {
                out.u8(5);
                out.u32(*node_bytes);
                out.bytes(&[*split_percent, *merge_percent]);
            }
        }
        out.address("address", self.address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;
    use crate::{Address, Widths};

    fn chunked(body: &Build) -> ChunkedLayout {
        body.each_prefix(|cursor| assert!(Layout::parse(cursor).is_err()));
        match Layout::parse(body.cursor()).unwrap() {
            Layout::Chunked(layout) => layout,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn version_3_has_a_version_1_btree() {
        let widths = Widths { offset: 4, length: 4 };
        let layout = chunked(&Build::new(widths).u8(3).u8(2).u8(2).address(0x900).u32(7).u32(8));
        assert_eq!((&layout.chunk_dims[..], layout.element_bytes), (&[7][..], 8));
        assert_eq!((layout.index, layout.address), (ChunkIndex::BTreeV1, Some(Address(0x900))));
    }

    /// A layout of version 4 of 5 x 6 elements of 2 bytes.
    fn head(flags: u8, width: usize, index: u8) -> Build {
        let head = Build::default().u8(4).u8(2).u8(flags).u8(3).u8(width as u8);
        head.uint(5, width).uint(6, width).uint(2, width).u8(index)
    }

    #[test]
    fn version_4_knows_five_indexes() {
        let cases = [
            (head(0, 1, 1), ChunkIndex::Single { filtered: None }),
            (head(2, 1, 1).length(99).u32(1), ChunkIndex::Single { filtered: Some((99, 1)) }),
            (head(0, 8, 2), ChunkIndex::Implicit),
            (head(0, 3, 3).u8(10), ChunkIndex::FixedArray { page_bits: 10 }),
            (
                head(0, 2, 4).u8(32).u8(4).u8(5).u8(16).u8(10),
                ChunkIndex::ExtensibleArray {
                    max_bits: 32,
                    index_elements: 4,
                    super_block_min_pointers: 5,
                    data_block_min_elements: 16,
                    page_bits: 10,
                },
            ),
            (
                head(1, 4, 5).u32(2048).u8(100).u8(40),
                ChunkIndex::BTreeV2 { node_bytes: 2048, split_percent: 100, merge_percent: 40 },
            ),
        ];
        for (body, index) in cases {
            let layout = chunked(&body.address(0xa00));
            assert_eq!((&layout.chunk_dims[..], layout.element_bytes), (&[5, 6][..], 2));
            assert_eq!((layout.index, layout.address, layout.version), (index, Some(Address(0xa00)), 4));
        }
        assert!(chunked(&head(1, 1, 2).address(0)).edge_chunks_unfiltered);
    }

    #[test]
    fn refuses_what_no_writer_writes() {
        let field = |body: Build| Layout::parse(body.zeros(64).cursor()).unwrap_err().field;
        assert_eq!(field(head(0, 1, 0)), "chunk indexing type");
        assert_eq!(field(head(0, 1, 3)), "page bits");
        assert_eq!(field(head(0, 1, 5).u32(512).u8(101)), "split percent");
        assert_eq!(field(head(4, 1, 1)), "flags");
        let head = Build::default().u8(4).u8(2).u8(0);
        assert_eq!(field(head.clone().u8(1)), "dimensionality");
        assert_eq!(field(head.clone().u8(2).u8(9)), "dimension size encoded length");
        assert_eq!(field(head.clone().u8(2).u8(1).u8(0)), "dimension size");
        let huge = head.u8(3).u8(8).u64(1 << 40).u64(1 << 40).u64(1);
        assert_eq!(field(huge), "dimension size");
    }

    #[test]
    fn chunks_of_4_gib_need_version_4() {
        let three = Build::default().u8(3).u8(2).u8(3).address(0).u32(1 << 16).u32(1 << 16).u32(1);
        assert!(Layout::parse(three.cursor()).is_err());
        let five = Build::default().u8(5).u8(2).u8(0).u8(3).u8(4).u32(1 << 16).u32(1 << 16).u32(8).u8(2);
        let layout = chunked(&five.address(0xb00));
        assert_eq!((layout.version, &layout.chunk_dims[..]), (5, &[1 << 16, 1 << 16][..]));
    }
}
