//! Fixed arrays (specification VII.C): an element for each chunk of a dataset that cannot grow.
//!
//! ```text
//! header:      "FAHD" | version 0 | client ID | element size | page bits | elements | data block | checksum 4
//! data block:  "FADB" | version 0 | client ID | header | [page bitmap] | elements | checksum 4
//! page:        elements | checksum 4
//! ```
//!
//! With more elements than a page has, the data block ends (with its checksum) after a bitmap of the pages that
//! were ever written, and the pages follow it. Elements count through the dataset's largest size.

use super::element::{Elements, Shape};
use super::grid::Grid;
use super::plan::{Plan, invalid};
use super::table::ChunkTable;
use crate::walk::{self, Item};
use crate::{Address, Cursor, FormatError, Parse, View};
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Walk {
    plan: Plan,
    grid: Grid,
    header: Option<Header>,
    nodes: walk::Walk<Node, Elements>,
}

#[derive(Debug)]
enum Node {
    DataBlock,
    Page { at: Address, indexes: Range<u64> },
}

/// The header of an array.
#[derive(Debug)]
struct Header {
    shape: Shape,
    page_bits: u8,
    elements: u64,
    data_block: Option<Address>,
}

const HEADER: &str = "fixed array header";
const DATA_BLOCK: &str = "fixed array data block";
const PAGE: &str = "fixed array data block page";

impl Walk {
    pub(super) fn new(plan: Plan) -> Result<Self, FormatError> {
        let fixed = plan.max_chunks.iter().all(Option::is_some);
        let grid = Grid::new(&plan.max_chunks, &plan.region).filter(|_| fixed);
        let grid = grid.ok_or_else(|| {
            invalid("chunk indexing type", "a fixed array needs fixed dimensions and chunks that can be counted")
        })?;
        Ok(Self { plan, grid, header: None, nodes: walk::Walk::strict(Node::DataBlock) })
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<ChunkTable> {
        let plan = &self.plan;
        if self.header.is_none() {
            self.header = Some(Header::parse(view, plan)?);
        }
        let header = self.header.as_ref().expect("read above");
        let mut table = ChunkTable::new(plan.rank);
        let Some(data_block) = header.data_block else { return Ok(table) };
        let grid = &self.grid;
        self.nodes.advance(|node, footprint| {
            let (items, structure, at, bytes) = match node {
                Node::DataBlock => {
                    let (items, bytes) = header.data_block(view, plan, grid, data_block)?;
                    (items, DATA_BLOCK, view.absolute(data_block), bytes)
                }
                Node::Page { at, indexes } => {
                    let bytes = header.page_bytes(indexes);
                    let mut cursor = view.cursor(PAGE, *at, bytes)?;
                    let elements = header.shape.take(&mut cursor, indexes)?;
                    cursor.checksum()?;
                    (vec![Item::Done(elements)], PAGE, view.absolute(*at), bytes)
                }
            };
            footprint.claim(structure, view, at, bytes)?;
            Ok(items)
        })?;
        for elements in self.nodes.results() {
            header.shape.collect(view, plan, grid, &elements?, &mut table)?;
        }
        Ok(table.ordered())
    }
}

impl Header {
    fn parse(view: &View, plan: &Plan) -> Parse<Self> {
        let bytes = 12 + u64::from(view.widths.length) + u64::from(view.widths.offset);
        let mut cursor = view.cursor(HEADER, plan.address, bytes)?;
        cursor.signature(b"FAHD")?;
        cursor.version(0..=0)?;
        let shape = Shape::parse(&mut cursor, view, plan)?;
        let field = cursor.clone();
        let page_bits = cursor.u8("page bits")?;
        if page_bits >= 64 {
            return Err(field.invalid("page bits", format!("pages of 2^{page_bits} elements")).into());
        }
        let field = cursor.clone();
        let elements = cursor.length("maximum number of entries")?;
        let expected = plan.max_chunks.iter().try_fold(1u64, |all, max| all.checked_mul((*max)?));
        if expected != Some(elements) {
            let what = format!("{elements} entries in a dataset of {:?} chunks", plan.max_chunks);
            return Err(field.invalid("maximum number of entries", what).into());
        }
        let data_block = cursor.address("data block address")?;
        cursor.checksum()?;
        Ok(Self { shape, page_bits, elements, data_block })
    }

    fn page_bytes(&self, indexes: &Range<u64>) -> u64 {
        (indexes.end - indexes.start).saturating_mul(self.shape.bytes).saturating_add(4)
    }

    /// The elements of the data block, or its pages; and the bytes of the block without pages.
    fn data_block(
        &self,
        view: &View,
        plan: &Plan,
        grid: &Grid,
        address: Address,
    ) -> Parse<(Vec<Item<Node, Elements>>, u64)> {
        let page = 1u64 << self.page_bits;
        let pages = if self.elements > page { self.elements.div_ceil(page) } else { 0 };
        let prefix = 6 + u64::from(view.widths.offset);
        if pages == 0 {
            let bytes = prefix.saturating_add(self.page_bytes(&(0..self.elements)));
            let mut cursor = view.cursor(DATA_BLOCK, address, bytes)?;
            self.block_prefix(&mut cursor, plan)?;
            let elements = self.shape.take(&mut cursor, &(0..self.elements))?;
            cursor.checksum()?;
            return Ok((vec![Item::Done(elements)], bytes));
        }
        let bytes = prefix + pages.div_ceil(8) + 4;
        let mut cursor = view.cursor(DATA_BLOCK, address, bytes)?;
        self.block_prefix(&mut cursor, plan)?;
        let bitmap = cursor.bytes("page bitmap", pages.div_ceil(8) as usize)?;
        cursor.checksum()?;
        let page_bytes = self.page_bytes(&(0..page));
        let mut items = Vec::new();
        for number in 0..pages {
            let indexes = number * page..(number * page).saturating_add(page).min(self.elements);
            if is_set(&bitmap, number) && grid.meets(&indexes) {
                let offset = number.saturating_mul(page_bytes);
                let at = Address(address.0.saturating_add(bytes).saturating_add(offset));
                items.push(Item::Node(Node::Page { at, indexes }));
                fit_into_file(view, address, items.len() as u64, page_bytes)?;
            }
        }
        Ok((items, bytes))
    }

    fn block_prefix(&self, cursor: &mut Cursor, plan: &Plan) -> Result<(), FormatError> {
        cursor.signature(b"FADB")?;
        cursor.version(0..=0)?;
        owned(cursor, plan, self.shape)
    }
}

/// Checks that a block belongs to the array of this dataset: client ID and address of the header.
pub(super) fn owned(cursor: &mut Cursor, plan: &Plan, shape: Shape) -> Result<(), FormatError> {
    let field = cursor.clone();
    if (cursor.u8("client ID")? != 0) != shape.filtered {
        return Err(field.invalid("client ID", "the block has another client than the header"));
    }
    let field = cursor.clone();
    if cursor.address("header address")? != Some(plan.address) {
        let what = format!("the block belongs to another array than that at {}", plan.address);
        return Err(field.invalid("header address", what));
    }
    Ok(())
}

/// Refuses more pages than the file has room for: a bitmap can ask for many in few bytes.
pub(super) fn fit_into_file(view: &View, block: Address, pages: u64, bytes: u64) -> Result<(), FormatError> {
    if pages.saturating_mul(bytes) <= view.file_len() {
        return Ok(());
    }
    let what = format!("{pages} pages of {bytes} bytes are more than the file");
    Err(FormatError::invalid(PAGE, "page bitmap", view.absolute(block), what))
}

/// Bit `number` of a bitmap, which begins with the highest bit of the first byte.
pub(super) fn is_set(bitmap: &[u8], number: u64) -> bool {
    bitmap.get((number / 8) as usize).is_some_and(|byte| byte & (0x80 >> (number % 8)) != 0)
}
