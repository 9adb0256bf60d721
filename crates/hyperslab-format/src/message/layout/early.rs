//! Layout versions 1 and 2 (before HDF5 1.6.3). They contain the dataset's sizes, truncated to 32 bits, even if it is
//! not chunked. These are skipped, because dataspace and datatype have the full sizes.

use super::chunked::{chunk_dims, dimensionality};
use super::{CHUNKED, COMPACT, CONTIGUOUS, ChunkIndex, Layout, compact, unknown_class};
use crate::{Cursor, FormatError};

pub(super) fn parse(mut cursor: Cursor, version: u8) -> Result<Layout, FormatError> {
    let rank_at = cursor.at();
    let rank = cursor.u8("dimensionality")?;
    let class_at = cursor.at();
    let class = cursor.u8("layout class")?;
    let fewest = if class == CHUNKED { 2 } else { 1 };
    let rank = dimensionality(&cursor, rank_at, rank, fewest)?;
    cursor.skip("reserved", 5)?;
    match class {
        COMPACT => {
            cursor.skip("dimension sizes", 4 * rank)?;
            let len = cursor.u32("compact data size")?;
            compact(cursor, usize::try_from(len).unwrap_or(usize::MAX))
        }
        CONTIGUOUS => {
            let address = cursor.address("data address")?;
            cursor.skip("dimension sizes", 4 * rank)?;
            Ok(Layout::Contiguous { address, size: None })
        }
        CHUNKED => {
            let address = cursor.address("data address")?;
            let mut layout = chunk_dims(&mut cursor, rank, 4, version)?;
            layout.address = address;
            layout.index = ChunkIndex::BTreeV1;
            Ok(Layout::Chunked(layout))
        }
        _ => Err(cursor.invalid_at(class_at, "layout class", unknown_class(version, class))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;
    use crate::{Address, Bytes};

    fn head(version: u8, rank: u8, class: u8) -> Build {
        Build::default().u8(version).u8(rank).u8(class).zeros(5)
    }

    #[test]
    fn reads_all_three_classes() {
        for version in [1, 2] {
            let compact = head(version, 1, 0).u32(3).u32(3).bytes(b"abc");
            let layout = Layout::parse(compact.cursor()).unwrap();
            assert_eq!(layout, Layout::Compact { data: Bytes::from_static(b"abc"), at: 16 });

            let contiguous = head(version, 2, 1).address(0x500).u32(3).u32(8);
            let layout = Layout::parse(contiguous.cursor()).unwrap();
            assert_eq!(layout, Layout::Contiguous { address: Some(Address(0x500)), size: None });

            let chunked = head(version, 3, 2).address(0x600).u32(10).u32(20).u32(4);
            let Layout::Chunked(layout) = Layout::parse(chunked.cursor()).unwrap() else { panic!() };
            assert_eq!((&layout.chunk_dims[..], layout.element_bytes), (&[10, 20][..], 4));
            assert_eq!((layout.index, layout.address), (ChunkIndex::BTreeV1, Some(Address(0x600))));

            for body in [compact, contiguous, chunked] {
                body.each_prefix(|cursor| assert!(Layout::parse(cursor).is_err()));
            }
        }
    }

    #[test]
    fn refuses_impossible_ranks_and_classes() {
        let field = |body: Build| Layout::parse(body.zeros(200).cursor()).unwrap_err().field;
        assert_eq!(field(head(1, 0, 1)), "dimensionality");
        assert_eq!(field(head(1, 34, 1)), "dimensionality");
        assert_eq!(field(head(1, 1, 2)), "dimensionality");
        assert_eq!(field(head(1, 1, 3)), "layout class");
        assert_eq!(field(head(1, 2, 2)), "dimension size");
    }
}
