//! The doubling table of a fractal heap: which block of which row holds an offset of the managed space.
//!
//! ```text
//! table width 2 | starting block size | max. direct block size | max. heap size (bits) 2
//!               | starting rows 2 | root block | current rows of the root 2
//! ```
//!
//! A table has `width` blocks in a row. Rows 0 and 1 have blocks of the starting size, and each row after them
//! blocks twice as large. Up to the largest direct block size the blocks are direct, beyond it they are indirect:
//! tables themselves. A root without rows is one direct block.

use crate::{Address, Cursor, FormatError};

/// The shape of all tables of a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoublingTable {
    /// Blocks in a row.
    pub width: u16,
    /// Bytes of a block in the first two rows.
    pub start_bytes: u64,
    /// Bytes of the largest direct block.
    pub max_direct_bytes: u64,
    /// log2 of the most bytes of managed space.
    pub max_heap_bits: u16,
    /// The root block.
    pub root: Option<Address>,
    /// Rows of the root block; none if it is a direct block.
    pub root_rows: u16,
}

/// Where in a table an offset lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) row: u32,
    pub(super) column: u64,
    /// Offset of that block from the beginning of the table.
    pub(super) offset: u64,
    /// Bytes of that block.
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
            let what = format!("a heap of up to 2^{} bytes", table.max_heap_bits);
            return Err(field.invalid("maximum heap size", what));
        }
        let max_rows = u32::from(table.max_heap_bits) - table.first_row_bits() + 1;
        if u32::from(table.root_rows) > max_rows {
            let what = format!("{} rows, where {max_rows} are possible", table.root_rows);
            return Err(field.invalid("current number of rows in root indirect block", what));
        }
        Ok(table)
    }

    /// log2 of the bytes of the first row.
    fn first_row_bits(&self) -> u32 {
        self.start_bytes.ilog2() + u32::from(self.width).ilog2()
    }

    /// Rows of direct blocks.
    pub(super) fn direct_rows(&self) -> u32 {
        self.max_direct_bytes.ilog2() - self.start_bytes.ilog2() + 2
    }

    /// Rows of an indirect block of this many bytes; `None` if not even one fits.
    pub(super) fn rows_of(&self, bytes: u64) -> Option<u32> {
        (bytes.checked_ilog2()? + 1).checked_sub(self.first_row_bits()).filter(|&rows| rows > 0)
    }

    /// The block that holds `offset`, counted from the beginning of a table.
    pub(super) fn place(&self, offset: u64) -> Place {
        let first_row = 1u64.checked_shl(self.first_row_bits()).unwrap_or(u64::MAX);
        let (row, row_offset, bytes) = if offset < first_row {
            (0, 0, self.start_bytes)
        } else {
            // Row r begins where rows 0 to r - 1 end: at the first row's size times 2^(r-1).
            let high = offset.ilog2();
            let row = high - self.first_row_bits() + 1;
            (row, 1u64 << high, self.start_bytes << (row - 1))
        };
        let column = (offset - row_offset) / bytes;
        Place { row, column, offset: row_offset + column * bytes, bytes }
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
    fn places_follow_the_doubling() {
        // As the library makes them for links: 4 blocks of 512 bytes in the first row, direct up to 64 KiB.
        let table = table(4, 512, 65536, 32, 2).unwrap();
        assert_eq!(table.direct_rows(), 9);
        let place = |row, column, offset, bytes| Place { row, column, offset, bytes };
        assert_eq!(table.place(0), place(0, 0, 0, 512));
        assert_eq!(table.place(2047), place(0, 3, 1536, 512));
        assert_eq!(table.place(2048), place(1, 0, 2048, 512));
        assert_eq!(table.place(4095), place(1, 3, 3584, 512));
        assert_eq!(table.place(4096 + 1024), place(2, 1, 5120, 1024));
        assert_eq!(table.place(1 << 31).row, 21);
        assert_eq!(table.rows_of(131_072), Some(7));
        assert_eq!(table.rows_of(1024), None);
    }

    #[test]
    fn every_offset_lies_in_its_block() {
        for (width, start) in [(1, 1), (1, 512), (4, 512), (16, 8)] {
            let table = table(width, start, 4096.max(start), 64, 0).unwrap();
            for offset in (0..20_000).chain((0..64).flat_map(|bit| [1 << bit, u64::MAX >> bit])) {
                let place = table.place(offset);
                assert!(place.offset <= offset && offset - place.offset < place.bytes, "{offset}: {place:?}");
                assert!(place.column < u64::from(width));
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
