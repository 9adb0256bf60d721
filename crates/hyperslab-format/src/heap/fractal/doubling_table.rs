//! The doubling table of a fractal heap: maps an offset in managed space to the row and column of a block.
//!
//! ```text
//! table width 2 | starting block size | max. direct block size | max. heap size (bits) 2
//!               | starting rows 2 | root block | current rows of the root 2
//! ```
//!
//! A table has `width` blocks per row. Blocks in rows 0 and 1 have the starting size; in each further row the size
//! doubles. Blocks up to the maximum direct block size are direct; larger ones are indirect, that is, tables
//! themselves. A root without rows is a single direct block.

use crate::{Address, Cursor, FormatError};

/// The shape of all tables of a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoublingTable {
    /// The number of blocks per row.
    pub width: u16,
    /// The size of a block in the first two rows, in bytes.
    pub start_bytes: u64,
    /// The size of the largest direct block, in bytes.
    pub max_direct_bytes: u64,
    /// log2 of the maximum size of managed space in bytes.
    pub max_heap_bits: u16,
    /// The root block.
    pub root: Option<Address>,
    /// The number of rows of the root block; 0 if it is a direct block.
    pub root_rows: u16,
}

/// The position of an offset in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TablePosition {
    pub(super) row: u32,
    pub(super) column: u64,
    /// The offset of the block from the start of the table.
    pub(super) offset: u64,
    /// The size of the block in bytes.
    pub(super) bytes: u64,
}

impl DoublingTable {
    pub(super) fn parse(cursor: &mut Cursor) -> Result<Self, FormatError> {
        let field = cursor.clone();
        let table = Self {
            width: cursor.u16("table width")?,
            start_bytes: cursor.length("starting block size")?,
            max_direct_bytes: cursor.length("maximum direct block size")?,
            max_heap_bits: cursor.u16("maximum heap size")?,
            root: {
                cursor.u16("starting number of rows in root indirect block")?;
                cursor.address("address of root block")?
            },
            root_rows: cursor.u16("current number of rows in root indirect block")?,
        };
        let power = |name, value: u64| match value.is_power_of_two() && value <= 1 << 32 {
            true => Ok(()),
            false => Err(field.invalid(name, format!("{value} is not a power of two up to 2^32"))),
        };
        power("table width", table.width.into())?;
        power("starting block size", table.start_bytes)?;
        power("maximum direct block size", table.max_direct_bytes)?;
        if table.max_direct_bytes < table.start_bytes {
            let what = "the largest direct block is smaller than the first";
            return Err(field.invalid("maximum direct block size", what));
        }
        if table.max_heap_bits > 64 || u32::from(table.max_heap_bits) < table.first_row_bits() {
            let what = format!("heaps of up to 2^{} bytes are not possible", table.max_heap_bits);
            return Err(field.invalid("maximum heap size", what));
        }
        let max_rows = u32::from(table.max_heap_bits) - table.first_row_bits() + 1;
        if u32::from(table.root_rows) > max_rows {
            let what = format!("{} rows, but at most {max_rows} are possible", table.root_rows);
            return Err(field.invalid("current number of rows in root indirect block", what));
        }
        Ok(table)
    }

    /// log2 of the size of the first row in bytes.
    fn first_row_bits(&self) -> u32 {
        self.start_bytes.ilog2() + u32::from(self.width).ilog2()
    }

    /// The number of rows of direct blocks.
    pub(super) fn direct_rows(&self) -> u32 {
        self.max_direct_bytes.ilog2() - self.start_bytes.ilog2() + 2
    }

    /// The number of rows of an indirect block that spans `bytes` bytes; `None` if not even one row fits.
    pub(super) fn rows_of(&self, bytes: u64) -> Option<u32> {
        (bytes.checked_ilog2()? + 1).checked_sub(self.first_row_bits()).filter(|&rows| rows > 0)
    }

    /// The position of `offset`, relative to the start of a table.
    pub(super) fn position(&self, offset: u64) -> TablePosition {
        let first_row = 1u64.checked_shl(self.first_row_bits()).unwrap_or(u64::MAX);
        let (row, row_offset, bytes) = if offset < first_row {
            (0, 0, self.start_bytes)
        } else {
            // Row r starts where rows 0 to r - 1 end: at the size of the first row times 2^(r-1).
            let high = offset.ilog2();
            let row = high - self.first_row_bits() + 1;
            (row, 1u64 << high, self.start_bytes << (row - 1))
        };
        let column = (offset - row_offset) / bytes;
        TablePosition { row, column, offset: row_offset + column * bytes, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Build;

    fn table(width: u16, start: u64, max: u64, bits: u16, rows: u16) -> Result<DoublingTable, FormatError> {
        let image = Build::default().u16(width).u64(start).u64(max).u16(bits).u16(1).u64(7).u16(rows);
        let mut cursor = image.view().cursor("table", Address(0), image.here().0).unwrap();
        DoublingTable::parse(&mut cursor)
    }

    #[test]
    fn positions_follow_the_doubling() {
        // As written by the library for links: 4 blocks of 512 bytes per row, direct up to 64 KiB.
        let table = table(4, 512, 65536, 32, 2).unwrap();
        assert_eq!(table.direct_rows(), 9);
        let position = |row, column, offset, bytes| TablePosition { row, column, offset, bytes };
        assert_eq!(table.position(0), position(0, 0, 0, 512));
        assert_eq!(table.position(2047), position(0, 3, 1536, 512));
        assert_eq!(table.position(2048), position(1, 0, 2048, 512));
        assert_eq!(table.position(4095), position(1, 3, 3584, 512));
        assert_eq!(table.position(4096 + 1024), position(2, 1, 5120, 1024));
        assert_eq!(table.position(1 << 31).row, 21);
        assert_eq!(table.rows_of(131_072), Some(7));
        assert_eq!(table.rows_of(1024), None);
    }

    #[test]
    fn every_offset_lies_in_its_block() {
        for (width, start) in [(1, 1), (1, 512), (4, 512), (16, 8)] {
            let table = table(width, start, 4096.max(start), 64, 0).unwrap();
            for offset in (0..20_000).chain((0..64).flat_map(|bit| [1 << bit, u64::MAX >> bit])) {
                let position = table.position(offset);
                assert!(
                    position.offset <= offset && offset - position.offset < position.bytes,
                    "{offset}: {position:?}"
                );
                assert!(position.column < u64::from(width));
            }
        }
    }

    #[test]
    fn refuses_impossible_shapes() {
        for (width, start, max, bits, rows) in [
            (0, 512, 65536, 32, 0),
            (3, 512, 65536, 32, 0),
            (4, 0, 65536, 32, 0),
            (4, 512, 256, 32, 0),
            (4, 512, 1 << 33, 32, 0),
            (4, 512, 65536, 65, 0),
            (4, 512, 65536, 10, 0),
            (4, 512, 65536, 32, 23),
        ] {
            table(width, start, max, bits, rows).unwrap_err();
        }
    }
}
