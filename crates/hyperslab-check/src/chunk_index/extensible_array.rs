//! Chunks in an extensible array.

use super::{ARRAY_HEADER, Chunked};
use crate::checker::{Checked, Checker};
use crate::references::References;
use hyperslab_format::message::ChunkIndex;
use hyperslab_format::{Address, Cursor};

const HEADER: &str = "extensible array header";
const INDEX_BLOCK: &str = "extensible array index block";
const SUPER_BLOCK: &str = "extensible array super block";
const DATA_BLOCK: &str = "extensible array data block";
const PAGE: &str = "extensible array data block page";

/// The parameters of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Parameters {
    max_bits: u8,
    index_elements: u8,
    data_block_min: u8,
    super_block_min: u8,
    page_bits: u8,
}

/// The data blocks of a super block.
#[derive(Debug, Clone, Copy)]
struct SuperBlock {
    data_blocks: u64,
    /// The number of elements in each of them, and of their pages (0 if they are not paged).
    elements: u64,
    pages: u64,
    /// The number of its first element.
    first: u64,
}

/// The numbers and sizes of blocks and elements, as the header states them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Statistics {
    super_blocks: u64,
    super_block_bytes: u64,
    data_blocks: u64,
    data_block_bytes: u64,
    elements: u64,
}

/// An array whose blocks are being checked.
struct Array {
    parameters: Parameters,
    element_bytes: u64,
    offset_bytes: u64,
    found: Statistics,
    /// One more than the largest number of an element with a chunk.
    end: u64,
}

impl Parameters {
    /// `None` for parameters that contradict each other.
    fn checked(self) -> Option<Self> {
        let possible = (1..=64).contains(&self.max_bits)
            && self.page_bits <= self.max_bits
            && self.page_bits < 64
            && self.data_block_min.is_power_of_two()
            && self.super_block_min.is_power_of_two()
            && u32::from(self.max_bits) >= self.data_block_min.ilog2() + 2 * self.super_block_min.ilog2();
        possible.then_some(self)
    }

    fn super_blocks(self) -> u64 {
        1 + u64::from(self.max_bits) - u64::from(self.data_block_min.ilog2())
    }

    /// The number of super blocks whose data blocks the index block points to.
    fn direct_super_blocks(self) -> u64 {
        2 * u64::from(self.super_block_min.ilog2())
    }

    fn super_block(self, number: u64) -> SuperBlock {
        let power = |exponent: u64| 1u64.checked_shl(exponent as u32).unwrap_or(u64::MAX);
        let min = u64::from(self.data_block_min);
        let elements = power(number.div_ceil(2)).saturating_mul(min);
        let page = 1u64 << self.page_bits;
        SuperBlock {
            data_blocks: power(number / 2),
            elements,
            pages: if elements > page { elements / page } else { 0 },
            first: (power(number) - 1).saturating_mul(min).saturating_add(self.index_elements.into()),
        }
    }
}

impl Checker<'_> {
    pub(super) fn check_extensible_array(
        &mut self,
        chunked: &mut Chunked<'_>,
        references: &mut References,
    ) -> Checked {
        let ChunkIndex::ExtensibleArray {
            max_bits,
            index_elements,
            super_block_min_pointers: super_block_min,
            data_block_min_elements: data_block_min,
            page_bits,
        } = chunked.layout.index
        else {
            return Ok(());
        };
        let expected = Parameters { max_bits, index_elements, data_block_min, super_block_min, page_bits };
        let widths = self.view.widths;
        let (offset, length) = (u64::from(widths.offset), u64::from(widths.length));
        let mut header = self.cursor(HEADER, chunked.address, 16 + 6 * length + offset)?;
        let at = header.at();
        header.signature(b"EAHD")?;
        header.version(0..=0)?;
        let client = header.u8("client ID")?;
        let element_bytes = header.u8("element size")?;
        let parameters = Parameters {
            max_bits: header.u8("max number of elements bits")?,
            index_elements: header.u8("index block elements")?,
            data_block_min: header.u8("min number of elements in data block")?,
            super_block_min: header.u8("min number of data block pointers in super block")?,
            page_bits: header.u8("max number of elements in data block page bits")?,
        };
        let mut stated = Statistics {
            super_blocks: header.length("number of super blocks created")?,
            super_block_bytes: header.length("size of super blocks created")?,
            data_blocks: header.length("number of data blocks created")?,
            data_block_bytes: header.length("size of data blocks created")?,
            elements: 0,
        };
        let end = header.length("max index set")?;
        stated.elements = header.length("number of elements")?;
        let index_block = header.address("index block address")?;
        header.checksum()?;
        let is_same = parameters == expected
            && client == u8::from(chunked.is_filtered())
            && u64::from(element_bytes) == self.element_bytes(chunked);
        let Some(parameters) = parameters.checked().filter(|_| is_same) else {
            let what = format!(
                "client {client}, elements of {element_bytes} bytes, {parameters:?}; expected client {}, {} bytes, \
                 {expected:?}",
                u8::from(chunked.is_filtered()),
                self.element_bytes(chunked)
            );
            self.report(&ARRAY_HEADER, HEADER, at, what);
            return Ok(());
        };
        let mut array = Array {
            parameters,
            element_bytes: element_bytes.into(),
            offset_bytes: u64::from(max_bits).div_ceil(8),
            found: Statistics::default(),
            end: 0,
        };
        if let Some(address) = index_block {
            array.found.elements = index_elements.into();
            self.check_ea_index_block(chunked, &mut array, address, references)?;
        }
        self.demand(array.found == stated, &ARRAY_HEADER, HEADER, at, || {
            format!("{stated:?} according to the header, {:?} in its blocks", array.found)
        });
        // The library does not lower the number when a chunk is removed.
        self.demand(array.end <= end, &ARRAY_HEADER, HEADER, at, || {
            format!("elements up to {end} according to the header, up to {} in its blocks", array.end)
        });
        Ok(())
    }

    fn check_ea_index_block(
        &mut self,
        chunked: &mut Chunked<'_>,
        array: &mut Array,
        address: Address,
        references: &mut References,
    ) -> Checked {
        let parameters = array.parameters;
        let offset = u64::from(self.view.widths.offset);
        let direct = parameters.direct_super_blocks();
        let shapes: Vec<SuperBlock> = (0..direct).map(|number| parameters.super_block(number)).collect();
        let pointers =
            shapes.iter().map(|shape| shape.data_blocks).sum::<u64>() + parameters.super_blocks() - direct;
        let elements = u64::from(parameters.index_elements);
        let bytes = 6 + offset + elements * array.element_bytes + pointers * offset + 4;
        let mut block = self.cursor(INDEX_BLOCK, address, bytes)?;
        self.check_array_block(chunked, &mut block, b"EAIB")?;
        self.check_ea_elements(chunked, array, &mut block, (0, elements), references)?;
        let mut data_blocks = Vec::new();
        for shape in &shapes {
            for number in 0..shape.data_blocks {
                let first = shape.first.saturating_add(number.saturating_mul(shape.elements));
                data_blocks
                    .extend(block.address("data block address")?.map(|address| (address, *shape, first)));
            }
        }
        let mut super_blocks = Vec::new();
        for number in direct..parameters.super_blocks() {
            super_blocks.extend(block.address("super block address")?.map(|address| (address, number)));
        }
        block.checksum()?;
        for (address, shape, first) in data_blocks {
            let checked = self.check_ea_data_block(chunked, array, address, (shape, first), &[], references);
            self.finish(checked);
        }
        for (address, number) in super_blocks {
            let checked = self.check_ea_super_block(chunked, array, address, number, references);
            self.finish(checked);
        }
        Ok(())
    }

    fn check_ea_super_block(
        &mut self,
        chunked: &mut Chunked<'_>,
        array: &mut Array,
        address: Address,
        number: u64,
        references: &mut References,
    ) -> Checked {
        let shape = array.parameters.super_block(number);
        let offset = u64::from(self.view.widths.offset);
        let bitmap_bytes = shape.data_blocks.saturating_mul(shape.pages.div_ceil(8));
        let pointers = shape.data_blocks.saturating_mul(offset);
        let prefix = 6 + offset + array.offset_bytes;
        let bytes = (prefix + 4).saturating_add(bitmap_bytes).saturating_add(pointers);
        let mut block = self.cursor(SUPER_BLOCK, address, bytes)?;
        array.found.super_blocks += 1;
        array.found.super_block_bytes += bytes;
        self.check_array_block(chunked, &mut block, b"EASB")?;
        // The library writes a wrong offset into some blocks, and never reads it.
        block.skip("block offset", array.offset_bytes as usize)?;
        let bitmap = block.bytes("page bitmaps", bitmap_bytes as usize)?;
        let mut data_blocks = Vec::new();
        for number in 0..shape.data_blocks {
            if let Some(address) = block.address("data block address")? {
                let first = shape.first.saturating_add(number.saturating_mul(shape.elements));
                // The bits of all data blocks follow each other without gaps.
                let bit = |page: u64| {
                    let bit = number * shape.pages + page;
                    bitmap.get((bit / 8) as usize).is_some_and(|byte| byte & (0x80 >> (bit % 8)) != 0)
                };
                let written: Vec<bool> = (0..shape.pages).map(bit).collect();
                data_blocks.push((address, first, written));
            }
        }
        block.checksum()?;
        for (address, first, written) in data_blocks {
            let checked =
                self.check_ea_data_block(chunked, array, address, (shape, first), &written, references);
            self.finish(checked);
        }
        Ok(())
    }

    fn check_ea_data_block(
        &mut self,
        chunked: &mut Chunked<'_>,
        array: &mut Array,
        address: Address,
        (shape, first): (SuperBlock, u64),
        written: &[bool],
        references: &mut References,
    ) -> Checked {
        let prefix = 6 + u64::from(self.view.widths.offset) + array.offset_bytes + 4;
        let of_elements = shape.elements.saturating_mul(array.element_bytes);
        let bytes = prefix.saturating_add(of_elements).saturating_add(4 * shape.pages);
        self.claim(DATA_BLOCK, address, bytes)?;
        array.found.data_blocks += 1;
        array.found.data_block_bytes += bytes;
        array.found.elements += shape.elements;
        if shape.pages == 0 {
            let mut block = self.peek(DATA_BLOCK, address, bytes)?;
            self.check_array_block(chunked, &mut block, b"EADB")?;
            block.skip("block offset", array.offset_bytes as usize)?;
            self.check_ea_elements(chunked, array, &mut block, (first, shape.elements), references)?;
            block.checksum()?;
            return Ok(());
        }
        let mut block = self.peek(DATA_BLOCK, address, prefix)?;
        self.check_array_block(chunked, &mut block, b"EADB")?;
        block.skip("block offset", array.offset_bytes as usize)?;
        block.checksum()?;
        let page = 1u64 << array.parameters.page_bits;
        let page_bytes = page * array.element_bytes + 4;
        for (number, _) in (0..).zip(written).filter(|(_, written)| **written) {
            let mut block = self.peek(PAGE, Address(address.0 + prefix + number * page_bytes), page_bytes)?;
            self.check_ea_elements(chunked, array, &mut block, (first + number * page, page), references)?;
            let checksum = block.checksum().map_err(Into::into);
            self.finish(checksum);
        }
        Ok(())
    }

    fn check_ea_elements(
        &mut self,
        chunked: &mut Chunked<'_>,
        array: &mut Array,
        block: &mut Cursor,
        (first, count): (u64, u64),
        references: &mut References,
    ) -> Checked {
        for number in first..first.saturating_add(count) {
            let before = self.report.chunks;
            self.check_array_element(chunked, block, number, references)?;
            if self.report.chunks > before {
                array.end = array.end.max(number.saturating_add(1));
            }
        }
        Ok(())
    }
}
