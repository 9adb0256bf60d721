//! New fixed arrays: see [`fixed_array`](super::super::fixed_array) for the structure. All pages are written, also those
//! without chunks.

use super::super::Extent;
use super::super::columns::ChunkColumns;
use super::super::element::ElementFormat;
use super::refuse;
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths};

#[derive(Debug, Clone)]
pub(super) struct FixedArrayLayout {
    format: ElementFormat,
    widths: Widths,
    page_bits: u8,
    elements: u64,
    header: Address,
    data_block: Address,
}

/// Larger arrays belong into a B-tree: they would be all but empty, or the file has more chunks than can be written.
const ELEMENTS_MAX: u64 = 1 << 30;

impl FixedArrayLayout {
    pub(super) fn place(
        extent: &Extent,
        page_bits: u8,
        format: ElementFormat,
        widths: Widths,
        allocate: &mut Allocate<'_>,
    ) -> Result<Self, EncodeError> {
        let chunks = |(max, chunk): (&Option<u64>, &u64)| max.map(|max| max.div_ceil(*chunk));
        let mut dims = extent.max_dims.iter().zip(&extent.layout.chunk_dims).map(chunks);
        let elements = dims.try_fold(1u64, |all, count| all.checked_mul(count?));
        let elements = elements.filter(|&elements| elements <= ELEMENTS_MAX).ok_or_else(|| {
            refuse("maximum number of entries", format!("a fixed array of more than {ELEMENTS_MAX} chunks"))
        })?;
        let address = Address(0);
        let mut array = Self { format, widths, page_bits, elements, header: address, data_block: address };
        array.header = allocate(12 + u64::from(widths.length) + u64::from(widths.offset));
        array.data_block = allocate(array.data_block_bytes());
        Ok(array)
    }

    pub(super) fn address(&self) -> Address {
        self.header
    }

    /// The number of pages; 0 if the elements are in the data block itself.
    fn pages(&self) -> u64 {
        let page = 1u64 << self.page_bits;
        if self.elements > page { self.elements.div_ceil(page) } else { 0 }
    }

    fn data_block_bytes(&self) -> u64 {
        let pages = self.pages();
        let bitmap = pages.div_ceil(8);
        6 + u64::from(self.widths.offset) + bitmap + 4 + self.elements * self.format.bytes + 4 * pages
    }

    pub(super) fn encode(
        &self,
        numbers: &[(u64, usize)],
        chunks: &ChunkColumns,
    ) -> Result<Vec<PlacedBlock>, EncodeError> {
        let mut header = Encoder::new("fixed array header", self.widths);
        header.bytes(b"FAHD");
        header.u8(0);
        header.u8(self.format.client());
        header.uint("element size", self.format.bytes, 1);
        header.u8(self.page_bits);
        header.length("maximum number of entries", self.elements);
        header.address("data block address", Some(self.data_block));
        header.checksum();
        Ok(vec![
            PlacedBlock { address: self.header, bytes: header.finish()? },
            PlacedBlock { address: self.data_block, bytes: self.encode_data_block(numbers, chunks)? },
        ])
    }

    fn encode_data_block(
        &self,
        numbers: &[(u64, usize)],
        chunks: &ChunkColumns,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut out = Encoder::new("fixed array data block", self.widths);
        out.bytes(b"FADB");
        out.u8(0);
        out.u8(self.format.client());
        out.address("header address", Some(self.header));
        let pages = self.pages();
        for byte in 0..pages.div_ceil(8) {
            let left = pages - 8 * byte;
            out.u8(if left >= 8 { 0xff } else { !(0xff >> left) });
        }
        let mut start = 0;
        if pages > 0 {
            out.checksum();
            start = out.position();
        }
        let mut next = numbers.iter().peekable();
        for index in 0..self.elements {
            let found = next.next_if(|(number, _)| *number == index);
            self.format.encode(found.map(|&(_, row)| chunks.get(row)), &mut out);
            if pages > 0 && ((index + 1) % (1 << self.page_bits) == 0 || index + 1 == self.elements) {
                out.checksum_since(start);
                start = out.position();
            }
        }
        if pages == 0 {
            out.checksum();
        }
        out.finish()
    }
}
