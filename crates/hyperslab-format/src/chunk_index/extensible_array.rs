//! Extensible arrays (specification VII.D): an element for each chunk of a dataset with one unlimited dimension.
//!
//! ```text
//! index block:  "EAIB" | version 0 | client ID | header | elements | data blocks | super blocks | checksum 4
//! super block:  "EASB" | version 0 | client ID | header | offset | [page bitmaps] | data blocks | checksum 4
//! data block:   "EADB" | version 0 | client ID | header | offset | elements | checksum 4
//! page:         elements | checksum 4
//! ```
//!
//! Data blocks are larger towards the end of the array; their sizes follow from the [`header`]. A data block with more
//! elements than a page ends after the offset and is followed by its pages; the bitmaps of the super block record which
//! pages were written. Elements are numbered over the dataset's maximum size, with the unlimited dimension moved to the
//! front.

pub(super) mod header;

use super::batch::gather;
use super::columns::ChunkColumns;
use super::context::{WalkContext, invalid};
use super::element::Elements;
use super::fixed_array::{fit_into_file, is_set, owned};
use super::grid::Grid;
use crate::node_traversal::{Item, NodeTraversal, VisitedRanges};
use crate::{Address, Cursor, FormatError, Parse, View};
use header::{Header, SuperBlock};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct ExtensibleArrayWalk {
    context: WalkContext,
    grid: Grid,
    header: Option<Header>,
    nodes: NodeTraversal<Node, Elements>,
}

#[derive(Debug)]
enum Node {
    IndexBlock,
    SuperBlock {
        address: Address,
        number: u64,
    },
    DataBlock {
        address: Address,
        indexes: Range<u64>,
    },
    /// A data block without its pages.
    PagedDataBlock {
        address: Address,
    },
    Page {
        address: Address,
        indexes: Range<u64>,
    },
}

type Items = Vec<Item<Node, Elements>>;

const INDEX_BLOCK: &str = "extensible array index block";
const SUPER_BLOCK: &str = "extensible array super block";
const DATA_BLOCK: &str = "extensible array data block";
const PAGE: &str = "extensible array data block page";

impl ExtensibleArrayWalk {
    pub(super) fn new(context: WalkContext) -> Result<Self, FormatError> {
        let unlimited = context.max_chunks.iter().any(Option::is_none);
        let grid =
            Grid::new(&context.max_chunks, &context.region).filter(|_| unlimited).ok_or_else(|| {
                let what = "an extensible array needs one unlimited dimension and at most 2^64 chunks";
                invalid("chunk indexing type", what)
            })?;
        Ok(Self { context, grid, header: None, nodes: NodeTraversal::strict(Node::IndexBlock) })
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<Option<ChunkColumns>> {
        let context = &self.context;
        if self.header.is_none() {
            self.header = Some(Header::parse(view, context)?);
        }
        let header = self.header.as_ref().expect("read above");
        let Some(index_block) = header.index_block else { return Ok(None) };
        let reader = Reader { view, context, grid: &self.grid, header };
        let visit = |node: &Node, visited: &mut VisitedRanges| {
            let (structure, address, (items, bytes)) = match node {
                Node::IndexBlock => (INDEX_BLOCK, index_block, reader.index_block(index_block)?),
                Node::SuperBlock { address, number } => {
                    (SUPER_BLOCK, *address, reader.super_block(*address, *number)?)
                }
                Node::DataBlock { address, indexes } => {
                    (DATA_BLOCK, *address, reader.data_block(*address, indexes)?)
                }
                Node::PagedDataBlock { address } => {
                    (DATA_BLOCK, *address, reader.data_block(*address, &(0..0))?)
                }
                Node::Page { address, indexes } => (PAGE, *address, reader.page(*address, indexes)?),
            };
            visited.claim(structure, view, view.absolute(address), bytes)?;
            Ok(items)
        };
        let next = || Ok(self.nodes.next(visit)?.transpose()?);
        let add = |elements: Elements, found: &mut ChunkColumns| {
            header.format.collect(view, context, &self.grid, &elements, found)
        };
        gather(context.rank, next, add)
    }
}

/// Parses blocks. Each function returns the content of a block and its size in bytes.
struct Reader<'a> {
    view: &'a View<'a>,
    context: &'a WalkContext,
    grid: &'a Grid,
    header: &'a Header,
}

impl Reader<'_> {
    fn index_block(&self, address: Address) -> Parse<(Items, u64)> {
        let (header, offset) = (self.header, u64::from(self.view.widths.offset));
        let elements = 0..header.index_elements;
        let direct = header.direct_super_blocks();
        let shapes: Vec<SuperBlock> = (0..direct).map(|number| header.super_block(number)).collect();
        let pointers =
            shapes.iter().map(|shape| shape.data_blocks).sum::<u64>() + header.super_blocks() - direct;
        let bytes = header.prefix_bytes(self.view, false)
            + elements.end * header.format.bytes
            + pointers * offset
            + 4;
        let mut cursor = self.view.cursor(INDEX_BLOCK, address, bytes)?;
        self.prefix(&mut cursor, b"EAIB", false)?;
        let mut items = vec![Item::Done(header.format.take(&mut cursor, &elements)?)];
        for shape in &shapes {
            for number in 0..shape.data_blocks {
                let field = cursor.clone();
                let Some(address) = cursor.address("data block address")? else { continue };
                let indexes = shape.indexes(number);
                if !self.grid.overlaps(&indexes) {
                    continue;
                }
                if shape.pages > 0 {
                    let what = "a paged data block has no super block with the bitmap of its pages";
                    return Err(field.invalid("data block address", what).into());
                }
                items.push(Item::Node(Node::DataBlock { address, indexes }));
            }
        }
        for number in direct..header.super_blocks() {
            let Some(address) = cursor.address("super block address")? else { continue };
            if self.grid.overlaps(&header.super_block(number).all()) {
                items.push(Item::Node(Node::SuperBlock { address, number }));
            }
        }
        cursor.checksum()?;
        Ok((items, bytes))
    }

    fn super_block(&self, address: Address, number: u64) -> Parse<(Items, u64)> {
        let (header, shape) = (self.header, self.header.super_block(number));
        let bitmap_bytes = shape.data_blocks.saturating_mul(shape.bitmap_bytes());
        let pointers = shape.data_blocks.saturating_mul(self.view.widths.offset.into());
        let bytes =
            (header.prefix_bytes(self.view, true) + 4).saturating_add(bitmap_bytes).saturating_add(pointers);
        let mut cursor = self.view.cursor(SUPER_BLOCK, address, bytes)?;
        self.prefix(&mut cursor, b"EASB", true)?;
        let bitmap = cursor.bytes("page bitmaps", bitmap_bytes as usize)?;
        let page_bytes = header.page_elements().saturating_mul(header.format.bytes).saturating_add(4);
        let mut items = Vec::new();
        let mut pages = 0u64;
        for block in 0..shape.data_blocks {
            let Some(address) = cursor.address("data block address")? else { continue };
            let indexes = shape.indexes(block);
            if !self.grid.overlaps(&indexes) {
                continue;
            }
            if shape.pages == 0 {
                items.push(Item::Node(Node::DataBlock { address, indexes }));
                continue;
            }
            items.push(Item::Node(Node::PagedDataBlock { address }));
            pages = pages.saturating_add(shape.pages);
            fit_into_file(self.view, address, pages, page_bytes)?;
            let prefix = header.prefix_bytes(self.view, true) + 4;
            for page in 0..shape.pages {
                let first = indexes.start.saturating_add(page.saturating_mul(header.page_elements()));
                let indexes = first..first.saturating_add(header.page_elements());
                // The bits of all data blocks follow each other without gaps, although there is room for whole bytes
                // for each.
                if !is_set(&bitmap, block * shape.pages + page) || !self.grid.overlaps(&indexes) {
                    continue;
                }
                let offset = prefix.saturating_add(page.saturating_mul(page_bytes));
                let address = Address(address.0.saturating_add(offset));
                items.push(Item::Node(Node::Page { address, indexes }));
            }
        }
        cursor.checksum()?;
        Ok((items, bytes))
    }

    /// Parses a data block with the elements `indexes`. A paged data block has none itself.
    fn data_block(&self, address: Address, indexes: &Range<u64>) -> Parse<(Items, u64)> {
        let elements = (indexes.end - indexes.start).saturating_mul(self.header.format.bytes);
        let bytes = (self.header.prefix_bytes(self.view, true) + 4).saturating_add(elements);
        let mut cursor = self.view.cursor(DATA_BLOCK, address, bytes)?;
        self.prefix(&mut cursor, b"EADB", true)?;
        let elements = self.header.format.take(&mut cursor, indexes)?;
        cursor.checksum()?;
        Ok((vec![Item::Done(elements)], bytes))
    }

    fn page(&self, address: Address, indexes: &Range<u64>) -> Parse<(Items, u64)> {
        let elements = (indexes.end - indexes.start).saturating_mul(self.header.format.bytes);
        let bytes = elements.saturating_add(4);
        let mut cursor = self.view.cursor(PAGE, address, bytes)?;
        let elements = self.header.format.take(&mut cursor, indexes)?;
        cursor.checksum()?;
        Ok((vec![Item::Done(elements)], bytes))
    }

    /// Parses the beginning of every block. The offset is skipped: libhdf5 writes a wrong offset for some data blocks,
    /// and never reads it.
    fn prefix(&self, cursor: &mut Cursor, signature: &[u8; 4], with_offset: bool) -> Result<(), FormatError> {
        cursor.signature(signature)?;
        cursor.version(0..=0)?;
        owned(cursor, self.context, self.header.format)?;
        if with_offset {
            cursor.skip("block offset", self.header.offset_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Dataset, dataset};
    use crate::Address;
    use crate::message::ChunkIndex;
    use crate::testing::{Build, every_prefix_fails};

    const INDEX: u64 = 100;
    const SUPER: [u64; 2] = [200, 300];
    const PAGED: u64 = 500;

    fn block(image: Build, at: u64, signature: &str) -> Build {
        image.pad_to(at).text(signature).u8(0).u8(0).u64(0)
    }

    fn elements(image: Build, indexes: std::ops::Range<u64>) -> Build {
        indexes.fold(image, |image, i| if i % 5 == 3 { image.undefined() } else { image.u64(2000 + 4 * i) })
    }

    /// At most 16 elements, 1 of them in the index block, pages of 2. Super block 0 has one data block of 1 element,
    /// 1 has 1 of 2, 2 has 2 of 2, and 3 has 2 of 4 in two pages each. Element 1 and the second of the data blocks of
    /// super block 2 were never written, nor was the second page of super block 3.
    fn array() -> Build {
        let image = Build::default()
            .text("EAHD")
            .u8(0)
            .u8(0)
            .u8(8)
            .bytes(&[4, 1, 1, 2, 1])
            .bytes(&[0; 48])
            .u64(INDEX);
        let image = block(image.checksum_since(Address(0)), INDEX, "EAIB");
        let image = elements(image, 0..1).undefined().u64(400);
        let image = image.u64(SUPER[0]).u64(SUPER[1]).undefined().checksum_since(Address(INDEX));
        let image =
            block(image, SUPER[0], "EASB").u8(3).u64(450).undefined().checksum_since(Address(SUPER[0]));
        let image = block(image, SUPER[1], "EASB").u8(7).bytes(&[0b1011_0000, 0]);
        let image = image.u64(PAGED).u64(PAGED + 200).checksum_since(Address(SUPER[1]));
        let image = elements(block(image, 400, "EADB").u8(1), 2..4).checksum_since(Address(400));
        let image = elements(block(image, 450, "EADB").u8(3), 4..6).checksum_since(Address(450));
        let mut image = image;
        for (at, first) in [(PAGED, 8), (PAGED + 200, 12)] {
            image = block(image, at, "EADB").u8(7).checksum_since(Address(at));
            let page = image.here();
            image = elements(image, first..first + 2).checksum_since(page);
            let page = image.here();
            if first == 12 {
                image = elements(image, first + 2..first + 4).checksum_since(page);
            }
        }
        image.pad_to(2100)
    }

    fn growing(dims: &[u64], max_dims: &[Option<u64>]) -> Dataset {
        let index = ChunkIndex::ExtensibleArray {
            max_bits: 4,
            index_elements: 1,
            super_block_min_pointers: 2,
            data_block_min_elements: 1,
            page_bits: 1,
        };
        dataset(dims, max_dims, &vec![1; dims.len()], index)
    }

    const WRITTEN: [u64; 9] = [0, 2, 4, 5, 9, 12, 14, 15, 99];

    #[test]
    fn elements_are_found_in_all_kinds_of_blocks() {
        let dataset = growing(&[16], &[None]);
        let at = |i: u64| (vec![i], 2000 + 4 * i, 4, 0);
        let all: Vec<_> = WRITTEN[..8].iter().map(|&i| at(i)).collect();
        assert_eq!(dataset.rows(&array(), None), all);
        for from in 0..16 {
            for to in from + 1..=16 {
                let part: Vec<_> = all.iter().filter(|row| (from..to).contains(&row.0[0])).cloned().collect();
                assert_eq!(dataset.rows(&array(), Some(&[(from, to)])), part);
            }
        }
    }

    #[test]
    fn the_unlimited_dimension_comes_first() {
        // Element i is chunk (i % 2, i / 2).
        let dataset = growing(&[2, 8], &[Some(2), None]);
        let mut all: Vec<_> =
            WRITTEN[..8].iter().map(|&i| (vec![i % 2, i / 2], 2000 + 4 * i, 4, 0)).collect();
        all.sort();
        assert_eq!(dataset.rows(&array(), None), all);
        // The numbering depends on the maximum size, not on the present one.
        let smaller = growing(&[1, 7], &[Some(2), None]);
        all.retain(|row| row.0[0] == 0 && row.0[1] < 7);
        assert_eq!(smaller.rows(&array(), None), all);
    }

    #[test]
    fn blocks_without_wanted_chunks_are_not_read() {
        let dataset = growing(&[16], &[None]);
        for (at, region) in [(PAGED + 19, (0, 8)), (SUPER[1], (0, 8)), (400, (4, 16)), (PAGED + 200, (0, 12))]
        {
            let broken = array().patch(at, b"nope");
            dataset.chunks(&broken.view(), None).unwrap_err();
            dataset.chunks(&broken.view(), Some(&[region])).unwrap();
        }
    }

    #[test]
    fn refuses_other_dimensions_and_truncated_files() {
        for max_dims in [Some(16), Some(15)] {
            growing(&[15], &[max_dims]).chunks(&array().view(), None).unwrap_err();
        }
        growing(&[2, 8], &[None, None]).chunks(&array().view(), None).unwrap_err();
        growing(&[16], &[None]).filtered().chunks(&array().view(), None).unwrap_err();
        every_prefix_fails(&array(), |view| {
            let table = growing(&[16], &[None]).chunks(view, None)?;
            Ok((table, view.bytes("test", Address(2099), 1)?))
        });
    }

    #[test]
    fn survives_any_change() {
        growing(&[16], &[None]).survives_changes(&array());
        growing(&[2, 8], &[Some(2), None]).survives_changes(&array());
    }
}
