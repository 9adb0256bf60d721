//! New extensible arrays: see [`extensible_array`](super::super::extensible_array) for the structure. A data block that
//! would contain no chunk is not written; of one that is written, all pages are.

use super::super::columns::ChunkColumns;
use super::super::element::ElementFormat;
use super::super::extensible_array::header::{Header, SuperBlock};
use super::refuse;
use crate::message::ChunkIndex;
use crate::{Address, Allocate, EncodeError, Encoder, PlacedBlock, Widths};
use std::ops::Range;

#[derive(Debug, Clone)]
pub(super) struct ExtensibleArrayLayout {
    shape: Header,
    parameters: [u8; 5],
    widths: Widths,
    header: Address,
    index_block: Address,
    /// The data blocks that the index block points to, then the super blocks; `None` where they have no chunk.
    data_blocks: Vec<Option<Address>>,
    super_blocks: Vec<Option<PlacedSuperBlock>>,
    /// One more than the highest index of a chunk.
    end: u64,
}

#[derive(Debug, Clone)]
struct PlacedSuperBlock {
    address: Address,
    data_blocks: Vec<Option<Address>>,
}

/// The numbers of blocks and elements in the header.
#[derive(Debug, Default)]
struct Statistics {
    super_blocks: u64,
    super_block_bytes: u64,
    data_blocks: u64,
    data_block_bytes: u64,
    elements: u64,
}

impl ExtensibleArrayLayout {
    /// `numbers` are the indexes of the chunks, ascending.
    pub(super) fn place(
        index: &ChunkIndex,
        numbers: &[u64],
        format: ElementFormat,
        widths: Widths,
        allocate: &mut Allocate<'_>,
    ) -> Result<Self, EncodeError> {
        let ChunkIndex::ExtensibleArray {
            max_bits,
            index_elements,
            super_block_min_pointers,
            data_block_min_elements,
            page_bits,
        } = *index
        else {
            return Err(refuse("chunk indexing type", "not an extensible array"));
        };
        // In the order of the header; the layout message has the last two but one the other way round.
        let parameters =
            [max_bits, index_elements, data_block_min_elements, super_block_min_pointers, page_bits];
        let shape = Header::new(format, parameters)
            .ok_or_else(|| refuse("max bits", format!("parameters {parameters:?} of an extensible array")))?;
        let end = numbers.last().map_or(0, |last| last + 1);
        if max_bits < 64 && end >> max_bits != 0 {
            return Err(refuse("max bits", format!("chunk {} of an array of 2^{max_bits}", end - 1)));
        }
        let address = Address(0);
        let mut array = Self {
            shape,
            parameters,
            widths,
            header: address,
            index_block: address,
            data_blocks: Vec::new(),
            super_blocks: Vec::new(),
            end,
        };
        array.header = allocate(16 + 6 * u64::from(widths.length) + u64::from(widths.offset));
        array.index_block = allocate(array.index_block_bytes());
        let is_used = |indexes: &Range<u64>| {
            let first = numbers.partition_point(|&number| number < indexes.start);
            numbers.get(first).is_some_and(|&number| number < indexes.end)
        };
        for shape in array.direct() {
            for number in 0..shape.data_blocks {
                let is_used = is_used(&shape.indexes(number));
                array.data_blocks.push(is_used.then(|| allocate(array.data_block_bytes(&shape))));
            }
        }
        for number in array.shape.direct_super_blocks()..array.shape.super_blocks() {
            let shape = array.shape.super_block(number);
            if !is_used(&shape.all()) {
                array.super_blocks.push(None);
                continue;
            }
            let address = allocate(array.super_block_bytes(&shape));
            let mut data_blocks = Vec::new();
            for block in 0..shape.data_blocks {
                let is_used = is_used(&shape.indexes(block));
                data_blocks.push(is_used.then(|| allocate(array.data_block_bytes(&shape))));
            }
            array.super_blocks.push(Some(PlacedSuperBlock { address, data_blocks }));
        }
        Ok(array)
    }

    pub(super) fn address(&self) -> Address {
        self.header
    }

    /// The super blocks whose data blocks the index block points to.
    fn direct(&self) -> Vec<SuperBlock> {
        (0..self.shape.direct_super_blocks()).map(|number| self.shape.super_block(number)).collect()
    }

    /// The super blocks that have been placed.
    fn indirect(&self) -> impl Iterator<Item = (SuperBlock, &PlacedSuperBlock)> {
        (self.shape.direct_super_blocks()..)
            .zip(&self.super_blocks)
            .filter_map(|(number, placed)| Some((self.shape.super_block(number), placed.as_ref()?)))
    }

    fn prefix_bytes(&self) -> u64 {
        6 + u64::from(self.widths.offset) + self.shape.offset_bytes() as u64
    }

    fn index_block_bytes(&self) -> u64 {
        let blocks: u64 = self.direct().iter().map(|shape| shape.data_blocks).sum();
        let pointers = blocks + self.shape.super_blocks() - self.shape.direct_super_blocks();
        let offset = u64::from(self.widths.offset);
        6 + offset + self.shape.index_elements * self.shape.format.bytes + pointers * offset + 4
    }

    fn super_block_bytes(&self, shape: &SuperBlock) -> u64 {
        let block = shape.bitmap_bytes() + u64::from(self.widths.offset);
        self.prefix_bytes() + shape.data_blocks * block + 4
    }

    fn data_block_bytes(&self, shape: &SuperBlock) -> u64 {
        self.prefix_bytes() + 4 + shape.elements * self.shape.format.bytes + 4 * shape.pages
    }

    pub(super) fn encode(
        &self,
        numbers: &[(u64, usize)],
        chunks: &ChunkColumns,
    ) -> Result<Vec<PlacedBlock>, EncodeError> {
        let mut blocks = vec![
            PlacedBlock { address: self.header, bytes: self.encode_header()? },
            PlacedBlock { address: self.index_block, bytes: self.encode_index_block(numbers, chunks)? },
        ];
        let mut direct = self.data_blocks.iter();
        for shape in self.direct() {
            for number in 0..shape.data_blocks {
                if let Some(&Some(address)) = direct.next() {
                    let bytes = self.encode_data_block(&shape, number, numbers, chunks)?;
                    blocks.push(PlacedBlock { address, bytes });
                }
            }
        }
        for (shape, placed) in self.indirect() {
            blocks.push(PlacedBlock {
                address: placed.address,
                bytes: self.encode_super_block(&shape, placed)?,
            });
            for (number, address) in (0..).zip(&placed.data_blocks) {
                if let &Some(address) = address {
                    let bytes = self.encode_data_block(&shape, number, numbers, chunks)?;
                    blocks.push(PlacedBlock { address, bytes });
                }
            }
        }
        Ok(blocks)
    }

    fn statistics(&self) -> Statistics {
        let mut found = Statistics { elements: self.shape.index_elements, ..Statistics::default() };
        let mut add = |shape: &SuperBlock, blocks: u64| {
            found.data_blocks += blocks;
            found.data_block_bytes += blocks * self.data_block_bytes(shape);
            found.elements += blocks * shape.elements;
        };
        let mut direct = self.data_blocks.iter();
        for shape in self.direct() {
            let blocks = direct.by_ref().take(shape.data_blocks as usize).flatten().count();
            add(&shape, blocks as u64);
        }
        for (shape, placed) in self.indirect() {
            add(&shape, placed.data_blocks.iter().flatten().count() as u64);
        }
        for (shape, _) in self.indirect() {
            found.super_blocks += 1;
            found.super_block_bytes += self.super_block_bytes(&shape);
        }
        found
    }

    fn encode_header(&self) -> Result<Vec<u8>, EncodeError> {
        let found = self.statistics();
        let mut out = Encoder::new("extensible array header", self.widths);
        out.bytes(b"EAHD");
        out.u8(0);
        out.u8(self.shape.format.client());
        out.uint("element size", self.shape.format.bytes, 1);
        out.bytes(&self.parameters);
        out.length("super blocks", found.super_blocks);
        out.length("super block size", found.super_block_bytes);
        out.length("data blocks", found.data_blocks);
        out.length("data block size", found.data_block_bytes);
        out.length("max index set", self.end);
        out.length("number of elements", found.elements);
        out.address("index block address", Some(self.index_block));
        out.checksum();
        out.finish()
    }

    fn encode_index_block(
        &self,
        numbers: &[(u64, usize)],
        chunks: &ChunkColumns,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut out = Encoder::new("extensible array index block", self.widths);
        self.prefix(b"EAIB", None, &mut out);
        self.elements(&(0..self.shape.index_elements), numbers, chunks, &mut out);
        self.data_blocks.iter().for_each(|&block| out.address("data block address", block));
        for block in &self.super_blocks {
            out.address("super block address", block.as_ref().map(|block| block.address));
        }
        out.checksum();
        out.finish()
    }

    fn encode_super_block(
        &self,
        shape: &SuperBlock,
        placed: &PlacedSuperBlock,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut out = Encoder::new("extensible array super block", self.widths);
        self.prefix(b"EASB", Some(shape.first), &mut out);
        // The bits of all data blocks follow one another without gaps, in space for whole bytes for each.
        let mut bitmap = vec![0u8; (shape.data_blocks * shape.bitmap_bytes()) as usize];
        for (block, _) in (0..).zip(&placed.data_blocks).filter(|(_, address)| address.is_some()) {
            for page in block * shape.pages..(block + 1) * shape.pages {
                bitmap[(page / 8) as usize] |= 0x80 >> (page % 8);
            }
        }
        out.bytes(&bitmap);
        placed.data_blocks.iter().for_each(|&block| out.address("data block address", block));
        out.checksum();
        out.finish()
    }

    fn encode_data_block(
        &self,
        shape: &SuperBlock,
        number: u64,
        numbers: &[(u64, usize)],
        chunks: &ChunkColumns,
    ) -> Result<Vec<u8>, EncodeError> {
        let indexes = shape.indexes(number);
        let mut out = Encoder::new("extensible array data block", self.widths);
        self.prefix(b"EADB", Some(indexes.start), &mut out);
        if shape.pages == 0 {
            self.elements(&indexes, numbers, chunks, &mut out);
            out.checksum();
            return out.finish();
        }
        out.checksum();
        for page in 0..shape.pages {
            let start = out.position();
            let first = indexes.start + page * self.shape.page_elements();
            self.elements(&(first..first + self.shape.page_elements()), numbers, chunks, &mut out);
            out.checksum_since(start);
        }
        out.finish()
    }

    fn elements(
        &self,
        indexes: &Range<u64>,
        numbers: &[(u64, usize)],
        chunks: &ChunkColumns,
        out: &mut Encoder,
    ) {
        let first = numbers.partition_point(|(number, _)| *number < indexes.start);
        let mut next = numbers[first..].iter().peekable();
        for index in indexes.clone() {
            let found = next.next_if(|(number, _)| *number == index);
            self.shape.format.encode(found.map(|&(_, row)| chunks.get(row)), out);
        }
    }

    /// What every block begins with. The offset of a block does not count the elements of the index block.
    fn prefix(&self, signature: &[u8; 4], first: Option<u64>, out: &mut Encoder) {
        out.bytes(signature);
        out.u8(0);
        out.u8(self.shape.format.client());
        out.address("header address", Some(self.header));
        if let Some(first) = first {
            out.uint("block offset", first - self.shape.index_elements, self.shape.offset_bytes());
        }
    }
}
