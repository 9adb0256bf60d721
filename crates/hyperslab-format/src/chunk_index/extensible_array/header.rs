//! The header of an extensible array, and the sizes of the blocks, which follow from it.
//!
//! ```text
//! "EAHD" | version 0 | client ID | element size | max. bits | elements in index block
//!        | fewest elements in data block | fewest data blocks in super block | page bits
//!        | six statistics | index block | checksum 4
//! ```
//!
//! Super block s has 2^(s/2) data blocks of 2^((s+1)/2) times the fewest elements. The index block contains the first
//! elements, then the addresses of the data blocks of the first super blocks, then those of the other super blocks.

use super::super::context::WalkContext;
use super::super::element::ElementFormat;
use crate::{Address, Parse, View};
use std::ops::Range;

/// The header of an array.
#[derive(Debug, Clone)]
pub(in super::super) struct Header {
    pub(in super::super) format: ElementFormat,
    /// log2 of the maximum number of elements.
    max_bits: u8,
    /// The number of elements in the index block.
    pub(in super::super) index_elements: u64,
    data_block_min: u64,
    super_block_min: u64,
    page_bits: u8,
    pub(in super::super) index_block: Option<Address>,
}

/// The sizes in a super block.
#[derive(Debug, Clone)]
pub(in super::super) struct SuperBlock {
    /// The number of data blocks.
    pub(in super::super) data_blocks: u64,
    /// The number of elements in each of them.
    pub(in super::super) elements: u64,
    /// The index of its first element in the array.
    pub(in super::super) first: u64,
    /// The number of pages of each data block; 0 if they are not paged.
    pub(in super::super) pages: u64,
}

impl SuperBlock {
    /// The indexes of the elements of data block `number`.
    pub(in super::super) fn indexes(&self, number: u64) -> Range<u64> {
        let first = self.first.saturating_add(number.saturating_mul(self.elements));
        first..first.saturating_add(self.elements)
    }

    /// The indexes of all elements.
    pub(in super::super) fn all(&self) -> Range<u64> {
        self.first..self.first.saturating_add(self.data_blocks.saturating_mul(self.elements))
    }

    /// The bytes of the page bitmap of one data block.
    pub(in super::super) fn bitmap_bytes(&self) -> u64 {
        self.pages.div_ceil(8)
    }
}

const STRUCTURE: &str = "extensible array header";

impl Header {
    pub(in super::super) fn parse(view: &View, context: &WalkContext) -> Parse<Self> {
        let bytes = 16 + 6 * u64::from(view.widths.length) + u64::from(view.widths.offset);
        let mut cursor = view.cursor(STRUCTURE, context.address, bytes)?;
        cursor.signature(b"EAHD")?;
        cursor.version(0..=0)?;
        let format = ElementFormat::parse(&mut cursor, view, context)?;
        let field = cursor.clone();
        let max_bits = cursor.u8("max number of elements bits")?;
        let index_elements = cursor.u8("index block elements")?;
        let data_block_min = cursor.u8("min number of elements in data block")?;
        let super_block_min = cursor.u8("min number of data block pointers in super block")?;
        let page_bits = cursor.u8("max number of elements in data block page bits")?;
        for name in ["super blocks", "super block size", "data blocks", "data block size", "max index set"] {
            cursor.length(name)?;
        }
        cursor.length("number of elements")?;
        let index_block = cursor.address("index block address")?;
        cursor.checksum()?;
        let parameters = [max_bits, index_elements, data_block_min, super_block_min, page_bits];
        let Some(header) = Self::new(format, parameters) else {
            let what = format!(
                "2^{max_bits} elements in blocks of {data_block_min} and more, {super_block_min} and more to a \
                 super block, in pages of 2^{page_bits}"
            );
            return Err(field.invalid("max number of elements bits", what).into());
        };
        Ok(Self { index_block, ..header })
    }

    /// The header of an array with these parameters, in the order of the file, without an index block. `None` if they
    /// contradict each other.
    pub(in super::super) fn new(
        format: ElementFormat,
        [max_bits, index_elements, data_block_min, super_block_min, page_bits]: [u8; 5],
    ) -> Option<Self> {
        let possible = (1..=64).contains(&max_bits)
            && page_bits <= max_bits
            && page_bits < 64
            && data_block_min.is_power_of_two()
            && super_block_min.is_power_of_two()
            && u32::from(max_bits) >= data_block_min.ilog2() + 2 * super_block_min.ilog2();
        possible.then(|| Self {
            format,
            max_bits,
            index_elements: index_elements.into(),
            data_block_min: data_block_min.into(),
            super_block_min: super_block_min.into(),
            page_bits,
            index_block: None,
        })
    }

    /// The number of super blocks, including those with data blocks in the index block.
    pub(in super::super) fn super_blocks(&self) -> u64 {
        1 + u64::from(self.max_bits) - u64::from(self.data_block_min.ilog2())
    }

    /// The number of super blocks with data blocks in the index block.
    pub(in super::super) fn direct_super_blocks(&self) -> u64 {
        2 * u64::from(self.super_block_min.ilog2())
    }

    /// The sizes in super block `number`, which must be less than [`Self::super_blocks`].
    pub(in super::super) fn super_block(&self, number: u64) -> SuperBlock {
        let power = |exponent: u64| 1u64.checked_shl(exponent as u32).unwrap_or(u64::MAX);
        let elements = power(number.div_ceil(2)).saturating_mul(self.data_block_min);
        let before = (power(number) - 1).saturating_mul(self.data_block_min);
        let page = 1 << self.page_bits;
        SuperBlock {
            data_blocks: power(number / 2),
            elements,
            first: before.saturating_add(self.index_elements),
            pages: if elements > page { elements / page } else { 0 },
        }
    }

    /// The number of elements in a page.
    pub(in super::super) fn page_elements(&self) -> u64 {
        1 << self.page_bits
    }

    /// The bytes of the beginning of a block: signature, version, client ID, header address and (not in the index block)
    /// offset.
    pub(in super::super) fn prefix_bytes(&self, view: &View, with_offset: bool) -> u64 {
        6 + u64::from(view.widths.offset) + if with_offset { self.offset_bytes() as u64 } else { 0 }
    }

    /// The bytes of the offset of a block.
    pub(in super::super) fn offset_bytes(&self) -> usize {
        usize::from(self.max_bits).div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk_index::tests::context;
    use crate::testing::Build;

    fn header(fields: [u8; 5]) -> Parse<Header> {
        let image = Build::default().text("EAHD").u8(0).u8(0).u8(8).bytes(&fields).bytes(&[0; 48]).u64(0);
        let image = image.checksum_since(Address(0));
        Header::parse(&image.view(), &context(&[9], &[None], &[1]))
    }

    #[test]
    fn super_blocks_follow_from_the_header() {
        // What the library always writes.
        let header = header([32, 4, 16, 4, 10]).unwrap();
        assert_eq!((header.super_blocks(), header.direct_super_blocks()), (29, 4));
        let shapes: Vec<_> = (0..12).map(|s| header.super_block(s)).collect();
        let of = |f: fn(&SuperBlock) -> u64| shapes.iter().map(f).collect::<Vec<_>>();
        assert_eq!(of(|s| s.data_blocks), [1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32]);
        assert_eq!(of(|s| s.elements), [16, 32, 32, 64, 64, 128, 128, 256, 256, 512, 512, 1024]);
        assert_eq!(of(|s| s.pages), [0; 12]);
        assert_eq!(header.super_block(13).pages, 2);
        // One begins where the one before it ends.
        for s in 1..header.super_blocks() {
            assert_eq!(header.super_block(s).first, header.super_block(s - 1).all().end);
        }
    }

    #[test]
    fn refuses_impossible_shapes() {
        for fields in [
            [0, 4, 16, 4, 0],
            [65, 4, 16, 4, 10],
            [32, 4, 0, 4, 10],
            [32, 4, 16, 0, 10],
            [32, 4, 15, 4, 10],
            [32, 4, 16, 3, 10],
            [32, 4, 16, 4, 33],
            [4, 4, 16, 4, 3],
        ] {
            header(fields).unwrap_err();
        }
    }

    #[test]
    fn the_largest_array_does_not_overflow() {
        let header = header([64, 255, 128, 2, 63]).unwrap();
        for s in 0..header.super_blocks() {
            let shape = header.super_block(s);
            assert!(shape.all().start <= shape.indexes(shape.data_blocks).end);
        }
    }
}
