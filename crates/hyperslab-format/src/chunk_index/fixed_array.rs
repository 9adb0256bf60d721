//! Fixed arrays (specification VII.C): an element for each chunk of a dataset that cannot grow.
//!
//! ```text
//! header:      "FAHD" | version 0 | client ID | element size | page bits | elements | data block | checksum 4
//! data block:  "FADB" | version 0 | client ID | header | [page bitmap] | elements | checksum 4
//! page:        elements | checksum 4
//! ```
//!
//! If there are more elements than in a page, the data block ends (with its checksum) after a bitmap of the pages that
//! were written, and the pages follow it. Elements are numbered over the dataset's maximum size.

use super::batch::gather;
use super::columns::ChunkColumns;
use super::context::{WalkContext, invalid};
use super::element::{ElementFormat, Elements};
use super::grid::Grid;
use crate::node_traversal::{Item, NodeTraversal, VisitedRanges};
use crate::{Address, Cursor, FormatError, Parse, View};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct FixedArrayWalk {
    context: WalkContext,
    grid: Grid,
    header: Option<Header>,
    nodes: NodeTraversal<Node, Elements>,
}

#[derive(Debug)]
enum Node {
    DataBlock,
    Page { at: Address, indexes: Range<u64> },
}

/// The header of an array.
#[derive(Debug)]
struct Header {
    format: ElementFormat,
    page_bits: u8,
    elements: u64,
    data_block: Option<Address>,
}

const HEADER: &str = "fixed array header";
const DATA_BLOCK: &str = "fixed array data block";
const PAGE: &str = "fixed array data block page";

impl FixedArrayWalk {
    pub(super) fn new(context: WalkContext) -> Result<Self, FormatError> {
        let fixed = context.max_chunks.iter().all(Option::is_some);
        let grid = Grid::new(&context.max_chunks, &context.region).filter(|_| fixed);
        let grid = grid.ok_or_else(|| {
            invalid("chunk indexing type", "a fixed array needs fixed dimensions and at most 2^64 chunks")
        })?;
        Ok(Self { context, grid, header: None, nodes: NodeTraversal::strict(Node::DataBlock) })
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<Option<ChunkColumns>> {
        let context = &self.context;
        if self.header.is_none() {
            self.header = Some(Header::parse(view, context)?);
        }
        let header = self.header.as_ref().expect("read above");
        let Some(data_block) = header.data_block else { return Ok(None) };
        let grid = &self.grid;
        let visit = |node: &Node, visited: &mut VisitedRanges| {
            let (items, structure, at, bytes) = match node {
                Node::DataBlock => {
                    let (items, bytes) = header.data_block(view, context, grid, data_block)?;
                    (items, DATA_BLOCK, view.absolute(data_block), bytes)
                }
                Node::Page { at, indexes } => {
                    let bytes = header.page_bytes(indexes);
                    let mut cursor = view.cursor(PAGE, *at, bytes)?;
                    let elements = header.format.take(&mut cursor, indexes)?;
                    cursor.checksum()?;
                    (vec![Item::Done(elements)], PAGE, view.absolute(*at), bytes)
                }
            };
            visited.claim(structure, view, at, bytes)?;
            Ok(items)
        };
        let next = || Ok(self.nodes.next(visit)?.transpose()?);
        let add = |elements: Elements, found: &mut ChunkColumns| {
            header.format.collect(view, context, grid, &elements, found)
        };
        gather(context.rank, next, add)
    }
}

impl Header {
    fn parse(view: &View, context: &WalkContext) -> Parse<Self> {
        let bytes = 12 + u64::from(view.widths.length) + u64::from(view.widths.offset);
        let mut cursor = view.cursor(HEADER, context.address, bytes)?;
        cursor.signature(b"FAHD")?;
        cursor.version(0..=0)?;
        let format = ElementFormat::parse(&mut cursor, view, context)?;
        let field = cursor.clone();
        let page_bits = cursor.u8("page bits")?;
        if page_bits >= 64 {
            return Err(field.invalid("page bits", format!("pages of 2^{page_bits} elements")).into());
        }
        let field = cursor.clone();
        let elements = cursor.length("maximum number of entries")?;
        let expected = context.max_chunks.iter().try_fold(1u64, |all, max| all.checked_mul((*max)?));
        if expected != Some(elements) {
            let what = format!("{elements} entries in a dataset of {:?} chunks", context.max_chunks);
            return Err(field.invalid("maximum number of entries", what).into());
        }
        let data_block = cursor.address("data block address")?;
        cursor.checksum()?;
        Ok(Self { format, page_bits, elements, data_block })
    }

    fn page_bytes(&self, indexes: &Range<u64>) -> u64 {
        (indexes.end - indexes.start).saturating_mul(self.format.bytes).saturating_add(4)
    }

    /// Parses the data block: its elements or pages, and the size of the block without pages in bytes.
    fn data_block(
        &self,
        view: &View,
        context: &WalkContext,
        grid: &Grid,
        address: Address,
    ) -> Parse<(Vec<Item<Node, Elements>>, u64)> {
        let page = 1u64 << self.page_bits;
        let pages = if self.elements > page { self.elements.div_ceil(page) } else { 0 };
        let prefix = 6 + u64::from(view.widths.offset);
        if pages == 0 {
            let bytes = prefix.saturating_add(self.page_bytes(&(0..self.elements)));
            let mut cursor = view.cursor(DATA_BLOCK, address, bytes)?;
            self.block_prefix(&mut cursor, context)?;
            let elements = self.format.take(&mut cursor, &(0..self.elements))?;
            cursor.checksum()?;
            return Ok((vec![Item::Done(elements)], bytes));
        }
        let bytes = prefix + pages.div_ceil(8) + 4;
        let mut cursor = view.cursor(DATA_BLOCK, address, bytes)?;
        self.block_prefix(&mut cursor, context)?;
        let bitmap = cursor.bytes("page bitmap", pages.div_ceil(8) as usize)?;
        cursor.checksum()?;
        // The file has space for all pages, including those that were never written.
        let page_bytes = self.page_bytes(&(0..page));
        fit_into_file(view, address, pages - 1, page_bytes)?;
        let mut items = Vec::new();
        for number in 0..pages {
            let indexes = number * page..(number * page).saturating_add(page).min(self.elements);
            if is_set(&bitmap, number) && grid.overlaps(&indexes) {
                let offset = number.saturating_mul(page_bytes);
                let at = Address(address.0.saturating_add(bytes).saturating_add(offset));
                items.push(Item::Node(Node::Page { at, indexes }));
            }
        }
        Ok((items, bytes))
    }

    fn block_prefix(&self, cursor: &mut Cursor, context: &WalkContext) -> Result<(), FormatError> {
        cursor.signature(b"FADB")?;
        cursor.version(0..=0)?;
        owned(cursor, context, self.format)
    }
}

/// Checks the client ID and the header address of a block: they must be those of this array.
pub(super) fn owned(
    cursor: &mut Cursor,
    context: &WalkContext,
    format: ElementFormat,
) -> Result<(), FormatError> {
    let field = cursor.clone();
    if (cursor.u8("client ID")? != 0) != format.filtered {
        return Err(field.invalid("client ID", "the client ID of the block is not that of the header"));
    }
    let field = cursor.clone();
    if cursor.address("header address")? != Some(context.address) {
        let what = format!("the block does not belong to the array at {}", context.address);
        return Err(field.invalid("header address", what));
    }
    Ok(())
}

/// Refuses more pages than fit into the file: a few bytes of a bitmap can claim many.
pub(super) fn fit_into_file(view: &View, block: Address, pages: u64, bytes: u64) -> Result<(), FormatError> {
    if pages.saturating_mul(bytes) <= view.stored_bytes() {
        return Ok(());
    }
    let what = format!("{pages} pages of {bytes} bytes are larger than the file");
    Err(FormatError::invalid(PAGE, "page bitmap", view.absolute(block), what))
}

/// Bit `number` of a bitmap. Bit 0 is the highest bit of the first byte.
pub(super) fn is_set(bitmap: &[u8], number: u64) -> bool {
    bitmap.get((number / 8) as usize).is_some_and(|byte| byte & (0x80 >> (number % 8)) != 0)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Dataset, dataset};
    use super::*;
    use crate::message::ChunkIndex;
    use crate::testing::{Build, every_prefix_fails};

    const BLOCK: u64 = 100;

    fn header(shape: [u8; 2], page_bits: u8, elements: u64) -> Build {
        let image = Build::default().text("FAHD").u8(0).bytes(&shape).u8(page_bits).u64(elements).u64(BLOCK);
        image.checksum_since(Address(0)).pad_to(BLOCK).text("FADB").u8(0).u8(shape[0]).u64(0)
    }

    fn array(dims: &[u64], max_dims: &[Option<u64>]) -> Dataset {
        dataset(dims, max_dims, &vec![1; dims.len()], ChunkIndex::FixedArray { page_bits: 10 })
    }

    #[test]
    fn elements_are_numbered_over_the_maximum_size() {
        let mut image = header([0, 8], 10, 12);
        for i in 0..12u64 {
            image = if i % 4 == 1 { image.undefined() } else { image.u64(300 + 4 * i) };
        }
        let image = image.checksum_since(Address(BLOCK)).pad_to(400);
        let dataset = array(&[2, 3], &[Some(3), Some(4)]);
        let at = |row: u64, column: u64| (vec![row, column], 300 + 4 * (4 * row + column), 4, 0);
        assert_eq!(dataset.rows(&image, None), [at(0, 0), at(0, 2), at(1, 0), at(1, 2)]);
        assert_eq!(dataset.rows(&image, Some(&[(1, 2), (1, 3)])), [at(1, 2)]);
        dataset.survives_changes(&image);
        for other in [array(&[2, 3], &[Some(3), Some(5)]), array(&[2, 3], &[None, Some(4)])] {
            other.chunks(&image.view(), None).unwrap_err();
        }
        array(&[2, 3], &[Some(3), Some(4)]).filtered().chunks(&image.view(), None).unwrap_err();
    }

    #[test]
    fn filtered_elements_have_size_and_mask() {
        let image = header([1, 14], 10, 2).u64(300).uint(99, 2).u32(1).undefined().uint(0, 2).u32(0);
        let image = image.checksum_since(Address(BLOCK));
        let image = image.pad_to(400);
        let dataset = array(&[2], &[Some(2)]).filtered();
        assert_eq!(dataset.rows(&image, None), [(vec![0], 300, 99, 1)]);
        every_prefix_fails(&image, |view| {
            let table = dataset.chunks(view, None)?;
            Ok((table, view.bytes("test", Address(399), 1)?))
        });
    }

    /// Pages of 4 elements for 10 chunks, the second never written.
    fn paged() -> Build {
        let image = header([0, 8], 2, 10).u8(0b1010_0000).checksum_since(Address(BLOCK));
        let first = image.here();
        assert_eq!(first.0, BLOCK + 19);
        let image = (0..4).fold(image, |image, i| image.u64(300 + 4 * i)).checksum_since(first);
        let image = image.pad_to(first.0 + 2 * 36);
        let third = image.here();
        image.u64(500).undefined().checksum_since(third).pad_to(600)
    }

    #[test]
    fn pages_that_were_never_written_are_not_read() {
        let dataset = array(&[10], &[Some(10)]);
        let at = |i: u64| (vec![i], 300 + 4 * i, 4, 0);
        let all = [at(0), at(1), at(2), at(3), (vec![8], 500, 4, 0)];
        assert_eq!(dataset.rows(&paged(), None), all);
        dataset.survives_changes(&paged());
        // A page that is not wanted may be damaged.
        let broken = paged().patch(BLOCK + 19, &[9]);
        dataset.chunks(&broken.view(), None).unwrap_err();
        assert_eq!(dataset.rows(&broken, Some(&[(4, 10)])), all[4..]);
    }

    #[test]
    fn refuses_bitmaps_with_more_pages_than_fit_into_the_file() {
        let elements = 8 * 500;
        let image = header([0, 8], 0, elements).bytes(&[0xFF; 500]).checksum_since(Address(BLOCK));
        let dataset = array(&[elements], &[Some(elements)]);
        let error = dataset.chunks(&image.view(), None).unwrap_err();
        assert!(format!("{error:?}").contains("larger than the file"), "{error:?}");
    }
}
